// Completion of tasks: successors, parents, failures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "base/NoMemory.h"
#include "exec/Executor.h"
#include "graph/Bundle.h"
#include <hsched/hsched.h>

#include <algorithm>

namespace hsched::rt {
namespace {

std::string textOf(const std::exception_ptr &Failure) {
  try {
    std::rethrow_exception(Failure);
  } catch (const std::exception &E) {
    return E.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

} // namespace

bool Executor::dispatch(ThreadState &Me, TaskNode &T, WorkerId From, bool Activated) {
  if (T.At == Stage::DispatchedEarly)
    return true;
  if (T.Groups && !takeTurn(T))
    return true;
  if (HangMonitor)
    HangMonitor->ready(T);
  if (T.Runs == Turn::InPlace) {
    T.set(Signal::RunInPlace);
    Sleeping.notify();
    return true;
  }
  if (ReadyTasks.keep(Me, T, Activated))
    return true;
  if (T.Placed && placementOf(T).Together && !usableSomewhere(T)) // Its device has failed.
    placementOf(T).Together->unsettle();
  if (!usableSomewhere(T))
    if (auto Now = holdOrFail(Me, T); Now != ArrivingDevices::Standing::Usable) {
      if (Now == ArrivingDevices::Standing::Deferred)
        return true;
      if (!T.has(Signal::HasFailure))
        failUnusable(Me, T);
      return false;
    }
  try {
    ReadyTasks.push(T, From, Activated);
  } catch (const std::bad_alloc &) {
    recordFailure(T, std::current_exception(), T);
    neverRan(Me, T, Outcome::Failed);
    return false;
  }
  return true;
}

void Executor::bodyEnded(ThreadState &Me, TaskNode &T, WorkerId From) {
  if (HangMonitor)
    HangMonitor->ended(T);
  if (DependenceDomain *Domain = T.children(); Domain && Domain->anyOpen())
    endGroups(Me, T, From);
  if (T.Extras && T.Extras->Detach.load(std::memory_order_relaxed)) [[unlikely]]
    if (!(T.Extras->Detach.fetch_or(BodyIsOver) & WorkIsOver))
      return; // endDetached continues from here.
  lastBodyEnds(Me, T, From);
}

void Executor::lastBodyEnds(ThreadState &Me, TaskNode &T, WorkerId From) {
  // At 1 only the body is left, and this is its end.
  if (T.Live.load(std::memory_order_acquire) != 1 && T.Live.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return; // Its last child completes it.
  T.NextReady = nullptr;
  completeAll(Me, &T, From);
}

// List: tasks with Live == 0, linked by NextReady. A loop, not recursion: a failure may cancel a chain of any
// length.
void Executor::completeAll(ThreadState &Me, TaskNode *List, WorkerId From) {
  while (List) {
    TaskNode &T = *List;
    List = T.NextReady;
    TaskNode &Parent = *T.Parent;
    bool Outer = std::exchange(Me.Completing, true);
    if (T.isCombination())
      combine(Me, T, From);
    if (HangMonitor)
      HangMonitor->complete(T);
    if ((Hooks & HookSubmitted) && !ReadyTasks.Paths.Stealing) [[unlikely]]
      Scheduler.complete(T);
    if (T.Extras) {
      T.Extras->Children.reset();
      for (const QueueEnds::End &E : std::exchange(T.Extras->Queues.All, {}))
        if (E.Last)
          release(*E.Last);
    }
    try {
      if (!Options.Hosted) [[likely]] {
        destroyArgs(T);
      } else {
        Outside Program(*this, Me);
        destroyArgs(T);
      }
    } catch (...) { // A destructor's exception is handled like one of the body.
      recordFailure(T, std::current_exception(), T);
    }
    Me.Completing = Outer;
    bool Failed = T.isBundle() ? T.Failed : T.has(Signal::Poisoned);
    if (T.has(Signal::HasFailure)) {
      Failed = true;
      // Moved, not copied: T may outlive the enclosing catch clause, and no destructor of an exception may run here.
      recordFailure(Parent, std::move(T.Extras->Failure), T);
    }
    if (Failed)
      Parent.set(Signal::ChildFailed); // Visible together with the end of T.

    // Before its successors: they do not need its sections' turns.
    TaskNode *Next;
    for (TaskNode *Turn = passTurn(T); Turn; Turn = Next) {
      Next = Turn->NextReady;
      List = readied(Me, *Turn, From, List);
    }
    for (TaskNode *Ready = complete(T, Failed); Ready; Ready = Next) {
      Next = Ready->NextReady;
      List = readied(Me, *Ready, From, List);
    }
    if (Hooks & HookActivated) [[unlikely]]
      Scheduler.activated(From);

    if (T.Runs != Turn::Queued) {
      T.set(Signal::RunInPlace);
      Sleeping.notify();
    }
    if (T.Extras && T.Extras->Named) [[unlikely]]
      notifyEnd(Me, T, Failed);
    if (&Parent != Root || T.isCombination()) {
      uint32_t Before = Parent.Live.fetch_sub(1); // Sequentially consistent, as is Waiters::any.
      if (Before == 2) {
        if (&Parent == Root)
          Sleeping.notify();
      } else if (Before == (TaskNode::BodyWaits | 2)) {
        Parker *P = Parent.Extras->Waiter; // The parker is never freed.
        Parent.Live.store(1);
        P->unpark();
      } else if (Before == 1) {
        Parent.NextReady = List;
        List = &Parent;
      }
    }
    if (!T.isCombination())
      less(Me, T.isBundle() ? weightOf(T) : 1);
    release(T);
  }
  if (!Me.MayKeepNext) // Otherwise this thread searches open bundles.
    ReadyTasks.offerReadyTasks();
}

void Executor::closed(ThreadState &Me, TaskNode *List, WorkerId From) {
  TaskNode *Combinations = nullptr;
  while (List) {
    TaskNode &T = *std::exchange(List, List->NextReady);
    if (T.isBundle()) {
      ReadyTasks.enqueueBundle(Me, T);
    } else {
      T.NextReady = Combinations;
      Combinations = &T;
    }
  }
  completeAll(Me, Combinations, From);
}

// Counts submitted tasks as complete.
void Executor::less(ThreadState &Me, uint64_t Tasks) {
  ownQueue(Me).Completed.fetch_add(Tasks); // Sequentially consistent, as are the reads in anyFor.
  if (Sleeping.anyFor([this] { return Table->outstanding(); }))
    Sleeping.notify();
}

// Ready has become ready. Returns List, with Ready in front if it is complete.
TaskNode *Executor::readied(ThreadState &Me, TaskNode &Ready, WorkerId From, TaskNode *List) {
  if (Ready.isWait()) {
    Ready.Live.store(0);
    Sleeping.notify();
    release(Ready);
    return List;
  }
  bool Cancelled = !Ready.isCombination() && !Ready.isBundle() && Ready.has(Signal::Poisoned);
  if (Cancelled)
    neverRan(Me, Ready, Outcome::Cancelled);
  if (!Cancelled && !Ready.isCombination() && dispatch(Me, Ready, From, true))
    return List;
  Ready.Live.store(0, std::memory_order_relaxed);
  Ready.NextReady = List;
  return &Ready;
}

void Executor::endGroups(ThreadState &Me, TaskNode &Parent, WorkerId From) {
  DependenceDomain *Domain = &Parent == Root ? &RootDomain : Parent.children();
  if (Domain && Domain->anyOpen())
    completeAll(Me, Domain->closeAll(), From);
}

void Executor::neverRan(ThreadState &Me, TaskNode &T, Outcome How) {
  if (!Watch)
    return;
  const Seat *S = Me.S;
  WorkerId W = S ? S->W->Id : 0;
  if (Log)
    return logRun(Me, T.Id, {nullptr, Log->now(), Log->now(), W, How});
  TimePoint Now = Time.now();
  RowId Row = Machine.Workers[W].Dev ? computeRow(W, 0) : cpuRow(W);
  Watch->ran({T.Id, T.Type->name(), nullptr, T.Label, Row, W, T.DataBytes, {Now, Now}, How, T.Cost});
}

void Executor::fail(ThreadState &Me, TaskNode &T, const std::string &Device, const std::string &Cause) {
  std::exception_ptr Failure;
  try {
    Failure = std::make_exception_ptr(task_error(T.Label, Device, Cause));
  } catch (const std::bad_alloc &) {
    Failure = std::current_exception();
  }
  recordFailure(T, std::move(Failure), T);
  neverRan(Me, T, Outcome::Failed);
}

void Executor::recordFailure(TaskNode &Holder, std::exception_ptr Failure, const TaskNode &From) {
  if (&Holder == Root)
    return recordRootFailure(std::move(Failure), From);
  bool First = false;
  retryUntilAllocated([&] { // A lost failure would be a wrong result.
    std::lock_guard Guard(ErrorLock);
    if (Holder.has(Signal::HasFailure))
      return;
    Holder.extras().Failure = std::move(Failure);
    Holder.set(Signal::HasFailure);
    First = true;
  });
  if (!First)
    logLaterFailure(From, Failure);
}

void Executor::logLaterFailure(const TaskNode &From, const std::exception_ptr &Failure) {
  try {
    log(LogLevel::Warning, "task '%s' failed after another one had: %s", From.Label, textOf(Failure).c_str());
  } catch (const std::bad_alloc &) { // The first failure is still reported.
  }
}

uint32_t Executor::serialOfThread(ThreadState &Me) {
  static std::atomic<uint32_t> Last{0};
  while (!Me.Serial)
    Me.Serial = Last.fetch_add(1, std::memory_order_relaxed) + 1;
  return Me.Serial;
}

void Executor::recordRootFailure(std::exception_ptr Failure, const TaskNode &From) {
  bool First = false;
  retryUntilAllocated([&] {
    std::lock_guard Guard(ErrorLock);
    First = Failures.record(Failure, From.Submitter);
    if (First)
      Root->set(Signal::HasFailure);
  });
  if (!First)
    logLaterFailure(From, Failure);
}

void Executor::throwRootFailure(ThreadState &Me, bool All) {
  if (!Failures.any() && !Root->has(Signal::ChildFailed)) // Later failures do not belong to this wait.
    return RootDomain.sweep(false);
  std::exception_ptr Failure;
  {
    std::lock_guard Guard(ErrorLock);
    Failure = Failures.report(Me.Serial);
    // A failure that no wait has thrown still cancels successors. A task that fails now is not complete, and so not
    // forgotten, before its failure has been recorded under the lock.
    const bool AllThrown = Failures.allThrown();
    if (AllThrown)
      Root->clear(Signal::HasFailure);
    else
      Root->set(Signal::HasFailure);
    if (All && AllThrown)
      Root->clear(Signal::ChildFailed);
    RootDomain.sweep(AllThrown);
  }
  if (Failure)
    std::rethrow_exception(Failure);
}

void Executor::throwFailure(ThreadState &Me, TaskNode &Holder) {
  if (&Holder == Root)
    return throwRootFailure(Me, false);
  if (!Holder.has(Signal::HasFailure))
    return;
  std::exception_ptr Failure;
  {
    std::lock_guard Guard(ErrorLock);
    Failure = std::exchange(Holder.Extras->Failure, nullptr);
    Holder.clear(Signal::HasFailure);
  }
  if (Failure)
    std::rethrow_exception(Failure);
}

} // namespace hsched::rt
