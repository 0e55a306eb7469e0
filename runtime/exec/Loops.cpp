// Shared loops in the executor: the submitting thread's side.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Loops.h"

#include "exec/Executor.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace hsched::rt {
namespace {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;

// In nanoseconds. The first iterations of an unknown loop run for at least this long before other workers are
// called.
constexpr int64_t ProbeFor = 5000, WorthCalling = 100'000, WorthSharing = 5000;
// Least time of a chunk; least time of a part.
constexpr int64_t LeastTaken = 1000, LeastPart = 500;
// A search of all parts takes a worker some time, for which the submitter would wait. So the submitter finishes shorter
// loops.
constexpr int64_t StealAbove = 5000;
// For chunks that are tasks.
constexpr int64_t ChunkTakes = 50'000;
constexpr uint64_t ChunksPerWorker = 8;
// For a longer loop, sleeping workers are woken.
constexpr int64_t Short = 50'000;
// During a longer loop, its workers are not woken for tasks. Returning to the woken set takes 10 us.
constexpr int64_t Brief = 1'000'000;

} // namespace

int64_t Executor::loopClock() const { return duration_cast<nanoseconds>(Time.now().time_since_epoch()).count(); }

void Executor::countWorkers() {
  unsigned Cpus = 0;
  uint64_t Bits = 0;
  for (const Worker &W : Machine.Workers)
    if (!W.Dev) {
      ++Cpus;
      Bits |= LoopTeam::bitOf(W.Id);
    }
  Loops.CpuBits.store(Bits, std::memory_order_relaxed);
  Loops.NumWorkers.store(std::max(1u, Cpus), std::memory_order_relaxed);
  Loops.CheckedWorkers.store(Machine.Workers.size(), std::memory_order_relaxed);
}

// Waits as a taskwait would.
void Executor::settleChildren(ThreadState &Me) {
  if (Me.Call ? !Me.Call->Node
      : Me.Current
          ? !hasMore(*Me.Current) && !Data.anyReplica()
          : Table->outstanding() == 0 && !RootDomain.anyOpen() && !Root->has(Signal::HasFailure) && !Data.anyReplica())
    return;
  taskwait(Me, true);
}

bool Executor::loopBegin(ThreadState &Me, hsched_shared_loop &L, uint64_t N, uint64_t &Began) {
  settleChildren(Me);
  if (Machine.Workers.size() != Loops.CheckedWorkers.load(std::memory_order_relaxed)) [[unlikely]]
    countWorkers();
  const int64_t Now = loopClock();
  Began = static_cast<uint64_t>(Now);
  Me.LoopBegan = Now;
  if (inFinal(Me))
    return false;
  const LoopTeam::Way How = Loops.wayOf(L, N, Now);
  if (How == LoopTeam::Way::Call) {
    callToLoops(Me, Loops.numWorkers() - 1);
    Began = static_cast<uint64_t>(loopClock()); // The calls are no part of the time that the iterations take.
  }
  return How == LoopTeam::Way::Shared;
}

void Executor::loopEnd(ThreadState &Me, hsched_shared_loop &L, uint64_t N, uint64_t Began) {
  const int64_t Now = loopClock();
  const int64_t Lasted = Now - static_cast<int64_t>(Began);
  noteLoop(L, LoopState::Serial, N, Lasted);
  noteLoopWay(L, N, Lasted, false);
  Loops.ended(Now);
  notifyLoop(Me, L, static_cast<int64_t>(Began), Now);
  settleChildren(Me);
}

void Executor::notifyLoop(const ThreadState &Me, const hsched_shared_loop &L, int64_t Begin, int64_t End) {
  if (!Watch) [[likely]]
    return;
  const Seat *S = Me.S;
  const WorkerId W = S ? S->W->Id : 0;
  auto at = [](int64_t T) { return TimePoint(duration_cast<TimePoint::duration>(nanoseconds(T))); };
  // Observers know tasks, so a thread's part of the loop is reported as one.
  const TaskId Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  const TaskNode *Around = Me.Current;
  Watch->submitted({Id, Around ? Around->Id : 0, L.name, L.name, 0, at(Begin), NoCost, ""});
  Watch->ran({Id, L.name, "loop", L.name, cpuRow(W), W, 0, {at(Begin), at(End)}, Outcome::Done, NoCost});
}

// Wakes sleeping workers without tasks. Not those that look for loops: a call would send them to look for tasks first,
// and the next loop would miss them.
void Executor::callToLoops(const ThreadState &Me, unsigned Most) {
  const uint64_t Searching = Loops.searchers();
  const Seat *Own = Me.S;
  for (const Worker &W : Machine.Workers) {
    if (Most == 0)
      return;
    if (W.Dev || W.Id == 0 || (Own && Own->W->Id == W.Id) || (Searching & LoopTeam::bitOf(W.Id)))
      continue;
    Seats[W.Id].P.load()->unpark();
    --Most;
  }
}

