// The thread that opens devices when the program starts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a driver does while it is loaded cannot be taken back.
// - StartCost::Steady records whether the program forks, or changes its environment or cores, before its first task.
//   If it does, its next run opens devices at the first task.
// - The end waits for the thread: drivers' exit handlers must not run while a driver works. quick_exit does not wait.
#include "api/EarlyOpening.h"

#include "api/Checked.h"
#include "api/StartCost.h"
#include "base/Hash.h"
#include "base/Loader.h"
#include "base/Log.h"
#include "base/NoMemory.h"
#include "base/SettingNames.h"
#include "base/Signals.h"
#include "base/ThreadEnd.h"
#include "device/BackendLoader.h"
#include "device/Machine.h"
#include "device/Topology.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <pthread.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

namespace hsched::rt {

BackendOptions optionsFor(const Settings &S, const std::vector<unsigned> &Cores, bool Observed) {
  BackendOptions Options;
  Options.Selection = S.OpenCL;
  Options.HostCores = Cores;
  Options.RequestedCpuWorkers = S.Ncpu;
  Options.ShareCores = leavesChoice(S.OpenCL);
  Options.MemoryLimitBytes = S.DeviceMemoryBytes;
  Options.MemoryLimitPercent = S.DeviceMemoryPercent;
  Options.TimeTransfers = Observed;
  return Options;
}

namespace early {
namespace {

// Hashes of environment variables, in any order.
struct Variables {
  uint64_t All = 0, Settings = 0; // Settings: those of hsched and of OpenCL's loader.

