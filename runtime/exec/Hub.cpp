// The hub: tasks from the policy, from queues and from detours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Hub.h"

#include "base/NoMemory.h"

#include <algorithm>
#include <thread>

namespace hsched::rt {
namespace {

// Time that a worker without work searches before it marks itself idle: a few microseconds, then a few yields.
constexpr unsigned StealSpins = 24, SpinsBeforeYields = 16, PausesASpin = 16;

void relax(unsigned Spins) {
  if (Spins >= SpinsBeforeYields)
    return std::this_thread::yield();
  for (unsigned I = 0; I < PausesASpin; ++I)
    Parker::pause();
}

} // namespace

FastPaths fastPaths(const Policy &Scheduler, const Platform &Machine, const ExecutorOptions &Options, bool EachTask) {
  const unsigned Claimed = Scheduler.capabilities();
  FastPaths W;
  W.Stealing = !EachTask && Options.ArrivingDevices == 0 && (Claimed & StealsAlike) &&
               std::ranges::none_of(Machine.Workers, [](const Worker &Each) { return Each.Dev != nullptr; });
  // Calls and bundles are begun by functions of the ABI that name no engine.
  W.Calls = W.Stealing && !Options.Hosted && Machine.Workers.size() == 1 && (Claimed & RunsCalls);
  W.Bundles = W.Stealing && !Options.Hosted && Machine.Workers.size() > 1 && (Claimed & MakesBundles) &&
              Options.BundleBelow != 0;
  return W;
}

Hub::Hub(const Setup &S)
    : Paths(S.Paths), OneCpu(S.Machine.Workers.size() < 2 || S.Machine.Workers[1].Dev),
      HasHomes(Paths.Stealing && !OneCpu), Machine(S.Machine), Scheduler(S.Scheduler), Time(S.Time), Host(S.Host),
      Shared(S.Table), Table(*S.Table), Roots(S.Roots), Options(S.Options), HangMonitor(S.HangMonitor),
      Explains(S.Explains), AsksPolicyToSteal(S.Scheduler.hooks() & StealsTasks), NumSeats(S.Seats),
      Homed(HasHomes ? S.Seats : 0), Detours(S.Seats) {
  for (const Worker &W : Machine.Workers)
    AllWorkers[W.Id / 64] |= uint64_t(1) << (W.Id % 64);
}

// --- the policy

void Hub::push(TaskNode &T, WorkerId From, bool Activated) {
  if (Paths.Stealing) {
    count(T, 1);
    T.Predicted = Duration(0); // It was T's footprint.
  }
  try {
    if (Activated)
      Scheduler.pushActivated(T, From);
    else
      Scheduler.push(T, From);
  } catch (const std::bad_alloc &) {
    if (Paths.Stealing)
      count(T, -1);
    throw;
  }
  if (OneCpu)
    Host.attendSeat0();
}

void Hub::pushAsItIs(TaskNode &T) {
  count(T, 1);
  T.Predicted = Duration(0);
  Scheduler.push(T, NoWorker);
}

bool Hub::popFor(Seat &S, Assignment &Out) {
  // Perhaps only this worker can run the task, so a search that finds no memory is repeated.
  S.AskAgain = Parker::Forever;
  retryUntilAllocated([&] { S.MarkedInPolicy = !Scheduler.pop(S.W->Id, Out); });
  if (S.MarkedInPolicy) {
    bool Stolen = false;
    if (AsksPolicyToSteal)
      retryUntilAllocated([&] { Stolen = stealFromVictims(S, Out); });
    if (!Stolen)
      return false;
  }
  if (Explains && !Out.T->Decided) [[unlikely]]
    try {
      Host.notifyChoice(*Out.T, *Out.V, S.W->Id, "it came next in the policy's order");
    } catch (const std::bad_alloc &) { // The record is left out.
    }
  return true;
}

// First tasks in reach of this worker's memory.
bool Hub::stealFromVictims(Seat &S, Assignment &Out) {
  if (S.PolicyVictims.known() == 0) [[unlikely]] {
    std::vector<uint32_t> Distances;
    for (const Worker &Other : Machine.Workers)
      Distances.push_back(Other.Node != S.W->Node ? UINT32_MAX : std::min(distance(S.W->Id, Other.Id), UINT32_MAX - 1));
    S.PolicyVictims.set(Distances, 1);
  }
  return S.PolicyVictims.find(
      [&](unsigned Victim) { return Victim != S.W->Id && Scheduler.steal(S.W->Id, Victim, Out); });
}

bool Hub::findInPolicy(ThreadState &Me, Seat &S, FoundTask &F) {
  for (;;) {
    Assignment A;
    if (!popFor(S, A))
      return false;
    leaveIdle(Me, S);
    leftPolicy(Me, A, F);
    if (!A.T->Placed || mayRunOn(*A.T, S.W->Id)) [[likely]]
      return true;
    Host.redirectTask(Me, *F.T, *A.V, S.W->Id);
    F = {};
  }
}

// The thread's next task would be unreachable for others while this one runs.
void Hub::leftPolicy(ThreadState &Me, const Assignment &A, FoundTask &F) {
  F = {static_cast<TaskNode *>(A.T), A.V, true};
  if (!Paths.Stealing)
    return;
  count(*F.T, -1);
  requeueNext(Me);
}

// --- a worker looks

bool Hub::find(ThreadState &Me, Seat &S, FoundTask &F, bool ToPark) {
  if (takeDetour(S.W->Id, F)) {
    leaveIdle(Me, S);
    requeueNext(Me);
    return true;
  }
  if (!Paths.Stealing)
    return findInPolicy(Me, S, F);

  // Tasks in the policy have a priority, or a choice of versions. Tasks of low priority come after the others.
  if (InPolicy.load(std::memory_order_relaxed) > UnurgentInPolicy.load(std::memory_order_relaxed) &&
      findInPolicy(Me, S, F))
    return true;
  TaskNode *T = std::exchange(Me.Next, nullptr);
  if (HasHomes && Homed.seemsAny(S.W->Id))
    T = T ? olderAtHome(S.W->Id, *T) : Homed.takeOwn(S.W->Id);
  if (!T)
    T = ownQueue(Me).Ready.pop();
  if (!T && Spilled.seemsAny())
    T = Spilled.pop();
  if (!T && S.MarkedIdle) { // It searches all queues now, for which it may have been woken.
    S.MarkedIdle = false;
    (void)QueueIdle.remove(S.W->Id);
  }
  if (!T && !ToPark) {
    T = steal(Me, S);
    if (!T && HasHomes)
      T = stealHomed(S, 1);
    if (!T && Paths.Bundles)
      T = takeOpenBundle(S, true);
    if (!T)
      return InPolicy.load(std::memory_order_relaxed) > 0 && findInPolicy(Me, S, F);
  }
  if (!T) {
    // While a worker searches, no other is woken. The last searcher that finds a task makes another worker search.
    Searchers.fetch_add(1);
    TimePoint Until{}; // Until then it leaves other workers the last tasks of their lists.
    for (unsigned Spins = 0; !T && (Spins < StealSpins || leavesTasksAtHome(Until)); ++Spins) {
      T = steal(Me, S);
      if (!T && HasHomes)
        T = Homed.seemsAny(S.W->Id) ? Homed.takeOwn(S.W->Id) : stealHomed(S, 2);
      if (!T && Paths.Bundles)
        T = takeOpenBundle(S, false);
      if (!T && InPolicy.load(std::memory_order_relaxed) > 0)
        break;
      if (!T)
        relax(Spins);
    }
    if (Searchers.fetch_sub(1) == 1 && T && anyWork())
      wakeForWork();
  }
  if (!T) {
    // Marked as idle, it searches once more: see IdleWorkers. The policy does the same in its pop.
    S.MarkedIdle = true;
    QueueIdle.add(S.W->Id);
    T = steal(Me, S);
    if (!T && HasHomes && !(T = Homed.takeOwn(S.W->Id)))
      T = stealHomed(S, 1);
    if (!T && Spilled.any()) // Another worker may take the last of them.
      T = Spilled.pop();
    if (!T && Paths.Bundles)
      T = takeOpenBundle(S, true);
    if (!T)
      return findInPolicy(Me, S, F);
  }
  leaveIdle(Me, S);
  F.T = T;
  return true;
}

bool Hub::findForDevice(Seat &S, FoundTask &F, TightChoice &Among, bool Tight, Directory &Data, Duration Typical) {
  if (takeDetour(S.W->Id, F))
    return true;
  Assignment A;
  if (!Tight && Among.empty()) {
    if (!popFor(S, A))
      return false;
    F = {static_cast<TaskNode *>(A.T), A.V, true};
    return true;
  }
  for (size_t Most = TightChoice::most(Typical); Among.size() < Most && popFor(S, A);)
    try {
      Among.add(static_cast<TaskNode &>(*A.T), *A.V);
    } catch (const std::bad_alloc &) { // It is excluded from the comparison.
      F = {static_cast<TaskNode *>(A.T), A.V, true};
      return true;
    }
  if (Among.empty())
    return false;
  const TightChoice::Candidate Next = Among.take(Data, S.W->Node);
  F = {Next.T, Next.V, true};
  return true;
}

// --- detours

bool Hub::detour(TaskNode &T) {
  const Version *BestVersion = nullptr;
  WorkerId Best = NoWorker;
  bool OfOne = true; // Worker.
  {
    std::lock_guard Guard(DetourLock);
    for (const Worker &W : Machine.Workers)
      for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
        const Version &V = T.Type->Versions[I];
        if (!Platform::usable(W, V, T) || T.excludes(I, W.Id) || !settleOn(T, W.Id))
          continue;
        // CPU workers share worker 0's detours, because its thread may not be waiting. Tasks with a placement are not
        // shared.
        WorkerId At = W.Dev || T.Placed ? W.Id : 0;
        bool Better = Best == NoWorker ||
                      (!Machine.Workers[Best].Dev == !W.Dev ? Detours[At].size() < Detours[Best].size() : !W.Dev);
        if (Better) {
          Best = At;
          BestVersion = &V;
        }
      }
    if (!BestVersion)
      return false;
    T.Decided = false;
    OfOne = Machine.Workers[Best].Dev || T.Placed;
    Detours[Best].push_back({&T, BestVersion});
    NumDetours.fetch_add(1);
    if (HangMonitor)
      HangMonitor->ready(T);
  }
  if (OfOne) // T may be gone.
    Host.wakeWorker(Best);
  else
    for (const Worker &W : Machine.Workers)
      if (!W.Dev)
        Host.wakeWorker(W.Id);
  return true;
}

