// One worker's ready tasks, from which others may steal.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_READYLIST_H
#define HSCHED_SCHED_READYLIST_H

#include "graph/Task.h"
#include "sched/WorkerClasses.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace hsched::rt {

// Ordered by priority; within one priority, a deque. Tasks that the same classes of workers can run are kept
// together, so a worker does not visit tasks that it cannot run. Exception: tasks that no class can run as a whole.
// Any thread.
class ReadyList {
public:
  using Test = std::function<bool(const Task &)>;

  // Able: classes all of whose workers can run T. 0: each worker is tested.
  void push(Task &T, ClassMask Able, bool Front);
  // The first task that a worker of Class can run, or null. FromBack: the last one of the first priority. Tasks with
  // Able 0 are tested by MayRun.
  Task *take(unsigned Class, const Test &MayRun, bool FromBack = false);
  // Among the first Most tasks of the first priority that a worker of Class can run: the one with the least Cost, the
  // first of equal ones.
  Task *takeCheapest(unsigned Class, const Test &MayRun, size_t Most, const std::function<int64_t(const Task &)> &Cost);
  // Among the last Most tasks of each kind that a worker of Class can run: the one with the greatest Gain, or null if
  // none exceeds 0. Last: of the lowest priority, then at the back. Gain is called with the list's lock held, also for
  // tasks that no class can run as a whole.
  Task *takeLast(unsigned Class, size_t Most, const std::function<double(const Task &)> &Gain);
  // Regroups the tasks after AbleOf has changed for some.
  void sortAnew(const std::function<ClassMask(const Task &)> &AbleOf);
  // The first task that Wanted accepts, for any worker, or null. Linear in the number of rejected tasks.
  Task *takeWanted(const Test &Wanted);
  // The distinct Able values of its tasks.
  std::vector<ClassMask> waiting() const;

private:
  struct Entry {
    Task *T;
    int64_t Place;
  };
  struct Part {
    ClassMask Able;
    std::map<int32_t, std::deque<Entry>, std::greater<>> Levels; // By priority; no entry is empty.
  };
  Task *erase(Part &P, int32_t Priority, size_t At);
  static bool serves(const Part &P, unsigned Class) { return P.Able == 0 || (P.Able >> Class & 1); }

  mutable std::mutex Lock; // Guards the fields below.
  std::vector<Part> Parts; // One for each set of able classes: few. Never shrinks.
  int64_t Front = 0, Back = 0;
};

} // namespace hsched::rt
#endif
