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

// Ordered by decreasing key, by default the priority. Within a key, the last task put at the front is
// first, and the last one put at the back is last. Tasks for the same classes of workers are kept together.
// So a worker never examines tasks that it cannot run, except those that no class can run as a whole. Any
// thread.
class ReadyList {
public:
  using Test = std::function<bool(const Task &)>;

  using Key = int64_t;

  // Able: classes all of whose workers can run T. 0: each worker is tested. Throws std::bad_alloc without effect.
  void push(Task &T, ClassMask Able, bool Front) { push(T, Able, Front, T.Priority); }
  void push(Task &T, ClassMask Able, bool Front, Key K);
  // The first task that a worker of Class can run, or null; FromBack: the last one of the first key. Tasks with Able
  // 0 count only if MayRun accepts them.
  Task *take(unsigned Class, const Test &MayRun, bool FromBack = false);
  // Of the first Most tasks of the first key that a worker of Class can run, the first one with the least
  // Cost.
  Task *takeCheapest(unsigned Class, const Test &MayRun, size_t Most, const std::function<int64_t(const Task &)> &Cost);
  // Of the last Most tasks of each kind that a worker of Class can run, the one with the greatest Gain. Null if no Gain
  // is above 0. The last task has the least key and is at the back. Gain is called with the list's lock held, also for
  // tasks that no class can run as a whole.
  Task *takeLast(unsigned Class, size_t Most, const std::function<double(const Task &)> &Gain);
  // Restores the order after AbleOf or KeyOf has changed for some tasks.
  void sortAnew(const std::function<ClassMask(const Task &)> &AbleOf, const std::function<Key(const Task &)> &KeyOf);
  // The key of the first task for any class; the least key of all if the list is empty.
  Key firstKey() const;
  // True if that task is one that Is accepts. False if the list is empty.
  bool isFirst(const Test &Is) const;
  // The first task that Wanted accepts, for any worker, or null. Linear in the number of rejected tasks.
  Task *takeMatching(const Test &Wanted);
  // The distinct Able values of its tasks.
  std::vector<ClassMask> waiting() const;

private:
  struct Entry {
    Task *T;
    int64_t Place;
  };
  struct Part {
    ClassMask Able;
    std::map<Key, std::deque<Entry>, std::greater<>> Levels; // None is empty.
  };
  Task *erase(Part &P, Key K, size_t At);
  static bool serves(const Part &P, unsigned Class) { return P.Able == 0 || (P.Able >> Class & 1); }

  mutable std::mutex Lock; // Guards the fields below.
  std::vector<Part> Parts; // One for each set of able classes: few. Never shrinks.
  int64_t Front = 0, Back = 0;
};

} // namespace hsched::rt
#endif
