// Parks a thread until it is woken: a binary token that wakers set and the sleeper consumes.
//
// A waker first makes the work visible, then calls unpark. A sleeper searches, finds nothing, calls park, searches
// again. No wake-up is lost: the token stays set until park consumes it. park may return spuriously.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_PARKER_H
#define HSCHED_BASE_PARKER_H

#include "base/Clock.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hsched::rt {

// How long a thread spins before it sleeps, from the lengths of its last pauses. A worker between two phases of tasks
// does not sleep. A worker of an idle program soon sleeps at once.
class SpinTime {
public:
  // The wake-up of a thread takes 50 us and more.
  static constexpr Duration Most = std::chrono::milliseconds(1);
  Duration get() const { return Time; }
  // A pause ended after Lasted. Pauses longer than Most halve the time.
  void pauseEnded(Duration Lasted) { Time = Lasted > Most ? Time / 2 : std::min(std::max(Time, 2 * Lasted), Most); }

private:
  Duration Time{0};
};

class alignas(64) Parker {
public:
  static constexpr Duration Forever = Duration::max();

  // By the one thread that sleeps here. Without a limit it spins first for its SpinTime. True if a wake-up came before
  // the return.
  bool park(Duration AtMost = Forever);

  // Any thread. One read-modify-write if the thread is awake, otherwise a system call.
  void unpark() {
    if (State.exchange(Token, std::memory_order_seq_cst) == Asleep)
      wakeSleeper();
  }

  // The pause of a spin loop between two polls.
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // Any thread. True if a wake-up has been given and not consumed.
  bool pending() const { return State.load(std::memory_order_seq_cst) == Token; }

private:
  static constexpr uint32_t Empty = 0, Token = 1, Asleep = 2;
  void wakeSleeper();
  // Spins until a wake-up comes. Ends early if another thread needs the core.
  void spin(TimePoint Begin);

  std::atomic<uint32_t> State{Empty};
  SpinTime Spins; // Used by the sleeping thread.
};

} // namespace hsched::rt
#endif
