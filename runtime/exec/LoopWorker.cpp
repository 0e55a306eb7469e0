// Shared loops in the executor: the worker's side.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"

#include <thread>
#include <utility>

namespace hsched::rt {

// True if there was an open loop; the worker has then done its share of it.
bool Executor::joinOpenLoop(ThreadState &Me, Seat &S) {
  LoopSlot *L = Loops.joinOwn(S.W->Id);
  LoopSlot::Line *Own = L ? &L->Lines[S.W->Id] : nullptr;
  if (!L && !(L = Loops.join()))
    return false;
  if (L->Long)
    ReadyTasks.cancelIdle(S);
  help(Me, *L, Own, S);
  return true;
}

// On a worker that found no task: searches for loops while some are expected. True if it must search for tasks.
bool Executor::joinLoops(ThreadState &Me, Seat &S) {
  if (S.W->Dev)
    return false;
  if (!Loops.shouldSearch(loopClock()))
    return joinOpenLoop(Me, S); // A loop for which it was woken and scheduled late.
  constexpr unsigned PollsBetweenClocks = 16, PollsBeforeYields = 1024;
  const WorkerId Id = S.W->Id;
  Parker &P = ownParker();
  bool Again = false;
  Loops.look(Id);
  for (unsigned Polls = 1;; ++Polls) {
    const bool Now = Polls % PollsBetweenClocks == 0;
    LoopSlot *L = Loops.joinOwn(Id);
    LoopSlot::Line *Own = L ? &L->Lines[Id] : nullptr;
    if (!L && Now)
      L = Loops.join();
    if (L) {
      // In a short loop it still counts as searching, because all workers would update the counter at once.
      const bool Long = L->Long;
      if (Long) {
        Loops.stopSearching(Id);
        ReadyTasks.cancelIdle(S);
      }
      const bool Submitted = help(Me, *L, Own, S);
      if (Long)
        return true;
      if (Submitted || Me.S != &S) {
        Loops.stopSearching(Id);
        return true;
      }
      Polls = 0;
      continue;
    }
    if (P.pending()) // Consumed, because the next call would find it again.
      Again = P.park(Duration(0));
    if ((Again |= Stopping.load(std::memory_order_relaxed)))
      break;
    if (Now && !Loops.shouldSearch(loopClock()))
      break;
    if (Polls > PollsBeforeYields && Now)
      std::this_thread::yield();
    else
      Parker::pause();
  }
  // A thread that opens a loop wakes no worker if it sees this one searching. So this one searches once more after
  // leaving the count.
  Loops.stopSearching(Id);
  return joinOpenLoop(Me, S) || Again;
}

// Tasks submitted by iterations are children of a task that represents the worker's part of the loop. True if there
// were any: a wait for them may have consumed wake-ups for the worker. Own: the line by which it joined; null: none.
bool Executor::help(ThreadState &Me, LoopSlot &L, LoopSlot::Line *Own, Seat &S) {
  struct Leave {
    LoopSlot &L;
    LoopSlot::Line *Own;
    ~Leave() { Own ? Own->leave() : LoopTeam::leave(L); }
  } AtEnd{L, Own};
  hsched_loop_share OwnShare;
  OwnShare.Slot = &L;
  OwnShare.Part = Own ? Own->Number : S.W->Id % L.NumParts;
  OwnShare.Alone = false;
  OwnShare.Steals = L.Steal || !Own;
  struct Call {
    LoopSlot &L;
    hsched_loop_share &OwnShare;
  } Arguments{L, OwnShare};
  TaskNode *Node = nullptr;
  try {
    Node = createTask(nullptr, 0);
  } catch (const std::bad_alloc &) { // The other threads run without this one.
    return false;
  }
  Node->Parent = L.Context;
  TaskNode *Outer = std::exchange(Me.Current, Node);
  CallFrame *OuterCall = std::exchange(Me.Call, nullptr);
  ++Me.Depth;
  const int64_t Begin = loopClock();
  try {
    Outside Program(*this, Me);
    runBody(
        Me,
        [](void *A) {
          auto &C = *static_cast<Call *>(A);
          C.L.Work(C.L.Closure, &C.OwnShare);
        },
        &Arguments);
  } catch (...) {
    L.fail(std::current_exception());
  }
  while (hasMore(*Node))
    try {
      taskwait(Me, true);
    } catch (...) {
      L.fail(std::current_exception());
    }
  --Me.Depth;
  Me.Current = Outer;
  Me.Call = OuterCall;
  notifyLoop(Me, *L.Loop, Begin, Watch ? loopClock() : Begin);
  const bool Submitted = Node->Extras != nullptr;
  release(*Node);
  return Submitted;
}

} // namespace hsched::rt
