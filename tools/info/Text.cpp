// The report as text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/Info.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace hsched::info {

using namespace hsched::rt;

namespace {

std::string format(const char *Format, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char *Format, ...) {
  char Text[256];
  va_list Args;
  va_start(Args, Format);
  std::vsnprintf(Text, sizeof(Text), Format, Args);
  va_end(Args);
  return Text;
}

std::string size(uint64_t Bytes) {
  const char *Units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto Value = static_cast<double>(Bytes);
  unsigned Unit = 0;
  for (; Value >= 1024 && Unit < 4; ++Unit)
    Value /= 1024;
  return format(Value == static_cast<double>(static_cast<uint64_t>(Value)) ? "%.0f %s" : "%.1f %s", Value, Units[Unit]);
}

std::string plural(unsigned N, const char *What) { return std::to_string(N) + " " + What + (N == 1 ? "" : "s"); }

// "0-3,8" for 0 1 2 3 8.
std::string ranges(const std::vector<unsigned> &Numbers) {
  std::string Text;
  for (size_t I = 0; I < Numbers.size();) {
    size_t Last = I;
    while (Last + 1 < Numbers.size() && Numbers[Last + 1] == Numbers[Last] + 1)
      ++Last;
    Text += (Text.empty() ? "" : ",") + std::to_string(Numbers[I]);
    if (Last > I)
      Text += "-" + std::to_string(Numbers[Last]);
    I = Last + 1;
  }
  return Text;
}

const char *typeName(DeviceType Type) {
  switch (Type) {
  case DeviceType::Cpu:
    return "CPU";
  case DeviceType::Gpu:
    return "GPU";
  case DeviceType::Accelerator:
    return "accelerator";
  case DeviceType::Any:
    break;
  }
  return "device";
}

struct Writer {
  std::string Out;

  void line(const char *Title, const std::string &Text) {
    Out += format("%-16s", Title) + Text;
    Out.erase(Out.find_last_not_of(' ') + 1);
    Out += '\n';
  }

  void machine(const Info &I) {
    const Machine &M = I.Machine;
    line("processor", (M.Cpu.empty() ? "of an unknown model" : M.Cpu) + ", " + plural(M.Packages, "package") + ", " +
                          plural(M.Cores, "core") + ", " + plural(M.Threads, "hardware thread"));
    std::string Caches;
    for (const Machine::Cache &C : M.Caches)
      Caches += (Caches.empty() ? "L" : ", L") + std::to_string(C.Level) + " " + std::to_string(C.Number) + " x " +
                size(C.Bytes);
    if (!Caches.empty())
      line("caches", Caches);
    line("memory", size(M.MemoryBytes));
    if (M.NumaNodes.size() > 1)
      for (const Machine::Numa &N : M.NumaNodes)
        line("", "node " + std::to_string(N.Index) + ": " + size(N.Bytes) + ", hardware threads " + ranges(N.Cores));
    line("may be used", "hardware threads " + ranges(sorted(I.Usable.Cores)) +
                            (I.Usable.Quota ? ", time of " + plural(I.Usable.Quota, "CPU") : ""));
    line("cache", I.Cache.empty() ? "none (HSCHED_CACHE=0, or there is no HOME)" : I.Cache);
  }

  static std::vector<unsigned> sorted(std::vector<unsigned> Numbers) {
    std::sort(Numbers.begin(), Numbers.end());
    return Numbers;
  }

  void link(const char *Title, const LinkCost &L, const char *How = "") {
    line(Title, (L.NsPerByte > 0 ? format("%.1f GB/s, %.1f us", L.bytesPerSecond() / 1e9, L.LatencyNs / 1e3)
                                 : format("%.1f us", L.LatencyNs / 1e3)) +
                    How);
  }

  void device(const DeviceFacts &D) {
    const DeviceInfo &I = D.Info;
    Out += "\n" + I.Backend + " " + I.number() + ": " + I.Name + "\n";
    line("  type", std::string(typeName(I.Type)) + (D.Used ? "" : ", not used"));
    line("  vendor", I.Vendor);
    line("  platform", I.Platform);
    line("  driver", I.Driver);
    line("  computes with", plural(I.ComputeUnits, "unit") + ", " + plural(D.Queues, "queue") +
                                (I.HostCores.empty() ? "" : ", hardware threads " + ranges(sorted(I.HostCores))));
    line("  memory", size(I.MemoryBytes) + (I.SharesHostMemory ? ", the host's: nothing is copied" : "") +
                         ", at most " + size(I.MaxAllocationBytes) + " in one piece");
    if (I.SharesHostMemory)
      return;
    if (!D.Links)
      return line("  links", "could not be measured");
    link("  from the host", D.Links->ToDevice);
    link("  to the host", D.Links->ToHost);
    link("  inside", D.Links->Within);
  }
};

} // namespace

std::string writeText(const Info &I) {
  Writer W;
  W.machine(I);
  for (const BackendInfo &B : I.Backends) {
    W.line("backend", B.Name + (B.Plugin.empty() ? "" : ", " + B.Plugin));
    if (!B.Problem.empty())
      W.line("", B.Problem);
  }
  if (!I.BadSelection.empty())
    W.line("selection", I.BadSelection);
  if (I.Devices.empty())
    W.line("devices", "none: tasks run on the CPU");
  for (const DeviceFacts &D : I.Devices)
    W.device(D);
  if (!I.Ways.empty())
    W.Out += "\nbetween devices\n";
  auto name = [&](const RouteFacts &Way) {
    const DeviceInfo &From = I.Devices[Way.From].Info, &To = I.Devices[Way.To].Info;
    return "  " + From.Backend + " " + From.number() + " to " + To.Backend + " " + To.number() + " ";
  };
  size_t Widest = 0;
  for (const RouteFacts &Way : I.Ways)
    Widest = std::max(Widest, name(Way).size());
  for (const RouteFacts &Way : I.Ways)
    W.link((name(Way) + std::string(Widest - name(Way).size(), ' ')).c_str(), Way.Cost,
           !Way.Measured ? ", not measured: the sum of both links"
           : Way.Direct  ? ", directly"
                         : ", through the host");
  return W.Out;
}

} // namespace hsched::info
