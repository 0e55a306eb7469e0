// Graphs that a program submits again and again: the paths of tasks whose successors have not been submitted yet.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph begins with a task that is submitted while no other is outstanding, and ends before the next such task.
// Graphs are compared by the kinds of their tasks, in order of submission. While a graph repeats the beginning of an
// earlier one, its tasks are expected to have the paths that the earlier graph's tasks had. Edges are collected over
// all repetitions: the graph does not report a dependence on a task that has ended.
#ifndef HSCHED_SCHED_RECURRINGSHAPES_H
#define HSCHED_SCHED_RECURRINGSHAPES_H

#include "base/Ids.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace hsched::rt {

// The least time of tasks of one type and size, and whether a device gives it. Outlives all that refers to it.
struct KindTime {
  std::atomic<int64_t> Nanoseconds{0}; // 0: unknown.
  std::atomic<bool> OnDevice{false};
  std::atomic<int64_t> OnCore{0};       // The least time on a core; 0: unknown.
  std::atomic<int64_t> Assumed{0};      // While OnCore is unknown: the time that a core is assumed to take. 0: unknown.
  std::atomic<bool> OnlyDevices{false}; // No core can run such a task.
};

// Not thread-safe.
class RecurringShapes {
public:
  using Ns = int64_t;

  // A graph begins with task First. Throws std::bad_alloc: the graph before is forgotten then.
  void begins(TaskId First);
  // Ids grow; otherwise the present graph is not compared any more. Throws std::bad_alloc without effect.
  void submitted(TaskId Id, const KindTime &K);
  void edge(TaskId From, TaskId To);
  // The critical path from Id to the end of the graph that the present one repeats so far; 0: unknown.
  Ns pathFrom(TaskId Id) const;

private:
  static constexpr size_t MostShapes = 4, LeastTasks = 3, MostTasks = 1 << 14, MostEdges = 1 << 17;

  using Edge = std::pair<uint32_t, uint32_t>; // Positions in the graph.
  struct Shape {
    std::vector<const KindTime *> Kinds; // By position. Null: no task has that id.
    std::vector<Edge> Edges;             // In a shape that has ended: ordered, each once.
    std::vector<Ns> Paths;               // In a shape that has ended, by position.
    uint64_t Used = 0;
    void clear();
    void addEdges(const std::vector<Edge> &More);
    void computePaths();
  };
  static constexpr unsigned None = MostShapes;
  void finish();
  // A shape that begins as the present graph does, or None.
  unsigned findLike() const;

  std::array<Shape, MostShapes> Known;
  Shape Present;
  TaskId First = 0;
  bool Compared = false;    // False: no graph has begun, or the present one is too large or out of order.
  unsigned Repeated = None; // The known shape that the present graph repeats so far.
  uint64_t Graphs = 0;
};

} // namespace hsched::rt
#endif
