// Overflow of the queues, and tasks of threads without a queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_SPILLLIST_H
#define HSCHED_EXEC_SPILLLIST_H

#include "graph/TaskGraph.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace hsched::rt {

// Any thread. Allocates nothing: linked by NextReady, last in first out.
class SpillList {
public:
  void push(TaskNode &T) {
    std::lock_guard Guard(Lock);
    T.NextReady = std::exchange(First, &T);
    Count.fetch_add(1);
  }
  // Null if it is empty, or was a moment ago.
  TaskNode *pop() {
    std::lock_guard Guard(Lock);
    TaskNode *T = First;
    if (T) {
      First = std::exchange(T->NextReady, nullptr);
      Count.fetch_sub(1);
    }
    return T;
  }
  // Sequentially consistent: either a pushing thread sees the sleeper, or the thread that is about to sleep sees the
  // task.
  bool any() const { return Count.load() != 0; }
  bool seemsAny() const { return Count.load(std::memory_order_relaxed) != 0; }

private:
  std::mutex Lock;
  TaskNode *First = nullptr; // Guarded by Lock.
  std::atomic<uint32_t> Count{0};
};

} // namespace hsched::rt
#endif
