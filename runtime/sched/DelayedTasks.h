// Tasks whose plan waits for a moment, until the program has submitted what comes after them: policy adaptive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_DELAYEDTASKS_H
#define HSCHED_SCHED_DELAYEDTASKS_H

#include "graph/Task.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace hsched::rt {

// Times in nanoseconds. Any thread.
class DelayedTasks {
public:
  using Ns = int64_t;
  static constexpr Ns Never = std::numeric_limits<Ns>::max();

  // A shorter task is not worth the wait.
  static constexpr Ns LeastTime = 256'000;

  // T, which will run for Takes, waits. So do those that are delayed already, by the same part of Takes. Throws
  // std::bad_alloc without effect.
  void delay(Task &T, Ns Takes, Ns OnDevice, Ns Now) {
    std::lock_guard Guard(Lock);
    All.push_back(&T);
    Work.store(Work.load(std::memory_order_relaxed) + OnDevice, std::memory_order_relaxed);
    if (All.size() == 1)
      Last = Now + MostWait;
    const Ns Was = All.size() == 1 ? Now : Due.load(std::memory_order_relaxed);
    Due.store(std::min(Last, Was + Takes / Share));
  }
  // The time at which their wait ends; Never: there is none.
  Ns due() const { return Due.load(); }
  bool isDue(Ns Now) const { return due() <= Now; }
  // The sum of the tasks' times on devices.
  Ns onDevices() const { return Work.load(std::memory_order_relaxed); }
  // All delayed tasks, in order; none if their wait has not ended.
  std::vector<Task *> take(Ns Now) {
    std::lock_guard Guard(Lock);
    if (!isDue(Now))
      return {};
    Due.store(Never);
    Work.store(0, std::memory_order_relaxed);
    return std::exchange(All, {});
  }

private:
  // The wait is at most this part of the tasks' time, and at most MostWait.
  static constexpr Ns Share = 256, MostWait = 100'000;

  std::mutex Lock; // Guards All and Last, and writes of Due and Work.
  std::vector<Task *> All;
  Ns Last = 0;
  std::atomic<Ns> Due{Never}, Work{0};
};

} // namespace hsched::rt
#endif
