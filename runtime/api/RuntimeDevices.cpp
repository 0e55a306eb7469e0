// The engine's devices: opened early, before its start or while tasks run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Registry.h"
#include "api/Runtime.h"
#include "base/Log.h"
#include "device/BackendLoader.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace hsched::rt {

// Call once exit handlers can find this.
void Runtime::startOpener() {
  if (!Late)
    return;
  const bool AtOnce =
      S.When != Settings::Devices::Auto || !leavesChoice(S.OpenCL) || Early.Now == early::Phase::Underway;
  SeenAt = Started = Time.now();
  Coming = std::make_unique<Opener>([this, AtOnce] { return AtOnce || isWorthOpening(); }, [this] { open(); },
                                    [this] { Exec->arrivingDevices().endArrivals(threadState()); });
}

bool Runtime::addsDevicesLater() const {
  // The directory takes devices only once, so simulated devices, which exist at once, are added together with the
  // others.
  return !S.Hosted && (S.When != Settings::Devices::First || Early.Now == early::Phase::Locked) && S.OpenCL != "0" &&
         Early.Now != early::Phase::Open && Early.Now != early::Phase::ForkedAway &&
         (S.Sim == 0 || S.When == Settings::Devices::Beside) && (Scheduler->capabilities() & AcceptsLateDevices) &&
         Registry::instance().wants(HSCHED_DEVICE_OPENCL) && anyVendorInstalled() &&
         S.OpenCL.find('/') == std::string::npos;
}

// Null: they may be opened.
static const char *whyNoDevices() {
  if (early::forkedAway())
    return "the process was forked before its first task, when its parent had opened them at the program's start";
  if (early::mustNotWait())
    return "a library's constructor needs them while they are being opened";
  return nullptr;
}

std::vector<std::unique_ptr<Device>> Runtime::findDevices(bool Sim, bool OpenCL) {
  std::vector<std::unique_ptr<Device>> Found;
  OpenCL = OpenCL && Registry::instance().wants(HSCHED_DEVICE_OPENCL) && S.OpenCL != "0";
  Sim = Sim && S.Sim;
  if (const char *Why = OpenCL || Sim ? whyNoDevices() : nullptr) {
    log(LogLevel::Warning, "devices are left out: %s. HSCHED_EARLY=0 opens devices at the first task", Why);
    return Found;
  }
  const BackendOptions Options = optionsFor(S, Machine.Cores, !Observers.empty());
  if (Sim)
    if (status Loaded = loadBackends({"sim"}, Options, Found); !Loaded.ok())
      log(LogLevel::Warning, "no simulated devices: %s", Loaded.message().c_str());

  if (!OpenCL)
    return Found;
  const size_t Before = Found.size();
  const status Loaded = openDevices(Options, Found);
  if (Found.size() > Before && Loaded.ok())
    return Found;
  if (Loaded.ok())
    log(LogLevel::Info, "no OpenCL device was found; tasks run on the CPU");
  else if (Loaded.code() == errc::not_found || Loaded.code() == errc::unsupported)
    log(LogLevel::Info, "no OpenCL device can be used; tasks run on the CPU: %s", Loaded.message().c_str());
  else
    log(LogLevel::Warning, "OpenCL: %s", Loaded.message().c_str());
  return Found;
}

status Runtime::openDevices(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out) {
  std::optional<early::Devices> Before = S.Hosted ? std::nullopt : early::take(Options);
  early::Devices New;
  if (Before) {
    New = std::move(*Before);
    if (!New.Machine.empty())
      KeptLinks = LinkStore::ofUser(New.Machine);
  } else {
    if (Early.Now != early::Phase::None) // Settings changed while drivers were being loaded.
      Cost.Steady = false;
    const TimePoint Begin = Time.now();
    New.Loaded = loadBackends({"opencl"}, Options, New.Found);
    New.Open = Time.now() - Begin;
  }
  Opened = !S.Hosted && (Late || !New.Found.empty());
  Cost.Open = New.Open;
  Preloading = New.Preloading;
  Cost.Discrete = static_cast<unsigned>(
      std::ranges::count_if(New.Found, [](const auto &D) { return !D->info().SharesHostMemory; }));
  std::ranges::move(New.Found, std::back_inserter(Out));
  return New.Loaded;
}

void Runtime::open() {
  (void)bindCurrentThread(Machine.Cores); // The creating thread may be bound, and drivers' threads would inherit that.
  std::vector<std::unique_ptr<Device>> Found = findDevices(S.Sim && S.When == Settings::Devices::Beside, true);
  // Runs before handlers that drivers registered while loading.
  std::atexit(atExit);

  std::vector<Worker> New;
  // True if a CPU device has taken cores.
  const bool Taken = std::ranges::any_of(Found, [](const auto &D) { return !D->info().HostCores.empty(); });
  for (size_t I = NumCpus; I < CpusInAll && !Taken; ++I)
    New.push_back(cpuWorker(static_cast<WorkerId>(I)));
  std::vector<NodeInfo> Nodes;
  const size_t Room = MostWorkers - Workers.Workers.size() - New.size();
  if (Found.size() > Room) {
    log(LogLevel::Warning, "%zu devices are left out: there are too many", Found.size() - Room);
    Found.resize(Room);
  }
  for (Worker &W : makeDeviceWorkers(std::move(Found), Workers.Workers.size() + New.size(), Nodes))
    New.push_back(std::move(W));
  Data->addNodes(Nodes);
  findLinks(New);
  findWays(New);
  log(LogLevel::Debug, "%zu devices came after %.3f s", Devices.size(),
      std::chrono::duration<double>(Time.now() - Started).count());
  Exec->arrivingDevices().admit(threadState(), Workers, std::move(New));
}

bool Runtime::isWorthOpening() {
  const ArrivingDevices::Progress P = Exec->arrivingDevices().progress();
  const TimePoint Now = Time.now();
  const uint64_t Outstanding = Exec->outstanding();
  if (P.Runs != LastRuns || Outstanding == 0) {
    LastRuns = P.Runs;
    SeenAt = Now;
  }
  return worthOpening({Cost.all(), static_cast<unsigned>(NumCpus), Now - Started, P.Capable, P.Runs, Outstanding,
                       Now - SeenAt, P.Known, P.OnDevice, Cost.Discrete == 0});
}

} // namespace hsched::rt
