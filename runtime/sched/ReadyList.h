// One worker's ready tasks, which others may take from.
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

// In order of priority; of one priority, what was put at the front last comes first, what was put at the back last
// comes last. Tasks that the same classes of workers can run are kept together: a worker never looks at tasks that it
// cannot run, however many of them wait, except at those that no class can run as a whole. Any thread.
class ReadyList {
public:
  using Test = std::function<bool(const Task &)>;

  // Able: the classes all workers of which can run T; 0: each worker has to be asked.
  void push(Task &T, ClassMask Able, bool Front);
  // The first task that a worker of Class can run, or null; From the back: the last one of the first priority. Of tasks
  // with Able 0, those that MayRun accepts.
  Task *take(unsigned Class, const Test &MayRun, bool FromBack = false);
  // Of the first Most tasks of the first priority that a worker of Class can run, the one for which Cost is least; of
  // equal ones the first.
  Task *takeCheapest(unsigned Class, const Test &MayRun, size_t Most, const std::function<int64_t(const Task &)> &Cost);
  // Of the last Most tasks of each kind that a worker of Class can run, the one with the greatest Gain, or null where
  // none has more than 0. Last: of the lowest priority, then at the back. Gain is asked with the list's lock held, and
  // for tasks that no class can run as a whole, too.
  Task *takeLast(unsigned Class, size_t Most, const std::function<double(const Task &)> &Gain);
  // AbleOf has changed for some tasks: they are kept by what it says now.
  void sortAnew(const std::function<ClassMask(const Task &)> &AbleOf);
  // The first task that Wanted accepts, whoever can run it, or null. Takes time for each that it does not.
  Task *takeWanted(const Test &Wanted);
  // Able of its tasks, each once.
  std::vector<ClassMask> waiting() const;

private:
  struct Entry {
    Task *T;
    int64_t Place;
  };
  struct Part {
    ClassMask Able;
    std::map<int32_t, std::deque<Entry>, std::greater<>> Levels; // By priority; none is empty.
  };
  Task *erase(Part &P, int32_t Priority, size_t At);
  static bool serves(const Part &P, unsigned Class) { return P.Able == 0 || (P.Able >> Class & 1); }

  mutable std::mutex Lock; // Guards the rest.
  std::vector<Part> Parts; // As many as there are sets of able classes: a handful; only ever grows.
  int64_t Front = 0, Back = 0;
};

} // namespace hsched::rt
#endif