  static Variables now() {
    Variables Sum;
    for (char **Each = environ; Each && *Each; ++Each) {
      const std::string_view Text = *Each;
      const uint64_t Hash = fnv1a(Text);
      Sum.All += Hash;
      if (Text.starts_with("HSCHED_") || Text.starts_with("OCL_"))
        Sum.Settings += Hash;
    }
    return Sum;
  }
};

// What a driver may read or inherit.
struct Circumstances {
  Variables Set;
  std::vector<unsigned> Cores;
};

struct State {
  std::mutex Lock; // Guards the fields below.
  std::condition_variable Changed;
  // Null: no version for OpenCL devices has been registered. Known is what an earlier run recorded.
  std::optional<Circumstances> AtStart;
  Settings Given; // Of devices, at the start.
  bool Observed = false;
  StartCost Known;
  std::vector<const hsched_version_desc *> Kernels; // Versions with a kernel.
  bool Begun = false, IsOpen = false;
  bool Wanted = false; // A thread waits: no more kernels are loaded.
  bool Taken = false, Recorded = false;
  bool TaskSeen = false, Fits = false; // Fits: the settings at the first task were those at the start.
  bool Forked = false;                 // The program forked before its first task; true in the child too.
  bool ForkedAway = false;             // True in the child if devices were opened early.
  std::thread Thread;
  // The thread's until IsOpen.
  BackendOptions Options;
  Devices Result;
};

// Never destroyed.
State &state() {
  static auto *Made = new State;
  return *Made;
}
// The thread that opens devices, while it does: not a thread-local, of which a library that is loaded late has few.
constinit std::atomic<pthread_t> Itself{0};
bool onItsThread() { return Itself.load(std::memory_order_relaxed) == pthread_self(); }

// --- forks

// The child gets a consistent state and no lock that another thread holds. Drivers fork too, on the thread here.
void beforeFork() {
  state().Lock.lock();
  lockLog();
}
void afterFork(bool Child) {
  State &S = state();
  unlockLog();
  S.Forked |= !onItsThread() && !S.TaskSeen;
  if (Child && S.Begun && !S.Taken)
    S.ForkedAway = true;
  S.Lock.unlock();
}
[[maybe_unused]] const int AtFork = pthread_atfork(beforeFork, [] { afterFork(false); }, [] { afterFork(true); });

// --- the end

// Returns when the thread has ended. Its results are then the caller's.
void awaitThread(State &S, std::unique_lock<std::mutex> &Guard) {
  S.Wanted = true;
  S.Changed.wait(Guard, [&S] { return S.IsOpen; });
  if (S.Thread.joinable())
    S.Thread.join(); // It needs Lock no more.
}

// No driver is at work when this returns, unless exit() was called in a library's constructor.
void settle() {
  State &S = state();
  std::unique_lock Guard(S.Lock);
  if (S.Begun && !S.ForkedAway && !onItsThread() && (S.IsOpen || !mayHoldLoaderLock()))
    awaitThread(S, Guard);
}

// Registered also behind drivers' handlers.
void atExit() {
  settle();
  State &S = state();
  std::lock_guard Guard(S.Lock);
  if (!S.IsOpen || S.ForkedAway || S.TaskSeen || std::exchange(S.Recorded, true))
    return;
  // The devices were opened for nothing: the next run does not begin early.
  S.Known.Used = S.Known.Paid = false;
  S.Known.Steady &= !S.Forked;
  S.Known.store(S.Given.OpenCL);
}

// --- the thread

bool suits(const Device &D, const hsched_version_desc &V) {
  const DeviceInfo &Info = D.info();
  return V.device == static_cast<unsigned>(Info.Kind) &&
         (V.device_type == HSCHED_TYPE_ANY || V.device_type == static_cast<unsigned>(Info.Type));
}

void preload(State &S, Devices &Opened) {
  for (size_t I = 0;; ++I) {
    const hsched_version_desc *V = nullptr;
    {
      std::lock_guard Guard(S.Lock);
      if (S.Wanted || I == S.Kernels.size())
        return;
      V = S.Kernels[I];
    }
    for (const std::unique_ptr<Device> &D : Opened.Found)
      if (suits(*D, *V))
        D->preload(*V->kernel);
  }
}

void open(State &S) {
  SteadyClock Time;
  Devices &Opened = S.Result;
  const TimePoint Begin = Time.now();
  Opened.Loaded = statusOf([&]() -> status {
    const std::vector<unsigned> Cores = (S.Given.Bind ? discoverTopology() : discoverCores()).Cores;
    (void)bindCurrentThread(Cores); // Drivers' threads inherit that.
    S.Options = optionsFor(S.Given, Cores, S.Observed);
    return loadBackends({"opencl"}, S.Options, Opened.Found);
  });
  std::atexit(atExit); // It runs before handlers that drivers registered while loading.
  const TimePoint Loaded = Time.now();
  Opened.Open = Loaded - Begin;
  (void)statusOf([&]() -> status { // What it would have done is done later.
    preload(S, Opened);
    for (const std::unique_ptr<Device> &D : Opened.Found)
      if (!D->info().SharesHostMemory && Opened.Machine.empty())
        Opened.Machine = describeMachine().key();
    return {};
  });
  Opened.Preloading = Time.now() - Loaded;
}

void run(State &S) {
  (void)pthread_setname_np(pthread_self(), "hsched early");
  Itself.store(pthread_self(), std::memory_order_relaxed);
  open(S);
  Itself.store(0, std::memory_order_relaxed);
  std::lock_guard Guard(S.Lock);
  S.IsOpen = true;
  S.Changed.notify_all();
}

// Lock is held.
void begin(State &S) {
  (void)logEnabled(LogLevel::Debug); // Makes the log's state: a child must not find it half made.
  warnAboutUnknownSettings();        // Reads all variables, which drivers may change from now on.
  std::atexit(atExit);
  callAtMainThreadsEnd(settle);
  try {
    SignalsBlocked Blocked;
    S.Begun = true;
    S.Thread = std::thread([&S] { run(S); });
  } catch (...) { // std::system_error or std::bad_alloc: as without this file.
    S.Begun = false;
  }
}

bool pays(const State &S) {
  if (S.Given.Early)
    return *S.Given.Early;
  if (!S.Known.Steady || !S.Known.Used)
    return false;
  // If devices are opened at the first task in any case, it need not pay.
  return S.Known.Paid || S.Given.When != Settings::Devices::Auto || !leavesChoice(S.Given.OpenCL);
}

// Lock is held.
void readStart(State &S) {
  S.AtStart = {Variables::now(), Affinity::ofCurrentThread().cores()};
  S.Given = readDeviceSettings();
  S.Observed = wantsObservers();
  if (S.Given.OpenCL != "0")
    S.Known = StartCost::load(S.Given.OpenCL);
}

} // namespace

void noteVersion(const char *Task, const hsched_version_desc &V) {
  if (V.device != HSCHED_DEVICE_OPENCL || checkedRun())
    return;
  State &S = state();
  std::lock_guard Guard(S.Lock);
  if (S.TaskSeen || S.ForkedAway)
    return;
  if (!S.AtStart)
    readStart(S);
  if (S.Given.OpenCL == "0" || !S.Given.Versions.allows(Task, V.name))
    return;
  if (V.kernel)
    S.Kernels.push_back(&V);
  if (!S.Begun && pays(S))
    begin(S);
}

FirstTask atFirstTask() {
  State &S = state();
  std::lock_guard Guard(S.Lock);
  S.TaskSeen = true;
  FirstTask First;
  if (S.AtStart) {
    S.Fits = Affinity::ofCurrentThread().cores() == S.AtStart->Cores;
    bool SameVariables = S.Known.Steady;
    // Drivers set variables too (PoCL does), and another thread must not read all of them meanwhile. So a run that
    // opens early does not tell whether the program sets some: what an earlier run saw stays.
    if (!S.Begun || S.IsOpen) {
      const Variables Now = Variables::now();
      S.Fits &= Now.Settings == S.AtStart->Set.Settings;
      if (!S.Begun)
        SameVariables = Now.All == S.AtStart->Set.All;
    }
    First.Steady = S.Fits && SameVariables && !S.Forked;
  }
  if (S.ForkedAway)
    First.Now = Phase::ForkedAway;
  else if (S.Begun && !S.IsOpen && mayHoldLoaderLock())
    First.Now = Phase::Locked;
  else if (S.Begun && S.Fits)
    First.Now = S.IsOpen ? Phase::Open : Phase::Underway;
  return First;
}

std::optional<Devices> take(const BackendOptions &Options) {
  State &S = state();
  std::unique_lock Guard(S.Lock);
  if (!S.Begun || S.Taken || S.ForkedAway)
    return std::nullopt;
  awaitThread(S, Guard);
  S.Taken = true;
  Devices Opened = std::move(S.Result);
  const bool Fits = S.Fits && Variables::now().Settings == S.AtStart->Set.Settings && S.Options == Options;
  Guard.unlock();
  log(LogLevel::Debug, "%zu devices were opened early, in %.3f s, and kernels loaded in %.3f s%s", Opened.Found.size(),
      std::chrono::duration<double>(Opened.Open).count(), std::chrono::duration<double>(Opened.Preloading).count(),
      Fits ? "" : ": they are closed, because settings have changed since then");
  return Fits ? std::optional(std::move(Opened)) : std::nullopt;
}

bool mustNotWait() {
  State &S = state();
  std::lock_guard Guard(S.Lock);
  return S.Begun && !S.IsOpen && !S.ForkedAway && mayHoldLoaderLock();
}

bool forkedAway() {
  State &S = state();
  std::lock_guard Guard(S.Lock);
  return S.ForkedAway;
}

} // namespace early
} // namespace hsched::rt
