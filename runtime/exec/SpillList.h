// Tasks that no queue had room for, and those of threads without a queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_SPILLLIST_H
#define HSCHED_EXEC_SPILLLIST_H

#include "graph/TaskGraph.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace hsched::rt {

// Any thread. Needs no memory: linked by NextReady, last in first out.
class SpillList {
public:
  void push(TaskNode &T) {
    std::lock_guard Guard(Lock);
    T.NextReady = std::exchange(First, &T);
    Count.fetch_add(1);
  }
  // Null where it is empty, perhaps since a moment ago.
  TaskNode *pop() {
    std::lock_guard Guard(Lock);
    TaskNode *T = First;
    if (T) {
      First = std::exchange(T->NextReady, nullptr);
      Count.fetch_sub(1);
    }
    return T;
  }
  // Sequentially consistent: who has pushed and looks for one who sleeps, and who is about to sleep and looks here, do
  // not miss each other.
  bool any() const { return Count.load() != 0; }
  bool seemsAny() const { return Count.load(std::memory_order_relaxed) != 0; }

private:
  std::mutex Lock;
  TaskNode *First = nullptr; // Guarded by Lock.
  std::atomic<uint32_t> Count{0};
};

} // namespace hsched::rt
#endif
