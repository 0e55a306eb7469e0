// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/Info.h"

#include "base/DiskCache.h"
#include "base/Env.h"
#include "data/Relay.h"
#include "device/BackendLoader.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <system_error>

namespace hsched::info {

using namespace hsched::rt;

namespace {

using Devices = std::vector<std::unique_ptr<Device>>;

struct Collector {
  Info &Out;
  LinkStore Kept;
  bool Calibrate;
  std::vector<Device *> Opened = {}; // Out.Devices

  // First the backends that a program would use, then the others.
  void ask(const std::string &Backend) {
    BackendOptions Options;
    Options.HostCores = Out.Usable.Cores;
    Options.ShareCores = leavesChoice(Options.Selection);
    Options.RequestedCpuWorkers = static_cast<unsigned>(envUnsigned("HSCHED_NCPU", 1, 448).value_or(0));
    const MemoryLimit Memory = envMemoryLimit("HSCHED_DEVICE_MEMORY");
    Options.MemoryLimitBytes = Memory.Bytes;
    Options.MemoryLimitPercent = Memory.Percent;
    Options.Selection = Out.Selection;
    // Devices stay open until the program ends, including those opened twice: their drivers' threads may still access
    // memory that would be freed.
    static auto &Open = *new std::deque<Devices>;
    Devices &Used = Open.emplace_back(), &All = Open.emplace_back();
    status Loaded = loadBackends({Backend}, Options, Used);
    if (Loaded.code() == errc::invalid_argument)
      Out.BadSelection = Loaded.message();
    add(Used, true, {});
    if (Backend == "opencl") {
      Options.Selection = "all";
      Loaded = loadBackends({Backend}, Options, All);
      add(All, false, Used);
    }
    std::string Plugin = pluginPath(Backend);
    std::error_code Failed;
    if (std::string Plain = std::filesystem::canonical(Plugin, Failed); !Failed)
      Plugin = Plain;
    Out.Backends.push_back({Backend, Plugin, Loaded.ok() ? "" : Loaded.message()});
  }

  // Adds the devices of Which, except those that Known contains, wholly or in parts.
  void add(const Devices &Which, bool Used, const Devices &Known) {
    for (const std::unique_ptr<Device> &D : Which)
      if (std::ranges::none_of(Known, [&](const auto &K) { return K->info().Index == D->info().Index; })) {
        Out.Devices.push_back(
            {D->info(), Used, D->computeQueues(), D->info().SharesHostMemory ? std::nullopt : links(*D)});
        Opened.push_back(D.get());
      }
  }

  std::optional<LinkTimes> links(Device &D) {
    std::optional<LinkTimes> Known;
    if (!Calibrate && (Known = Kept.load(D.info())))
      return Known;
    if ((Known = measureLinks(D, SteadyClock())))
      Kept.store(D.info(), *Known);
    return Known;
  }

  // Measures links between all pairs of devices.
  void ways() {
    Relay Between;
    CopyBetween Copy = [&](Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes,
                           EventRef &Done) { return Between.copy(From, Src, To, Dst, Bytes, Done); };
    for (size_t A = 0; A < Opened.size(); ++A)
      for (size_t B = 0; B < Opened.size(); ++B) {
        if (A == B || !Out.Devices[A].Links || !Out.Devices[B].Links)
          continue;
        Device &From = *Opened[A], &To = *Opened[B];
        std::optional<LinkCost> Known;
        if (!Calibrate)
          Known = Kept.load(From, To);
        if (!Known && (Known = measurePair(From, To, SteadyClock(), Copy)))
          Kept.store(From, To, *Known);
        Out.Ways.push_back({A, B, To.reaches(From), Known.has_value(),
                            Known.value_or(throughHost(*Out.Devices[A].Links, *Out.Devices[B].Links))});
      }
  }
};

} // namespace

Info collect(bool Calibrate) {
  Info Out;
  Out.Machine = describeMachine();
  Out.Usable = discoverTopology();
  Out.Cache = cacheFolder();
  Out.Selection = envString("HSCHED_OPENCL").value_or("");
  Collector C{Out, LinkStore::ofUser(Out.Machine.key()), Calibrate};
  C.ask("opencl");
  if (envUnsigned("HSCHED_SIM", 0, 0, 16))
    C.ask("sim");
  C.ways();
  return Out;
}

} // namespace hsched::info
