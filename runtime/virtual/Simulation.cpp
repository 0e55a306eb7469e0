// The simulation: submission, completion, event loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Simulation.h"
#include "graph/Exclusion.h"
#include "sched/TransferTime.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hsched::rt::virt {

static LinkCost costOf(const PlatformModel &P, const PlatformModel::Path &Way) {
  LinkCost Cost;
  auto pass = [&](const LinkModel &L, double PerSecond) {
    Cost.LatencyNs += static_cast<double>(L.Latency.count());
    Cost.NsPerByte = std::max(Cost.NsPerByte, 1e9 / PerSecond);
  };
  auto assumed = [](double Assumed, double Real) { return Assumed > 0 ? Assumed : Real; };
  for (unsigned I : Way.Up) {
    const LinkModel &L = P.Links[I];
    pass(L, L.Duplex ? assumed(L.AssumedToHost, L.ToHostBytesPerSecond)
                     : assumed(L.AssumedToDevice, L.ToDeviceBytesPerSecond));
  }
  for (unsigned I : Way.Down)
    pass(P.Links[I], assumed(P.Links[I].AssumedToDevice, P.Links[I].ToDeviceBytesPerSecond));
  return Cost;
}

Simulation::Simulation(const PlatformModel &Model, TaskTypes &Types, Policy &Scheduler, History &Times,
                       const SimulationOptions &Options)
    : Model(Model), Types(Types), Scheduler(Scheduler), Times(Times), Options(Options), Hooks(Scheduler.hooks()),
      Net(Model, Time), NodeWorkers{NoWorker}, Measured(Model.Workers.size()), Root(createTask(nullptr, 0)) {
  Net.Drive = [this] { return step(); };
  Net.RunMayBegin = [this](uint32_t W) { startNext(W); };
  std::vector<NodeInfo> Nodes{{nullptr, NoWorker}};
  for (WorkerId W = 0; W < Model.Workers.size(); ++W) {
    const WorkerKind &K = Model.Kinds[Model.Workers[W].Kind];
    Seat &S = Seats.emplace_back();
    if (K.MemoryBytes) {
      Nodes.push_back({&Devices.emplace_back(Net, W), W});
      NodeWorkers.push_back(W);
      Measured.set(W,
                   {costOf(Model, Model.path(0, W)), costOf(Model, Model.path(W, 0)), {0, 1e9 / K.CopyBytesPerSecond}});
    }
    S.Flights.resize(K.MemoryBytes ? std::max(1u, Options.InFlight ? Options.InFlight : K.InFlight) : 1);
    for (Flight &F : S.Flights) {
      F.Of = this;
      F.W = W;
    }
    if (K.Opens > Duration(0)) {
      Time.plan(TimePoint() + K.Opens, TimelineEvent::DeviceOpens, W);
      ++NotOpen;
    }
  }
  Machine.Workers.reserve(Model.Workers.size());
  for (WorkerId From : NodeWorkers)
    for (WorkerId To : NodeWorkers)
      if (From != To && From != NoWorker && To != NoWorker)
        Measured.setBetween(From, To, costOf(Model, Model.path(From, To)));
  Data = std::make_unique<Directory>(std::move(Nodes), Time.clock(), Options.Watch);
  setLoads(Model.Workers.size());
  Explains = Options.Watch && Options.Watch->wantsDecisions();
  for (unsigned T = 0; T < Types.size(); ++T) {
    auto &Of = Counts.emplace_back();
    for (unsigned V = 0; V < Types[T].numVersions(); ++V)
      Of.push_back({Types[T].name(), Types[T].Versions[V].Desc->name});
  }
}

Simulation::~Simulation() {
  // After a failure, tasks are left. Running ones end now.
  for (Seat &S : Seats)
    for (Flight &F : S.Flights)
      if (F.T) {
        if (F.Done && !F.Done->done())
          static_cast<VirtualEvent &>(*F.Done).finish({Time.now(), Time.now()});
        Data->release(*F.T, F.Acquired, true, FailedOutputs::Untouched);
      }
  Ending = true;
  Data.reset();
  for (TaskNode *T : Live)
    if (T)
      release(*T);
  Domain.sweep(true);
  release(*Root);
}

Duration Simulation::transferTime(const Task &T, MemoryNode Node) {
  return NodeWorkers.size() == 1 ? Duration(0) : rt::transferTime(*Data, Measured, NodeWorkers, T, Node);
}

void Simulation::returnTimes(const Task &T, std::span<Duration::rep> ByNode) {
  if (NodeWorkers.size() > 1)
    rt::returnTimes(*Data, Measured, NodeWorkers, T, ByNode);
}

