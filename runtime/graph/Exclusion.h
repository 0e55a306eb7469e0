// Commutative sections: tasks that update them exclude each other, in any order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GRAPH_EXCLUSION_H
#define HSCHED_GRAPH_EXCLUSION_H

#include "graph/TaskGraph.h"

#include <map>
#include <mutex>

namespace hsched::rt {

// The exclusion of one dependence domain. Thread-safe. A task takes all of its commutative sections or none, so there
// is no deadlock. If a section is held, the task is parked with one of the holders and retried when that holder
// completes. No thread spins.
class Exclusion {
public:
  // Call when T's dependences are satisfied. True: T has its sections and may run. Otherwise a later give returns T.
  bool take(TaskNode &T);
  // Call when T is complete or cancelled. Returns the tasks that may run now, linked by NextReady.
  TaskNode *give(TaskNode &T);

private:
  std::mutex Lock;
  // By first byte: end and holder. Disjoint. Guarded by Lock.
  std::map<uintptr_t, std::pair<uintptr_t, TaskNode *>> Occupied;

  TaskNode *conflicting(const TaskNode &T) const;
  void hold(TaskNode &T);
  static void park(TaskNode &Holder, TaskNode &First, TaskNode &Last);
};

} // namespace hsched::rt
#endif
