// Calls: tasks that the submitting thread runs at once, in its own stack frame.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With one worker, a task without unfinished predecessors may run at its submission: the order of submission
// satisfies every dependence. Such a task has no node, is not recorded in its parent's domain and not passed to the
// policy. Its arguments lie on a stack of the thread. A node is made only when something must refer to the
// task. This is a child with a full submission, a failure, or another thread that submits meanwhile. This is lazy
// creation, as in XKaapi.
#ifndef HSCHED_EXEC_CALLS_H
#define HSCHED_EXEC_CALLS_H

#include "graph/TaskGraph.h"

namespace hsched::rt {

// State of a thread's argument stack before a push: its free part.
struct StackMark {
  char *Top, *End;
};

// Owned by the thread whose stack of arguments it lies on.
struct CallFrame {
  TaskType *Type;
  const Version *V;
  Access *AccessList;
  void *Args;
  CallFrame *Outer;  // The call whose body submitted this one; null: none.
  TaskNode *Node;    // Null until something must refer to the task.
  const char *Label; // The submitter's.
  TaskId Id;         // Only if tasks are logged.
  double Cost;
  StackMark Was; // The argument stack before the call.
  uint32_t NumAccesses;
  bool Final;
  bool AtRoot;   // Runs outside any task. Other threads may then read the frame: see Executor::Seat0.
  bool Watched;  // The watchdog knows that Node's body is this call.
  bool Recorded; // Node is in its parent's domain.
};

// A handle of the ABI with its lowest bit set is a call.
inline bool isCall(const hsched_task *Handle) { return reinterpret_cast<uintptr_t>(Handle) & 1; }
inline CallFrame &callOf(hsched_task *Handle) {
  return *reinterpret_cast<CallFrame *>(reinterpret_cast<uintptr_t>(Handle) - 1);
}
inline hsched_task *handleOf(CallFrame &F) {
  return reinterpret_cast<hsched_task *>(reinterpret_cast<uintptr_t>(&F) + 1);
}

// With the second bit set, it points to the accesses of a task that may become a bundle item.
inline bool isQuick(const hsched_task *Handle) { return reinterpret_cast<uintptr_t>(Handle) & 3; }
inline Access *itemOf(hsched_task *Handle) {
  return reinterpret_cast<Access *>(reinterpret_cast<uintptr_t>(Handle) - 2);
}
inline hsched_task *itemHandle(Access *Accesses) {
  return reinterpret_cast<hsched_task *>(reinterpret_cast<uintptr_t>(Accesses) + 2);
}

} // namespace hsched::rt
#endif
