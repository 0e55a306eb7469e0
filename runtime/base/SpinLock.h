// A lock for a few hundred instructions at a time: one read-modify-write to take it, none to give it back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SPINLOCK_H
#define HSCHED_BASE_SPINLOCK_H

#include "base/Parker.h"

#include <atomic>
#include <thread>

namespace hsched::rt {

// As std::lock_guard and std::unique_lock want it. Who waits lets others run after a moment: the holder may be one whom
// the system has stopped.
class SpinLock {
public:
  void lock() {
    for (unsigned Tries = 0; Held.exchange(true, std::memory_order_acquire);)
      while (Held.load(std::memory_order_relaxed)) {
        if (++Tries % Spins == 0)
          std::this_thread::yield();
        else
          Parker::pause();
      }
  }
  void unlock() { Held.store(false, std::memory_order_release); }

private:
  static constexpr unsigned Spins = 64;
  std::atomic<bool> Held{false};
};

} // namespace hsched::rt
#endif