bool Hub::takeDetour(WorkerId W, FoundTask &F) {
  if (NumDetours.load(std::memory_order_acquire) == 0)
    return false;
  std::unique_lock Guard(DetourLock);
  for (WorkerId At : {W, Machine.Workers[W].Dev ? W : WorkerId(0)}) {
    auto &Queue = Detours[At];
    auto It = std::ranges::find_if(Queue, [W](const Detour &D) { return mayRunOn(*D.T, W); });
    if (It == Queue.end())
      continue;
    F = {It->T, It->V, false};
    Queue.erase(It);
    NumDetours.fetch_sub(1);
    Guard.unlock();
    if (Explains)
      Host.notifyChoice(*F.T, *F.V, W, "what was chosen for it first could not run it");
    return true;
  }
  return false;
}

// --- waits inside tasks

bool Hub::isInside(const TaskNode &T, const TaskNode &Within) {
  const TaskNode *Up = T.Parent;
  while (Up && Up != &Within)
    Up = Up->Parent;
  return Up != nullptr;
}

// Tasks that this thread queued since the body's begin are behind its earlier ones.
TaskNode *Hub::takeChild(ThreadState &Me, const TaskNode &Within) {
  if (!Paths.Stealing)
    return nullptr;
  TaskNode *T = std::exchange(Me.Next, nullptr);
  if (!T && seemsHomed(Me)) {
    constexpr unsigned MostSeen = 8;
    if ((T = Homed.takeIf(Me.S->W->Id, [&](const TaskNode &Each) { return isInside(Each, Within); }, MostSeen)))
      return T;
  }
  if (!T)
    T = ownQueue(Me).Ready.pop();
  if (T && !isInside(*T, Within)) {
    ownQueue(Me).Ready.push(T); // Cannot fail: the task was in the deque before.
    wakeForWork();              // A thread that searched meanwhile saw one task fewer.
    return nullptr;
  }
  return T;
}

