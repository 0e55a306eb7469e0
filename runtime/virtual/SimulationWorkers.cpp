// Workers: search for tasks, transfers of their data, runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Simulation.h"

#include <algorithm>

namespace hsched::rt::virt {

// Takes tasks: a core one, a device up to its limit.
void Simulation::look(WorkerId W) {
  Seat &S = Seats[W];
  if (W != 0 || mainWorks())
    while (S.Starved.empty() && Failure.ok()) {
      Flight *F = freeFlight(W);
      if (!F)
        break;
      if (!take(W, *F)) {
        if (isDevice(W))
          takeEarly(W);
        return;
      }
    }
  notIdle(W); // It takes no task for now.
}

Simulation::Flight *Simulation::freeFlight(WorkerId W) {
  for (Flight &F : Seats[W].Flights)
    if (!F.T)
      return &F;
  return nullptr;
}

void Simulation::notIdle(WorkerId W) {
  if (std::exchange(Seats[W].Marked, false))
    Scheduler.busy(W);
}

bool Simulation::take(WorkerId W, Flight &F) {
  Seat &S = Seats[W];
  if (!S.Detours.empty()) {
    std::tie(F.T, F.V) = S.Detours.front();
    S.Detours.pop_front();
    F.FromPolicy = false;
    F.Seen = nullptr;
    notIdle(W);
  } else {
    Assignment A;
    S.Marked = !Scheduler.pop(W, A);
    if (S.Marked && !((Hooks & StealsTasks) && stealFor(W, A)))
      return false;
    notIdle(W);
    F.T = static_cast<TaskNode *>(A.T);
    F.V = A.V;
    F.FromPolicy = true;
    F.Seen = nullptr;
    if (Explains && !A.T->Decided) {
      std::vector<Prediction> Among;
      predict(*A.T, Among);
      decided(*A.T, *A.V, W, "it came next in the policy's order", Among);
    }
  }
  acquire(F);
  return true;
}

// First tasks in reach of its memory, in order of workers from the next one on.
bool Simulation::stealFor(WorkerId W, Assignment &Out) {
  const auto N = static_cast<WorkerId>(Machine.Workers.size());
  for (bool Near : {true, false})
    for (WorkerId I = 1; I < N; ++I) {
      WorkerId Victim = (W + I) % N;
      if ((Machine.Workers[Victim].Node == Machine.Workers[W].Node) == Near && Scheduler.steal(W, Victim, Out))
        return true;
    }
  return false;
}

void Simulation::acquire(Flight &F, std::span<const EventRef> After) {
  const MemoryNode Node = Machine.Workers[F.W].Node;
  if (F.T->At != Stage::DispatchedEarly && !Platform::usable(Machine.Workers[F.W], *F.V, *F.T))
    return giveBack(F);
  F.Done = isDevice(F.W) ? Net.newEvent() : nullptr;
  if (isDevice(F.W) || Data->anyReplica()) {
    std::vector<EventRef> Until;
    if (status Room = Data->acquire(*F.T, Node, F.Acquired, &Until); !Room.ok()) {
      const bool Busy = F.Acquired.MemoryBusy;
      auto Turn = std::move(F.Acquired.Waits);
      F.Acquired.clear();
      if (F.T->At == Stage::DispatchedEarly) { // It is retried when it is ready.
        F.T->At = Stage::Usual;
        F.Done.reset();
        return Scheduler.completed(*std::exchange(F.T, nullptr), *F.V, F.W, Duration(-1));
      }
      if (Room.code() != errc::out_of_memory || !Busy)
        return refuse(F, Room);
      Seat &S = Seats[F.W];
      F.Acquired.Waits = std::move(Turn);
      S.Starved.push_back(&F);
      ++NumStarved;
      // Evictions free memory when they have ended; so does every task that ends.
      for (const EventRef &E : Until)
        if (E && !E->done())
          await(*RoomWaiters.emplace_back(std::make_unique<RoomWaiter>(*this)), E);
      return;
    }
  }
  if (F.Done)
    Data->launched(*F.T, F.Acquired, F.Done);
  (void)awaitAll(F, F.Acquired.Wait);
  (void)awaitAll(F, F.Acquired.Before);
  (void)awaitAll(F, After);
  await(F, Net.setUp(F.W));
  if (F.NumPending == 0)
    arrived(F);
}

void Simulation::arrived(Flight &F) {
  Seat &S = Seats[F.W];
  if (F.FromPolicy && (Hooks & HookArrived))
    Scheduler.arrived(*F.T, F.W);
  S.Arrived.push_back(&F);
  if (Net.runWants(F.W))
    startNext(F.W);
}

void Simulation::startNext(WorkerId W) {
  Seat &S = Seats[W];
  if (S.Running || S.Arrived.empty())
    return;
  Flight &F = *S.Arrived.front();
  S.Arrived.erase(S.Arrived.begin());
  S.Running = &F;
  const unsigned Kind = Model.Workers[W].Kind;
  F.Began = Time.now() + (S.LastEnd == Time.now() ? Model.Kinds[Kind].Between : Model.Kinds[Kind].Wakes);
  if (F.FromPolicy && (Hooks & HookStarted))
    Scheduler.started(*F.T, *F.V, W);
  const Duration OfVersion = Types.firstRun(F.T->Type->Id, F.V->Index, Kind);
  const Duration Kernels = std::max(Model.Kinds[Kind].FirstRun, OfVersion);
  const SizeClass Size = OfVersion > Duration(0) ? 0 : F.T->sizeClass();
  F.WarmsUp = Kernels > Duration(0) && WarmedUp.emplace(F.V, Size, Machine.Workers[W].Model).second;
  Time.plan(F.Began + timeOf(F) + (F.WarmsUp ? Kernels : Duration(0)), TimelineEvent::RunEnds, W);
}

Duration Simulation::timeOf(const Flight &F) const {
  const TaskTypes::Args &A = argsOf(*F.T);
  if (!A.Times)
    return Types.speed(F.T->Type->Id, F.W)->time(A.Work, F.T->DataBytes);
  const size_t At = F.V->Index * Model.Kinds.size() + Model.Workers[F.W].Kind;
  return std::max(Duration(1), A.Own >= Duration(0) && A.OwnAt == At ? A.Own : A.Times[At]);
}

void Simulation::ended(WorkerId W) {
  Seat &S = Seats[W];
  Flight &F = *S.Running; // Held until everything is reported: successors on this device must not begin before.
  TaskNode &T = *std::exchange(F.T, nullptr);
  const Duration Ran = Time.now() - F.Began;
  if (EventRef Done = std::move(F.Done)) {
    static_cast<VirtualEvent &>(*Done).finish({F.Began, Time.now()});
    forget(F, Done);
  }
  if (T.has(Signal::WritesLast))
    Data->releaseAndSendHome(F.Acquired);
  else
    Data->release(T, F.Acquired, false);
  S.Busy += Ran;
  S.LastEnd = Time.now();
  VersionCount &Count = Counts[T.Type->Id][F.V->Index];
  ++Count.Runs;
  Count.Ran += Ran;
  if (Options.Watch)
    Options.Watch->ran({T.Id,
                        T.Type->name(),
                        F.V->Desc->name,
                        T.Label,
                        isDevice(W) ? computeRow(W, 0) : cpuRow(W),
                        W,
                        T.DataBytes,
                        {F.Began, Time.now()},
                        Outcome::Done,
                        T.Cost});
  if (!F.WarmsUp)
    Times.record(*T.Type, T.sizeClass(), F.V->Index, Machine.Workers[W].Model, Ran);
  if (F.FromPolicy)
    Scheduler.completed(T, *F.V, W, Ran);
  completed(T, W);
  S.Running = nullptr;
  if (Net.runEnded(W))
    startNext(W);
  if (W == 0)
    submitMore();
  look(W);
  if (W != 0)
    submitMore();
}

// --- tasks that do not run where they were to

void Simulation::giveBack(Flight &F) {
  TaskNode &T = *std::exchange(F.T, nullptr);
  if (F.FromPolicy)
    Scheduler.completed(T, *F.V, F.W, Duration(-1));
  dispatch(T, F.W, false);
}

void Simulation::refuse(Flight &F, const status &Cause) {
  TaskNode &T = *std::exchange(F.T, nullptr);
  F.Done.reset();
  if (F.FromPolicy) {
    Scheduler.completed(T, *F.V, F.W, Duration(-1));
    Scheduler.refused(T, *F.V, F.W);
  }
  T.extras().Excluded.emplace_back(F.V->Index, F.W);
  detour(T, Cause);
}

// Cores before devices; among devices the one with the fewest such tasks.
void Simulation::detour(TaskNode &T, const status &Cause) {
  const Version *BestVersion = nullptr;
  WorkerId Best = NoWorker;
  for (const rt::Worker &W : Machine.Workers)
    for (unsigned I = 0; I < T.Type->numVersions(); ++I) {
      const Version &V = T.Type->Versions[I];
      if (!Platform::usable(W, V, T) || std::ranges::count(T.Extras->Excluded, std::pair<uint32_t, WorkerId>(I, W.Id)))
        continue;
      if (Best == NoWorker || std::pair(isDevice(W.Id), Seats[W.Id].Detours.size()) <
                                  std::pair(isDevice(Best), Seats[Best].Detours.size())) {
        Best = W.Id;
        BestVersion = &V;
      }
    }
  if (!BestVersion) {
    Failure = status::error(errc::out_of_memory, "no worker of platform '" + Model.Name + "' can run task '" +
                                                     T.Type->name() + "': " + Cause.message());
    return;
  }
  Seats[Best].Detours.emplace_back(&T, BestVersion);
  wake(Best);
}

void Simulation::retryStarved() {
  std::erase_if(RoomWaiters, [](const auto &R) { return R->NumPending == 0; });
  for (Seat &S : Seats)
    for (size_t N = S.Starved.size(); N > 0 && Failure.ok(); --N) {
      Flight &F = *S.Starved.front();
      S.Starved.pop_front();
      --NumStarved;
      acquire(F);
      if (S.Starved.empty())
        wake(F.W);
    }
}

} // namespace hsched::rt::virt
