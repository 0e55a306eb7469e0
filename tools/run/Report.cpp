// Output of hsched-run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Run.h"

#include <hsched/abi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hsched::run {
namespace {

std::string seconds(double S) {
  char Text[32];
  if (S < 1e-3)
    std::snprintf(Text, sizeof(Text), "%.0f us", S * 1e6);
  else if (S < 1)
    std::snprintf(Text, sizeof(Text), "%.2f ms", S * 1e3);
  else
    std::snprintf(Text, sizeof(Text), "%.2f s", S);
  return Text;
}

std::string count(size_t N, const char *One) { return std::to_string(N) + " " + One + (N == 1 ? "" : "s"); }

} // namespace

std::string describe(const dag::Graph &G) {
  size_t Edges = 0;
  for (const dag::Kernel &K : G.Kernels)
    Edges += K.Before.size();
  std::string Out = count(G.Kernels.size(), "kernel") + " of " + count(G.Programs.size(), "function") + ", " +
                    count(Edges, "edge") + ", " + count(G.Components.size(), "component") + ", " +
                    count(G.Data.size(), "buffer") + " of " + std::to_string(G.Bytes) + " bytes\n";
  for (uint32_t I : G.Order) {
    const dag::Kernel &K = G.Kernels[I];
    for (const dag::Launch &L : K.Launches) {
      Out += "  " + dag::printable(K.Id) + ": " + G.Programs[K.Program].Kernel + " [";
      for (unsigned D = 0; D < L.Dims; ++D)
        Out += (D ? "," : "") + std::to_string(L.Global[D]);
      if (L.Local[0]) {
        Out += "; ";
        for (unsigned D = 0; D < L.Dims; ++D)
          Out += (D ? "," : "") + std::to_string(L.Local[D]);
      }
      if (L.Offset != std::array<size_t, 3>{}) {
        Out += "; from ";
        for (unsigned D = 0; D < L.Dims; ++D)
          Out += (D ? "," : "") + std::to_string(L.Offset[D]);
      }
      Out += "] on " + (L.Device.empty() ? "any device" : dag::printable(L.Device));
      if (!K.Before.empty()) {
        Out += " after";
        for (uint32_t B : K.Before)
          Out += " " + dag::printable(G.Kernels[B].Id);
      }
      Out += "\n";
    }
  }
  return Out;
}

std::string summary(const dag::Graph &G, const dag::RunReport &R) {
  std::string Out = count(G.Kernels.size(), "kernel") + " in ";
  auto [Least, Greatest] = std::minmax_element(R.Seconds.begin(), R.Seconds.end());
  if (R.Seconds.size() == 1) {
    Out += seconds(R.Seconds[0]);
  } else {
    double Sum = 0;
    for (double S : R.Seconds)
      Sum += S;
    Out += seconds(Sum / static_cast<double>(R.Seconds.size())) + " (mean of " + std::to_string(R.Seconds.size()) +
           " runs; from " + seconds(*Least) + " to " + seconds(*Greatest) + ")";
  }
  Out += "\n";
  for (const dag::Traffic &T : R.Moved)
    if (T.InputBytes + T.OutputBytes + T.DeviceBytes)
      Out += "  " + T.Device + ": " + std::to_string(T.InputBytes) + " bytes there, " + std::to_string(T.OutputBytes) +
             " back, " + std::to_string(T.DeviceBytes) + " from other devices\n";
  for (const auto &[Name, Error] : R.Errors) {
    char Text[64];
    std::snprintf(Text, sizeof(Text), "%.2g", Error);
    Out += "  " + dag::printable(Name) + ": as expected, greatest relative error " + Text + "\n";
  }
  return Out;
}

std::string reportJson(const dag::Graph &G, const dag::RunReport &R) {
  nlohmann::ordered_json J;
  J["schema"] = 1;
  J["file"] = G.Path;
  J["kernels"] = G.Kernels.size();
  J["bytes"] = G.Bytes;
  J["devices"] = R.Devices;
  J["device_types"] = nlohmann::json::array();
  for (unsigned T : R.DeviceTypes)
    J["device_types"].push_back(T == HSCHED_TYPE_CPU           ? "cpu"
                                : T == HSCHED_TYPE_GPU         ? "gpu"
                                : T == HSCHED_TYPE_ACCELERATOR ? "accelerator"
                                                               : "other");
  J["seconds"] = R.Seconds;
  J["traffic"] = nlohmann::json::array();
  for (const dag::Traffic &T : R.Moved)
    J["traffic"].push_back({{"device", T.Device},
                            {"input_bytes", T.InputBytes},
                            {"output_bytes", T.OutputBytes},
                            {"device_bytes", T.DeviceBytes},
                            {"inputs", T.Inputs},
                            {"outputs", T.Outputs},
                            {"device_copies", T.DeviceCopies}});
  J["placed"] = nlohmann::json::object();
  for (size_t I = 0; I < G.Kernels.size() && I < R.PlacedOn.size(); ++I)
    if (!R.PlacedOn[I].empty())
      J["placed"][G.Kernels[I].Id] = R.PlacedOn[I];
  J["ahead"] = R.Ahead;
  J["results"] = nlohmann::json::object();
  for (const dag::Datum &D : G.Data)
    if (D.Result && !D.Output.empty())
      J["results"][D.Name] = D.Output;
  J["errors"] = nlohmann::json::object();
  for (const auto &[Name, Error] : R.Errors)
    J["errors"][Name] = std::isfinite(Error) ? nlohmann::json(Error) : nlohmann::json();
  return J.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace hsched::run
