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
// Two kinds of ready (docs/architecture.md): today a task is ready when all predecessors are complete. To give a
// device a task whose predecessors all run there, launch would walk the predecessor's stack without closing it and
// count down a second counter, of predecessors neither complete nor launched on that device; the links stay as they
// are.
#ifndef HSCHED_GRAPH_TASKGRAPH_H
#define HSCHED_GRAPH_TASKGRAPH_H

#include "base/BlockPool.h"
#include "base/Parker.h"
#include "graph/Groups.h"
#include "graph/Task.h"

#include <atomic>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace hsched::rt {

class DependenceDomain;
class Exclusion;

// Told of every dependence, once a pair, before the later task can start; also of those on tasks already complete, as
// far as the domain still knows them. On the submitting thread, the domain's lock held: must not call the graph.
class GraphListener {
public:
  virtual ~GraphListener() = default;
  virtual void dependence(TaskId From, TaskId To) = 0;
  // A combination was made, its parent and label set: returns its id. Before dependences on it are told.
  virtual TaskId combination(const TaskNode & /*T*/) { return 0; }
};

// "To comes after the task on whose stack this lies." Part of To's own memory.
struct SuccessorLink {
  TaskNode *To;
  SuccessorLink *Next;
};

// A task, its packed arguments and accesses, in one block.
struct TaskNode : ::hsched_task {
  // Links, reference count: the graph's. Any thread.
  std::atomic<uint32_t> References{1};
  std::atomic<int32_t> Pending{0};                  // predecessors not complete, plus a bias while being linked
  std::atomic<SuccessorLink *> Successors{nullptr}; // closed by complete
  std::atomic<bool> Poisoned{false};                // a predecessor failed or was cancelled: it must not run
  bool Failed = false;                              // failed or cancelled; valid once complete
  bool IsWait = false;                              // stands for a waiting thread, not for work
  bool IsCombination = false;                       // of a reduction: Groups->Combines says which
  bool Final = false;                               // what its body calls runs in place
  // The submitting thread waits for it until it is Mine: to be run by that thread if it is still InPlace and not
  // complete, else it is complete.
  bool Awaited = false, InPlace = false;
  std::atomic<bool> Mine{false};

  // The body and the children that are not complete; the task is complete at 0. Any thread.
  std::atomic<uint32_t> Live{1};
  TaskNode *Parent = nullptr; // owns a reference

  // Written by the thread that runs the body.
  std::unique_ptr<DependenceDomain> Children; // where its children's order counts; made for the first of them
  void *HeldData = nullptr;                   // the executor's: what the running body holds of the directory
  std::atomic<Parker *> Waiter{nullptr};      // wakes the body's thread when it waits; any thread reads

  // First failure of the body or of a child that nobody has claimed. Guarded by the executor's failure lock, but for
  // the flag.
  std::exception_ptr Failure;
  std::atomic<bool> HasFailure{false};
  // (version, worker) pairs that could not run this one task. By the thread that holds the task.
  std::vector<std::pair<uint32_t, WorkerId>> Excluded;

  // The graph's own.
  uint64_t LastStamp = 0;         // latest successor linked; by the thread submitting in this task's domain
  SuccessorLink *Links = nullptr; // unused links of the block
  uint32_t NumLinks = 0, BlockBytes = 0;
  bool ArgsLive = false; // to be destroyed
  bool OwnsLabel = false;
  TaskNode *NextReady = nullptr;      // list that complete returns; the executor's afterwards
  std::unique_ptr<GroupState> Groups; // null for most
  std::vector<std::unique_ptr<SuccessorLink[]>> MoreLinks;

  bool complete() const;
};

// A new task with room for NumAccesses accesses and Type's arguments, one reference held by the caller. Type may be
// null. Any thread. Throws std::bad_alloc.
TaskNode *createTask(TaskType *Type, unsigned NumAccesses);
void retain(TaskNode &T);
// Frees with the last reference. Arguments still alive are destroyed.
void release(TaskNode &T);
// Runs the type's destroy on the arguments, once.
void destroyArgs(TaskNode &T);
// Copies Text (null: the type's name).
void setLabel(TaskNode &T, const char *Text);
// Size of the sections, identical ones counted once.
uint64_t dataBytes(std::span<const Access> Sections);

// Marks T complete and releases its successors. Returns those that became ready, in order of submission, linked by
// NextReady; last of them combinations of which T was the last member. A failed task poisons them first. Any thread,
// once a task; T is still referenced by the caller.
TaskNode *complete(TaskNode &T, bool Failed);

// Says how an access, whose mode is HSCHED_REDUCTION, is reduced. Slot lies in T's arguments. Before submission.
void addReduction(TaskNode &T, unsigned Access, void *Slot, const hsched_reduction_op &Op);

// The accesses of one parent's children, in order of submission: for every fragment of memory the last writer, or the
// last writers where they need no order among themselves, and the readers since. One thread at a time (the parent's),
// unless Shared: then it locks.
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
  // Ready gets combinations that T closed and that nothing keeps from running, linked by NextReady.
  bool submit(TaskNode &T, GraphListener *Listener, TaskNode **Ready = nullptr);

  // Links T behind the last writers and the readers of its accesses without recording it: what a wait needs.
  bool await(TaskNode &T, TaskNode **Ready = nullptr);

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

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace hsched::rt
#endif
