// The dependence graph: tasks with their links, and the domains in which submission order counts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   create -> (fill arguments, accesses) -> DependenceDomain::submit -> ready, at once or from a predecessor's complete
//          -> run -> complete -> releases successors; the last reference frees the block
//
// A task's predecessors are counted, its successors form a stack that completion closes: linking and releasing are a
// few atomic operations on the two tasks concerned, whichever threads they are on.
//
// Two kinds of ready (docs/decisions/0013): a task is ready when all predecessors are complete. A device whose kernels
// are all that is missing may take it before: its manager walks the stacks of what it has launched, which only it
// closes, and compares what it has counted with Pending.
#ifndef HSCHED_GRAPH_TASKGRAPH_H
#define HSCHED_GRAPH_TASKGRAPH_H

#include "base/BlockPool.h"
#include "graph/TaskNode.h"

#include <memory>
#include <utility>
#include <vector>

namespace hsched::rt {

class DependenceDomain;
class Exclusion;
struct BundleItem;

// Told of every dependence, once a pair and for explicit predecessors once more, before the later task can start; also
// of those on tasks already complete, as far as the domain still knows them. On the submitting thread, the domain's
// lock held: must not call the graph.
class GraphListener {
public:
  virtual ~GraphListener() = default;
  virtual void dependence(TaskId From, TaskId To) = 0;
  // A combination was made, its parent and label set: returns its id. Before dependences on it are told.
  virtual TaskId combination(const TaskNode & /*T*/) { return 0; }
  // Whether dependences on tasks that are complete matter too: then they are remembered until the next wait.
  virtual bool wantsComplete() const { return true; }
};

// A new task with room for NumAccesses accesses and Type's arguments, one reference held by the caller. Type may be
// null. Any thread. Throws std::bad_alloc.
TaskNode *createTask(TaskType *Type, unsigned NumAccesses);
// The same with room for the links of NumAccesses accesses, which lie at Staged: see TaskNode::Staged.
TaskNode *createStagedTask(TaskType *Type, unsigned NumAccesses, Access *Staged);
inline void retain(TaskNode &T) { T.References.fetch_add(1, std::memory_order_relaxed); }
// Frees with the last reference. Arguments still alive are destroyed.
void destroyTask(TaskNode &T);
inline void release(TaskNode &T) {
  if (T.References.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroyTask(T);
}
// Links T, which is not submitted yet, behind From, whichever domain that is in, and counts it in T's Named->Linked.
// Pairs that depend on each other by their accesses too are linked twice. Any thread that may submit T.
void linkBehind(TaskNode &T, TaskNode &From);
// Runs the type's destroy on the arguments, once.
void destroyArgs(TaskNode &T);
// Copies Text (null: the type's name).
void setLabel(TaskNode &T, const char *Text);
// Size of the sections, identical ones counted once.
uint64_t dataBytesOfMany(std::span<const Access> Sections);
inline uint64_t dataBytes(std::span<const Access> Sections) {
  return Sections.size() == 1 ? uint64_t(Sections[0].bytes) * Sections[0].rows
         : Sections.empty()   ? 0
                              : dataBytesOfMany(Sections);
}

// Marks T complete and releases its successors. Returns those that became ready, in order of submission, linked by
// NextReady; last of them combinations of which T was the last member. A failed task poisons them first. Any thread,
// once a task; T is still referenced by the caller.
TaskNode *complete(TaskNode &T, bool Failed);

// Says how an access, whose mode is HSCHED_REDUCTION, is reduced. Slot lies in T's arguments. Before submission.
void addReduction(TaskNode &T, unsigned Access, void *Slot, const hsched_reduction_op &Op);

// What has become of a task that was added to a bundle.
struct BundledTask {
  TaskNode *Ready[2] = {};    // Bundles that are closed now and may run; null: none.
  TaskNode *Closed = nullptr; // Combinations, as submit returns them.
  bool Opened = false;        // A bundle was opened, and is open.
};

// The accesses of one parent's children, in order of submission: for every fragment of memory the last writer, or the
// last writers where they need no order among themselves, and the readers since. One thread at a time (the parent's),
// unless Shared: then any thread, and threads that name different memory share no lock (Sharing.h).
class DependenceDomain {
public:
  explicit DependenceDomain(bool Shared = false);
  ~DependenceDomain();
  DependenceDomain(const DependenceDomain &) = delete;
  DependenceDomain &operator=(const DependenceDomain &) = delete;

  // Links T behind what it depends on and records it. Returns whether it is ready now; otherwise it is returned by a
  // complete, perhaps already. Poisoned says whether a known predecessor failed. Where one access of T overlaps another
  // one's commutative, concurrent or reduced section in a different mode, that section's mode becomes inout, as does
  // that of a reduced section for which there is no ReductionPart.
  // Ready gets combinations that T closed and that nothing keeps from running, and an open bundle likewise, linked by
  // NextReady.
  bool submit(TaskNode &T, GraphListener *Listener, TaskNode **Ready = nullptr);

  // Links T behind the last writers and the readers of its accesses without recording it: what a wait needs.
  bool await(TaskNode &T, TaskNode **Ready = nullptr);

  // Adds a task to the open bundle, if that is Owner's, a thread's number; returns whether it is. Nanoseconds: about
  // how long the task runs. Only of a domain that is Shared. I's sections are set.
  bool add(BundleItem &I, uint32_t Nanoseconds, uint32_t Owner, BundledTask &Result);
  // The same with a new bundle that is opened for it, Parent's child. It counts for Weight tasks. Id: the bundle's own.
  void open(BundleItem &I, uint32_t Nanoseconds, uint32_t Owner, TaskNode &Parent, uint32_t Weight, BundledTask &Result,
            TaskId Id = 0);
  // Each thread that submits may have an open bundle, in a part of the domain of its own: [0, parts()), which grows.
  unsigned parts() const;
  // A number that no other bundle of this domain has; 0 where none is open in that part.
  uint64_t openBundle(unsigned Part) const;
  bool anyOpenBundle() const;
  // Nothing more comes into the open bundle of a part. It is returned if it is ready now; else a complete returns it.
  TaskNode *closeBundle(unsigned Part);
  // The same if it is ready now; else it stays open.
  TaskNode *takeBundle(unsigned Part);

  // Closes all open combinations: what a wait for everything, or the end of the parent's body, needs. Each counts as
  // one that is Live of its parent from then on. Returns those that nothing keeps from running.
  TaskNode *closeAll();
  bool anyOpen() const;

  // Where tasks with commutative sections take turns, once they are ready.
  Exclusion &exclusion();

  // Forgets complete tasks; failed ones too when ForgetFailures: what failed has been reported.
  void sweep(bool ForgetFailures);

  // Fragments known. For tests.
  size_t size() const;
  // How often a thread named memory that was not its part's. For tests.
  size_t claims() const;

private:
  struct State;
  struct Sharing;
  State &own() const; // The calling thread's.
  State *part(unsigned I) const;
  std::unique_ptr<State> S; // The first part, for most domains the only one.
  std::unique_ptr<Sharing> Others;
};

} // namespace hsched::rt
#endif
