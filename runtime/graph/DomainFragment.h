// The dependence record of a memory fragment, or of a strided section.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GRAPH_DOMAINFRAGMENT_H
#define HSCHED_GRAPH_DOMAINFRAGMENT_H

#include "graph/IntervalIndex.h"
#include "graph/TaskRef.h"
#include "graph/TileIndex.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace hsched::rt {

// Tasks that update a fragment without mutual order. Together they are its last writer.
struct WriterGroup {
  unsigned Mode;
  std::vector<TaskRef> Before; // Predecessors of each member.
  std::vector<TaskRef> Members;
};

// Null, or a group of its own.
class GroupPointer {
public:
  GroupPointer() = default;
  GroupPointer(const GroupPointer &Other) : P(Other.P ? std::make_unique<WriterGroup>(*Other.P) : nullptr) {}
  GroupPointer(GroupPointer &&) = default;
  GroupPointer &operator=(GroupPointer Other) noexcept {
    P = std::move(Other.P);
    return *this;
  }
  explicit operator bool() const { return P != nullptr; }
  WriterGroup *operator->() const { return P.get(); }
  WriterGroup &operator*() const { return *P; }
  void reset(WriterGroup *New = nullptr) { P.reset(New); }

private:
  std::unique_ptr<WriterGroup> P;
};

constexpr size_t FewReaders = 8;

// One cache line: there is one for each datum that tasks have named. Named DomainFragment because data/ has a Fragment,
// and one program has both.
struct DomainFragment {
  uintptr_t Begin = 0, End = 0;
  DomainFragment *Prev = nullptr, *Next = nullptr; // IntervalIndex.
  TaskRef Writer;                                  // Null: no known writer, or the group wrote it.
  GroupPointer Writers;
  TaskList Readers;              // Since Writer or Writers.
  uint32_t PruneAt = FewReaders; // Number of readers, or members, at which complete ones are removed.
  // A task recorded elsewhere wrote a part of this and follows all Readers. A task that accesses all of it follows that
  // task.
  bool Overwritten = false;
  // A task that accesses all of this follows a task that follows all of Writers: the group is closed.
  bool Interrupted = false;

  // Copies the record to a fragment of another domain or part.
  void copyTo(DomainFragment &To) const {
    To.Writer = Writer;
    To.Writers = Writers;
    To.Readers = Readers;
    To.PruneAt = PruneAt;
    To.Overwritten = Overwritten;
    To.Interrupted = Interrupted;
  }
};
static_assert(sizeof(DomainFragment) == 64);

// A strided section's. Begin and End are not used.
struct DomainTile : DomainFragment {
  TileShape Shape{};
};

inline void forgetTasks(DomainFragment &F) {
  F.Readers.clear();
  F.Writer = TaskRef();
  F.Writers.reset();
  F.Overwritten = false;
}

using Place = DomainFragment *; // Null: the end.

inline bool forgettable(const TaskNode &T, bool ForgetFailures) {
  return T.complete() && (ForgetFailures || !T.Failed);
}

inline void prune(std::vector<TaskRef> &List, bool ForgetFailures) {
  std::erase_if(List, [&](const TaskRef &R) { return forgettable(*R.get(), ForgetFailures); });
}
inline void prune(TaskList &List, bool ForgetFailures) {
  List.removeIf([&](const TaskNode &T) { return forgettable(T, ForgetFailures); });
}

// Removes complete tasks from Tasks: the readers, or the group's members.
template <class List> void pruneAt(DomainFragment &F, List &Tasks) {
  if (Tasks.size() < F.PruneAt)
    return;
  prune(Tasks, false);
  F.PruneAt = static_cast<uint32_t>(std::max(FewReaders, 2 * Tasks.size()));
}

} // namespace hsched::rt
#endif
