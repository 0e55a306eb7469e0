// The dependence graph: tasks with their links, and the domains in which submission order counts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   create -> (fill arguments, accesses) -> DependenceDomain::submit -> ready, at once or from a predecessor's complete
//          -> run -> complete -> releases successors; the last reference frees the block
//
// A task counts its predecessors. Its successors form a stack that completion closes. So linking and releasing are a
// few atomic operations on two tasks, on any threads.
//
// Two kinds of ready (docs/decisions/0013): a task is ready when all predecessors are complete. A device may take it
// earlier if all unfinished predecessors are kernels on that device. The device's manager walks the successor stacks of
// its launched tasks, which only it closes, and compares the number found with Pending.
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

// Receives every dependence, once a pair and once more for explicit predecessors, before the later task can start.
// Dependences on complete tasks are included if the domain still knows them. Called on the submitting thread with the
// domain's lock held: it must not call the graph.
class GraphListener {
public:
  virtual ~GraphListener() = default;
  virtual void dependence(TaskId From, TaskId To) = 0;
  // A combination was made, with parent and label set. Returns its id. Called before its dependences.
  virtual TaskId combination(const TaskNode & /*T*/) { return 0; }
  // True: dependences on complete tasks are wanted too. The domain then keeps such tasks until the next wait.
  virtual bool wantsComplete() const { return true; }
};

// A new task with memory for NumAccesses accesses and Type's arguments. The caller holds one reference. Type may be
// null. Any thread. Throws std::bad_alloc.
TaskNode *createTask(TaskType *Type, unsigned NumAccesses);
// The same with links for NumAccesses accesses, which lie at Staged: see Stage::Staged.
TaskNode *createStagedTask(TaskType *Type, unsigned NumAccesses, Access *Staged);
inline void retain(TaskNode &T) { T.References.fetch_add(1, std::memory_order_relaxed); }
// Frees a task without references. Destroys its arguments if they are alive.
void destroyTask(TaskNode &T);
inline void release(TaskNode &T) {
  if (T.References.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroyTask(T);
}
// Links T, which is not submitted yet, behind From in any domain, and counts that in T's Named->Linked. A pair that
// also depends by its accesses is linked twice. Any thread that may submit T.
void linkBehind(TaskNode &T, TaskNode &From);
// Runs the type's destroy on the arguments, once.
void destroyArgs(TaskNode &T);
// Copies Text (null: the type's name).
void setLabel(TaskNode &T, const char *Text);
// Bytes of the sections, identical ones counted once.
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

// Sets the operation of an access with mode HSCHED_REDUCTION. Slot lies in T's arguments. Call before submission.
void addReduction(TaskNode &T, unsigned Access, void *Slot, const hsched_reduction_op &Op);

// The result of adding a task to a bundle.
struct BundledTask {
  TaskNode *Ready[2] = {};    // Bundles that were closed and are ready; null: none.
  TaskNode *Closed = nullptr; // Combinations, as submit returns them.
  bool Opened = false;        // A bundle was opened, and is open.
};

// The accesses of one parent's children, in order of submission. For every fragment of memory it holds the last writer
// (or an unordered group of writers) and the readers since. Only the parent's thread calls it, unless Shared: then any
// thread, and threads that name different memory share no lock (Sharing.h).
class DependenceDomain {
public:
  explicit DependenceDomain(bool Shared = false);
  ~DependenceDomain();
  DependenceDomain(const DependenceDomain &) = delete;
  DependenceDomain &operator=(const DependenceDomain &) = delete;

  // Links T behind its predecessors and records it. True: T is ready. Otherwise some complete
  // returns it, perhaps already. Poisoned tells whether a known predecessor failed. A
  // commutative, concurrent or reduced section that overlaps another access of T in a
  // different mode becomes inout. So does a reduced section without a ReductionPart. Ready
  // receives combinations, and an open bundle, that T closed and that are ready, linked by
  // NextReady.
  bool submit(TaskNode &T, GraphListener *Listener, TaskNode **Ready = nullptr);

  // For a wait: links T behind the last writers and readers of its accesses without recording it.
  bool await(TaskNode &T, TaskNode **Ready = nullptr);

  // Adds a task to the open bundle if that belongs to Owner, a thread's number. False: it does not. Nanoseconds:
  // expected run time. Only for a Shared domain. I's sections are set.
  bool add(BundleItem &I, uint32_t Nanoseconds, uint32_t Owner, BundledTask &Result);
  // Opens a new bundle, a child of Parent, for the task. It counts as Weight tasks. Id: of the bundle.
  void open(BundleItem &I, uint32_t Nanoseconds, uint32_t Owner, TaskNode &Parent, uint32_t Weight, BundledTask &Result,
            TaskId Id = 0);
  // Each thread that submits may have an open bundle, in a part of the domain of its own: [0, parts()), which grows.
  unsigned parts() const;
  // A unique number of the open bundle of a part. 0: none is open.
  uint64_t openBundle(unsigned Part) const;
  bool anyOpenBundle() const;
  // Closes the open bundle of a part. Returns it if it is ready. Otherwise some complete returns it.
  TaskNode *closeBundle(unsigned Part);
  // Closes and returns it if it is ready. Otherwise it stays open.
  TaskNode *takeBundle(unsigned Part);

  // Closes all open combinations, for a wait for everything or the end of the parent's body. From then on each counts
  // in its parent's Live. Returns the ready ones.
  TaskNode *closeAll();
  bool anyOpen() const;

  // The exclusion of ready tasks with commutative sections.
  Exclusion &exclusion();

  // Sets WritesLast in the incomplete tasks that are the last known writer of some memory.
  void markLastWriters();

  // Forgets complete tasks. With ForgetFailures also failed ones, whose failure has been reported.
  void sweep(bool ForgetFailures);

  // Number of known fragments. For tests.
  size_t size() const;
  // How often a thread named memory that its part did not own. For tests.
  size_t claims() const;

private:
  struct State;
  struct Sharing;
  State &own() const; // The calling thread's state.
  State *part(unsigned I) const;
  std::unique_ptr<State> S; // The first part; for most domains the only one.
  std::unique_ptr<Sharing> Others;
};

} // namespace hsched::rt
#endif
