// Fast paths that begin a call or an item of a bundle. Part of Executor.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_BEGINS_H
#define HSCHED_EXEC_BEGINS_H

#include "exec/Executor.h"

namespace hsched::rt {

inline hsched_task *Executor::beginQuick(ThreadState &Me, TaskType &Type, unsigned NumAccesses, Access *&Accesses,
                                         void *&Args) {
  if (runsAtOnce(Me, Type))
    if (CallFrame *F = beginCall(Me, Type, NumAccesses)) {
      Accesses = F->AccessList;
      Args = F->Args;
      return handleOf(*F);
    }
  return ReadyTasks.Paths.Bundles ? beginItem(Me, Type, NumAccesses, Accesses, Args) : nullptr;
}

inline hsched_task *Executor::beginNested(ThreadState &Me, TaskType &Type, unsigned NumAccesses, Access *&Accesses,
                                          void *&Args) {
  if (!Me.Call || Me.Call->Node || !runsAtOnce(Me, Type))
    return nullptr;
  const Version *V = Type.Quick.load(std::memory_order_acquire);
  FrameShape S(Type, NumAccesses);
  if (!V || static_cast<size_t>(Me.End - Me.Top) < S.Bytes)
    return nullptr;
  StackMark Was{Me.Top, Me.End};
  Me.Top += S.Bytes;
  CallFrame &F = frameAt(Was.Top, S, Was, Type, *V, NumAccesses);
  Accesses = F.AccessList;
  Args = F.Args;
  return handleOf(F);
}

} // namespace hsched::rt
#endif
