// Start and end of the runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Runtime.h"
#include "api/Registry.h"
#include "base/Fork.h"
#include "base/Log.h"
#include "device/BackendLoader.h"
#include "device/Machine.h"
#include "trace/Writers.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>

namespace hsched::rt {
namespace {

std::mutex StartLock;
std::atomic<bool> Ended{false}, Over{false}, Forked{false}, AnyMade{false};
std::atomic<unsigned> Starting{0}; // threads that hold StartLock or are about to

// The program ends inside a task of this thread: what destructors do here comes too late.
thread_local bool EndsHere = false;
bool goesOnBeside() { return !Over.load(std::memory_order_relaxed) && !EndsHere; }

[[noreturn]] void refuse(const char *Task, const char *Why) { throw task_error(Task, "", Why); }

constexpr const char *AfterFork = "the process was forked after its first task; only the parent can go on with tasks";

} // namespace

constinit std::atomic<Runtime *> Runtime::Current{nullptr};
constinit std::atomic<Runtime *> Runtime::Usable{nullptr};
constinit std::atomic<Executor *> Runtime::Quick{nullptr};
constinit std::atomic<bool> Runtime::MayDetach{false};

// From the beginning on: in the child of a process that forked while another thread started the runtime, the lock would
// be held for ever.
[[maybe_unused]] const int Runtime::AtFork = pthread_atfork(nullptr, nullptr, [] {
  if (AnyMade.load())
    noteForkedChild();
  if (!Current.load() && Starting.load() == 0)
    return;
  Forked.store(true);
  Usable.store(nullptr);
  Quick.store(nullptr);
});

Runtime &Runtime::get(const char *Task) {
  if (Forked.load(std::memory_order_relaxed))
    refuse(Task, AfterFork);
  if (Ended.load(std::memory_order_relaxed) && !goesOnBeside())
    refuse(Task, "the program is ending, and what it has submitted is not complete");
  if (Runtime *R = Current.load(std::memory_order_acquire))
    return *R;
  struct Start {
    Start() { Starting.fetch_add(1); }
    ~Start() { Starting.fetch_sub(1); }
  } Announced;
  std::lock_guard Guard(StartLock);
  if (Runtime *R = Current.load(std::memory_order_acquire))
    return *R;
  auto *R = new Runtime(readSettings());
  // Last, so that it comes before what drivers and libraries registered while they were loaded.
  std::atexit(atExit);
  Current.store(R, std::memory_order_release);
  Usable.store(R, std::memory_order_release);
  if ((R->Exec->runsCalls() || R->Exec->makesBundles()) && !MayDetach.load())
    Quick.store(R->Exec.get(), std::memory_order_release);
  return *R;
}

void Runtime::tasksMayDetach() {
  std::lock_guard Guard(StartLock);
  MayDetach.store(true);
  Quick.store(nullptr);
}

bool Runtime::isOver() { return Over.load(std::memory_order_acquire) && !Forked.load(std::memory_order_relaxed); }

Runtime *Runtime::running() {
  Runtime *R = Current.load(std::memory_order_acquire);
  if (R && Forked.load(std::memory_order_relaxed))
    refuse("taskwait", AfterFork);
  return Ended.load(std::memory_order_relaxed) && !goesOnBeside() ? nullptr : R;
}

void Runtime::atExit() {
  Runtime *R = Current.load(std::memory_order_acquire);
  if (!R || Forked.load())
    return;
  Quick.store(nullptr);
  if (threadState().inTask()) {
    log(LogLevel::Error, "the program ends inside a task: other tasks are not waited for");
    EndsHere = true;
    Usable.store(nullptr);
    Ended.store(true);
    R->Exec->abandonRest();
    return;
  }
  R->finish();
  Usable.store(nullptr);
  Over.store(true);
  Ended.store(true);
}

namespace {

// Which bits of Version::Disabled engines have.
struct Slots {
  std::mutex Lock;
  std::array<bool, MaxWorkers> Taken{};

