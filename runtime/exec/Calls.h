// Tasks that are run as calls: by the thread that submits them, at once, in its own frame.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where there is one worker, a task that nothing unfinished stands before may run at its submission: order of
// submission is an order that every dependence allows. Such a task has no node, takes no part in its parent's domain,
// and is not told to the policy; its arguments lie on a stack of the thread's own. Only where something has to refer to
// it as a task (a child that is submitted the long way, a failure, another thread that submits meanwhile) is a node
// made for it: what is not looked at is not computed, as in XKaapi.
#ifndef HSCHED_EXEC_CALLS_H
#define HSCHED_EXEC_CALLS_H

#include "graph/TaskGraph.h"

namespace hsched::rt {

// How a thread's stack was before something was taken from it: its free part.
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
  TaskNode *Node;    // Null until somebody needs it.
  const char *Label; // The submitter's.
  TaskId Id;         // Where tasks are logged.
  double Cost;
  StackMark Was; // How the thread's stack was before.
  uint32_t NumAccesses;
  bool Final;
  bool AtRoot;   // Outside any task: other threads may look at it, see Executor::Seat0.
  bool Told;     // The watchdog, that Node's body is this one.
  bool Recorded; // Node is in its parent's domain.
};

// The opaque handle of the ABI with its lowest bit set is a call.
inline bool isCall(const hsched_task *Handle) { return reinterpret_cast<uintptr_t>(Handle) & 1; }
inline CallFrame &callOf(hsched_task *Handle) {
  return *reinterpret_cast<CallFrame *>(reinterpret_cast<uintptr_t>(Handle) - 1);
}
inline hsched_task *handleOf(CallFrame &F) {
  return reinterpret_cast<hsched_task *>(reinterpret_cast<uintptr_t>(&F) + 1);
}

// With the next bit set it is the accesses of a task that may go into a bundle.
inline bool isQuick(const hsched_task *Handle) { return reinterpret_cast<uintptr_t>(Handle) & 3; }
inline Access *itemOf(hsched_task *Handle) {
  return reinterpret_cast<Access *>(reinterpret_cast<uintptr_t>(Handle) - 2);
}
inline hsched_task *itemHandle(Access *Accesses) {
  return reinterpret_cast<hsched_task *>(reinterpret_cast<uintptr_t>(Accesses) + 2);
}

} // namespace hsched::rt
#endif
