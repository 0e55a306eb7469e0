// What has been submitted and not run: how much work it is, and how much of it has to come after each task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy that is told of submissions and edges passes them on, and asks about tasks that are ready. Times are those
// of the fastest way to run each task; what they are is asked for now and then, since they become known while tasks
// run.
#ifndef HSCHED_SCHED_GRAPHAHEAD_H
#define HSCHED_SCHED_GRAPHAHEAD_H

#include "base/Ids.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace hsched::rt {

// Any thread. Bounded: of more than MostTasks the oldest are forgotten, and count as if nothing came after them.
class GraphAhead {
public:
  using Ns = int64_t;
  static constexpr size_t MostTasks = 1 << 16;

  // How long tasks of one kind take where they take least, and whether that is on a device. Outlives this.
  struct Kind {
    std::atomic<Ns> Nanoseconds{0}; // 0: not known yet
    std::atomic<bool> OnDevice{false};
  };

  // Task ids are dense, mostly.
  void submitted(TaskId Id, const Kind &K);
  // After To's submission, before that of anything that comes after To.
  void edge(TaskId From, TaskId To);
  void ended(TaskId Id);

  // How long it takes at least from Id's begin until everything that comes after Id has ended, as known at the last
  // look. A task without a measured time counts as 0.
  Ns pathFrom(TaskId Id);
  // How often paths have been looked up anew.
  uint64_t looks() const { return Looks.load(std::memory_order_relaxed); }
  // The work of all tasks that have not ended and that a device does fastest, as one after another.
  Ns deviceWork();
  // Whether devices have enough to do meanwhile where Id is done elsewhere and takes so long: work that neither comes
  // after Id nor after what has been held up before comes to at least Takes on each of so many devices. Then Id is held
  // up until it has ended.
  bool holdUp(TaskId Id, Ns Takes, unsigned Devices);

private:
  // A look takes time for each task that is outstanding: one part in so many of them has changed since the last one.
  static constexpr size_t LooksAfter = 8;
  // What has more tasks after it is never held up: to count them would take as long as they do.
  static constexpr size_t MostMarked = 1024;

  struct Node {
    const Kind *K = nullptr;     // null: it has ended, or was never told of
    bool HeldUp = false;         // itself
    bool Blocked = false;        // comes after what is held up
    uint32_t Begin = 0, End = 0; // its successors in Successors, at the last look
    Ns Path = 0;                 // see pathFrom, at the last look
  };
  struct Edge {
    TaskId From, To;
  };
  Node *find(TaskId Id) {
    return Id < First || Id - First >= Nodes.size() ? nullptr : &Nodes[static_cast<size_t>(Id - First)];
  }
  void lookAgain();
  Ns mark(TaskId Id, Ns Most, std::vector<TaskId> &Marked, size_t AtMost);

  std::mutex Lock; // guards the rest
  TaskId First = 1;
  std::deque<Node> Nodes; // by id, from First on
  std::deque<Edge> Edges; // in order of submission
  size_t Outstanding = 0, Changes = 0;
  std::vector<TaskId> Successors;
  std::atomic<uint64_t> Looks{0};
  Ns Work = 0, Blocked = 0; // at the last look, and what was submitted and has ended since
};

} // namespace hsched::rt
#endif
