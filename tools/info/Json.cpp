// The report as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/Info.h"

#include <nlohmann/json.hpp>

namespace hsched::info {

using namespace hsched::rt;
using Json = nlohmann::ordered_json;

static Json linkJson(const std::string &From, const std::string &To, const LinkCost &L) {
  Json J = {{"from", From}, {"to", To}, {"latency_ns", L.LatencyNs}, {"bytes_per_second", nullptr}};
  if (L.NsPerByte > 0)
    J["bytes_per_second"] = L.bytesPerSecond();
  return J;
}

static std::string idOf(const DeviceFacts &D) { return D.Info.Backend + ":" + D.Info.number(); }

static Json machineJson(const Info &I) {
  const Machine &M = I.Machine;
  Json Caches = Json::array(), Nodes = Json::array();
  for (const Machine::Cache &C : M.Caches)
    Caches.push_back({{"level", C.Level}, {"bytes", C.Bytes}, {"number", C.Number}});
  for (const Machine::Numa &N : M.NumaNodes)
    Nodes.push_back({{"index", N.Index}, {"bytes", N.Bytes}, {"threads", N.Cores}});
  return {{"processor", M.Cpu},
          {"packages", M.Packages},
          {"cores", M.Cores},
          {"threads", M.Threads},
          {"memory_bytes", M.MemoryBytes},
          {"caches", Caches},
          {"numa_nodes", Nodes},
          {"usable_threads", I.Usable.Cores},
          {"cpu_quota", I.Usable.Quota ? Json(I.Usable.Quota) : Json()}};
}

static Json deviceJson(const DeviceFacts &D) {
  const DeviceInfo &I = D.Info;
  return {{"id", idOf(D)},
          {"backend", I.Backend},
          {"index", I.Index},
          {"part", I.Part < 0 ? Json() : Json(I.Part)},
          {"name", I.Name},
          {"type", deviceTypeName(I.Type)},
          {"used", D.Used},
          {"vendor", I.Vendor},
          {"platform", I.Platform},
          {"driver", I.Driver},
          {"compute_units", I.ComputeUnits},
          {"queues", D.Queues},
          {"memory_bytes", I.MemoryBytes},
          {"max_allocation_bytes", I.MaxAllocationBytes},
          {"shares_host_memory", I.SharesHostMemory},
          {"host_threads", I.HostCores}};
}

std::string writeJson(const Info &I) {
  Json Backends = Json::array(), Devices = Json::array(), Links = Json::array();
  for (const BackendInfo &B : I.Backends)
    Backends.push_back({{"name", B.Name},
                        {"plugin", B.Plugin.empty() ? Json() : Json(B.Plugin)},
                        {"problem", B.Problem.empty() ? Json() : Json(B.Problem)}});
  for (const DeviceFacts &A : I.Devices) {
    Devices.push_back(deviceJson(A));
    if (!A.Links)
      continue;
    Links.push_back(linkJson("host", idOf(A), A.Links->ToDevice));
    Links.push_back(linkJson(idOf(A), "host", A.Links->ToHost));
    Links.push_back(linkJson(idOf(A), idOf(A), A.Links->Within));
    for (const RouteFacts &W : I.Ways) {
      if (&I.Devices[W.From] != &A)
        continue;
      Links.push_back(linkJson(idOf(A), idOf(I.Devices[W.To]), W.Cost));
      Links.back()["through_host"] = !W.Direct;
      if (!W.Measured)
        Links.back()["estimated"] = true;
    }
  }
  Json All = {{"schema", 1},
              {"version", HSCHED_VERSION},
              {"machine", machineJson(I)},
              {"cache", I.Cache.empty() ? Json() : Json(I.Cache)},
              {"backends", Backends},
              {"selection", I.Selection},
              {"devices", Devices},
              {"links", Links}};
  // Names come from drivers: invalid UTF-8 is replaced.
  return All.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace hsched::info
