// A task with its links: its states, and who may touch what in each of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//              createTask
//                  |
//             +----v-----+  abandoned, its submission throws
//             | made     |----------------------------------------------> freed
//             +----+-----+
//                  | DependenceDomain::submit
//             +----v-----+  nothing stands before it
//             | linking  |--------------------------+
//             +----+-----+                          |
//                  | finish: Pending > 0            |
//             +----v-----+  the last predecessor's  |
//             | waiting  |--complete: Pending == 0--+
//             +----+-----+                          |
//                  | a device's manager, by whose   |  Poisoned: it is cancelled
//                  | tasks alone it is Pending:     +------------------------------+
//                  | TakenEarly                +----v-----+                        |
//                  |                           | ready    |  queues, policy        |
//                  |                           +----+-----+                        |
//                  |                                | taken out by one worker      |
//                  |                           +----v-----+                        |
//                  +-------------------------->| running  |                        |
//                                              +----+-----+                        |
//                                                   | the body has returned        |
//                                              +----v-----+                        |
//                                              | ended    |<-----------------------+
//                                              +----+-----+
//                                                   | Live == 0: nor child nor detached work is left
//                                              +----v-----+                References == 0
//                                              | complete |-----------------------------------> freed
//                                              +----------+
//
// The state is not stored: Pending, Live and Successors hold it. What is not atomic belongs to one thread at a time.
//
//   state      told by                        who                       may touch
//   made       Pending >= Linking             the submitting thread     everything
//   linking    as above                       the same, the domain's    everything; from finish on only where the
//                                             lock held                 task is ready
//   waiting    0 < Pending <                  who completes a           Pending, Poisoned, Troubled
//              MostPredecessors               predecessor
//                                             who submits a successor   Successors, LastStamp; reads Failed of complete
//                                                                       ones
//   ready      Pending == 0                   policy, queue             the policy's fields of hsched_task; NextReady
//   running    taken out; Live >= 1           the worker's thread       everything but links, which are the graph's
//                                             children's threads        Live, HasFailure, ChildFailed; Extras->Failure
//                                                                       with the failure lock
//   ended      Live counts what is left       the last one who counts   everything, as the worker before
//                                             down
//   complete   Successors == &ClosedStack     who has a reference       reads Failed, Id; may release it
//
// An open bundle (IsOpen) is linked again and again, with Linking in its Pending until it is closed; it is its
// domain's. A task that is run in place (InPlace) is ready for one thread alone, which Mine tells.
#ifndef HSCHED_GRAPH_TASKNODE_H
#define HSCHED_GRAPH_TASKNODE_H

#include "base/Parker.h"
#include "graph/Groups.h"
#include "graph/Task.h"
#include <hsched/engine_abi.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hsched::rt {

class DependenceDomain;
struct TaskPlace;
struct TaskNode;

// "To comes after the task on whose stack this lies." Part of To's own memory.
struct SuccessorLink {
  TaskNode *To;
  SuccessorLink *Next;
};

// What only tasks have that a front door submitted by a description: others may name them.
struct NamedTask {
  NamedTask();
  ~NamedTask();
  void *Engine = nullptr;    // The executor it belongs to.
  int32_t Linked = 0;        // Explicit predecessors that it was linked behind before its submission.
  std::vector<TaskId> After; // The same, where somebody is told of dependences.
  // Told of its end. By the thread that completes it.
  void (*Ended)(void *Data, int How) = nullptr;
  void *EndedData = nullptr;
  std::unique_ptr<const TaskPlace> Where; // Null: anywhere.
  // A type that was made at run time: its code, until the task is complete, and itself.
  std::shared_ptr<void> Code, KeptType;
  std::string Name;                   // For messages; set before others can come to it.
  bool Declared = false;              // Before it was submitted.
  std::atomic<bool> Submitted{false}; // Its predecessors are linked.
  // How it ended, from when its callback has returned. Any thread.
  std::atomic<int> How{HSCHED_UNFINISHED};
};
// The last task that was placed on each queue of a device, among the children of one task. The executor's queue lock
// guards it.
struct QueueEnds {
  struct End {
    WorkerId W;
    unsigned Queue;
    TaskNode *Last; // Retained.
  };
  QueueEnds() = default;
  ~QueueEnds();
  QueueEnds(const QueueEnds &) = delete;
  QueueEnds &operator=(const QueueEnds &) = delete;
  TaskNode *&of(WorkerId W, unsigned Queue); // Null: none.
  std::vector<End> All;
};

// Of Extras->Detach: the body has returned; its other work has ended.
enum : uint8_t { IsDetached = 1, BodyIsOver = 2, WorkIsOver = 4 };

