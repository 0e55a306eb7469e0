// Which tasks are ordered: by clauses, waits and parents. Everything here is guarded by the one lock of a checked run.
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

// A task, or a chunk of a shared loop, for as long as the program runs: reports name it.
struct TaskRecord {
  hsched_task_type *Type = nullptr; // Null: a chunk of a loop.
  const hsched_shared_loop *Loop = nullptr;
  TaskRecord *Parent = nullptr;     // Null: outside any task.
  std::vector<TaskRecord *> Before; // Direct predecessors; emptied when the task is known to be complete.
  bool Over = false;                // Its body has returned.
  bool Failed = false;              // Or was cancelled.
  bool Done = false;                // A wait of its parent has come after it.
  unsigned Mark = 0;                // Of a search.
};

// Whether Later, which is under way, comes after all of Earlier, which began before it.
bool ordered(TaskRecord &Earlier, TaskRecord &Later);

// An access that no clause names, or that no task makes.
struct Touch {
  TaskRecord *Who = nullptr; // Null: code outside tasks.
  Address Pc = 0;
  bool Writes = false;
};

// The children of one task, or the tasks outside any: who touched which bytes last by clauses.
class Domain {
public:
  // Links Task behind those that it comes after.
  void submit(TaskRecord &Task, std::span<const hsched_access> Accesses);
  // All children are complete, as seen by the parent.
  void waited();
  void waitedOn(std::span<const hsched_access> Sections);
  // A child whose clauses conflict with an access of [A, A + Bytes), and that is not complete for the parent; null:
  // none. Of those that Who, if any, comes after, none counts. Reads: the child only reads it.
  TaskRecord *conflict(Address A, size_t Bytes, bool Writes, TaskRecord *Who, bool &Reads) const;
  // Its bytes are other data from now on.
  void forget(Extent Gone);
  bool anyUnfinished() const { return !Live.empty(); }
  // The parent has waited for this one alone.
  void ranInPlace(TaskRecord &Task);
  bool isNamed(Address A) const;

private:
  struct Piece {
    Address High = 0;
    TaskRecord *Writer = nullptr;
    unsigned Mode = 0;                 // Of the group in Users.
    std::vector<TaskRecord *> Users;   // Since Writer: readers, or one group of concurrent or commutative tasks.
    std::vector<TaskRecord *> Earlier; // What such a group comes after, beside Writer.
  };
  using Pieces = std::map<Address, Piece>;
  void split(Address At);
  template <class Each> void overPieces(Address Low, Address High, Each &&Do);
  static void finish(TaskRecord &Task);

  Pieces Named;
  std::vector<TaskRecord *> Live; // Submitted since the last wait.
};

} // namespace hsched::check
#endif
