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
    std::atomic<Ns> Nanoseconds{0}; // 0: not known yet.
    std::atomic<bool> OnDevice{false};
  };

  // Task ids are dense, mostly.
  void submitted(TaskId Id, const Kind &K);
  // After To's submission, before that of anything that comes after To.
  void edge(TaskId From, TaskId To);
  void ended(TaskId Id);

  // The work of all tasks that have not ended and that a device does fastest, as one after another.
  Ns deviceWork();
  // Whether devices have enough to do meanwhile where Id is done elsewhere and takes so long: work that neither comes
  // after Id nor after what has been held up before comes to at least Takes on each of so many devices. Then Id is held
  // up until it has ended.
  bool holdUp(TaskId Id, Ns Takes, unsigned Devices);

private:
  struct Node {
    const Kind *K = nullptr;     // Null: it has ended, or was never told of.
    bool HeldUp = false;         // Itself.
    bool Blocked = false;        // Comes after what is held up.
    uint32_t Begin = 0, End = 0; // Its successors in Successors, at the last look.
  };
  struct Edge {
    TaskId From, To;
  };
  Node *find(TaskId Id) {
    return Id < First || Id - First >= Nodes.size() ? nullptr : &Nodes[static_cast<size_t>(Id - First)];
  }
  void lookAgain();
  Ns mark(TaskId Id, Ns Most, std::vector<TaskId> &Marked);

  std::mutex Lock; // Guards the rest.
  TaskId First = 1;
  std::deque<Node> Nodes; // By id, from First on.
  std::deque<Edge> Edges; // In order of submission.
  size_t Outstanding = 0, Changes = 0;
  bool Freed = false; // Something that was held up has ended since the last look.
  std::vector<TaskId> Successors;
  Ns Work = 0, Blocked = 0; // At the last look, and what was submitted and has ended since.
};

} // namespace hsched::rt
#endif
