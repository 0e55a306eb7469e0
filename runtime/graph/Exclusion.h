// Commutative sections: those who update them take turns, in no particular order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GRAPH_EXCLUSION_H
#define HSCHED_GRAPH_EXCLUSION_H

#include "graph/TaskGraph.h"

#include <map>
#include <mutex>

namespace hsched::rt {

// Of one dependence domain. Thread-safe. A task takes all its commutative sections or none, so that tasks with several
// of them cannot wait for each other in a circle; it is parked with one task that stands in its way and tried again
// when that one is done. Nobody spins.
class Exclusion {
public:
  // T's dependences are satisfied. Returns whether it has its turn now; otherwise it is returned by some give.
  bool take(TaskNode &T);
  // T is complete, or was cancelled. Returns those that have their turn now, linked by NextReady.
  TaskNode *give(TaskNode &T);

private:
  std::mutex Lock;
  std::map<uintptr_t, std::pair<uintptr_t, TaskNode *>> Held; // By begin: end, holder; disjoint. Guarded by Lock.

  TaskNode *inTheWay(const TaskNode &T) const;
  void hold(TaskNode &T);
  static void park(TaskNode &Holder, TaskNode &First, TaskNode &Last);
};

} // namespace hsched::rt
#endif
