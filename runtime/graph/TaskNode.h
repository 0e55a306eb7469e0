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
//                  | DispatchedEarly                +----v-----+                        |
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
// The state is not stored: Pending, Live and Successors imply it. Fields that are not atomic belong to one thread at a
// time.
//
//   state      told by                        who                       may touch
//   made       Pending >= Linking             the submitting thread     everything
//   linking    as above                       the same, the domain's    everything; from finish on only where the
//                                             lock held                 task is ready
//   waiting    0 < Pending <                  who completes a           Pending, Poisoned, HasFailedItems
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
// An open bundle (Stage::OpenBundle) is linked repeatedly. It has Linking in its Pending until it is closed, and
// belongs to its domain. A task that runs in place (Turn::InPlace) becomes ready for its submitting thread only,
// signalled by RunInPlace.
#ifndef HSCHED_GRAPH_TASKNODE_H
#define HSCHED_GRAPH_TASKNODE_H

#include "base/Parker.h"
#include "graph/Groups.h"
#include "graph/Task.h"
#include <hsched/engine_abi.h>

#include <algorithm>
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

// The edge from the task on whose stack this lies to To. Lies in To's memory.
struct SuccessorLink {
  TaskNode *To;
  SuccessorLink *Next;
};

// Data of tasks with a reference (hsched_ref) or a description: other tasks may name them.
struct NamedTask {
  NamedTask();
  ~NamedTask();
  void *Engine = nullptr;    // The executor it belongs to.
  int32_t Linked = 0;        // Number of explicit predecessors linked before its submission.
  std::vector<TaskId> After; // The same as a list, if dependences are reported.
  // Completion callback. Called by the completing thread.
  void (*Ended)(void *Data, int How) = nullptr;
  void *EndedData = nullptr;
  std::unique_ptr<const TaskPlace> Where; // Null: anywhere.
  // For a type made at run time: owner of its code, until the task is complete, and of the type.
  std::shared_ptr<void> Code, TypeOwner;
  std::string Name;                   // For messages. Set before other threads know the task.
  bool Declared = false;              // hsched_declare made it.
  std::atomic<bool> Submitted{false}; // Its predecessors are linked.
  // How it ended. Set after its callback has returned. Any thread.
  std::atomic<int> How{HSCHED_UNFINISHED};
};
// The last task that was placed on each queue of a device, among the children of one task. The executor's queue lock
// guards it.
struct QueueEnds {
  struct End {
    WorkerId W;
    unsigned Queue;
    TaskNode *Last; // A counted reference.
  };
  QueueEnds() = default;
  ~QueueEnds();
  QueueEnds(const QueueEnds &) = delete;
  QueueEnds &operator=(const QueueEnds &) = delete;
  TaskNode *&of(WorkerId W, unsigned Queue); // Null: none.
  std::vector<End> All;
};

// The sections of versions that do not have the task's (exec/VersionSections.cpp). The task's dependences are those of
// All.
struct VersionSections {
  struct Part { // The sections of V in All.
    const Version *V;
    uint32_t Begin, End;
  };
  std::vector<Access> All; // The task's own sections, then those of the versions.
  uint32_t NumOwn = 0;     // Number of the task's own.
  std::vector<Part> Parts;
  std::vector<Access> Chosen; // The sections of the version that runs. Memory for any of them.
};

// Bits of Extras->Detach: the body has returned; the detached work has ended.
enum : uint8_t { IsDetached = 1, BodyIsOver = 2, WorkIsOver = 4 };

// Data that few tasks need.
struct TaskExtras {
  std::unique_ptr<DependenceDomain> Children; // The domain of its children. Made for the first of them.
  void *AcquiredData = nullptr;               // The executor's: the running body's holds on the directory.
  Parker *Waiter = nullptr;       // The parker of the body's thread while it waits: see TaskNode::BodyWaits.
  std::exception_ptr Failure;     // First failure of the body or of a child. Guarded by the executor's failure lock.
  std::atomic<uint8_t> Detach{0}; // The thread that sets the last bit completes the body.
  // (Version, worker) pairs that could not run this one task. By the thread that holds the task.
  std::vector<std::pair<uint32_t, WorkerId>> Excluded;
  void *OwnedArgs = nullptr; // Arguments outside the block, or null.
  void (*FreeArgs)(void *) = std::free;
  std::unique_ptr<Access[]> OwnedAccesses;
  std::unique_ptr<VersionSections> Sections; // Null: all versions have the task's.
  std::unique_ptr<NamedTask> Named;          // For tasks that may be named: see NamedTask.
  QueueEnds Queues;                          // Queue ends of its children.
};

// Links to predecessors beyond those in the block.
struct MoreLinks {
  static constexpr uint32_t Each = 7;
  MoreLinks *Next;
  SuccessorLink Links[Each];
};

// Bias of Pending while a task is being linked, so that it cannot become ready before all links are made.
inline constexpr int32_t Linking = 1 << 30;
// Greatest Pending of a linked task. Pending is greater only while the task is being linked.
inline constexpr int32_t MostPredecessors = 1 << 29;

enum class NodeKind : uint8_t {
  Work,
  Wait,        // Represents a waiting thread.
  Combination, // A reduction's combination: see Groups->Combines.
  Bundle       // A bundle of short tasks: see Bundle.h.
};

// The thread that runs the task next.
enum class Turn : uint8_t {
  Queued, // Any worker.
  // The submitting thread, which waits until RunInPlace is set, and runs the task. Set in made, constant until ready.
  InPlace,
  // The submitting thread or a worker: that thread runs it, or waits until another has run it. Set by that thread in
  // ready.
  Awaited
};

