// Tasks that the submitting thread runs itself: if(0), final, and children of a final task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"

#include <vector>

namespace hsched::rt {

const Version *Executor::cpuVersion(const TaskNode &T, const Worker &W) const {
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
    if (const Version &V = T.Type->Versions[I]; V.Desc->run && Platform::usable(W, V, T))
      return &V;
  return nullptr;
}

// T has been linked. Ready: no predecessor is unfinished. Returns when its body has ended; its children may be
// unfinished.
void Executor::runInPlace(ThreadState &Me, TaskNode &T, bool Ready) {
  WorkerId From = Me.S ? Me.S->W->Id : NoWorker;
  const TaskNode *Within = inside(*T.Parent);
  if (Ready && T.has(Signal::Poisoned)) {
    neverRan(Me, T, Outcome::Cancelled);
    bodyEnded(Me, T, From);
    return release(T);
  }
  if (!Ready) {
    WaitReport Waiting(*this, Me, Awaits::Task, {}, &T);
    workUntil(Me, [&T] { return T.has(Signal::RunInPlace); }, Within);
  }
  if (T.complete()) // Cancelled.
    return release(T);

  // A thread that is no worker takes seat 0 while the body runs.
  bool TookSeat = !Me.S && tryTakeSeat0(Me);
  const Version *V = Me.S ? cpuVersion(T, *Me.S->W) : nullptr;
  T.Runs = Turn::Awaited;
  T.clear(Signal::RunInPlace);
  bool Ran = V && runOnCpu(Me, *Me.S, T, *V, false);
  if (TookSeat)
    leaveSeat0(Me);
  if (!Ran) {
    // No version for this thread: another worker runs it meanwhile.
    if (!V && !dispatch(Me, T, From, false))
      bodyEnded(Me, T, From);
    WaitReport Waiting(*this, Me, Awaits::Task, {}, &T);
    workUntil(Me, [&T] { return T.has(Signal::RunInPlace); }, Within);
    // The caller goes on as if it had run here, so its outputs must be on the host.
    std::vector<Access> Written;
    for (const Access &A : T.accesses())
      if (writes(A) && A.mode != HSCHED_REDUCTION) // A reduced section has no value before the group has ended.
        Written.push_back(A);
    if (!T.Failed && !Written.empty())
      if (std::exception_ptr Homeless = flushFor(Written, false)) {
        release(T);
        std::rethrow_exception(Homeless);
      }
  }
  release(T);
}

} // namespace hsched::rt