  unsigned take(size_t N) {
    std::lock_guard Guard(Lock);
    for (size_t Begin = 0, I = 0; I < MaxWorkers; ++I) {
      if (Taken[I])
        Begin = I + 1;
      if (I + 1 - Begin == N) {
        std::fill_n(Taken.begin() + static_cast<ptrdiff_t>(Begin), N, true);
        return static_cast<unsigned>(Begin);
      }
    }
    throw std::runtime_error("an engine with " + std::to_string(N) +
                             " workers cannot be made: all engines of a process "
                             "have at most " +
                             std::to_string(MaxWorkers) + " together");
  }
  void give(size_t Begin, size_t N) {
    std::lock_guard Guard(Lock);
    std::fill_n(Taken.begin() + static_cast<ptrdiff_t>(Begin), N, false);
  }
};
Slots &slots() {
  static auto *Made = new Slots;
  return *Made;
}

} // namespace

std::unique_ptr<Runtime> Runtime::host(Settings S) {
  if (Forked.load(std::memory_order_relaxed))
    refuse("engine", AfterFork);
  S.Hosted = true;
  return std::unique_ptr<Runtime>(new Runtime(S));
}

Runtime::~Runtime() {
  if (!Exec)
    return;
  finish();
  Exec.reset();
  Registry::instance().forgetFailures(FirstSlot, static_cast<unsigned>(Workers.Workers.size()));
  slots().give(FirstSlot, Workers.Workers.size());
}

// Of the process's own engine: a plug-in that cannot be used is told, and the default is taken. Else throws
// std::invalid_argument.
static std::unique_ptr<Policy> policyOf(const Settings &S) {
  if (!namesPlugin(S.Scheduler))
    return makePolicy(S.Scheduler);
  std::unique_ptr<Policy> Made;
  if (status Loaded = loadPolicy(S.Scheduler, Made); !Loaded.ok()) {
    if (S.Hosted)
      throw std::invalid_argument("an engine cannot be made: " + Loaded.message());
    const std::string Default = Settings().Scheduler;
    log(LogLevel::Warning, "%s; using %s", Loaded.message().c_str(), Default.c_str());
    Made = makePolicy(Default);
  }
  return Made;
}

Runtime::Runtime(const Settings &S) : Hosted(S.Hosted), Machine(discoverTopology()) {
  AnyMade.store(true);
  findDevices(S);
  makeWorkers(S);
  FirstSlot = slots().take(Workers.Workers.size());
  for (Worker &W : Workers.Workers)
    W.FirstSlot = FirstSlot;
  makeObservers(S);
  findLinks(S);
  findWays(S);
  Observer *Watch = Observers.empty() ? nullptr : &Observers;
  Times = std::make_unique<History>();
  Scheduler = policyOf(S);
  Data = std::make_unique<Directory>(Nodes, Time, Watch);

  ExecutorOptions Options;
  Options.Window = S.Window;
  Options.InFlight = S.InFlight;
  Options.Lambda = S.Lambda;
  Options.BundleBelow = S.BundleBelow;
  Options.CoreOf = CoreOf;
  // Else its threads have those of the calling thread, which may be bound to one of them.
  if (Machine.Cores.size() != Affinity::ofCurrentThread().cores().size())
    Options.AtStart = [this] { (void)bindCurrentThread(Machine.Cores); };
  Options.Measured = Measured.get();
  if (WaysLeft || std::ranges::any_of(Calibrations, [](const auto &C) { return C != nullptr; }))
    Options.Aside = [this](WorkerId W) { return measureMore(W); };
  Options.Hosted = Hosted;
  Options.Watchdog = std::chrono::seconds(S.WatchdogSeconds);
  Options.Pin = [](unsigned Core) { return pinCurrentThread(Core); };
  Options.Distance = [this](unsigned Core, unsigned Other) { return Machine.distance(Core, Other); };
  Exec = std::make_unique<Executor>(Workers, *Scheduler, *Data, *Times, Time, Watch, std::move(Options));
  Exec->start();
  // After the workers have been started, which would inherit it.
  if (S.BindMain && CoreOf[0] >= 0)
    if (status Pinned = pinCurrentThread(static_cast<unsigned>(CoreOf[0])); !Pinned.ok())
      log(LogLevel::Warning, "the main thread is not pinned: %s", Pinned.message().c_str());
}

void Runtime::findDevices(const Settings &S) {
  BackendOptions Options;
  Options.Selection = S.OpenCL;
  Options.HostCores = Machine.Cores;
  Options.CpuWorkersWanted = S.Ncpu;
  Options.MemoryLimitBytes = S.DeviceMemoryBytes;
  Options.MemoryLimitPercent = S.DeviceMemoryPercent;
  if (S.Sim)
    if (status Loaded = loadBackends({"sim"}, Options, Devices); !Loaded.ok())
      log(LogLevel::Warning, "no simulated devices: %s", Loaded.message().c_str());

  if (!Registry::instance().wants(HSCHED_DEVICE_OPENCL) || S.OpenCL == "0")
    return;
  size_t Before = Devices.size();
  status Loaded = loadBackends({"opencl"}, Options, Devices);
  if (Devices.size() > Before && Loaded.ok())
    return;
  if (Loaded.ok())
    log(LogLevel::Info, "no OpenCL device was found; tasks run on the CPU");
  else if (Loaded.code() == errc::not_found || Loaded.code() == errc::unsupported)
    log(LogLevel::Info, "no OpenCL device can be used; tasks run on the CPU: %s", Loaded.message().c_str());
  else
    log(LogLevel::Warning, "OpenCL: %s", Loaded.message().c_str());
}

void Runtime::makeWorkers(const Settings &S) {
  // A core computes for a device or for a CPU worker, never for both.
  std::vector<unsigned> Free = Machine.Cores;
  size_t Discrete = 0;
  for (const auto &D : Devices) {
    const DeviceInfo &Info = D->info();
    Discrete += !Info.SharesHostMemory;
    std::erase_if(Free, [&](unsigned Core) { return std::ranges::find(Info.HostCores, Core) != Info.HostCores.end(); });
  }
  // The thread that feeds a discrete device gets a core's worth of time. A cgroup may grant less time than cores.
  size_t Allowed = Machine.Quota ? std::min<size_t>(Machine.Quota, Machine.Cores.size()) : Machine.Cores.size();
  size_t Taken = Machine.Cores.size() - Free.size() + Discrete;
  size_t NumCpus = S.Ncpu ? S.Ncpu : Allowed > Taken ? Allowed - Taken : 1;
  if (Machine.Cores.size() == 1 && Machine.AllowedByGroup > 1 && S.Ncpu != 1)
    log(LogLevel::Warning,
        "the main thread is bound to core %u, one of %u: %s. To use more, bind the process to more cores (taskset, "
        "mpirun --bind-to none); HSCHED_NCPU=1 says that one is meant",
        Machine.Cores[0], Machine.AllowedByGroup,
        NumCpus == 1 ? "tasks run one after the other" : "all CPU workers share it");
  NumCpus = std::min<size_t>(NumCpus, MaxWorkers - std::min<size_t>(Devices.size(), MaxWorkers / 2));

  for (size_t I = 0; I < NumCpus; ++I) {
    Worker W;
    W.Id = static_cast<WorkerId>(I);
    W.Name = "CPU " + std::to_string(I);
    // More workers than cores: the rest is left to the system's scheduler, as are all of them then.
    CoreOf.push_back(S.Bind && NumCpus <= Free.size() ? static_cast<int>(Free[I]) : -1);
    Workers.Workers.push_back(std::move(W));
  }
  Nodes.push_back({nullptr, 0});
  for (const auto &D : Devices) {
    const DeviceInfo &Info = D->info();
    Worker W;
    W.Id = static_cast<WorkerId>(Workers.Workers.size());
    W.Name = Info.title();
    W.Kind = Info.Kind;
    W.Type = Info.Type;
    W.Dev = D.get();
    W.Model = Workers.modelOf(Info.model());
    if (!Info.SharesHostMemory) {
      W.Node = static_cast<MemoryNode>(Nodes.size());
      Nodes.push_back({D.get(), W.Id});
    }
    log(LogLevel::Debug, "worker %u is %s", W.Id, W.Name.c_str());
    Workers.Workers.push_back(std::move(W));
  }
}

void Runtime::findLinks(const Settings &S) {
  Measured = std::make_unique<Links>(Workers.Workers.size());
  Calibrations.resize(Workers.Workers.size());
  for (const Worker &W : Workers.Workers) {
    if (W.Node == HostNode)
      continue;
    if (!KeptLinks)
      KeptLinks = LinkStore::ofUser(describeMachine().key());
    std::optional<LinkTimes> Known;
    if (!S.Calibrate.value_or(false))
      Known = KeptLinks->load(W.Dev->info());
    else if ((Known = measureLinks(*W.Dev, Time)))
      KeptLinks->store(W.Dev->info(), *Known);
    if (Known)
      Measured->set(W.Id, *Known);
    else if (!S.Calibrate && KeptLinks->on()) // for this run alone it does not pay
      Calibrations[W.Id] = std::make_unique<LinkCalibration>(*W.Dev, Time);
  }
}

void Runtime::findWays(const Settings &S) {
  WaysTo.resize(Workers.Workers.size());
  for (const Worker &To : Workers.Workers)
    for (const Worker &From : Workers.Workers) {
      if (&From == &To || From.Node == HostNode || To.Node == HostNode)
        continue;
      std::optional<LinkCost> Known;
      if (!S.Calibrate.value_or(false))
        Known = KeptLinks->load(*From.Dev, *To.Dev);
      else if ((Known = measurePair(*From.Dev, *To.Dev, Time, copyBetween())))
        KeptLinks->store(*From.Dev, *To.Dev, *Known);
      if (Known) {
        Measured->setBetween(From.Id, To.Id, *Known);
      } else if (!S.Calibrate && KeptLinks->on()) {
        WaysTo[To.Id].push_back({From.Id, std::make_unique<PairCalibration>(*From.Dev, *To.Dev, Time, copyBetween())});
        ++WaysLeft;
      }
    }
  if (!WaysLeft)
    Between.stop();
}

bool Runtime::measureWays(WorkerId To) {
  if (WaysTo[To].empty())
    return false;
  Way &Next = WaysTo[To].back();
  if (Next.Calibration->step())
    return true;
  if (const std::optional<LinkCost> &Found = Next.Calibration->result()) {
    Measured->setBetween(Next.From, To, *Found);
    KeptLinks->store(Next.Calibration->From, Next.Calibration->To, *Found);
    log(LogLevel::Debug, "%s to %s: %.1f GB/s and %.1f us", Workers.Workers[Next.From].Name.c_str(),
        Workers.Workers[To].Name.c_str(), Found->bytesPerSecond() / 1e9, Found->LatencyNs / 1e3);
  }
  WaysTo[To].pop_back();
  if (--WaysLeft == 0)
    Between.stop(); // its memory and its thread
  return !WaysTo[To].empty();
}

bool Runtime::measureMore(WorkerId W) {
  std::unique_ptr<LinkCalibration> &C = Calibrations[W];
  if (!C)
    return measureWays(W);
  if (C->step())
    return true;
  if (const std::optional<LinkTimes> &Found = C->result()) {
    Measured->set(W, *Found);
    KeptLinks->store(Workers.Workers[W].Dev->info(), *Found);
    log(LogLevel::Debug, "%s: %.1f GB/s and %.1f us to the device, %.1f GB/s and %.1f us to the host",
        Workers.Workers[W].Name.c_str(), Found->ToDevice.bytesPerSecond() / 1e9, Found->ToDevice.LatencyNs / 1e3,
        Found->ToHost.bytesPerSecond() / 1e9, Found->ToHost.LatencyNs / 1e3);
  }
  C.reset();
  return !WaysTo[W].empty();
}

void Runtime::makeObservers(const Settings &S) {
  if (!S.TracePath.empty())
    Observers.add(makeChromeTrace(S.TracePath));
  if (!S.GraphPath.empty())
    Observers.add(makeGraphWriter(S.GraphPath));
  if (!S.ExplainPath.empty())
    Observers.add(makeExplanation(S.ExplainPath));
  if (S.Statistics)
    Observers.add(makeStatistics([](const std::string &Line) { log(LogLevel::Info, "%s", Line.c_str()); }));
}

void Runtime::finish() {
  Executor::Call Entered(*Exec);
  Exec->shutdown();
  Between.stop();
  if (!Observers.empty())
    Observers.finished();
}

} // namespace hsched::rt
