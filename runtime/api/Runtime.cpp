// Start and end of the runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Runtime.h"
#include "api/HostMemory.h"
#include "api/Registry.h"
#include "base/Fork.h"
#include "base/Log.h"
#include "base/NoMemory.h"
#include "base/SettingNames.h"
#include "base/ThreadEnd.h"
#include "device/BackendLoader.h"
#include "device/Machine.h"
#include "trace/Writers.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace hsched::rt {
namespace {

std::mutex StartLock;
std::atomic<bool> Ended{false}, Over{false}, Forked{false}, AnyMade{false};
std::atomic<unsigned> Starting{0}; // Threads that hold StartLock or wait for it.

// The program exits inside a task of this thread: submissions of destructors come too late.
thread_local bool EndsHere = false;
bool goesOnBeside() { return !Over.load(std::memory_order_relaxed) && !EndsHere; }

[[noreturn]] void refuse(const char *Task, const char *Why) { throw task_error(Task, "", Why); }

constexpr const char *AfterFork = "the process was forked after its first task; only the parent can go on with tasks";

// So many that one less hardly matters.
constexpr size_t ManyCores = 10;
// Limit of devices that may come later.
constexpr size_t MostArrivingDevices = 64;

} // namespace

constinit std::atomic<Runtime *> Runtime::Current{nullptr};
constinit std::atomic<Runtime *> Runtime::Usable{nullptr};
constinit std::atomic<Executor *> Runtime::Quick{nullptr};
constinit std::atomic<bool> Runtime::MayDetach{false};

// Registered at load time: if a process forks while another thread starts the runtime, the child's lock would stay
// locked.
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
  const Settings S = readSettings();
  if (!S.Versions.empty())
    if (status Known = Registry::instance().restrict(S.Versions); !Known.ok())
      log(LogLevel::Error, "%s", Known.message().c_str());
  auto *R = new Runtime(S, nullptr);
  // Last, so that it runs before handlers that drivers and libraries registered while loading.
  std::atexit(atExit);
  Current.store(R, std::memory_order_release);
  Usable.store(R, std::memory_order_release);
  if ((R->Exec->runsCalls() || R->Exec->makesBundles()) && !MayDetach.load())
    Quick.store(R->Exec.get(), std::memory_order_release);
  R->startOpener();
  if (R->Late)
    callAtMainThreadsEnd([] { // Exit handlers of drivers must not run while a driver works.
      if (!inForkedChild())
        atThreadsEnd();
    });
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

void Runtime::atThreadsEnd() {
  Runtime *R = Usable.load(std::memory_order_acquire);
  if (!R || !R->Coming)
    return;
  ArrivingDevices &Later = R->Exec->arrivingDevices();
  const bool Needed = R->Exec->outstanding() != 0; // The end will wait for tasks.
  R->Coming->settle(Needed && Later.holds());
  if (!Needed)
    Later.stopBuilding();
}

void Runtime::atExit() {
  Runtime *R = Current.load(std::memory_order_acquire);
  if (!R || Forked.load() || Ended.load()) // Registered also behind each driver's handlers.
    return;
  Quick.store(nullptr);
  if (threadState().inTask()) {
    if (R->Coming)
      R->Coming->stop();
    R->Exec->arrivingDevices().stopBuilding();
    log(LogLevel::Error, "the program ends inside a task: other tasks are not waited for");
    EndsHere = true;
    Usable.store(nullptr);
    Ended.store(true);
    R->Exec->abandonRest();
    R->Exec->notifyRest();
    R->Words.reset();
    R->notifyObserversOfEnd();
    return;
  }
  R->finish();
  Usable.store(nullptr);
  Over.store(true);
  Ended.store(true);
}