// What few tasks have.
struct TaskExtras {
  std::unique_ptr<DependenceDomain> Children; // Where its children's order counts; made for the first of them.
  void *HeldData = nullptr;                   // The executor's: what the running body holds of the directory.
  Parker *Waiter = nullptr;                   // The body's thread's, while it waits: see TaskNode::BodyWaits.
  std::exception_ptr Failure;     // First one of the body or of a child; guarded by the executor's failure lock.
  std::atomic<uint8_t> Detach{0}; // Whoever sets the last of its bits ends the body.
  // (Version, worker) pairs that could not run this one task. By the thread that holds the task.
  std::vector<std::pair<uint32_t, WorkerId>> Excluded;
  void *OwnedArgs = nullptr; // Where the arguments lie, if not in the block.
  void (*FreeArgs)(void *) = std::free;
  std::unique_ptr<Access[]> OwnedAccesses;
  std::unique_ptr<NamedTask> Named; // What only tasks have that somebody may refer to.
  QueueEnds Queues;                 // Of its children.
};

// Room for links to predecessors beyond those in the block.
struct MoreLinks {
  static constexpr uint32_t Each = 7;
  MoreLinks *Next;
  SuccessorLink Links[Each];
};

// Bias of Pending until a task is linked, so that it cannot become ready half linked.
inline constexpr int32_t Linking = 1 << 30;
// Pending is greater while a task is being linked, and never else.
inline constexpr int32_t MostPredecessors = 1 << 29;

// A task, its packed arguments and its links to predecessors, in one block; its accesses as well, unless nobody needs
// them once it has been linked.
struct TaskNode : ::hsched_task {
  // Links, reference count: the graph's. Any thread. What a successor's submission looks at stands on one cache line,
  // up to Failed: it was last written on another core more often than not.
  std::atomic<uint32_t> References{1};
  std::atomic<int32_t> Pending{Linking};            // Predecessors not complete, plus a bias until it is linked.
  std::atomic<SuccessorLink *> Successors{nullptr}; // Closed by complete.
  // Latest successor linked, by whoever submits in this task's domain: of several threads at once, the last one's. Of
  // an open bundle: references to it.
  std::atomic<uint64_t> LastStamp{0};
  // The body and the children that are not complete; the task is complete at 0. Any thread.
  std::atomic<uint32_t> Live{1};
  // In Live: the body waits for the children, by Extras->Waiter. The last of them takes the bit away, which is the last
  // that it does with the task: without the bit, the task may be gone as soon as a child has counted itself out.
  static constexpr uint32_t BodyWaits = 1u << 31;
  std::atomic<bool> Poisoned{false}; // A predecessor failed or was cancelled: it must not run.
  bool Failed = false;               // Failed or cancelled; valid once complete.
  bool IsCombination = false;        // Of a reduction: Groups->Combines says which.
  bool IsBundle = false;             // Of short tasks: see Bundle.h.
  // The submitting thread waits for it until it is Mine: to be run by that thread if it is still InPlace and not
  // complete, else it is complete.
  std::atomic<bool> Mine{false};
  std::atomic<bool> HasFailure{false}; // That nobody has claimed: Extras->Failure.
  // A child failed or was cancelled since the body last waited for all of them: what is submitted may come after it.
  std::atomic<bool> ChildFailed{false};
  bool Awaited : 1 = false;
  bool IsWait : 1 = false; // Stands for a waiting thread, not for work.
  bool Final : 1 = false;  // What its body calls runs in place.
  bool OwnsLabel : 1 = false;
  bool Staged : 1 = false; // AccessList is the submitting thread's and ends with the submission.
  bool InPlace = false;
  bool IsOpen = false;               // A bundle, to which tasks are added; the domain's.
  bool TakenEarly = false;           // A device has it already; by its manager, while only its own tasks are Pending.
  std::atomic<bool> Troubled{false}; // Items of bundles before it, or its own, failed: see Bundle.h.
  bool ArgsLive = false;             // To be destroyed.
  uint32_t BlockBytes = 0;
  TaskNode *Parent = nullptr; // Not complete while this is not; no use afterwards.

  // Made by the thread that holds the task, and before it has children.
  std::unique_ptr<TaskExtras> Extras;
  TaskExtras &extras() {
    if (!Extras)
      Extras = std::make_unique<TaskExtras>();
    return *Extras;
  }
  bool excludes() const { return Extras && !Extras->Excluded.empty(); }
  DependenceDomain *children() const { return Extras ? Extras->Children.get() : nullptr; }
  std::unique_ptr<GroupState> Groups; // Null for most.

  // The graph's own.
  SuccessorLink *Links = nullptr; // Unused links of the block.
  MoreLinks *OtherLinks = nullptr;
  uint32_t NumLinks = 0;
  uint32_t Submitter = 0;        // The executor's: which thread, of a task outside any other.
  TaskNode *NextReady = nullptr; // List that complete returns; the executor's afterwards.

  bool complete() const;
};
// The address of this one on a stack of successors: the task is complete.
extern SuccessorLink ClosedStack;
inline bool TaskNode::complete() const { return Successors.load(std::memory_order_acquire) == &ClosedStack; }

} // namespace hsched::rt
#endif
