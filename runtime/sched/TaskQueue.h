// A queue of tasks in order of priority, then of arrival.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_TASKQUEUE_H
#define HSCHED_SCHED_TASKQUEUE_H

#include "graph/Task.h"

#include <functional>
#include <map>

namespace hsched::rt {

// Intrusive, through Task::PolicyNext. Not thread-safe: its owner locks. All operations take constant time for few
// distinct priorities, logarithmic time in their number otherwise; only a new priority allocates.
class TaskQueue {
public:
  bool empty() const { return Levels.empty(); }
  // Null when empty.
  Task *front() const { return Levels.empty() ? nullptr : Levels.begin()->second.Head; }
  // Behind all tasks of its priority.
  void pushBack(Task &T);
  // Before all tasks of its priority.
  void pushFront(Task &T);
  // Null when empty.
  Task *popFront();
  // The first one that Wanted accepts, or null. Linear in the number of rejected tasks.
  Task *popMatching(const std::function<bool(const Task &)> &Wanted);

private:
  struct Level {
    Task *Head = nullptr, *Tail = nullptr;
  };
  using LevelMap = std::map<int32_t, Level, std::greater<>>;

  Level &levelOf(int32_t Priority);

  LevelMap Levels;           // No level is empty.
  LevelMap::node_type Spare; // Avoids an allocation each time the queue drains and fills.
};

} // namespace hsched::rt
#endif