// What is peculiar to a task in one of its states. Each value is set and reset in the states named, so no two of them
// meet. Other threads may read it meanwhile to ask for a value of another state.
enum class Stage : uint8_t {
  Usual,
  Staged,         // Made, linking: AccessList belongs to the submitting thread, and is freed after the submission.
  OpenBundle,     // Linking: a bundle to which tasks are added. Its domain owns it.
  DispatchedEarly // Waiting: a device holds it. Set by its manager, while only tasks of that device are Pending.
};

// Atomic; no operation orders others.
class AtomicStage {
public:
  AtomicStage &operator=(Stage To) {
    Its.store(To, std::memory_order_relaxed);
    return *this;
  }
  operator Stage() const { return Its.load(std::memory_order_relaxed); }

private:
  std::atomic<Stage> Its{Stage::Usual};
};

// Bits that other threads than the one that holds the task set.
enum class Signal : uint8_t {
  Poisoned = 1, // A predecessor failed or was cancelled: it must not run.
  // To the submitting thread: run the task if its turn is InPlace and it is not complete; else another thread has run
  // it.
  RunInPlace = 2,
  HasFailure = 4,      // Extras->Failure is set, and no wait has thrown it.
  ChildFailed = 8,     // Since the body last waited for all children: new submissions may depend on them.
  HasFailedItems = 16, // Items of preceding bundles, or its own, failed: see Bundle.h.
  WritesLast = 32      // When its parent began to wait, no later task wrote some of its outputs.
};

// A task, its packed arguments and its links to predecessors, in one block. Its accesses too, unless they are needed
// only for linking.
struct TaskNode : ::hsched_task {
  // Links and reference count, used by the graph on any thread. Fields up to Failed, which a successor's submission
  // reads, share one cache line: it was usually written last by another core.
  std::atomic<uint32_t> References{1};
  std::atomic<int32_t> Pending{Linking}; // Number of incomplete predecessors, plus a bias while it is linked.
  std::atomic<SuccessorLink *> Successors{nullptr}; // Closed by complete.
  // Stamp of the latest successor linked by a submission in this task's domain; of concurrent threads, the last store.
  // For an open bundle: references to it.
  std::atomic<uint64_t> LastStamp{0};
  // Counts the body and the incomplete children. The task is complete at 0. Any thread.
  std::atomic<uint32_t> Live{1};
  // Bit in Live: the body waits for the children, with Extras->Waiter. The last child clears the bit as its last access
  // to the task. Without the bit, the task may be freed as soon as a child has decremented Live.
  static constexpr uint32_t BodyWaits = 1u << 31;
  // Set and read by any thread.
  std::atomic<uint8_t> Signals{0};
  bool has(Signal S) const { return Signals.load() & static_cast<uint8_t>(S); }
  bool hasAny(Signal A, Signal B) const { return Signals.load() & (static_cast<uint8_t>(A) | static_cast<uint8_t>(B)); }
  void set(Signal S) { Signals.fetch_or(static_cast<uint8_t>(S)); }
  void clear(Signal S) {
    if (has(S))
      Signals.fetch_and(static_cast<uint8_t>(~static_cast<uint8_t>(S)));
  }
  // Failed or cancelled. In state complete any thread reads it; before, the completing thread.
  bool Failed = false;
  // Made: the submitting thread. Constant from linking on.
  NodeKind Kind = NodeKind::Work;
  bool Final = false; // Tasks that its body calls run in place.
  // The fields below are used by one thread at a time: the one that holds the task in its state.
  Turn Runs = Turn::Queued;
  AtomicStage At;
  bool ArgsLive = false;  // Made to ended: the arguments must be destroyed.
  bool OwnsLabel = false; // Made: the task owns the label's memory.
  uint32_t BlockBytes = 0;
  TaskNode *Parent = nullptr; // Cannot complete before this task does; invalid afterwards.

  // Made by the thread that holds the task, before it has children.
  std::unique_ptr<TaskExtras> Extras;
  TaskExtras &extras() {
    if (!Extras)
      Extras = std::make_unique<TaskExtras>();
    return *Extras;
  }
  bool isWait() const { return Kind == NodeKind::Wait; }
  bool isCombination() const { return Kind == NodeKind::Combination; }
  bool isBundle() const { return Kind == NodeKind::Bundle; }
  bool excludes() const { return Extras && !Extras->Excluded.empty(); }
  bool excludes(uint32_t V, WorkerId W) const { // True if V cannot run this one task on W.
    return excludes() && std::ranges::find(Extras->Excluded, std::pair(V, W)) != Extras->Excluded.end();
  }
  DependenceDomain *children() const { return Extras ? Extras->Children.get() : nullptr; }
  std::unique_ptr<GroupState> Groups; // Null without commutative or reduced sections.

  // Used only by the graph.
  SuccessorLink *Links = nullptr; // Unused links of the block.
  MoreLinks *OtherLinks = nullptr;
  uint32_t NumLinks = 0;
  uint32_t Submitter = 0;        // The executor's: number of the submitting thread, for a task outside any other.
  TaskNode *NextReady = nullptr; // Link of the list that complete returns; afterwards the executor's.

  bool complete() const;
};
// Sentinel on a stack of successors: the task is complete.
extern SuccessorLink ClosedStack;
inline bool TaskNode::complete() const { return Successors.load(std::memory_order_acquire) == &ClosedStack; }

} // namespace hsched::rt
#endif
