// CPU workers: a task's CPU version is a plain call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"

#include "base/NoMemory.h"

#include <algorithm>
#include <thread>

namespace hsched::rt {
namespace {

// Time that a worker without work searches before it marks itself idle: a few microseconds, then a few yields.
constexpr unsigned StealSpins = 24, SpinsBeforeYields = 16, PausesASpin = 16;
constexpr int64_t MostStolen = 16; // Limit of tasks stolen beside the first.

// Prefetches a task that another core has in its cache.
void prefetch(const TaskNode &T) {
  for (size_t Line = 0; Line < sizeof(T); Line += 64)
    __builtin_prefetch(reinterpret_cast<const char *>(&T) + Line);
}

void relax(unsigned Spins) {
  if (Spins >= SpinsBeforeYields)
    return std::this_thread::yield();
  for (unsigned I = 0; I < PausesASpin; ++I)
    Parker::pause();
}

} // namespace

bool Executor::popFor(Seat &S, Assignment &Out) {
  S.MarkedInPolicy = !Scheduler.pop(S.W->Id, Out);
  if (S.MarkedInPolicy && !((Hooks & AsksToSteal) && stealFor(S, Out)))
    return false;
  if (Explains && !Out.T->Decided) [[unlikely]]
    explain(*Out.T, *Out.V, S.W->Id, "it came next in the policy's order");
  return true;
}

// First tasks in reach of this worker's memory.
bool Executor::stealFor(Seat &S, Assignment &Out) {
  if (S.PolicyVictims.known() == 0) [[unlikely]] {
    std::vector<uint32_t> Distances;
    for (const Worker &Other : Machine.Workers)
      Distances.push_back(Other.Node != S.W->Node ? UINT32_MAX : std::min(distance(S.W->Id, Other.Id), UINT32_MAX - 1));
    S.PolicyVictims.set(Distances, 1);
  }
  return S.PolicyVictims.find(
      [&](unsigned Victim) { return Victim != S.W->Id && Scheduler.steal(S.W->Id, Victim, Out); });
}

bool Executor::findInPolicy(Seat &S, Found &F) {
  Assignment A;
  if (!popFor(S, A))
    return false;
  takesUp(S);
  leftPolicy(A, F);
  if (A.T->Placed && !mayRunOn(*A.T, S.W->Id)) [[unlikely]] {
    sendOn(*F.T, *A.V, S.W->Id);
    return findInPolicy(S, F = {});
  }
  return true;
}

// The thread's next task would be unreachable for others while this one runs.
void Executor::leftPolicy(const Assignment &A, Found &F) {
  F = {static_cast<TaskNode *>(A.T), A.V, true};
  if (!Stealing)
    return;
  pops(*F.T);
  letGoOfNext();
}

bool Executor::find(Seat &S, Found &F, bool ToPark) {
  if (Stopping.load(std::memory_order_relaxed)) [[unlikely]]
    return false; // exit() inside a task: tasks that have not begun are dropped, also by waiting threads.
  Detour D;
  if (takeDetour(S.W->Id, D)) {
    takesUp(S);
    letGoOfNext();
    F = {D.T, D.V, false};
    return true;
  }
  if (!Stealing)
    return findInPolicy(S, F);

  ThreadState &Me = threadState();
  // Tasks in the policy have a priority, or a choice of versions. Those of low priority come after the others.
  if (InPolicy.load(std::memory_order_relaxed) > UnurgentInPolicy.load(std::memory_order_relaxed) && findInPolicy(S, F))
    return true;
  TaskNode *T = std::exchange(Me.Next, nullptr);
  if (!T)
    T = ownQueue().Ready.pop();
  if (!T && Spilled.seemsAny())
    T = Spilled.pop();
  if (!T && S.MarkedIdle) { // It searches all queues now, for which it may have been woken.
    S.MarkedIdle = false;
    (void)QueueIdle.remove(S.W->Id);
  }
  if (!T && !ToPark) {
    T = steal(S);
    if (!T && Bundles)
      T = takeOpenBundle(S, true);
    if (!T)
      return InPolicy.load(std::memory_order_relaxed) > 0 && findInPolicy(S, F);
  }
  if (!T) {
    // While a worker searches, no other is woken. The last searcher that finds a task makes another worker search.
    Searchers.fetch_add(1);
    for (unsigned Spins = 0; !T && Spins < StealSpins; ++Spins) {
      T = steal(S);
      if (!T && Bundles)
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
    T = steal(S);
    if (!T && Spilled.any()) // Another worker may take the last of them.
      T = Spilled.pop();
    if (!T && Bundles)
      T = takeOpenBundle(S, true);
    if (!T)
      return findInPolicy(S, F);
  }
  takesUp(S);
  F.T = T;
  return true;
}

bool Executor::anyWork() {
  return std::ranges::any_of(Table->used(), [](const OwnQueue &L) { return L.Ready.size() != 0; }) || Spilled.any() ||
         InPolicy.load() > 0 || (Bundles && RootDomain.anyOpenBundle());
}

// --- queues

OwnQueue &Executor::takeOwnQueue() {
  ThreadState &Me = threadState();
  Me.Own = &queueOfThread(Table);
  Me.QueuesSerial = Table->Serial;
  if (Me.Own != &Table->shared()) {
    Me.Own->Worker.store(Me.S ? Me.S->W->Id : 0, std::memory_order_relaxed);
    Table->changed();
  }
  return *Me.Own;
}

bool Executor::keep(TaskNode &T, bool Activated) {
  if (!T.IsBundle) {
    const Version *V = T.Type->OnlyOnCpu.load(std::memory_order_acquire);
    if (!V || T.Priority != 0 || T.Placed || T.excludes())
      return false;
    T.Chosen = V;
  }
  ThreadState &Me = threadState();
  if (Activated && Me.Keeps && !Me.Next) {
    Me.Next = &T;
    return true;
  }
  if (T.IsBundle)
    return enqueueBundle(T), true;
  return enqueue(T);
}

bool Executor::enqueue(TaskNode &T, bool Lone) {
  OwnQueue &L = ownQueue();
  if (&L == &Table->shared())
    return false;
  try {
    L.Ready.push(&T);
  } catch (const std::bad_alloc &) {
    Spilled.push(T);
  }
  wakeForWork(Lone);
  return true;
}

// See test/model/idle.pml and bundles.pml. For tasks that came while this worker searched no thread was woken, and it
// takes one of them.
void Executor::comeBack(Seat &S) {
  if (std::exchange(S.MarkedInPolicy, false))
    Scheduler.busy(S.W->Id);
  if (std::exchange(S.MarkedIdle, false) && (!QueueIdle.remove(S.W->Id) || (Stealing && anyWork())))
    wakeForWork();
}

void Executor::letGoOfNext() {
  if (TaskNode *T = std::exchange(threadState().Next, nullptr)) {
    if (T->IsBundle) {
      enqueueBundle(*T);
    } else if (!enqueue(*T)) {
      pushes(*T);
      Scheduler.push(*T, NoWorker);
    }
  }
  if (Bundles && RootDomain.anyOpenBundle()) // A completion here may have made it ready.
    wakeForWork();
}

uint32_t Executor::distance(WorkerId From, WorkerId To) const {
  auto coreOf = [this](WorkerId W) { return W < Options.CoreOf.size() ? Options.CoreOf[W] : -1; };
  const int A = coreOf(From), B = coreOf(To);
  return Options.Distance && A >= 0 && B >= 0 ? Options.Distance(static_cast<unsigned>(A), static_cast<unsigned>(B))
                                              : UINT32_MAX;
}

// A queue has been given to a thread since the order was made.
[[gnu::noinline]] void Executor::orderVictims(Seat &S) try {
  uint64_t Known = Table->changes();
  std::span<OwnQueue> All = Table->used();
  std::vector<uint32_t> Distances;
  for (const OwnQueue &L : All)
    Distances.push_back(distance(S.W->Id, L.Worker.load(std::memory_order_relaxed)));
  S.Victims.set(Distances, Known);
} catch (const std::bad_alloc &) { // The order stays; the next search tries again.
}

// Steals one task from the nearest non-empty queue, and a few more for this thread's queue if there are many.
TaskNode *Executor::steal(Seat &S) {
  OwnQueue &Own = ownQueue();
  if (S.Victims.known() != Table->changes()) [[unlikely]]
    orderVictims(S);
  std::span<OwnQueue> All = Table->used();
  TaskNode *First = nullptr;
  for (bool Lost = true; Lost && !First;) {
    Lost = false;
    (void)S.Victims.find([&](unsigned At) {
      OwnQueue &L = All[At];
      if (&L == &Own)
        return false;
      int64_t Left = L.Ready.size();
      if (Left == 0)
        return false;
      First = L.Ready.steal();
      if (!First) { // Another thief won: there may be more.
        Lost = true;
        return false;
      }
      prefetch(*First);
      takeAlong(L, Own, Left / 2);
      return true;
    });
  }
  return First;
}

void Executor::takeAlong(OwnQueue &From, OwnQueue &Own, int64_t Most) {
  if (&Own == &Table->shared())
    return;
  bool Any = false;
  for (int64_t More = std::min<int64_t>(Most, MostStolen); More > 0; --More) {
    TaskNode *T = From.Ready.steal();
    if (!T)
      break;
    prefetch(*T);
    try {
      Own.Ready.push(T);
    } catch (const std::bad_alloc &) {
      Spilled.push(*T);
    }
    Any = true;
  }
  if (Any) // A thread that searched meanwhile saw them in neither queue.
    wakeForWork();
}

// Runs a task from a queue: there was no choice, so nothing is reported.
void Executor::runKept(Seat &S, TaskNode &T) {
  if (T.IsBundle)
    return runBundle(S, T);
  ThreadState &Me = threadState();
  const WorkerId W = S.W->Id; // S may be lent by a body that waits, so it is not used afterwards.
  const Version &V = *T.Chosen;
  if (T.Groups) {
    Me.Keeps = true;
    (void)runOnCpu(S, T, V, false);
    Me.Keeps = false;
    return;
  }
  TaskNode *Outer = std::exchange(Me.Current, &T);
  CallFrame *OuterCall = std::exchange(Me.Call, nullptr);
  ++Me.Depth;
  try {
    runUnchosen(
        *T.Type, V, T.Args, &T, [&T] { return T.sizeClass(); }, [&](const TaskLog::Ran &R) { logRun(T.Id, R); });
  } catch (...) {
    recordFailure(T, std::current_exception(), T);
  }
  --Me.Depth;
  Me.Current = Outer;
  Me.Call = OuterCall;
  Me.Keeps = true;
  bodyEnded(T, W);
  Me.Keeps = false;
}

// --- counted runs

RunCounts::Entry *Executor::countOf(const TaskType &Type, const Version &V, SizeClass Size) {
  OwnQueue &L = ownQueue();
  if (&L == &Table->shared())
    return nullptr;
  RunCounts *C = L.Counts.load(std::memory_order_relaxed);
  if (!C)
    L.Counts.store(C = new RunCounts, std::memory_order_release);
  return L.Counted = &C->of(Type, V, Size);
}

void Executor::tellRun(const TaskType &Type, const Version &V, SizeClass Size, Interval Ran, Outcome How) {
  const Seat *S = threadState().S;
  const WorkerId W = S ? S->W->Id : 0;
  const std::optional<double> Cost = costOf(Size);
  Watch->ran(
      {0, Type.name(), V.Desc->name, Type.name(), cpuRow(W), W, Cost ? 0 : Size, Ran, How, Cost.value_or(NoCost)});
}

[[gnu::cold]] void Executor::uncountFailed(RunCounts::Entry &Count) {
  Count.uncount();
  const TimePoint End = Time.now();
  tellRun(Count.Type, Count.V, Count.Size, {End, End}, Outcome::Failed);
}

void Executor::tellCounts() {
  for (OwnQueue &L : Table->used())
    if (RunCounts *C = L.Counts.load(std::memory_order_acquire))
      C->forEach([&](RunCounts::Entry &E) {
        const std::optional<double> Cost = costOf(E.Size);
        if (uint64_t Runs = E.untimed())
          Watch->counted({E.Type.name(), E.V.Desc->name, L.Worker.load(std::memory_order_relaxed), Cost ? 0 : E.Size,
                          Cost.value_or(NoCost), Runs});
      });
}

// Brings T's inputs home and waits for them.
status Executor::fetchHome(TaskNode &T, Acquisition &Held) {
  status Result;
  for (unsigned Try = 0; Try < TriesOfTransfers; ++Try) {
    Result = Data.acquire(T, HostNode, Held);
    if (Held.DataLost)
      return Result;
    if (!Result.ok())
      continue;
    for (const EventRef &E : Held.Wait)
      if (E && Result.ok())
        Result = E->wait();
    if (Result.ok()) {
      T.extras().HeldData = &Held;
      return {};
    }
    WorkerId Blame = Held.Blame;
    Data.release(T, Held, true);
    Held.Blame = Blame;
  }
  return Result;
}

void Executor::letGoOfData(TaskNode &T) {
  // Its children depend on what the body has written so far. From here on their writes are the newest, on any node: a
  // release at the body's end would wrongly declare the host's copy the newest.
  auto *Held = static_cast<Acquisition *>(std::exchange(T.Extras->HeldData, nullptr));
  Data.release(T, *Held, false);
}

bool Executor::runOnCpu(Seat &S, TaskNode &T, const Version &V, bool FromPolicy) {
  WorkerId W = S.W->Id;
  if (!Platform::usable(*S.W, V)) {
    giveBack(T, V, W, FromPolicy);
    return false;
  }
  if (!V.Desc->run) {
    disable(V, W, status::error(errc::unsupported, "the version has no body"));
    giveBack(T, V, W, FromPolicy);
    return false;
  }
  std::exception_ptr Thrown;
  if (T.Groups)
    try {
      usePrivateCopies(T, HostNode);
    } catch (...) {
      Thrown = std::current_exception();
    }
  Acquisition Held;
  status Fetched;
  if (!Thrown && Data.anyReplica())
    try {
      Fetched = fetchHome(T, Held);
    } catch (const std::bad_alloc &) {
      Thrown = std::current_exception();
      Data.release(T, Held, true);
    }
  if (!Thrown)
    if (!Fetched.ok()) {
      if (!Held.DataLost) {
        exclude(T, V, W, FromPolicy, Fetched, Held.Blame);
        return false;
      }
      if (FromPolicy)
        Scheduler.completed(T, V, W, Duration(-1));
      fail(T, Machine.Workers[Held.Blame].Name, Fetched.message());
      bodyEnded(T, W);
      return false;
    }

  if (FromPolicy && (Hooks & (TellsArrived | TellsStarted))) [[unlikely]]
    tellBegin(T, V, W);
  ThreadState &Me = threadState();
  TaskNode *Outer = std::exchange(Me.Current, &T);
  CallFrame *OuterCall = std::exchange(Me.Call, nullptr);
  ++Me.Depth;
  if (Dog)
    Dog->bodyBegins(T, W, ownBodies());
  TaskLog::Ran Logged{V.Desc->name, Log ? Log->now() : 0, 0, W, Outcome::Done};
  TimePoint Begin = Time.now();
  try {
    if (!Thrown) {
      Outside Program(*this);
      runBody(Me, V.Desc->run, T.Args);
    }
  } catch (...) {
    Thrown = std::current_exception();
  }
  TimePoint End = Time.now();
  if (Dog)
    Dog->endOfLast();
  --Me.Depth;
  Me.Current = Outer;
  Me.Call = OuterCall;

  if (T.Extras && T.Extras->HeldData) {
    T.Extras->HeldData = nullptr;
    Data.release(T, Held, Thrown != nullptr);
  }
  if (Log) {
    Logged.End = Log->now();
    Logged.How = Thrown ? Outcome::Failed : Outcome::Done;
    logRun(T.Id, Logged);
  } else if (Watch)
    Watch->ran({T.Id,
                T.Type->name(),
                V.Desc->name,
                T.Label,
                cpuRow(W),
                W,
                T.DataBytes,
                {Begin, End},
                Thrown ? Outcome::Failed : Outcome::Done,
                T.Cost});
  Coming.countRun(T, End - Begin);
  if (!Thrown)
    noteTime(*T.Type, T.sizeClass(), V.Index, End - Begin);
  else
    recordFailure(T, std::move(Thrown), T);
  if (FromPolicy)
    Scheduler.completed(T, V, W, T.HasFailure.load(std::memory_order_relaxed) ? Duration(-1) : End - Begin);
  bodyEnded(T, W);
  return true;
}

} // namespace hsched::rt