// Shares the iterations from From on. Takes: their predicted time.
void Executor::openLoop(const ThreadState &Me, LoopSlot &S, uint64_t From, uint64_t N, int64_t PredictedTime) {
  const Seat *Own = Me.S;
  // If all workers search, no worker is called, and each of them only uses its own line. Takes is often too high on
  // many cores: the serial run that was measured fetched the data from the caches of all of them.
  const bool AllLook = Loops.NumSearching.load(std::memory_order_relaxed) + 1 >= Loops.numWorkers();
  S.Joinable = PredictedTime > (AllLook ? Brief : Short);
  S.Long = PredictedTime > Brief;
  // Only searching workers join a short loop. For other loops, sleeping workers are woken.
  const uint64_t Workers = (S.Joinable ? Loops.CpuBits.load(std::memory_order_relaxed) : Loops.searchers()) &
                           ~LoopTeam::bitOf(Own ? Own->W->Id : 0);
  const unsigned Most = std::clamp<unsigned>(
      static_cast<unsigned>(std::min<int64_t>(PredictedTime / LeastPart, LoopSlot::MostParts)), 2, LoopSlot::MostParts);
  if (!S.Exact) {
    const double Share =
        PredictedTime > LeastTaken ? static_cast<double>(LeastTaken) / static_cast<double>(PredictedTime) : 1;
    S.Least = static_cast<uint64_t>(Share * static_cast<double>(N - From));
  }
  S.Steal =
      PredictedTime >
      StealAbove * static_cast<int64_t>(std::min<unsigned>(Most, 1u + static_cast<unsigned>(std::popcount(Workers))));
  S.divide(From, N, Workers, Most);
  if (!S.Joinable)
    return;
  S.State.fetch_or(LoopSlot::Open);
  if (Loops.NumSearching.load() + 1 < S.NumParts)
    callToLoops(Me, S.NumParts - 1);
}

void Executor::loopRun(ThreadState &Me, hsched_shared_loop &L, uint64_t N, uint64_t Grain,
                       void (*Work)(void *, hsched_loop_share *), void *Closure) {
  const int64_t Begin = Me.LoopBegan;
  const unsigned long long Each = stateOf(L, LoopState::Serial).load(std::memory_order_relaxed);
  hsched_loop_share OwnShare;
  OwnShare.Of = this;
  OwnShare.All = N;
  OwnShare.Began = Begin;
  // Closes the loop also if the body of an iteration throws.
  struct Closer {
    LoopSlot *S;
    const bool &Alone;
    bool Ended = false; // True: all iterations are taken. False: this thread threw.
    ~Closer() {
      if (!S)
        return;
      if (!Alone) {
        if (!Ended)
          S->drain();
        LoopTeam::close(*S);
      }
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
    S->Loop = &L;
    S->Work = Work;
    S->Closure = Closure;
    S->Context = Me.Current ? Me.Current : Root;
    S->Exact = Grain != 0;
    S->Least = std::max<uint64_t>(1, Grain);
    OwnShare.Slot = S;
    OwnShare.Probing = Each == 0;
    if (OwnShare.Probing) {
      OwnShare.Began = loopClock(); // Begin of the first iterations: a slot's first use takes longer than they do.
    } else {
      const double PredictedTime = static_cast<double>(Each) * static_cast<double>(N) / 1000;
      OwnShare.Alone = false;
      openLoop(Me, *S, 0, N, static_cast<int64_t>(std::min(PredictedTime, 1e15)));
    }
  }
  {
    Closer End{S, OwnShare.Alone, false, Failure};
    Work(Closure, &OwnShare);
    End.Ended = true;
  }
  const int64_t Now = loopClock();
  if (!Failure && OwnShare.Alone)
    noteLoop(L, LoopState::Serial, N, Now - Begin);
  if (!Failure && !OwnShare.Alone)
    boundLoop(L, N, (Now - Begin) * Loops.numWorkers());
  if (!Failure && Each != 0)
    noteLoopWay(L, N, Now - Begin, !OwnShare.Alone);
  Loops.ended(Now);
  notifyLoop(Me, L, Begin, Now);
  if (Failure)
    std::rethrow_exception(Failure);
  settleChildren(Me);
}

bool Executor::loopNext(const ThreadState &Me, hsched_loop_share &Share, uint64_t &First, uint64_t &Count) {
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
      const bool OthersSearch = E.Loops.NumSearching.load(std::memory_order_relaxed) != 0;
      if (Count > 1 && Left > static_cast<double>(OthersSearch ? WorthSharing : WorthCalling)) {
        E.Loops.want(Share.Began + Lasted);
        Share.Alone = false;
        E.openLoop(Me, S, First, Share.All, static_cast<int64_t>(std::min(Left, 1e15)));
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