bool Hub::findInside(ThreadState &Me, WorkerId W, const TaskNode &Within, FoundTask &F) {
  if (Paths.Stealing && InPolicy.load(std::memory_order_relaxed) == 0)
    return false;
  Assignment A;
  if (!Scheduler.popMatching(
          W,
          [&](const Task &T) {
            return (!T.Placed || mayRunOn(T, W)) && isInside(static_cast<const TaskNode &>(T), Within);
          },
          A))
    return false;
  leftPolicy(Me, A, F);
  return true;
}

// The victims' threads may all be in bodies that wait for something that this body holds. A task cannot be inspected
// before it is stolen, so unsuitable ones go into this thread's queue, where others find them.
bool Hub::stealInside(ThreadState &Me, const TaskNode &Within, FoundTask &F) {
  if (!Paths.Stealing)
    return false;
  for (WorkerId W = 0; W < Homed.workers() && !F.T; ++W)
    F.T = Homed.takeIf(W, [&](const TaskNode &Each) { return isInside(Each, Within); });
  OwnQueue &Own = ownQueue(Me);
  if (F.T || &Own == &Table.shared())
    return F.T != nullptr;
  for (OwnQueue &L : Table.used())
    for (TaskNode *T = nullptr; &L != &Own && !F.T && (T = L.Ready.steal());)
      if (isInside(*T, Within))
        F.T = T;
      else
        (void)enqueue(Me, *T);
  return F.T != nullptr;
}

// Most tasks in a thief's queue descend from what it stole. An unsuitable one goes into this thread's queue, so the
// search ends with it.
TaskNode *Hub::stealBack(ThreadState &Me, const TaskNode &Within) {
  if (!Paths.Stealing)
    return nullptr;
  OwnQueue &Own = ownQueue(Me);
  if (&Own == &Table.shared())
    return nullptr;
  for (OwnQueue &L : Table.used())
    if (&L != &Own)
      if (TaskNode *T = L.Ready.steal()) {
        if (isInside(*T, Within))
          return T;
        if (Me.S && !Me.S->OwnLoan) // The wake-up for the task must not go to this thread.
          leaveIdle(Me, *Me.S);
        (void)enqueue(Me, *T);
        return nullptr;
      }
  return nullptr;
}

} // namespace hsched::rt