Duration Simulation::handOver(WorkerId W) const { return rt::handOver(Measured, W); }

Duration Simulation::underway(WorkerId W) const { return rt::underway(*Data, Measured, W, Machine.Workers[W].Node); }

void Simulation::decided(Task &T, const Version &V, WorkerId W, const char *Why, std::span<const Prediction> Among) {
  if (!Explains)
    return;
  T.Decided = true;
  std::vector<CandidateRecord> Candidates;
  for (const Prediction &P : Among)
    Candidates.push_back({P.W, P.V->Desc->name, P.Run, P.Runs, P.Transfer, P.Wait});
  Options.Watch->decided({T.Id, T.Type->name(), Time.now(), W, V.Desc->name, Why, Candidates});
}

void Simulation::dependence(TaskId From, TaskId To) {
  if (Options.Watch)
    Options.Watch->dependence(From, To);
  if (Hooks & HookEdges)
    Scheduler.edge(From, To);
}

void Simulation::announceRows() {
  if (!Options.Watch)
    return;
  for (WorkerId Id = 0; Id < Model.Workers.size(); ++Id) {
    const rt::Worker W = workerOf(Id);
    if (W.Node == HostNode) {
      const bool Device = W.Kind != DeviceKind::Cpu; // One that shares host memory.
      Options.Watch->rowAdded({cpuRow(W.Id), RowKind::CpuWorker, W.Id, W.Name, Device ? Machine.nameOf(W.Model) : "cpu",
                               deviceTypeName(W.Type), HostNode});
      continue;
    }
    Options.Watch->rowAdded({uploadRow(W.Id), RowKind::DeviceUpload, W.Id, W.Name + " upload"});
    Options.Watch->rowAdded({downloadRow(W.Id), RowKind::DeviceDownload, W.Id, W.Name + " download"});
    Options.Watch->rowAdded({computeRow(W.Id, 0), RowKind::DeviceCompute, W.Id, W.Name + " queue 0",
                             Machine.nameOf(W.Model), deviceTypeName(W.Type), W.Node});
  }
}

rt::Worker Simulation::workerOf(WorkerId W) {
  const WorkerKind &K = Model.Kinds[Model.Workers[W].Kind];
  rt::Worker New{W, Model.Workers[W].Name, K.Device, K.Type, HostNode, nullptr};
  if (K.Device != DeviceKind::Cpu)
    New.Model = Machine.modelOf(K.Name);
  if (auto At = std::ranges::find(NodeWorkers, W); At != NodeWorkers.end()) {
    New.Node = static_cast<MemoryNode>(At - NodeWorkers.begin());
    New.Dev = &Devices[New.Node - 1u];
  }
  return New;
}

// Devices are added in order: an open one waits for those before it.
void Simulation::opened() {
  const bool Takes = Scheduler.capabilities() & AcceptsLateDevices;
  if (!Begun && !Takes && NotOpen)
    return;
  auto isOpen = [&](WorkerId W) { return Model.Kinds[Model.Workers[W].Kind].Opens <= Time.now() - TimePoint(); };
  const size_t Before = Machine.Workers.size();
  while (moreToCome() && isOpen(static_cast<WorkerId>(Machine.Workers.size())))
    Machine.Workers.push_back(workerOf(static_cast<WorkerId>(Machine.Workers.size())));
  if (!std::exchange(Begun, true)) {
    Scheduler.start(*this);
  } else if (Machine.Workers.size() == Before) {
    return;
  } else {
    Scheduler.moreUsable();
    for (TaskNode *T : std::exchange(Deferred, {}))
      dispatch(*T, 0, false);
  }
  for (size_t W = Before; W < Machine.Workers.size(); ++W)
    wake(static_cast<WorkerId>(W));
  if (Before == 0)
    submitMore();
}

status Simulation::run(Program &P, SimulationResult &Out) {
  Running = &P;
  announceRows();
  opened();
  settle();
  while (Failure.ok() && (Outstanding > 0 || !Submitted) && step())
    ;
  if (Failure.ok() && Outstanding > 0)
    Failure = NumStarved ? status::error(errc::out_of_memory,
                                         std::to_string(NumStarved) + " tasks wait for memory that nothing will free")
                         : status::error(errc::internal, "the policy has left " + std::to_string(Outstanding) +
                                                             " tasks behind: no worker that was woken was given one");
  if (Failure.ok() && Options.BringHome)
    Failure = Data->flush({}, true, false);
  collect(Out);
  if (Options.Watch) {
    for (WorkerId W : NodeWorkers)
      if (W != NoWorker) {
        auto way = [](const LinkCost &C) { return LinkRecord::Way{C.LatencyNs, C.bytesPerSecond()}; };
        Options.Watch->linkMeasured({W, way(Measured.of(W)->ToDevice), way(Measured.of(W)->ToHost)});
      }
    Options.Watch->finished();
  }
  return Failure;
}

