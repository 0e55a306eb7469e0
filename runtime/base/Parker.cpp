// Parking on a futex.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Parker.h"

#include <climits>
#include <ctime>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hsched::rt {
namespace {

// A few microseconds of pauses, then the same of yields. This is long enough for a successor that becomes ready
// soon, and short enough that an idle worker costs little with more threads than cores.
constexpr unsigned Pauses = 64, Yields = 8;
constexpr unsigned PausesBetweenClocks = 16, PausesBetweenYields = 128;
// A yield of this length let another thread run.
constexpr Duration Preempted = std::chrono::microseconds(30);

long futex(std::atomic<uint32_t> &Word, int Operation, uint32_t Value, const timespec *Timeout) {
  static_assert(sizeof(Word) == sizeof(uint32_t));
  return syscall(SYS_futex, reinterpret_cast<uint32_t *>(&Word), Operation | FUTEX_PRIVATE_FLAG, Value, Timeout,
                 nullptr, 0);
}

} // namespace

void Parker::spin(TimePoint Begin) {
  for (unsigned I = 1; State.load(std::memory_order_relaxed) != Token; ++I) {
    pause();
    if (I % PausesBetweenClocks != 0)
      continue;
    const TimePoint Now = SteadyClock().now();
    if (Now - Begin >= Spins.get())
      return;
    if (I % PausesBetweenYields != 0)
      continue;
    std::this_thread::yield();
    if (SteadyClock().now() - Now > Preempted)
      return;
  }
}

bool Parker::park(Duration AtMost) {
  TimePoint Begin;
  if (AtMost == Forever) {
    Begin = SteadyClock().now();
    if (Spins.get() > Duration(0))
      spin(Begin);
  }
  for (unsigned I = 0; I < Pauses + Yields; ++I) {
    if (State.load(std::memory_order_relaxed) == Token)
      break;
    if (I < Pauses)
      pause();
    else
      std::this_thread::yield();
  }
  uint32_t Seen = Empty;
  if (State.compare_exchange_strong(Seen, Asleep, std::memory_order_seq_cst)) {
    timespec Timeout;
    if (AtMost != Forever) {
      auto Whole = std::chrono::duration_cast<std::chrono::seconds>(AtMost);
      Timeout.tv_sec = Whole.count();
      Timeout.tv_nsec = (AtMost - Whole).count();
    }
    // Returns at once if the word has changed. A signal or the timeout also ends it, which is allowed.
    futex(State, FUTEX_WAIT, Asleep, AtMost == Forever ? nullptr : &Timeout);
  }
  if (AtMost == Forever)
    Spins.pauseEnded(SteadyClock().now() - Begin);
  return State.exchange(Empty, std::memory_order_seq_cst) == Token;
}

void Parker::wakeSleeper() { futex(State, FUTEX_WAKE, INT_MAX, nullptr); }

} // namespace hsched::rt
