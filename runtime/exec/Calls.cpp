// Tasks that are run as calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Calls.h"
#include "exec/Executor.h"
#include "exec/Runs.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

namespace hsched::rt {

inline bool Executor::quiet(const ThreadState &Me) {
  const TaskNode *T = Me.Call ? Me.Call->Node : Me.Current;
  return !T || (!T->hasAny(Signal::HasFailure, Signal::ChildFailed) && !hasMore(*T));
}

CallFrame *Executor::beginCall(ThreadState &Me, TaskType &Type, unsigned NumAccesses) noexcept {
  // Checked again at its submission: see submitBegun. If the last attempt succeeded, the check is skipped here.
  if (Me.inTask() ? !quiet(Me)
                  : Me.S || Seat0.load(std::memory_order_relaxed) != Free ||
                        (!Me.Entered && Table->outstanding() != 0) || Root->has(Signal::ChildFailed))
    return nullptr;
  const Version *V = Type.Quick.load(std::memory_order_acquire);
  if (!V)
    return nullptr;

  FrameShape S(Type, NumAccesses);
  StackMark Was;
  char *At = pushOnStack(Me, S.Bytes, Was);
  return At ? &frameAt(At, S, Was, Type, *V, NumAccesses) : nullptr;
}

void Executor::abandonCall(ThreadState &Me, CallFrame &F) noexcept { popFromStack(Me, &F, F.Was); }

inline void Executor::runCall(ThreadState &Me, CallFrame &F) {
  Me.Call = &F;
  if (Numbered && !F.AtRoot) [[unlikely]] // Before others can ask for it.
    F.Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  try {
    runUnchosen(Me, RunOfCall{F});
  } catch (...) {
    failCall(Me, F);
  }
  if (F.Node) [[unlikely]] { // The continuation may use the arguments.
    if (hasMore(*F.Node))
      awaitChildren(Me, *F.Node);
    awaitDetached(Me, *F.Node);
  }
  if (F.Type->Desc->destroy)
    try {
      F.Type->Desc->destroy(F.Args);
    } catch (...) { // Handled like an exception of the body.
      failCall(Me, F);
    }
  if (F.Node) [[unlikely]]
    endNode(Me, F);
  Me.Call = F.Outer;
}

void Executor::submitNested(ThreadState &Me, hsched_task *Handle, CallFrame &Around) {
  CallFrame &F = callOf(Handle);
  F.Label = nullptr;
  F.Cost = NoCost;
  F.Outer = &Around;
  F.Final = Around.Final;
  F.AtRoot = false;
  runCall(Me, F);
  popFromStack(Me, &F, F.Was);
}

void Executor::submitCall(ThreadState &Me, CallFrame &F, const hsched_submit_options &How) {
  if (How.where) [[unlikely]]
    return submitBegun(Me, F, How);
  F.Label = How.label;
  F.Cost = How.flags & HSCHED_SUBMIT_COST ? How.cost : NoCost;
  F.Outer = Me.Call;
  F.Final = (How.flags & HSCHED_SUBMIT_FINAL) || inFinal(Me);
  F.AtRoot = !Me.inTask();
  if (F.AtRoot ? (Me.Entered = enterRootCall(Me, F)) : quiet(Me)) [[likely]] {
    runCall(Me, F);
    if (F.AtRoot)
      leaveRootCall(Me, F);
    popFromStack(Me, &F, F.Was);
  } else {
    submitBegun(Me, F, How);
  }
}

// An exception is being handled.
[[gnu::cold, gnu::noinline]] void Executor::failCall(ThreadState &Me, CallFrame &F) {
  TaskNode &N = nodeOf(Me, F);
  if (!N.has(Signal::HasFailure))
    recordFailure(N, std::current_exception(), N);
}

// Ends F as a task: it has a node.
[[gnu::noinline]] void Executor::endNode(ThreadState &Me, CallFrame &F) {
  TaskNode &N = *F.Node;
  // Its successors must not run if it failed.
  if (N.has(Signal::HasFailure)) {
    if (!F.Recorded) {
      TaskNode *Closed = nullptr;
      (void)domainOf(*N.Parent).submit(N, nullptr, &Closed); // It has run.
      if (Closed)
        closed(Me, Closed, NoWorker);
    }
    if (F.AtRoot)
      N.Submitter = serialOfThread(Me);
  }
  if (F.AtRoot && !Me.S->OwnLoan) // No other thread makes a node for it from here on.
    Seat0.store(Taken);
  F.Node = nullptr;
  if (std::exchange(F.Watched, false))
    HangMonitor->endOfLast();
  bodyEnded(Me, N, 0);
}

// --- outside any task

bool Executor::enterRootCall(ThreadState &Me, CallFrame &F) {
  auto Address = reinterpret_cast<uintptr_t>(&F);
  uintptr_t Seen = Free;
  if (Me.S || !Seat0.compare_exchange_strong(Seen, Address | Announced))
    return false;
  Me.S = &Seats.front();
  // A thread with a full submission first counts its task, then reads Seat0 and waits while a call is announced. So
  // either this thread sees that task, or that thread sees this call. An open reduction is not a task yet, and its
  // result is missing until it has run; a closed one counts in Live.
  if (Table->outstanding() == 0 && !RootDomain.anyOpen() && Root->Live.load() == 1 && !Root->has(Signal::ChildFailed))
      [[likely]] {
    if (Numbered) [[unlikely]] // The thread that adopts the call reads it.
      F.Id = NextTask.fetch_add(1, std::memory_order_relaxed);
    Seat0.store(Address, std::memory_order_release);
    return true;
  }
  leaveSeat0(Me);
  return false;
}

void Executor::leaveRootCall(ThreadState &Me, CallFrame &F) {
  uintptr_t Seen = reinterpret_cast<uintptr_t>(&F);
  if (!Seat0.compare_exchange_strong(Seen, Free)) [[unlikely]] {
    if (Me.S->OwnLoan) // Its node is complete.
      return leaveSeat0(Me);
    if (Seen != Taken) { // Another thread has made a node for it, or will.
      adoptRootCall(Me);
      F.Node = RootCallNode;
      F.Recorded = true;
      endNode(Me, F);
    }
    return leaveSeat0(Me);
  }
  Me.S = nullptr;
  if (Sleeping.any() || Called0.load()) [[unlikely]] {
    Sleeping.notify();
    if (Called0.load())
      wake(0);
  }
}

void Executor::adoptRootCall(ThreadState &Me) {
  for (;;) {
    uintptr_t Seen = Seat0.load(), Bits = Seen & CallBits;
    if (Seen == Free || Seen == Taken || Bits == Adopted)
      return;
    if (Bits != 0) { // Announced, or just adopted by another thread: this takes a few instructions.
      std::this_thread::yield();
      continue;
    }
    if (!Seat0.compare_exchange_strong(Seen, Seen | Adopting))
      continue;
    TaskNode *Closed = nullptr;
    try {
      RootCallNode = &makeNode(Me, *reinterpret_cast<CallFrame *>(Seen), *Root);
    } catch (...) {
      Seat0.store(Seen);
      throw;
    }
    (void)RootDomain.submit(*RootCallNode, nullptr, &Closed); // It had no unfinished predecessor at its begin.
    Seat0.store(Seen | Adopted);
    if (Closed)
      closed(Me, Closed, NoWorker);
    return;
  }
}

// --- calls as tasks

TaskNode &Executor::makeNode(ThreadState &Me, const CallFrame &F, TaskNode &Parent) {
  TaskNode &N = *createTask(F.Type, F.NumAccesses);
  std::copy_n(F.AccessList, F.NumAccesses, N.AccessList);
  for (Access &A : std::span(N.AccessList, N.NumAccesses))
    if (A.mode > HSCHED_INOUT) // It runs alone.
      A.mode = HSCHED_INOUT;
  setLabel(N, F.Label);
  N.DataBytes = dataBytes(N.accesses());
  N.Cost = F.Cost;
  N.Id = Numbered ? F.Id : NextTask.fetch_add(1, std::memory_order_relaxed);
  N.Final = F.Final;
  N.Parent = &Parent;
  (void)Parent.extras();
  enrol(Me, Parent);
  if (HangMonitor) {
    HangMonitor->submitted(N);
    HangMonitor->runsAsCall(N, ownWorker(Me) == NoWorker ? 0 : ownWorker(Me));
  }
  return N;
}

TaskNode &Executor::nodeOf(ThreadState &Me, CallFrame &F) {
  if (F.Node) [[likely]]
    return *F.Node;
  // Iteration, not recursion: calls may be nested so deep that the stack would not suffice.
  std::vector<CallFrame *> Inward{&F};
  while (Inward.back()->Outer && !Inward.back()->Outer->Node)
    Inward.push_back(Inward.back()->Outer);
  for (; !Inward.empty(); Inward.pop_back()) {
    CallFrame &C = *Inward.back();
    if (C.AtRoot) {
      adoptRootCall(Me);
      C.Node = RootCallNode;
      C.Recorded = true;
    } else {
      TaskNode *Outer = Me.Current; // None: a bundle's item.
      C.Node = &makeNode(Me, C, C.Outer ? *C.Outer->Node : Outer ? *Outer : *Root);
    }
    if ((C.Watched = HangMonitor != nullptr))
      HangMonitor->bodyBegins(*C.Node, ownWorker(Me) == NoWorker ? 0 : ownWorker(Me), ownBodies(Me));
  }
  return *F.Node;
}

// F was begun as a call but cannot be one: it may have an unfinished or failed predecessor by now. Its arguments stay
// in place. Outside any task they are alone in the thread's chunk, which becomes the task's. Otherwise this waits for
// the task.
[[gnu::noinline]] void Executor::submitBegun(ThreadState &Me, CallFrame &F, const hsched_submit_options &How) {
  TaskNode &T = *createTask(F.Type, F.NumAccesses);
  std::copy_n(F.AccessList, F.NumAccesses, T.AccessList);
  T.Args = F.Args;
  StackMark Was = F.Was;
  if (void *Memory = detachFromStack(Me, &F, Was)) {
    T.extras().OwnedArgs = Memory;
    return submit(Me, T, How);
  }
  retain(T);
  hsched_submit_options Awaited = How;
  Awaited.flags |= HSCHED_SUBMIT_UNDEFERRED;
  submit(Me, T, Awaited);
  workUntil(Me, [&T] { return T.complete(); }, inside(context(Me)));
  release(T);
  popFromStack(Me, &F, F.Was);
}

} // namespace hsched::rt
