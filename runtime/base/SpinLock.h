// A lock for critical sections of a few hundred instructions: one read-modify-write to lock, none to unlock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SPINLOCK_H
#define HSCHED_BASE_SPINLOCK_H

#include "base/Parker.h"

#include <atomic>
#include <thread>

namespace hsched::rt {

// Usable with std::lock_guard and std::unique_lock. A waiting thread yields after a while, because the holder may have
// been preempted.
class SpinLock {
public:
  void lock() {
    for (unsigned Tries = 0; Locked.exchange(true, std::memory_order_acquire);)
      while (Locked.load(std::memory_order_relaxed)) {
        if (++Tries % Spins == 0)
          std::this_thread::yield();
        else
          Parker::pause();
      }
  }
  void unlock() { Locked.store(false, std::memory_order_release); }

private:
  static constexpr unsigned Spins = 64;
  std::atomic<bool> Locked{false};
};

} // namespace hsched::rt
#endif
