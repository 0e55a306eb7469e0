// Start, submission, shutdown.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"

#include "base/Log.h"
#include "sched/TransferTime.h"

#include <algorithm>

namespace hsched::rt {

// The shortest time between two readings.
static Duration between(const Clock &Time) {
  Duration Least = Duration::max();
  for (int I = 0; I < 64; ++I) {
    TimePoint Begin = Time.now();
    Least = std::min(Least, Time.now() - Begin);
  }
  return Least;
}

static Parker NoThread; // Parker of seats that no thread has had yet.

Executor::Executor(const Platform &Machine, Policy &Scheduler, Directory &Data, History &Times, const Clock &Time,
                   Observer *Watch, ExecutorOptions Options)
    : Machine(Machine), Scheduler(Scheduler), Data(Data), Times(Times), Time(Time), Watch(Watch),
      Options(std::move(Options)),
      HangMonitor(this->Options.Watchdog > Duration(0)
                      ? std::make_unique<Watchdog>(Machine, Time, this->Options.Watchdog, Watchdog::stateOf,
                                                   [this](const auto &Visit) { visitBodies(Visit); })
                      : nullptr),
      LowWater(this->Options.Window - std::max(1u, this->Options.Window / 4)), Hooks(Scheduler.hooks()),
      Explains(Watch && Watch->wantsDecisions()), Table(std::make_shared<OwnQueues>(most())),
      ReadyTasks({Machine, Scheduler, Time, *this, Table, RootDomain, this->Options, HangMonitor.get(), Explains,
                  most(), fastPaths(Scheduler, Machine, this->Options, Watch && Watch->wantsEachTask())}),
      EachTask(Watch && (Watch->wantsEachTask() || (Watch->wantsLog() && !ReadyTasks.Paths.Stealing))),
      Noted(Watch || HangMonitor),
      CountsOnly(Watch && !HangMonitor && !(ReadyTasks.Paths.Stealing && Watch->wantsLog())),
      Numbered(Noted && !CountsOnly),
      Log(ReadyTasks.Paths.Stealing && Watch && Watch->wantsLog() ? std::make_unique<TaskLog>(Time) : nullptr),
      TinyBelow(ReadyTasks.Paths.Bundles ? std::min(TinyNanoseconds, this->Options.BundleBelow) : 0),
      ClockCost(between(Time)),
      WorkerThreads(this->Options.Threads ? this->Options.Threads
                                          : std::make_shared<ThreadPool>(most() + 1 + MostSpares)),
      Seats(most()), Root(createTask(nullptr, 0)), Coming(*this, this->Options.ArrivingDevices > 0) {
  NodeWorkers.fill(NoWorker);
  for (Seat &S : Seats)
    S.P = &NoThread;
  for (const Worker &W : Machine.Workers) {
    Seats[W.Id].W = &W;
    if (W.Node != HostNode)
      NodeWorkers[W.Node] = W.Id;
    NumNodes.store(std::max<size_t>(NumNodes.load(), W.Node + size_t(1)));
  }
  (void)Root->extras();
  setLoads(most());
}

Executor::~Executor() { release(*Root); }

// Sections from one node count as one transfer, because they are in flight together.
Duration Executor::transferTime(const Task &T, MemoryNode Node) {
  const size_t Nodes = NumNodes.load(std::memory_order_acquire);
  return !Options.Measured || Nodes == 1
             ? Duration(0)
             : rt::transferTime(Data, *Options.Measured, std::span(NodeWorkers).first(Nodes), T, Node);
}

void Executor::returnTimes(const Task &T, std::span<Duration::rep> ByNode) {
  const size_t Nodes = NumNodes.load(std::memory_order_acquire);
  if (Options.Measured && Nodes > 1)
    rt::returnTimes(Data, *Options.Measured, std::span(NodeWorkers).first(Nodes), T, ByNode);
}

Duration Executor::handOver(WorkerId W) const {
  return Options.Measured ? rt::handOver(*Options.Measured, W) : Duration(0);
}

Duration Executor::underway(WorkerId W) const {
  return Options.Measured ? rt::underway(Data, *Options.Measured, W, Machine.Workers[W].Node) : Duration(0);
}

void Executor::decided(Task &T, const Version &V, WorkerId W, const char *Why, std::span<const Prediction> Among) {
  if (!Explains)
    return;
  T.Decided = true;
  std::vector<CandidateRecord> Candidates;
  Candidates.reserve(Among.size());
  for (const Prediction &P : Among)
    Candidates.push_back({P.W, P.V->Desc->name, P.Run, P.Runs, P.Transfer, P.Wait});
  Watch->decided({T.Id, T.Type->name(), Time.now(), W, V.Desc->name, Why, Candidates});
}

void Executor::notifyChoice(Task &T, const Version &V, WorkerId W, const char *Why) {
  std::vector<Prediction> Among;
  predict(T, Among);
  decided(T, V, W, Why, Among);
}

void Executor::announceRows(std::span<const Worker> Workers) {
  if (!Watch)
    return;
  for (const Worker &W : Workers) {
    if (!W.Dev) {
      Watch->rowAdded({cpuRow(W.Id), RowKind::CpuWorker, W.Id, W.Name, "cpu"});
      continue;
    }
    if (W.Node != HostNode) {
      Watch->rowAdded({uploadRow(W.Id), RowKind::DeviceUpload, W.Id, W.Name + " upload"});
      Watch->rowAdded({downloadRow(W.Id), RowKind::DeviceDownload, W.Id, W.Name + " download"});
    }
    for (unsigned Queue = 0; Queue < std::max(1u, W.Dev->computeQueues()); ++Queue)
      Watch->rowAdded({computeRow(W.Id, Queue), RowKind::DeviceCompute, W.Id,
                       W.Name + " queue " + std::to_string(Queue), Machine.nameOf(W.Model), deviceTypeName(W.Type),
                       W.Node});
  }
}

void Executor::start() {
  announceRows({Machine.Workers.begin(), Machine.Workers.size()});
  Scheduler.start(*this);
  if (HangMonitor)
    HangMonitor->start();
  pthread_sigmask(SIG_SETMASK, nullptr, &ProgramsSignals);
  // Devices first: without its thread a device is unusable.
  std::vector<Seat *> Order;
  for (Seat &S : Seats)
    if (S.W && S.W->Id != 0)
      Order.push_back(&S);
  std::ranges::stable_partition(Order, [](const Seat *S) { return S->W->Dev != nullptr; });
  for (Seat *S : Order)
    if (!WorkerThreads->run([this, S] { serve(*S, {}); }))
      log(LogLevel::Warning, "no thread can be made for %s: it runs no tasks", S->W->Name.c_str());
}

TaskNode &Executor::begin(ThreadState &Me, TaskType &Type, unsigned NumAccesses) {
  makeRoom(Me);
  // Without devices, a task's accesses are not needed after linking.
  if (!ReadyTasks.Paths.Stealing || NumAccesses == 0)
    return *createTask(&Type, NumAccesses);
  StackMark Was;
  char *At = pushOnStack(Me, sizeof(Was) + NumAccesses * sizeof(Access), Was);
  if (!At)
    return *createTask(&Type, NumAccesses);
  try {
    *reinterpret_cast<StackMark *>(At) = Was;
    return *createStagedTask(&Type, NumAccesses, reinterpret_cast<Access *>(At + sizeof(Was)));
  } catch (...) {
    popFromStack(Me, At, Was);
    throw;
  }
}

// Frees the stack memory of staged accesses.
static void unstage(ThreadState &Me, Access *Staged) {
  auto *At = reinterpret_cast<StackMark *>(Staged) - 1;
  popFromStack(Me, At, *At);
}

void Executor::abandon(ThreadState &Me, TaskNode &T) noexcept {
  if (T.At == Stage::Staged)
    unstage(Me, T.AccessList);
  release(T);
}

void Executor::submit(ThreadState &Me, TaskNode &T, const hsched_submit_options &How) {
  T.Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  try {
    prepare(Me, T, How);
    enrolTask(Me, *T.Parent);
  } catch (...) {
    abandon(Me, T);
    throw;
  }
  admit(Me, T);
}

void Executor::prepare(ThreadState &Me, TaskNode &T, const hsched_submit_options &How) {
  T.ArgsLive = true;
  T.Priority = How.priority;
  setLabel(T, How.label);
  T.DataBytes = dataBytes(T.accesses());
  if (T.DataBytes >= FootprintBytes && ReadyTasks.HasHomes)
    static_cast<Task &>(T).Data = footprintOf(T.accesses());
  if (mayHaveSections(T)) [[unlikely]] {
    Access *Staged = T.At == Stage::Staged ? T.AccessList : nullptr;
    addVersionSections(T);
    if (Staged && T.AccessList != Staged) {
      T.At = Stage::Usual;
      unstage(Me, Staged);
    }
  }
  if (How.flags & HSCHED_SUBMIT_COST)
    T.Cost = How.cost;
  if (How.where || Me.Scope) [[unlikely]]
    confine(Me, T, How.where, How.label);

  TaskNode &Parent = context(Me);
  T.Final = Parent.Final || (How.flags & HSCHED_SUBMIT_FINAL);
  if (Parent.Extras && Parent.Extras->AcquiredData)
    releaseBodyData(Parent);
  T.Parent = &Parent;
  if (&Parent == Root)
    T.Submitter = Me.Serial ? Me.Serial : serialOfThread(Me);
  if (std::ranges::any_of(T.accesses(), [](const Access &A) { return A.mode > HSCHED_INOUT; }))
    prepareGroups(T, How);
  if (T.At == Stage::Staged && T.Groups) { // Private copies need the section that they copy.
    Access *Staged = T.AccessList;
    T.extras().OwnedAccesses = std::make_unique<Access[]>(T.NumAccesses);
    T.AccessList = T.Extras->OwnedAccesses.get();
    std::copy_n(Staged, T.NumAccesses, T.AccessList);
    T.At = Stage::Usual;
    unstage(Me, Staged);
  }
  (void)domainOf(Parent);
  if (T.Final || (How.flags & HSCHED_SUBMIT_UNDEFERRED)) {
    T.Runs = Turn::InPlace;
    retain(T); // Released when it has run.
  }
}

void Executor::admit(ThreadState &Me, TaskNode &T) {
  TaskNode &Parent = *T.Parent;
  Access *Staged = T.At == Stage::Staged ? T.AccessList : nullptr;
  if (Log)
    logSubmitted(Me, T);
  else if (Watch)
    Watch->submitted({T.Id, Parent.Id, T.Type->name(), T.Label, T.DataBytes, Time.now(), T.Cost,
                      modesOf(T.accesses()).c_str(), T.accesses(), T.Priority});
  if (HangMonitor)
    HangMonitor->submitted(T);
  if (Hooks & HookSubmitted)
    Scheduler.submitted(T, Parent.Id);
  if (listener() && T.Extras && T.Extras->Named)
    for (TaskId From : T.Extras->Named->After)
      dependence(From, T.Id);

  if (Options.BuildsOnOwnThread)
    Coming.ask(Me, T);

  WorkerId From = Me.S ? Me.S->W->Id : NoWorker;
  TaskNode *Closed = nullptr;
  // From here on a T that was not ready must not be used: it may have run and been freed.
  bool Awaited = T.Runs != Turn::Queued;
  bool Ready = domainOf(Parent).submit(T, listener(), &Closed);
  if (Staged)
    unstage(Me, Staged);
  if (Closed)
    closed(Me, Closed, From);
  bool Cancelled = Ready && T.has(Signal::Poisoned);
  if (Ready && !Cancelled && T.Groups)
    Ready = takeTurn(T);
  if (Awaited)
    return runInPlace(Me, T, Ready);
  if (!Ready)
    return;

  if (Cancelled) {
    neverRan(Me, T, Outcome::Cancelled);
    bodyEnded(Me, T, From);
    return;
  }
  // Deep in nested waits, ready tasks run at once. Otherwise the stack of a recursive program would grow with every
  // level, under a policy that runs the oldest task first.
  if (Me.Depth >= MaxDepth && Me.S)
    if (const Version *V = cpuVersion(T, *Me.S->W)) {
      (void)runOnCpu(Me, *Me.S, T, *V, false);
      return;
    }
  bool HasSeat = ReadyTasks.Paths.Calls && Me.Depth < MaxDepth && (Me.S || tryTakeSeat0(Me));
  if (!dispatch(Me, T, From, false))
    bodyEnded(Me, T, From);
  // The only worker runs it now, so the next task can be a call again.
  if (HasSeat) {
    (void)(inside(Parent) ? runChild(Me, Parent) : runOne(Me, *Me.S, false));
    ReadyTasks.requeueNext(Me); // This thread may not return to the engine.
    if (From == NoWorker)
      leaveSeat0(Me);
  }
}

void Executor::endWorkers() {
  Stopping.store(true);
  for (Seat &S : Seats)
    S.P.load()->unpark();
}

void Executor::abandonRest() {
  endWorkers();
  WorkerThreads->abandon(); // One thread may be inside a long task, and one may be the caller.
}

void Executor::shutdown(ThreadState &Me) {
  endGroups(Me, *Root, NoWorker);
  ReadyTasks.passOnBundles(Me);
  {
    WaitReport Waiting(*this, Me, Awaits::Everything);
    workUntil(Me, [this] { return allDone(); }, nullptr, 0);
  }
  if (Options.BeforeEnd)
    Options.BeforeEnd();
  Coming.stopBuilding();
  if (HangMonitor)
    HangMonitor->stop();
  endWorkers();
  WorkerThreads->end();
  notifyRest();
  while (Callers.load() > 1) // The thread that completed the last task may not have returned yet; one is the caller.
    std::this_thread::yield();
  if (status Home = Data.shutdown(); !Home.ok())
    log(LogLevel::Error, "data could not be brought home at the end: %s", Home.message().c_str());
  RootDomain.sweep(true);
  while (Root->has(Signal::HasFailure))
    try {
      throwFailure(Me, *Root);
    } catch (const std::exception &E) {
      log(LogLevel::Error, "nothing waited for a task that failed: %s", E.what());
    } catch (...) {
      log(LogLevel::Error, "nothing waited for a task that failed with an exception of an unknown type");
    }
}

} // namespace hsched::rt