bool Simulation::step() {
  TimelineEvent H;
  if (!Time.next(H))
    return false;
  ++Happened;
  switch (H.What) {
  case TimelineEvent::SubmissionEnds:
    Submitting = false;
    submit(Spec);
    submitMore();
    if (!Submitting)
      wake(0);
    break;
  case TimelineEvent::RunEnds:
    if (!Ending)
      ended(H.Index);
    break;
  case TimelineEvent::DeviceOpens:
    --NotOpen;
    if (!Ending)
      opened();
    break;
  case TimelineEvent::AsksAgain:
    if (!Ending)
      wake(H.Index);
    break;
  case TimelineEvent::LatencyEnds:
  case TimelineEvent::NetworkChanges:
  case TimelineEvent::DeviceIsSetUp:
    Net.handle(H);
    break;
  }
  if (Ending)
    return true;
  if (std::exchange(RoomWasMade, false))
    retryStarved();
  settle();
  return true;
}

void Simulation::settle() {
  while (!Woken.empty() && Failure.ok()) {
    WorkerId W = Woken.front();
    Woken.pop_front();
    Seats[W].Woken = false;
    look(W);
  }
}

void Simulation::wake(WorkerId W) {
  if (std::exchange(Seats[W].Woken, true))
    return;
  Woken.push_back(W);
}

// --- submission

// Submits as many tasks as the window allows. A submission that takes time is work of the main thread, and begins when
// that thread runs no task.
void Simulation::submitMore() {
  while (!Submitting && !windowIsFull() && Failure.ok()) {
    if (!HasNext) {
      Spec.clear();
      HasNext = !Submitted && Running->next(Spec);
      Submitted = !HasNext;
      if (Submitted) {
        if (Options.BringHome)
          sendHome();
        return wakeMain();
      }
    }
    if (!awaited())
      return wakeMain();
    if (Duration Before = Spec.Host >= Duration(0) ? Spec.Host : Model.Submission; Before > Duration(0)) {
      if (Seats[0].Flights[0].T)
        return;
      Submitting = true;
      notIdle(0);
      return Time.plan(Time.now() + Before, TimelineEvent::SubmissionEnds);
    }
    submit(Spec);
    settle();
  }
  if (windowIsFull())
    wakeMain();
}

// The program waits for all tasks and their data: the last writers send theirs home when they end.
void Simulation::sendHome() {
  if (Running->sendsHome() && NodeWorkers.size() > 1 && !std::exchange(SendsHome, true))
    Domain.markLastWriters();
}

// The main thread may run tasks from now on.
void Simulation::wakeMain() {
  if (Running->submitsFirst())
    wake(0);
}

// True if the main thread may run tasks now.
bool Simulation::mainWorks() const {
  return !Submitting && (!Running->submitsFirst() || Submitted || windowIsFull() ||
                         (HasNext && (Spec.AwaitsAll || !Spec.Awaits.empty())));
}

// True if the waits before the next task are over. The waiting main thread runs tasks if it may.
bool Simulation::awaited() {
  if (!Spec.AwaitsAll && Spec.Awaits.empty())
    return true;
  if (Spec.AwaitsAll ? Outstanding > 0
                     : std::ranges::any_of(Spec.Awaits, [&](TaskId Id) { return Unfinished.contains(Id); })) {
    if (Spec.AwaitsAll && Spec.Flushes)
      sendHome();
    return false;
  }
  SendsHome = false;
  Spec.Awaits.clear();
  Spec.AwaitsAll = false;
  if (Spec.Flushes && Failure.ok())
    Failure = Data->flush({}, true, true);
  if (Spec.BeginsRun)
    RunEnds.push_back(Time.now() - TimePoint());
  return Failure.ok();
}

