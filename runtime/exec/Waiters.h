// Threads that sleep in waits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever makes true what a thread may wait for looks here afterwards; a thread that is about to sleep is noted here,
// and then looks whether it is true. Both are sequentially consistent, so one of the two sees the other.
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
  // Whether somebody waits for no more than so many tasks to be outstanding. Outstanding() is asked for only then.
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
  // The thread of P sleeps once, for AtMost, unless Done(). At: how few tasks may be outstanding for Done to be worth
  // asking; below 0: that does not matter to it. Where there is no memory, nobody tells it, and it sleeps for 1 ms.
  void sleep(Parker &P, const std::function<bool()> &Done, int64_t At, Duration AtMost);

private:
  void wakeAll();
  void settle(); // With Lock held.

  std::mutex Lock;
  std::vector<std::pair<Parker *, int64_t>> All; // Guarded by Lock.
  std::atomic<uint32_t> Count{0};
  std::atomic<int64_t> WakeAt{-1}; // The greatest one's.
};

} // namespace hsched::rt
#endif
