// Lists of tasks in policy adaptive: their order, and tasks that an idle worker takes from another's list.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_ADAPTIVELISTS_H
#define HSCHED_SCHED_ADAPTIVELISTS_H

#include "sched/AdaptiveChooser.h"

#include <deque>

namespace hsched::rt {

// Any thread.
class AdaptiveLists : public AdaptiveChooser {
protected:
  // Call before the other functions.
  void startLists(size_t MostWorkers) { NextPull = std::deque<Pulls>(MostWorkers); }
  // Classes of which every worker can run T; empty if that depends on the worker.
  ClassMask ableClasses(const Task &T) const;
  // Critical path from T's start to the end of all its successors, in steps of a sixteenth; then its
  // priority.
  ReadyList::Key keyOf(const Task &T);
  // After a new computation of the paths, restores the order of the lists.
  void restoreOrder();
  void sortAnew(WorkerId List);
  void wakeOneOf(const WorkerBits &Among);
  // For W, which has no own tasks. Other workers wait for the lists meanwhile. So a search without result is only
  // repeated after many times its duration.
  bool pull(WorkerId W, Assignment &Out);

  IdleWorkers Idle;

private:
  bool pull(WorkerId W, Assignment &Out, Ns Now);
  // The link time of a task that a core takes from a device. Its data go to the host, and for later tasks back to the
  // device.
  static Ns thereAndBack(const Pulled &P);
  unsigned idleCores();

  // A search for tasks to pull may take one part in this many of a worker's idle time. After repeated searches without
  // result it is the larger number.
  static constexpr Ns LeastBetween = 8, MostBetween = 64;
  struct Pulls {
    std::atomic<Ns> At{0}, Between{LeastBetween};
  };
  std::deque<Pulls> NextPull;      // By worker.
  std::atomic<uint64_t> Sorted{0}; // The computation of Ahead that the lists are ordered by.
};

} // namespace hsched::rt
#endif
