// Puts a thread to sleep until there is something to do: a binary token that wakers set and the sleeper consumes.
//
// A waker first makes the work visible, then calls unpark. A sleeper looks for work, finds none, calls park, looks
// again. Neither order loses a wake-up: the token stays set until park consumes it. park may return for nothing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_PARKER_H
#define HSCHED_BASE_PARKER_H

#include "base/Clock.h"

#include <atomic>
#include <cstdint>

namespace hsched::rt {

class alignas(64) Parker {
public:
  static constexpr Duration Forever = Duration::max();

  // The one thread that sleeps here. Spins for a moment first, because waking a thread costs tens of microseconds.
  // Whether somebody woke it, as far as that came before its return.
  bool park(Duration AtMost = Forever);

  // Any thread. One read-modify-write while nobody sleeps, a system call otherwise.
  void unpark() {
    if (State.exchange(Token, std::memory_order_seq_cst) == Asleep)
      wakeSleeper();
  }

  // What a loop that waits for another core does between looks.
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // Any thread: whether a wake-up has been given and not been consumed.
  bool pending() const { return State.load(std::memory_order_seq_cst) == Token; }

private:
  static constexpr uint32_t Empty = 0, Token = 1, Asleep = 2;
  void wakeSleeper();

  std::atomic<uint32_t> State{Empty};
};

} // namespace hsched::rt
#endif
