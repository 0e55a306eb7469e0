// The graph of submitted tasks that have not run: their total work, and the work behind each task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy with the hooks for submissions and edges passes them on and asks about ready tasks. Times are those
// of the fastest pair for each task. They are read again now and then, because they become known while tasks
// run.
#ifndef HSCHED_SCHED_GRAPHAHEAD_H
#define HSCHED_SCHED_GRAPHAHEAD_H

#include "sched/RecurringShapes.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace hsched::rt {

// Any thread. Bounded: beyond MostTasks the oldest are forgotten and count as without successors.
class GraphAhead {
public:
  using Ns = int64_t;
  static constexpr size_t MostTasks = 1 << 16;

  using Kind = KindTime;

  // Returns true if no other task is outstanding. Task ids are mostly dense.
  bool submitted(TaskId Id, const Kind &K);
  // Call after To's submission, before that of any successor of To.
  void edge(TaskId From, TaskId To);
  void begun(TaskId Id);
  void ended(TaskId Id);
  // A kind has got its first time: the next look reads all again.
  void timesKnown();

  // Critical path from Id's start to the end of all its successors, as of the last computation. Successors are also
  // those that an earlier graph of this shape had (RecurringShapes.h). A task without a measured time counts as 0.
  Ns pathFrom(TaskId Id);
  // Number of computations of the paths.
  uint64_t looks() const { return Computations.load(std::memory_order_relaxed); }
  // Sum of the times of unfinished tasks that a device runs fastest.
  Ns deviceWork();
  // What has not begun, on cores alone, as of the last computation. The time of a task that no core has run is assumed.
  struct OnCores {
    Ns Path = 0;      // From the task's start to the end of all its successors.
    double Width = 0; // Number of tasks beside each other, on average: the sum over all tasks by the longest path.
    // Nearly all work lies on paths that are as long as the longest but for one task, and tasks depend on several
    // others. So to end one task sooner does not end the graph sooner, unless the others end sooner, too. A time on a
    // core that is not even assumed counts as 0. False if no core can run some task.
    bool InWaves = false;
  };
  OnCores onCores(TaskId Id);
  // True if devices stay busy while Id runs elsewhere for time Takes. The work that depends neither on
  // Id nor on tasks held up before is at least Takes for each device. Id is then held up until it
  // ends.
  bool holdUp(TaskId Id, Ns Takes, unsigned Devices);

private:
  // See OnCores::InWaves: the share of the work, and the dependences of a task on average.
  static constexpr double NearlyAll = 0.9, OnSeveral = 1.5;
  // Tasks of one wave may differ by this part of their time, because their sizes differ.
  static constexpr Ns Differ = 16;
  // A computation takes time for each outstanding task, so it runs when one in ComputesAfter of them has changed.
  static constexpr size_t ComputesAfter = 8;
  // A task with more successors is never held up: counting them would take too long.
  static constexpr size_t MostMarked = 1024;

  struct Node {
    const Kind *K = nullptr;     // Null: the task has ended, or was never submitted here.
    bool Begun = false;          // A worker runs it.
    bool Delayed = false;        // The task itself is held up.
    bool Blocked = false;        // It depends on a held-up task.
    uint32_t Begin = 0, End = 0; // Range of its successors in Successors, at the last update.
    Ns Path = 0;                 // See pathFrom, as of the last computation.
    Ns CorePath = 0;             // See OnCores, as of the last computation.
    Ns CoreBefore = 0;           // The longest path of times on cores that ends before it.
  };
  struct Edge {
    TaskId From, To;
  };
  Node *find(TaskId Id) {
    return Id < First || Id - First >= Nodes.size() ? nullptr : &Nodes[static_cast<size_t>(Id - First)];
  }
  void refresh();
  Ns mark(TaskId Id, Ns Most, std::vector<TaskId> &Marked, size_t AtMost);

  std::mutex Lock; // Guards the fields below.
  TaskId First = 1;
  std::deque<Node> Nodes; // By id, from First on.
  std::deque<Edge> Edges; // In order of submission.
  size_t Outstanding = 0, Changes = 0;
  std::vector<TaskId> Successors;
  std::atomic<uint64_t> Computations{0};
  RecurringShapes Shapes;
  Ns Work = 0, Blocked = 0; // Values of the last update, minus and plus later ends and submissions.
  double CoreWidth = 0;     // As of the last computation.
  bool InWaves = false;
};

} // namespace hsched::rt
#endif
