// Decides which loops are shared, and distributes iterations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Loops.h"

#include "base/Parker.h"

#include <algorithm>
#include <bit>
#include <thread>

namespace hsched::rt {
namespace {

using std::chrono::nanoseconds;

// In nanoseconds. A shorter loop is never shared: exchanging its cache lines between two threads would take as
// long.
constexpr int64_t TooShort = 2000;
// Time until a sleeping worker runs.
constexpr int64_t WakingTakes = 60'000;
// Time that a worker searches for loops after the last one: less than 1 % of a core after 10 ms.
constexpr int64_t SearchTime = 1'000'000;
// A loop of this length is now and then run the other way, to measure which way is faster. That costs a part of what
// sharing saves, so it happens less often with more workers.
constexpr int64_t Measurable = 1'000'000;
constexpr uint64_t RunsBetweenSerial = 64; // Multiplied by the number of workers.
// Limits of a loop's balance. Loss: 1/50 of the loop's time. Saving, and loss of one run: this time, about as long as a
// preempted thread is away. A thread that is away for longer would have been missed in a serial run as well.
constexpr int64_t LossShare = 50, MostSaved = 2'000'000;
// What a loop may lose at its begin: the first times it is shared out, workers sleep, and caches are cold.
constexpr unsigned long long FirstCredit = 500'000;
// An unsuccessful search for loops uses a part of a core: it counts 1/8.
constexpr int64_t LookingCosts = 8;

} // namespace

std::atomic_ref<unsigned long long> stateOf(hsched_shared_loop &L, LoopState Which) {
  return std::atomic_ref(L.state[static_cast<unsigned>(Which)]);
}

static int64_t balanceOf(hsched_shared_loop &L) {
  return static_cast<int64_t>(stateOf(L, LoopState::Balance).load(std::memory_order_relaxed));
}

// The serial time is the known one.
void noteLoopWay(hsched_shared_loop &L, uint64_t N, int64_t Nanoseconds, bool Shared) {
  const unsigned long long Each = stateOf(L, LoopState::Serial).load(std::memory_order_relaxed);
  const auto Serial = static_cast<int64_t>(std::min(static_cast<double>(Each) * static_cast<double>(N) / 1000, 1e15));
  const int64_t Balance = balanceOf(L);
  if (Shared && Each != 0)
    stateOf(L, LoopState::Balance) =
        static_cast<unsigned long long>(std::min(Balance + std::max(Serial - Nanoseconds, -MostSaved), MostSaved));
  else if (!Shared && Balance < 0)
    stateOf(L, LoopState::Balance) =
        static_cast<unsigned long long>(std::min<int64_t>(Balance + Nanoseconds / LossShare, 0));
}

// Faster runs weigh more: slow ones were more often disturbed.
void noteLoop(hsched_shared_loop &L, LoopState Which, uint64_t N, int64_t Nanoseconds) {
  auto State = stateOf(L, Which);
  const unsigned long long Known = State.load(std::memory_order_relaxed);
  if (Known == 0 && Which == LoopState::Serial)
    stateOf(L, LoopState::Balance).store(FirstCredit, std::memory_order_relaxed);
  auto Now = static_cast<unsigned long long>(
      std::clamp(1000.0 * static_cast<double>(Nanoseconds) / static_cast<double>(N), 1.0, 1e15));
  if (Known != 0)
    Now = Now < Known ? (Known + Now) / 2 : (3 * Known + std::min(Now, 4 * Known)) / 4;
  State.store(Now, std::memory_order_relaxed);
}

// A measurement may be far too high, as that of one cold iteration. No other one would correct it: long loops are not
// run by one thread to see what they take.
void boundLoop(hsched_shared_loop &L, uint64_t N, int64_t Nanoseconds) {
  auto State = stateOf(L, LoopState::Serial);
  const double Most = 1000.0 * static_cast<double>(Nanoseconds) / static_cast<double>(N);
  if (static_cast<double>(State.load(std::memory_order_relaxed)) > Most)
    State.store(static_cast<unsigned long long>(std::max(Most, 1.0)), std::memory_order_relaxed);
}

// All searching workers read it, so not every short loop writes it.
void LoopTeam::want(int64_t Now) {
  const int64_t Until = Now + SearchTime;
  if (Until - SearchUntil.load(std::memory_order_relaxed) > SearchTime / 8)
    SearchUntil.store(Until, std::memory_order_relaxed);
}

void LoopTeam::look(WorkerId W) {
  NumSearching.fetch_add(1, std::memory_order_relaxed);
  SearchingBits.fetch_or(bitOf(W), std::memory_order_relaxed);
}

void LoopTeam::stopSearching(WorkerId W) {
  SearchingBits.fetch_and(~bitOf(W)); // Before it looks once more: it was not called until now.
  NumSearching.fetch_sub(1);
}

LoopTeam::Way LoopTeam::wayOf(hsched_shared_loop &L, uint64_t N, int64_t Now) {
  if (numWorkers() < 2 || N < 2)
    return Way::Serial;
  const unsigned long long Each = stateOf(L, LoopState::Serial).load(std::memory_order_relaxed);
  if (Each == 0)
    return Way::Shared; // Its first iterations are measured.
  const double Picoseconds = static_cast<double>(Each) * static_cast<double>(N);
  const auto PredictedTime = static_cast<int64_t>(std::min(Picoseconds / 1000, 1e15));
  if (PredictedTime < TooShort)
    return Way::Serial;
  auto Counter = stateOf(L, LoopState::Runs);
  const uint64_t Runs = Counter.load(std::memory_order_relaxed);
  Counter.store(Runs + 1, std::memory_order_relaxed); // A lost update does not matter.
  if (balanceOf(L) < 0)
    return Way::Serial;
  if (NumSearching.load(std::memory_order_relaxed) == 0 && PredictedTime < WakingTakes) {
    const int64_t Gap = Now - LastEnd.load(std::memory_order_relaxed);
    const int64_t Sum =
        std::max<int64_t>(0, Saved.load(std::memory_order_relaxed) - Gap / LookingCosts) + PredictedTime / 2;
    if (Sum < 2 * WakingTakes) {
      Saved.store(Sum, std::memory_order_relaxed);
      return Way::Serial;
    }
    Saved.store(0, std::memory_order_relaxed);
    want(Now);
    return Way::Call;
  }
  want(Now);
  // The first measurement was of a cold loop. A time that is too high would have workers woken for each loop.
  const bool Due = Runs % (RunsBetweenSerial * numWorkers()) == 0 || std::has_single_bit(Runs);
  return PredictedTime < Measurable && Due ? Way::Serial : Way::Shared;
}

LoopSlot *LoopTeam::takeSlot() {
  for (uint32_t I = 0; I < NumSlots; ++I) {
    LoopSlot &S = Slots[I];
    if (S.InUse.load(std::memory_order_relaxed) || S.InUse.exchange(true, std::memory_order_acquire))
      continue;
    for (uint32_t Most = MostSlot.load(std::memory_order_relaxed); Most <= I;)
      if (MostSlot.compare_exchange_weak(Most, I + 1))
        break;
    return &S;
  }
  return nullptr;
}

// --- parts

// False if another thread uses this line: one that lent its seat inside an iteration.
bool LoopSlot::Line::enter() {
  uint32_t Was = Absent;
  if (!Presence.compare_exchange_strong(Was, In))
    return false;
  if (Left.load() != 0)
    return true;
  leave();
  return false;
}

void LoopSlot::Line::leave() {
  if (Presence.exchange(Absent, std::memory_order_acq_rel) == AwaitedIn)
    Presence.notify_all();
}

// A worker with a part may need this core.
constexpr unsigned Pauses = 256, Yields = 100;
static void beat(unsigned &Patience) { --Patience >= Yields ? Parker::pause() : std::this_thread::yield(); }

void LoopSlot::Line::await(unsigned &Patience) {
  uint32_t Now = Presence.load();
  for (; Now != Absent && Patience > 0; Now = Presence.load())
    beat(Patience);
  while (Now != Absent) {
    if (Now == In && !Presence.compare_exchange_strong(Now, AwaitedIn))
      continue;
    Presence.wait(AwaitedIn);
    Now = Presence.load();
  }
}

void LoopSlot::divide(uint64_t From, uint64_t N, uint64_t Workers, unsigned Most) {
  const uint64_t Unit = Exact ? Least : 1; // Parts begin at multiples of the grain.
  const uint64_t Left = N - From, Units = Left / Unit + (Left % Unit != 0);
  const auto Ways = static_cast<unsigned>(
      std::min<uint64_t>({Most, MostParts, 1u + static_cast<unsigned>(std::popcount(Workers)), Units}));
  Order[0] = OwnLine;
  for (unsigned I = 1; I < Ways; ++I, Workers &= Workers - 1)
    Order[I] = static_cast<uint8_t>(std::countr_zero(Workers));
  NumParts = Ways;
  if (!Exact)
    Least = std::clamp<uint64_t>(Least, 1, std::max<uint64_t>(1, Left / Ways));
  const uint64_t Each = Units / Ways, Longer = Units % Ways;
  uint64_t Begin = From;
  for (unsigned I = 0; I < Ways; ++I) {
    const uint64_t End = I + 1 == Ways ? N : Begin + (Each + (I < Longer)) * Unit;
    Line &P = Lines[Order[I]];
    P.End = End;
    P.Number = I;
    P.Left.store(End - Begin, std::memory_order_release);
    Begin = End;
  }
}

void LoopSlot::drain() {
  for (unsigned I = 0; I < NumParts; ++I)
    part(I).Left.exchange(0);
}

// --- who is in a loop

LoopSlot *LoopTeam::joinOwn(WorkerId W) {
  if (W >= LoopSlot::MostParts)
    return nullptr;
  for (uint32_t I = 0, Most = MostSlot.load(std::memory_order_relaxed); I < Most; ++I) {
    LoopSlot::Line &L = Slots[I].Lines[W];
    if (L.Left.load(std::memory_order_relaxed) != 0 && L.enter())
      return &Slots[I];
  }
  return nullptr;
}

LoopSlot *LoopTeam::join() {
  for (uint32_t I = 0, Most = MostSlot.load(std::memory_order_relaxed); I < Most; ++I) {
    LoopSlot &S = Slots[I];
    // Many workers may join at once, and an addition always succeeds. A late worker is in the slot for a moment.
    if (!(S.State.load() & LoopSlot::Open))
      continue;
    if (S.State.fetch_add(1, std::memory_order_acquire) & LoopSlot::Open)
      return &S;
    leave(S);
  }
  return nullptr;
}

void LoopTeam::leave(LoopSlot &S) {
  if (S.State.fetch_sub(1, std::memory_order_acq_rel) == (LoopSlot::Awaited | 1))
    S.State.notify_all();
}

void LoopTeam::close(LoopSlot &S) {
  unsigned Patience = Pauses + Yields;
  if (S.Joinable)
    S.State.fetch_and(~LoopSlot::Open, std::memory_order_acq_rel);
  for (unsigned I = 1; I < S.NumParts; ++I)
    S.part(I).await(Patience);
  if (!S.Joinable)
    return;
  for (; Patience > 0; beat(Patience))
    if (S.State.load(std::memory_order_acquire) == 0)
      return;
  uint32_t Seen = S.State.fetch_or(LoopSlot::Awaited, std::memory_order_acq_rel) | LoopSlot::Awaited;
  for (; Seen != LoopSlot::Awaited; Seen = S.State.load(std::memory_order_acquire))
    S.State.wait(Seen, std::memory_order_acquire);
  S.State.fetch_and(~LoopSlot::Awaited, std::memory_order_relaxed); // A late worker may be leaving.
}

void LoopSlot::fail(std::exception_ptr What) {
  drain();
  std::lock_guard Guard(FailureLock);
  if (!Failure)
    Failure = std::move(What);
}

// Takes half of the rest of a part, so late workers find iterations and parts end at the same time.
bool LoopSlot::take(hsched_loop_share &Share, uint64_t &First, uint64_t &Count) {
  const unsigned Most = Share.Steals ? NumParts : 1;
  for (; Share.NumEmpty < Most; ++Share.NumEmpty) {
    const unsigned Next = Share.Part + Share.NumEmpty;
    Line &P = part(Next < NumParts ? Next : Next - NumParts);
    uint64_t Left = P.Left.load();
    while (Left != 0) {
      uint64_t Amount = Exact ? Least : std::max(Least, Left / 2);
      if (Left <= Amount || (!Exact && Left - Amount < Least))
        Amount = Left;
      if (!P.Left.compare_exchange_weak(Left, Left - Amount))
        continue;
      First = P.End - Left;
      Count = Amount;
      return true;
    }
  }
  return false;
}

} // namespace hsched::rt
