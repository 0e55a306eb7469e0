// Threads that sleep in waits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that makes a condition true looks here afterwards. A thread that is about to sleep registers here, then
// checks the condition. Both are sequentially consistent, so one of the two sees the other.
#ifndef HSCHED_EXEC_WAITERS_H
#define HSCHED_EXEC_WAITERS_H

#include "base/Clock.h"
#include "base/Parker.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace hsched::rt {

// Any thread.
class Waiters {
public:
  bool any() const { return Count.load() != 0; }
  // True if a thread waits for the number of outstanding tasks to fall to the present one. Calls Outstanding() only if
  // some thread does.
  template <class Fn> bool anyFor(Fn Outstanding) const {
    if (!any())
      return false;
    const int64_t Least = WakeAt.load();
    return Least >= 0 && Outstanding() <= static_cast<uint64_t>(Least);
  }
  // Wakes all that sleep.
  void notify() {
    if (any())
      wakeAll();
  }
  // Parks the thread of P once, for AtMost, unless Done(). At: evaluate Done when at most so many tasks are
  // outstanding; below 0: independent of that. Without memory it cannot be registered, and sleeps for 1 ms.
  void sleep(Parker &P, const std::function<bool()> &Done, int64_t At, Duration AtMost);

private:
  void wakeAll();
  void settle(); // With Lock held.

  std::mutex Lock;
  std::vector<std::pair<Parker *, int64_t>> All; // Guarded by Lock.
  std::atomic<uint32_t> Count{0};
  std::atomic<int64_t> WakeAt{-1}; // The greatest WakeAt of All.
};

} // namespace hsched::rt
#endif