void Simulation::submit(const TaskSpec &What) {
  TaskType &Type = Types[What.Type];
  TaskNode &T = *createTask(&Type, static_cast<unsigned>(What.Accesses.size()));
  T.Id = NextTask++;
  T.Priority = What.Priority;
  T.Parent = Root;
  if (FreeSlots.empty()) {
    FreeSlots.push_back(static_cast<uint32_t>(Live.size()));
    Live.push_back(nullptr);
  }
  argsOf(T) = {What.Work, FreeSlots.back(), What.OwnAt, What.Times, What.Own};
  Live[FreeSlots.back()] = &T;
  FreeSlots.pop_back();
  HasNext = false;
  std::ranges::copy(What.Accesses, T.AccessList);
  for (Access &A : std::span(T.AccessList, T.NumAccesses)) {
    // As in the executor with devices that use copies. Reductions are inout, because there are no private copies.
    if (A.mode == HSCHED_CONCURRENT && NodeWorkers.size() > 1)
      A.mode = HSCHED_COMMUTATIVE;
    else if (A.mode == HSCHED_REDUCTION)
      A.mode = HSCHED_COMMUTATIVE;
  }
  setLabel(T, nullptr);
  T.DataBytes = dataBytes(T.accesses());
  T.Cost = What.Cost;
  ++Outstanding;
  if (Options.Watch)
    Options.Watch->submitted(
        {T.Id, 0, Type.name(), T.Label, T.DataBytes, Time.now(), T.Cost, "", T.accesses(), T.Priority});
  if (Hooks & HookSubmitted)
    Scheduler.submitted(T, 0);
  if (!What.After.empty()) {
    T.extras().Named = std::make_unique<NamedTask>();
    for (TaskId Id : What.After) {
      if (Hooks & HookEdges || Options.Watch)
        dependence(Id, T.Id);
      if (auto From = Unfinished.find(Id); From != Unfinished.end())
        linkBehind(T, *From->second);
    }
  }
  if (Running->namesTasks())
    Unfinished[T.Id] = &T;
  GraphListener *Listener = Options.Watch || Hooks & HookEdges ? this : nullptr;
  if (Domain.submit(T, Listener)) {
    if (mayDispatch(T))
      dispatch(T, 0, false);
    return;
  }
  for (WorkerId W = 0; W < Machine.Workers.size(); ++W)
    if (isDevice(W))
      takeEarly(W);
}

// True if T has its commutative sections.
bool Simulation::mayDispatch(TaskNode &T) {
  return !T.Groups || T.Groups->Ranges.empty() || Domain.exclusion().take(T);
}

void Simulation::dispatch(TaskNode &T, WorkerId From, bool Activated) {
  bool Usable = false;
  for (unsigned V = 0; V < T.Type->numVersions() && !Usable; ++V)
    for (const rt::Worker &W : Machine.Workers)
      Usable = Usable || Platform::usable(W, T.Type->Versions[V], T);
  if (!Usable && moreToCome())
    return Deferred.push_back(&T);
  if (!Usable) {
    Failure = status::error(errc::unsupported, "platform '" + Model.Name + "' has no worker that can run task '" +
                                                   T.Type->name() + "': give one of its kinds a speed for it");
    return;
  }
  if (Activated)
    Scheduler.pushActivated(T, From);
  else
    Scheduler.push(T, From);
}

// --- completion

void Simulation::completed(TaskNode &T, WorkerId From) {
  ++Completed;
  if (Hooks & HookSubmitted)
    Scheduler.complete(T);
  TaskNode *Next;
  if (T.Groups && !T.Groups->Ranges.empty())
    for (TaskNode *Turn = Domain.exclusion().give(T); Turn; Turn = Next) {
      Next = Turn->NextReady;
      dispatch(*Turn, From, true);
    }
  for (TaskNode *Ready = complete(T, false); Ready; Ready = Next) {
    Next = Ready->NextReady;
    if (Ready->At != Stage::DispatchedEarly && mayDispatch(*Ready))
      dispatch(*Ready, From, true);
  }
  if (Hooks & HookActivated)
    Scheduler.activated(From);
  if (!Unfinished.empty())
    Unfinished.erase(T.Id);
  Live[argsOf(T).Slot] = nullptr;
  FreeSlots.push_back(argsOf(T).Slot);
  release(T);
  --Outstanding;
  if (NumStarved)
    retryStarved();
}

void Simulation::collect(SimulationResult &Out) {
  Out.Makespan = Time.now() - TimePoint();
  Out.Tasks = Completed;
  Out.NumTimelineEvents = Happened;
  Out.RunEnds = RunEnds;
  for (const Seat &S : Seats)
    Out.Busy.push_back(S.Busy);
  for (const auto &Of : Counts)
    Out.Versions.insert(Out.Versions.end(), Of.begin(), Of.end());
  for (const Directory::TrafficEntry &E : Data->traffic())
    Out.Moved += E.Sum;
}

} // namespace hsched::rt::virt
