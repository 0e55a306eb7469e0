// Data of tasks with commutative or reduced sections.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions. Successive tasks that reduce one section with one operation form a group. Each member
// updates a private copy; when it ends, another member may use that copy. The group's combination is a
// task. It is made with the group and recorded in the dependence domain as the section's last writer. It
// depends on the members and combines the copies into the original. It stays open until a task must follow
// the group.
#ifndef HSCHED_GRAPH_GROUPS_H
#define HSCHED_GRAPH_GROUPS_H

#include "graph/Task.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hsched::rt {

struct TaskNode;

// Memory with the layout of the section, whose elements the operation's init has made.
class PrivateCopy {
public:
  // A copy of section What. Original: where Op reads the original elements, if it does. Throws what init throws.
  PrivateCopy(const hsched_reduction_op &Op, const Access &What);
  ~PrivateCopy();
  PrivateCopy(const PrivateCopy &) = delete;
  PrivateCopy &operator=(const PrivateCopy &) = delete;

  Access section() const; // Mode HSCHED_INOUT.
  // Throws what the program's combiner throws.
  void combineInto(const Access &Original);

  MemoryNode LastNode = HostNode; // Memory node of its last use.

private:
  const hsched_reduction_op &Op;
  const Access What;
  char *Memory;
  size_t Made = 0; // Number of rows that init has made.

  size_t elements() const { return What.bytes / Op.element_bytes; } // Elements of a row.
  char *row(size_t R) const { return Memory + R * (What.rows > 1 ? What.stride : 0); }
  void destroyRows() noexcept;
};

// Data of a combination. Any thread may take and return copies; the domain owns the rest.
struct ReductionGroup {
  const hsched_reduction_op *Op = nullptr;
  Access What{}; // As the members name the section.
  bool Open = true;
  std::vector<TaskNode *> Before; // Predecessors of the members, one reference each.

  // Takes a free copy on Node, or a new one. Calls Make without a lock.
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
  std::vector<std::unique_ptr<PrivateCopy>> All; // At most as many for each node as members have run at the same time.
};

// One reduced section of a task.
struct ReductionPart {
  unsigned Access = 0;
  void *Slot = nullptr; // Address of the pointer in the packed arguments.
  const hsched_reduction_op *Op = nullptr;
  TaskNode *Combination = nullptr; // A reference. Null until submitted.
  PrivateCopy *Copy = nullptr;     // Null until the task runs.
};

struct GroupState {
  std::vector<ReductionPart> Parts;
  std::unique_ptr<ReductionGroup> Combines; // For a combination only.

  // Commutative sections: disjoint, ordered. Exclusion's lock guards the fields below.
  std::vector<std::pair<uintptr_t, uintptr_t>> Ranges;
  bool Occupies = false;
  TaskNode *ParkedFirst = nullptr, *ParkedLast = nullptr; // Tasks parked with this one, linked by TaskNode::NextReady.
};

} // namespace hsched::rt
#endif
