// What only tasks with commutative or reduced sections carry.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions. The tasks that reduce one section in the same way, with nothing else between them, are a group. Each of
// its members updates a private copy, which is another's once the first has ended. The group's combination is a task
// of its own, made with the group and standing in the dependence domain as the section's last writer: it comes after
// the members, and brings the copies together in the original. It is open, and waits for nobody, until something comes
// that has to come after the group.
#ifndef HSCHED_GRAPH_GROUPS_H
#define HSCHED_GRAPH_GROUPS_H

#include "graph/Task.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hsched::rt {

struct TaskNode;

// Memory laid out as the section is, each element of it made by the operation's init.
class PrivateCopy {
public:
  // Of section What; Original is where its elements are to be read, if Op reads them. May throw what init throws.
  PrivateCopy(const hsched_reduction_op &Op, const Access &What);
  ~PrivateCopy();
  PrivateCopy(const PrivateCopy &) = delete;
  PrivateCopy &operator=(const PrivateCopy &) = delete;

  Access section() const; // Mode HSCHED_INOUT.
  // May throw what the program's combiner throws.
  void combineInto(const Access &Original);

  MemoryNode LastNode = HostNode; // Where it was used last.

private:
  const hsched_reduction_op &Op;
  const Access What;
  char *Memory;
  size_t Made = 0; // Rows that init has been through.

  size_t elements() const { return What.bytes / Op.element_bytes; } // Of a row.
  char *row(size_t R) const { return Memory + R * (What.rows > 1 ? What.stride : 0); }
  void unmake() noexcept;
};

// The combination's part of the matter. Copies are taken and given by any thread; the rest is the domain's.
struct ReductionGroup {
  const hsched_reduction_op *Op = nullptr;
  Access What{}; // As the members name it.
  bool Open = true;
  std::vector<TaskNode *> Before; // A reference each: what the members come after.

  // One that lies on Node, else a new one. Make is called without a lock.
  template <class Maker> PrivateCopy &take(MemoryNode Node, Maker Make) {
    {
      std::lock_guard Guard(Lock);
      for (auto It = Free.begin(); It != Free.end(); ++It)
        if ((*It)->LastNode == Node) {
          PrivateCopy &Found = **It;
          Free.erase(It);
          return Found;
        }
    }
    std::unique_ptr<PrivateCopy> New = Make();
    New->LastNode = Node;
    std::lock_guard Guard(Lock);
    return *All.emplace_back(std::move(New));
  }
  void give(PrivateCopy &Copy) {
    std::lock_guard Guard(Lock);
    Free.push_back(&Copy);
  }

  std::mutex Lock;
  std::vector<PrivateCopy *> Free;               // Guarded by Lock, as is All until the last member is complete.
  std::vector<std::unique_ptr<PrivateCopy>> All; // At most as many as members have run at a time on each node.
};

// One reduced section of a task.
struct ReductionPart {
  unsigned Access = 0;
  void *Slot = nullptr; // Of the pointer in the packed arguments.
  const hsched_reduction_op *Op = nullptr;
  TaskNode *Combination = nullptr; // A reference; null until submitted.
  PrivateCopy *Copy = nullptr;     // Null until it is to run.
};

struct GroupState {
  std::vector<ReductionPart> Parts;
  std::unique_ptr<ReductionGroup> Combines; // Of a combination.

  // Commutative sections: disjoint, ordered. The rest is Exclusion's, under its lock.
  std::vector<std::pair<uintptr_t, uintptr_t>> Ranges;
  bool Held = false;
  TaskNode *ParkedFirst = nullptr, *ParkedLast = nullptr; // By TaskNode::NextReady: those that wait for this task.
};

} // namespace hsched::rt
#endif
