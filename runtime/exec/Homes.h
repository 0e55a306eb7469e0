// Homes of tasks: the worker that last wrote a task's data, and the ready tasks that wait for that worker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker takes the oldest task of its list. Others take the newest, so both keep to their parts of a sweep over
// blocks. See docs/decisions/0082.
#ifndef HSCHED_EXEC_HOMES_H
#define HSCHED_EXEC_HOMES_H

#include "base/SpinLock.h"
#include "graph/TaskGraph.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

namespace hsched::rt {

// Thread-safe. Lists are linked by the tasks' NextReady and PolicyNext, so nothing but the table of marks is allocated.
class Homes {
public:
  explicit Homes(unsigned Workers) : NumWorkers(Workers), Lists(std::make_unique<List[]>(Workers)) {}
  ~Homes() { delete Marks.load(); }
  Homes(const Homes &) = delete;
  Homes &operator=(const Homes &) = delete;

  // The worker that used the most of these sections; a section that is read and written counts twice. NoWorker: no
  // task has used them.
  WorkerId of(const Footprint &Data) const;
  // W runs a task with these sections.
  void ran(const Footprint &Data, WorkerId W);

  // The task is visible to others, and ordered before the caller's next loads.
  void push(WorkerId W, TaskNode &T);
  // By W's thread: the oldest. Null: none.
  TaskNode *takeOwn(WorkerId W);
  // By W's thread: the oldest, if the same parent submitted it before Than. Null: none.
  TaskNode *takeOlder(WorkerId W, const TaskNode &Than);
  // By another worker: the newest, if there are at least Least. Null: none.
  TaskNode *steal(WorkerId Victim, uint32_t Least);
  // The newest for which Wanted is true, among the newest Most. Null: none.
  template <class Fn> TaskNode *takeIf(WorkerId W, Fn Wanted, unsigned Most = ~0u) {
    List &L = Lists[W];
    if (L.Count.load() == 0)
      return nullptr;
    std::lock_guard Guard(L.Lock);
    for (TaskNode *T = L.Newest; T && Most > 0; T = before(*T), --Most)
      if (Wanted(*T))
        return L.take(T);
    return nullptr;
  }
  // Sequentially consistent, as SpillList::any.
  bool any() const {
    for (unsigned W = 0; W < NumWorkers; ++W)
      if (Lists[W].Count.load() != 0)
        return true;
    return false;
  }
  bool seemsAny(WorkerId W) const { return Lists[W].Count.load(std::memory_order_relaxed) != 0; }
  unsigned workers() const { return NumWorkers; }

private:
  static TaskNode *before(const TaskNode &T) { return static_cast<TaskNode *>(T.PolicyNext); } // Older than T.

  struct alignas(128) List {
    TaskNode *take(TaskNode *T);
    SpinLock Lock;
    TaskNode *Oldest = nullptr, *Newest = nullptr; // Guarded by Lock.
    std::atomic<uint32_t> Count{0};                // Written with Lock held.
  };
  // By name of a section: the worker that used it last, plus 1; 0: none. Relaxed: a hint.
  using Table = std::array<std::atomic<uint8_t>, Footprint::Names>;

  const unsigned NumWorkers;
  const std::unique_ptr<List[]> Lists;
  std::atomic<Table *> Marks{nullptr}; // Null: no task with a footprint has run. Never replaced.
};

} // namespace hsched::rt
#endif