namespace {

// Allocation of the bits of Version::Disabled to engines.
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

std::unique_ptr<Runtime> Runtime::host(Settings S, std::unique_ptr<Policy> Chosen) {
  if (Forked.load(std::memory_order_relaxed))
    refuse("engine", AfterFork);
  S.Hosted = true;
  return std::unique_ptr<Runtime>(new Runtime(std::move(S), std::move(Chosen)));
}

Runtime::~Runtime() {
  if (!Exec)
    return;
  finish();
  Exec.reset();
  Registry::instance().forgetFailures(FirstSlot, static_cast<unsigned>(MostWorkers));
  slots().give(FirstSlot, MostWorkers);
}

// For the default engine. An unusable plug-in gives a warning, and the default policy is used.
static std::unique_ptr<Policy> policyOf(const Settings &S) {
  if (!namesPlugin(S.Scheduler))
    return makePolicy(S.Scheduler);
  std::unique_ptr<Policy> Made;
  if (status Loaded = loadPolicy(S.Scheduler, Made); !Loaded.ok()) {
    const std::string Default = Settings().Scheduler;
    log(LogLevel::Warning, "%s; using %s", Loaded.message().c_str(), Default.c_str());
    Made = makePolicy(Default);
  }
  return Made;
}

Runtime::Runtime(Settings Given, std::unique_ptr<Policy> Chosen)
    : S(std::move(Given)), Machine(S.Bind && !early::forkedAway() ? discoverTopology() : discoverCores()) {
  warnAboutUnknownSettings();
  AnyMade.store(true);
  if (!S.ModelPath.empty() || !S.HintPath.empty())
    Kept = std::make_unique<ModelKeeper>(S.ModelPath, S.HintPath, Workers);
  Scheduler = Chosen ? std::move(Chosen) : policyOf(S);
  if (!S.Hosted)
    Early = early::atFirstTask();
  Late = addsDevicesLater();
  makeObservers(); // First: they determine whether transfers are timed.
  if (!S.Hosted && S.OpenCL != "0")
    Cost = StartCost::load(S.OpenCL);
  Cost.Steady = Early.Steady;
  std::vector<std::unique_ptr<Device>> Now = findDevices(!Late || S.When == Settings::Devices::Auto, !Late);
  makeCpuWorkers(Now);
  MostWorkers = std::min<size_t>(CpusInAll + Now.size() + (Late ? MostArrivingDevices : 0), MaxWorkers);
  FirstSlot = slots().take(MostWorkers);
  Workers.Workers.reserve(MostWorkers);
  for (size_t I = 0; I < (Late ? NumCpus : CpusInAll); ++I)
    Workers.Workers.push_back(cpuWorker(static_cast<WorkerId>(I)));
  Measured = std::make_unique<Links>(MostWorkers);
  Calibrations.resize(MostWorkers);
  WaysTo.resize(MostWorkers);
  std::vector<NodeInfo> Nodes{{nullptr, 0}};
  for (Worker &W : makeDeviceWorkers(std::move(Now), Workers.Workers.size(), Nodes))
    Workers.Workers.push_back(std::move(W));
  findLinks({Workers.Workers.begin(), Workers.Workers.size()});
  findWays({Workers.Workers.begin(), Workers.Workers.size()});
  Observer *Watch = Observers.empty() ? nullptr : &Observers;
  Times =
      std::make_unique<History>(Kept ? [this](const TaskType &Type) { return Kept->before(Type); } : History::Before());
  Data = std::make_unique<Directory>(Nodes, Time, Watch);

  ExecutorOptions Options;
  Options.Window = S.Window;
  Options.InFlight = S.InFlight;
  Options.Lambda = S.Lambda;
  Options.BundleBelow = S.BundleBelow;
  Options.CoreOf = CoreOf;
  // Otherwise its threads inherit the affinity of the calling thread, which may be bound to one core.
  if (Machine.Cores.size() != Affinity::ofCurrentThread().cores().size())
    Options.AtStart = [this] { (void)bindCurrentThread(Machine.Cores); };
  Options.Measured = Measured.get();
  if (Late || LinksToMeasure || std::ranges::any_of(Calibrations, [](const auto &C) { return C != nullptr; }))
    Options.IdleWork = [this](WorkerId W) { return measureMore(W); };
  Options.Hosted = S.Hosted;
  Options.BuildsOnOwnThread = Late;
  if (Late) {
    Options.ArrivingDevices = static_cast<unsigned>(MostWorkers - Workers.Workers.size());
    Options.RequestDevices = [this](bool Wait) { Coming->requestDevices(Wait); };
    Options.BeforeEnd = [this] { Coming->stop(); };
  }
  Options.Watchdog = std::chrono::seconds(S.WatchdogSeconds);
  Options.Pin = [](unsigned Core) { return pinCurrentThread(Core); };
  Options.Distance = [this](unsigned Core, unsigned Other) { return Machine.distance(Core, Other); };
  Exec = std::make_unique<Executor>(Workers, *Scheduler, *Data, *Times, Time, Watch, std::move(Options));
  if (!Observers.empty())
    Words = std::make_unique<SignalReport>([this] {
      Exec->notifyRest();
      notifyObserversOfEnd();
    });
  Exec->start();
  // After the workers were started, because they would inherit it.
  if (S.BindMain && CoreOf[0] >= 0)
    if (status Pinned = pinCurrentThread(static_cast<unsigned>(CoreOf[0])); !Pinned.ok())
      log(LogLevel::Warning, "the main thread is not pinned: %s", Pinned.message().c_str());
}

void Runtime::awaitDevices() { Exec->arrivingDevices().await(); }

void Runtime::makeCpuWorkers(const std::vector<std::unique_ptr<Device>> &Known) {
  // A core computes for a device or for a CPU worker, never for both, unless the choice is left to the runtime.
  std::vector<unsigned> Free = Machine.Cores;
  size_t Discrete = 0;
  for (const auto &D : Known) {
    const DeviceInfo &Info = D->info();
    Discrete += !Info.SharesHostMemory;
    std::erase_if(Free, [&](unsigned Core) { return std::ranges::find(Info.HostCores, Core) != Info.HostCores.end(); });
  }
  // The manager of a discrete device gets one core, if a missing core costs little even for an unused device. A cgroup
  // may grant less time than cores.
  size_t Allowed = Machine.Quota ? std::min<size_t>(Machine.Quota, Machine.Cores.size()) : Machine.Cores.size();
  if (Late && Allowed >= ManyCores)
    Discrete += Cost.Discrete;
  size_t Taken = Machine.Cores.size() - Free.size() + Discrete;
  CpusInAll = S.Ncpu ? S.Ncpu : Allowed > Taken ? Allowed - Taken : 1;
  if (Machine.Cores.size() == 1 && Machine.AllowedByGroup > 1 && S.Ncpu != 1)
    log(LogLevel::Warning,
        "the main thread is bound to core %u, one of %u: %s. To use more, bind the process to more cores (taskset, "
        "mpirun --bind-to none); HSCHED_NCPU=1 says that one is meant",
        Machine.Cores[0], Machine.AllowedByGroup,
        CpusInAll == 1 ? "tasks run one after the other" : "all CPU workers share it");
  CpusInAll = std::min<size_t>(CpusInAll, MaxWorkers - std::min<size_t>(Known.size(), MaxWorkers / 2));
  // Cores that a requested CPU device may take stay unused until the device has been opened.
  NumCpus = CpusInAll;
  if (Late && !leavesChoice(S.OpenCL) && S.OpenCL != "gpu" && S.OpenCL != "accelerator")
    NumCpus =
        std::min(NumCpus, std::max<size_t>(1, S.Ncpu ? Machine.Cores.size() - 1 : (Machine.Cores.size() + 1) / 2));
  // With more workers than cores, none is bound: the system schedules them.
  for (size_t I = 0; I < CpusInAll; ++I)
    CoreOf.push_back(S.Bind && CpusInAll <= Free.size() ? static_cast<int>(Free[I]) : -1);
}

Worker Runtime::cpuWorker(WorkerId Id) const {
  Worker W;
  W.Id = Id;
  W.Name = "CPU " + std::to_string(Id);
  W.FirstSlot = FirstSlot;
  return W;
}

std::vector<Worker> Runtime::makeDeviceWorkers(std::vector<std::unique_ptr<Device>> New, size_t First,
                                               std::vector<NodeInfo> &Nodes) {
  std::vector<Worker> Made;
  for (auto &D : New) {
    const DeviceInfo &Info = D->info();
    Worker W;
    W.Id = static_cast<WorkerId>(First + Made.size());
    W.FirstSlot = FirstSlot;
    W.Name = Info.title();
    W.Kind = Info.Kind;
    W.Type = Info.Type;
    W.Dev = D.get();
    W.Model = Workers.modelOf(Info.model());
    W.SharedCores = Info.SharedCores;
    if (!Info.SharesHostMemory) {
      W.Node = static_cast<MemoryNode>(++LastNode);
      Nodes.push_back({D.get(), W.Id});
    }
    log(LogLevel::Debug, "worker %u is %s", W.Id, W.Name.c_str());
    if (!S.Hosted)
      pinHostMemoryFor(*D);
    Made.push_back(std::move(W));
    Devices.push_back(std::move(D));
  }
  return Made;
}

void Runtime::findLinks(std::span<const Worker> Of) {
  for (const Worker &W : Of) {
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
    else if (!S.Calibrate && KeptLinks->on()) // Calibration does not pay off for this run alone.
      Calibrations[W.Id] = std::make_unique<LinkCalibration>(*W.Dev, Time);
  }
}

// Devices that existed before, if any, are simulated ones, which have no routes to others.
void Runtime::findWays(std::span<const Worker> Of) {
  for (const Worker &To : Of)
    for (const Worker &From : Of) {
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
        ++LinksToMeasure;
      }
    }
  if (!LinksToMeasure && !Late)
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
  if (--LinksToMeasure == 0)
    Between.stop(); // Frees its memory and ends its thread.
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

void Runtime::makeObservers() {
  if (!S.TracePath.empty())
    Observers.add(makeChromeTrace(S.TracePath));
  if (!S.GraphPath.empty())
    Observers.add(makeGraphWriter(S.GraphPath));
  const auto Print = [](const std::string &Line) { log(LogLevel::Info, "%s", Line.c_str()); };
  if (S.Statistics)
    Observers.add(makeStatistics(Print, S.FullStatistics));
  if (S.ProgressSeconds)
    Observers.add(makeProgress(std::chrono::seconds(S.ProgressSeconds), Print));
  // Costs of choices are known if choices are recorded.
  std::function<void(const std::string &)> Costs;
  if (S.Statistics)
    Costs = Print;
  if (!S.RecordPath.empty())
    Observers.add(makeRecorder(S.RecordPath, true, S.Scheduler, std::exchange(Costs, {}), S.RecordDataPath));
  if (!S.PlatformPath.empty() && !S.Hosted && (Simulated = OnPlatform::make(S.PlatformPath, S.Scheduler)))
    Observers.add(makeRecorder(Simulated->recordPath(), true, S.Scheduler));
  if (!S.ExplainPath.empty() || (S.RegretStatistics && Costs)) // Without a path the record stays in memory.
    Observers.add(makeRecorder(S.ExplainPath, false, S.Scheduler, std::move(Costs)));
}

void Runtime::notifyLinks() {
  for (const Worker &W : Workers.Workers)
    if (const LinkTimes *L = W.Node != HostNode ? Measured->of(W.Id) : nullptr) {
      auto way = [](const LinkCost &C) { return LinkRecord::Way{C.LatencyNs, C.bytesPerSecond()}; };
      Observers.linkMeasured({W.Id, way(L->ToDevice), way(L->ToHost)});
    }
}

void Runtime::finish() {
  ThreadState &Me = threadState();
  Executor::Call Entered(*Exec, Me);
  Exec->shutdown(Me);
  if (Opened) {
    if (Late) // Otherwise the devices' own threads build kernels.
      Cost.Build = Exec->arrivingDevices().builtFor() + Preloading;
    Cost.judge(*Times, static_cast<unsigned>(CpusInAll));
  }
  if (Opened || Early.Now == early::Phase::ForkedAway)
    Cost.store(S.OpenCL);
  Between.stop();
  if (Kept)
    Kept->save(*Times);
  Words.reset();
  notifyObserversOfEnd();
  if (!Simulated)
    return;
  const auto Print = [](const std::string &Line) { log(LogLevel::Info, "%s", Line.c_str()); };
  if (status Ran = statusOf([&] { return std::exchange(Simulated, nullptr)->simulate(Print); }); !Ran.ok())
    log(LogLevel::Error, "HSCHED_PLATFORM: %s; nothing is simulated", Ran.message().c_str());
}

void Runtime::notifyObserversOfEnd() {
  if (!Observers.empty() && !EndReported.exchange(true)) {
    notifyLinks();
    Observers.finished();
  }
}

} // namespace hsched::rt
