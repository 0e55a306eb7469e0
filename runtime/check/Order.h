// The order of tasks: by clauses, waits and parents. The run's lock guards everything here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CHECK_ORDER_H
#define HSCHED_CHECK_ORDER_H

#include "check/Sections.h"

#include <map>
#include <memory>
#include <span>
#include <vector>

struct hsched_task_type;

namespace hsched::check {

class Domain;

// A task, or a chunk of a shared loop. Kept until the program ends, because reports name it.
struct TaskRecord {
  hsched_task_type *Type = nullptr; // Null: a chunk of a loop.
  const hsched_shared_loop *Loop = nullptr;
  TaskRecord *Parent = nullptr;     // Null: outside any task.
  std::vector<TaskRecord *> Before; // Direct predecessors. Cleared when the task is known to be complete.
  bool Over = false;                // Its body has returned.
  bool Failed = false;              // The task failed or was cancelled.
  bool Done = false;                // A wait of its parent covered it.
  unsigned Mark = 0;                // Mark of a graph search.
};

// True if Later, which runs, is ordered behind all of Earlier, which began before it.
bool ordered(TaskRecord &Earlier, TaskRecord &Later);

// An access without a clause, or outside any task.
struct Touch {
  TaskRecord *Accessor = nullptr; // Null: code outside tasks.
  Address Pc = 0;
  bool Writes = false;
};

// The children of one task, or the tasks outside any: the last tasks whose clauses name each byte.
class Domain {
public:
  // Links Task behind its predecessors.
  void submit(TaskRecord &Task, std::span<const hsched_access> Accesses);
  // The parent has waited for all children.
  void waited();
  void waitedOn(std::span<const hsched_access> Sections);
  // A child that the parent has not waited for and whose clauses conflict with an access of [A, A + Bytes); null: none.
  // Predecessors of Accessor, if given, do not conflict. Reads: set if the child only reads.
  TaskRecord *conflict(Address A, size_t Bytes, bool Writes, TaskRecord *Accessor, bool &Reads) const;
  // The addresses belong to other data from now on.
  void forget(Extent Freed);
  bool anyUnfinished() const { return !Live.empty(); }
  // The parent has waited for this task alone.
  void ranInPlace(TaskRecord &Task);
  bool isNamed(Address A) const;

private:
  struct Piece {
    Address High = 0;
    TaskRecord *Writer = nullptr;
    unsigned Mode = 0;                 // Mode of the group in Users.
    std::vector<TaskRecord *> Users;   // Users since Writer: readers, or one group of concurrent or commutative tasks.
    std::vector<TaskRecord *> Earlier; // Predecessors of such a group beside Writer.
  };
  using Pieces = std::map<Address, Piece>;
  void split(Address At);
  template <class Each> void overPieces(Address Low, Address High, Each &&Do);
  static void finish(TaskRecord &Task);

  Pieces Named;
  std::vector<TaskRecord *> Live; // Tasks submitted since the last wait.
};

} // namespace hsched::check
#endif
