// Shared loops in the executor: the submitting thread's side, and the workers'.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Loops.h"

#include "exec/Executor.h"

#include <algorithm>
#include <utility>

namespace hsched::rt {
namespace {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;

// In nanoseconds. The first iterations of an unknown loop run for at least this long before other workers are
// called.
constexpr int64_t ProbeFor = 5000, WorthCalling = 100'000, WorthSharing = 5000;
// Least time of a chunk; least time of a part.
constexpr int64_t LeastTaken = 1000, LeastPart = 2000;
// A search of all parts costs a worker 1 us, so the submitter finishes shorter loops.
constexpr int64_t StealAbove = 5000;
// For chunks that are tasks.
constexpr int64_t ChunkTakes = 50'000;
constexpr uint64_t ChunksPerWorker = 8;
// During a longer loop, its workers are not woken for tasks.
constexpr int64_t Short = 50'000;

} // namespace

int64_t Executor::loopClock() const { return duration_cast<nanoseconds>(Time.now().time_since_epoch()).count(); }

void Executor::countWorkers() {
  unsigned Cpus = 0;
  for (const Worker &W : Machine.Workers)
    Cpus += W.Dev == nullptr;
  Loops.NumWorkers.store(std::max(1u, Cpus), std::memory_order_relaxed);
  Loops.SeenWorkers.store(Machine.Workers.size(), std::memory_order_relaxed);
}

// Waits as a taskwait would.
void Executor::settleChildren() {
  const ThreadState &Me = threadState();
  if (Me.Call ? !Me.Call->Node
      : Me.Current
          ? !hasMore(*Me.Current) && !Data.anyReplica()
          : Table->outstanding() == 0 && !RootDomain.anyOpen() && !Root->HasFailure.load() && !Data.anyReplica())
    return;
  taskwait(true);
}

bool Executor::loopBegin(hsched_shared_loop &L, uint64_t N, uint64_t &Began) {
  settleChildren();
  if (Machine.Workers.size() != Loops.SeenWorkers.load(std::memory_order_relaxed)) [[unlikely]]
    countWorkers();
  const int64_t Now = loopClock();
  Began = static_cast<uint64_t>(Now);
  if (inFinal())
    return false;
  const LoopTeam::Way How = Loops.wayOf(L, N, Now);
  if (How == LoopTeam::Way::Call)
    callToLoops(Loops.numWorkers() - 1);
  return How == LoopTeam::Way::Shared;
}

void Executor::loopEnd(hsched_shared_loop &L, uint64_t N, uint64_t Began) {
  const int64_t Now = loopClock();
  const int64_t Lasted = Now - static_cast<int64_t>(Began);
  noteLoop(L, LoopState::Serial, N, Lasted);
  noteLoopWay(L, N, Lasted, false);
  Loops.ended(Now);
  tellLoop(L, static_cast<int64_t>(Began), Now);
  settleChildren();
}

void Executor::tellLoop(const hsched_shared_loop &L, int64_t Begin, int64_t End) {
  if (!Watch) [[likely]]
    return;
  const Seat *S = threadState().S;
  const WorkerId W = S ? S->W->Id : 0;
  auto at = [](int64_t T) { return TimePoint(duration_cast<TimePoint::duration>(nanoseconds(T))); };
  // Observers know tasks, so a thread's part of the loop is reported as one.
  const TaskId Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  const TaskNode *Around = threadState().Current;
  Watch->submitted({Id, Around ? Around->Id : 0, L.name, L.name, 0, at(Begin), NoCost, ""});
  Watch->ran({Id, L.name, "loop", L.name, cpuRow(W), W, 0, {at(Begin), at(End)}, Outcome::Done, NoCost});
}

// Wakes sleeping workers without tasks.
void Executor::callToLoops(unsigned Most) {
  const Seat *Own = threadState().S;
  for (const Worker &W : Machine.Workers) {
    if (Most == 0)
      return;
    if (W.Dev || W.Id == 0 || (Own && Own->W->Id == W.Id))
      continue;
    Seats[W.Id].P.load()->unpark();
    --Most;
  }
}

// Shares the iterations from From on. Takes: predicted time of all iterations; below 0: unknown.
void Executor::openLoop(LoopSlot &S, uint64_t From, uint64_t N, int64_t Takes) {
  const uint64_t Left = N - From;
  uint64_t Ways = std::min(Loops.numWorkers(), LoopSlot::MostParts);
  if (Takes >= 0)
    Ways = std::clamp<uint64_t>(static_cast<uint64_t>(Takes / LeastPart), 2, Ways);
  if (!S.Exact) {
    const double Share = Takes > LeastTaken ? static_cast<double>(LeastTaken) / static_cast<double>(Takes) : 1;
    S.Least =
        std::max<uint64_t>(1, std::min(static_cast<uint64_t>(Share * static_cast<double>(Left)), Left / (2 * Ways)));
  }
  // Parts begin at multiples of the grain.
  const uint64_t Grains = Left / S.Least + (Left % S.Least != 0);
  Ways = std::min(Ways, Grains);
  for (uint64_t I = 0; I < Ways; ++I) {
    auto end = [&](uint64_t Part) {
      const uint64_t G = Part / Ways * Grains + Part % Ways * Grains / Ways;
      return From + std::min(G, Left / S.Least + 1) * S.Least;
    };
    S.Parts[I].Next.store(std::min(I == 0 ? From : end(I), N), std::memory_order_relaxed);
    S.Parts[I].End = I + 1 == Ways ? N : std::min(end(I + 1), N);
  }
  S.NumParts = static_cast<unsigned>(Ways);
  S.Steal = Takes < 0 || Takes > StealAbove * static_cast<int64_t>(Ways);
  S.Long = Takes < 0 || Takes > Short;
  S.State.fetch_or(LoopSlot::Open);
  const unsigned Looking = Loops.NumLooking.load();
  if (Looking + 1 < Ways && (Takes < 0 || Takes > WorthCalling / 2))
    callToLoops(static_cast<unsigned>(Ways) - 1);
}

void Executor::loopRun(hsched_shared_loop &L, uint64_t N, uint64_t Grain, void (*Work)(void *, hsched_loop_share *),
                       void *Closure) {
  const int64_t Begin = loopClock();
  const unsigned long long Each = stateOf(L, LoopState::Serial).load(std::memory_order_relaxed);
  hsched_loop_share Mine;
  Mine.Of = this;
  Mine.All = N;
  Mine.Began = Begin;
  // Closes the loop also if the body of an iteration throws.
  struct Closer {
    LoopSlot *S;
    const bool &Alone;
    ~Closer() {
      if (!S)
        return;
      S->Cancelled.store(true, std::memory_order_relaxed); // All iterations are taken, or this thread threw.
      if (!Alone)
        LoopTeam::close(*S);
      if (!Failure)
        Failure = std::exchange(S->Failure, nullptr);
      S->Failure = nullptr;
      LoopTeam::giveSlot(*S);
    }
    std::exception_ptr &Failure;
  };
  std::exception_ptr Failure;
  LoopSlot *S = Loops.takeSlot();
  if (S) {
    const ThreadState &Me = threadState();
    S->Loop = &L;
    S->Work = Work;
    S->Closure = Closure;
    S->Context = Me.Current ? Me.Current : Root;
    S->Owner = Me.S ? Me.S->W->Id : 0;
    S->Exact = Grain != 0;
    S->Least = std::max<uint64_t>(1, Grain);
    S->Cancelled.store(false, std::memory_order_relaxed);
    Mine.Slot = S;
    Mine.Probing = Each == 0;
    if (!Mine.Probing) {
      const double Takes = static_cast<double>(Each) * static_cast<double>(N) / 1000;
      Mine.Alone = false;
      openLoop(*S, 0, N, static_cast<int64_t>(std::min(Takes, 1e15)));
    }
  }
  {
    Closer End{S, Mine.Alone, Failure};
    Work(Closure, &Mine);
  }
  const int64_t Now = loopClock();
  if (!Failure && Mine.Alone)
    noteLoop(L, LoopState::Serial, N, Now - Begin);
  if (!Failure && Each != 0)
    noteLoopWay(L, N, Now - Begin, !Mine.Alone);
  Loops.ended(Now);
  tellLoop(L, Begin, Now);
  if (Failure)
    std::rethrow_exception(Failure);
  settleChildren();
}

bool Executor::loopNext(hsched_loop_share &Share, uint64_t &First, uint64_t &Count) {
  if (!Share.Alone)
    return Share.Slot->take(Share, First, Count);
  if (Share.Done == Share.All)
    return false;
  First = Share.Done;
  Count = Share.All - Share.Done;
  if (Share.Probing) {
    Executor &E = *Share.Of;
    LoopSlot &S = *Share.Slot;
    const int64_t Lasted = E.loopClock() - Share.Began;
    if (First > 0 && Lasted >= ProbeFor) {
      Share.Probing = false;
      noteLoop(*S.Loop, LoopState::Serial, First, Lasted);
      const double Left = static_cast<double>(Lasted) / static_cast<double>(First) * static_cast<double>(Count);
      const bool Looked = E.Loops.NumLooking.load(std::memory_order_relaxed) != 0;
      if (Count > 1 && Left > static_cast<double>(Looked ? WorthSharing : WorthCalling)) {
        E.Loops.want(Share.Began + Lasted);
        Share.Alone = false;
        E.openLoop(S, First, Share.All, static_cast<int64_t>(std::min(Left, 1e15)));
        return S.take(Share, First, Count);
      }
    } else {
      Share.Last = std::max(2 * Share.Last, S.Exact ? S.Least : 1);
      Count = std::min(Count, Share.Last);
    }
  }
  Share.Done += Count;
  return true;
}

// --- a worker's side

// True if there was an open loop; the worker has then done its share of it.
bool Executor::joinOpenLoop(Seat &S) {
  LoopSlot *L = Loops.join();
  if (!L)
    return false;
  if (L->Long)
    comeBack(S);
  help(*L, S);
  return true;
}

// On a worker that found no task: searches for loops while some are expected. True if it must search for tasks.
bool Executor::joinLoops(Seat &S) {
  if (S.W->Dev)
    return false;
  if (!Loops.wanted(loopClock()))
    return joinOpenLoop(S); // A loop for which it was woken and scheduled late.
  constexpr unsigned LooksBetweenClocks = 16, LooksBeforeYields = 1024;
  Parker &P = ownParker();
  Loops.NumLooking.fetch_add(1, std::memory_order_relaxed);
  bool Again = false;
  for (unsigned Looks = 1;; ++Looks) {
    if (LoopSlot *L = Loops.join()) {
      // In a short loop it still counts as searching, because all workers would update the counter at once.
      const bool Long = L->Long;
      if (Long) {
        Loops.NumLooking.fetch_sub(1, std::memory_order_relaxed);
        comeBack(S);
        help(*L, S);
        return true;
      }
      if (help(*L, S) || threadState().S != &S) {
        Loops.NumLooking.fetch_sub(1, std::memory_order_relaxed);
        return true;
      }
      Looks = 0;
      continue;
    }
    if (P.pending()) // Consumed, because the next call would find it again.
      Again = P.park(Duration(0));
    if (Again |= Stopping.load(std::memory_order_relaxed))
      break;
    if (Looks % LooksBetweenClocks == 0 && !Loops.wanted(loopClock()))
      break;
    if (Looks > LooksBeforeYields && Looks % LooksBetweenClocks == 0)
      std::this_thread::yield();
    else
      Parker::pause();
  }
  // A thread that opens a loop wakes no worker if it sees this one searching. So this one searches once more after
  // leaving the count.
  Loops.NumLooking.fetch_sub(1);
  return joinOpenLoop(S) || Again;
}

// Tasks submitted by iterations are children of a task that represents the worker's part of the loop. True if there
// were any: a wait for them may have consumed wake-ups for the worker.
bool Executor::help(LoopSlot &L, Seat &S) {
  struct Leave {
    LoopSlot &L;
    ~Leave() { LoopTeam::leave(L); }
  } AtEnd{L};
  hsched_loop_share Mine;
  Mine.Slot = &L;
  Mine.Part = (S.W->Id + Loops.numWorkers() - L.Owner) % Loops.numWorkers() % L.NumParts;
  Mine.Alone = false;
  Mine.Steals = L.Steal;
  struct Call {
    LoopSlot &L;
    hsched_loop_share &Mine;
  } Arguments{L, Mine};
  ThreadState &Me = threadState();
  TaskNode *Node = nullptr;
  try {
    Node = createTask(nullptr, 0);
  } catch (const std::bad_alloc &) { // The other threads run without this one.
    return false;
  }
  Node->Parent = L.Context;
  TaskNode *Outer = std::exchange(Me.Current, Node);
  CallFrame *OuterCall = std::exchange(Me.Call, nullptr);
  ++Me.Depth;
  const int64_t Begin = loopClock();
  try {
    Outside Program(*this);
    runBody(
        Me,
        [](void *A) {
          auto &C = *static_cast<Call *>(A);
          C.L.Work(C.L.Closure, &C.Mine);
        },
        &Arguments);
  } catch (...) {
    L.fail(std::current_exception());
  }
  while (hasMore(*Node))
    try {
      taskwait(true);
    } catch (...) {
      L.fail(std::current_exception());
    }
  --Me.Depth;
  Me.Current = Outer;
  Me.Call = OuterCall;
  tellLoop(*L.Loop, Begin, Watch ? loopClock() : Begin);
  const bool Submitted = Node->Extras != nullptr;
  release(*Node);
  return Submitted;
}

// --- chunks that are tasks

uint64_t Executor::loopGrain(const hsched_shared_loop &L, uint64_t N) const {
  const uint64_t Chunks = ChunksPerWorker * Loops.numWorkers(), Even = N / Chunks + (N % Chunks != 0);
  const unsigned long long Each =
      stateOf(const_cast<hsched_shared_loop &>(L), LoopState::Chunk).load(std::memory_order_relaxed);
  if (Each == 0)
    return Even;
  const double Least = 1000.0 * static_cast<double>(ChunkTakes) / static_cast<double>(Each);
  return std::max(Even, Least < static_cast<double>(N) ? static_cast<uint64_t>(Least) : N);
}

} // namespace hsched::rt
