// What follows when a task has ended: successors, parents, failures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "exec/Executor.h"
#include <hsched/hsched.h>

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

bool Executor::dispatch(TaskNode &T, WorkerId From, bool Activated) {
  if (T.Groups && !takeTurn(T))
    return true;
  if (T.InPlace) {
    T.Mine.store(true);
    notifyWaiters();
    return true;
  }
  if (!usableSomewhere(T)) {
    std::string Device, Cause = whyUnusable(T, Device);
    fail(T, Device, Cause);
    return false;
  }
  if (Activated)
    Scheduler.pushActivated(T, From);
  else
    Scheduler.push(T, From);
  return true;
}

void Executor::bodyEnded(TaskNode &T, WorkerId From) {
  if (T.Children && T.Children->anyOpen())
    endGroups(T, From);
  if (T.Live.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return; // its last child completes it
  T.NextReady = nullptr;
  completeAll(&T, From);
}

// List holds tasks with nothing left alive, linked by NextReady. A list and a loop, not recursion: a failure may cancel
// a chain of any length.
void Executor::completeAll(TaskNode *List, WorkerId From) {
  while (List) {
    TaskNode &T = *List;
    List = T.NextReady;
    TaskNode &Parent = *T.Parent;
    if (T.IsCombination)
      combine(T, From);
    T.Children.reset();
    try {
      destroyArgs(T);
    } catch (...) { // a destructor's exception arrives where the body's would
      recordFailure(T, std::current_exception(), T);
    }
    bool Failed = T.Poisoned.load(std::memory_order_relaxed);
    if (T.HasFailure.load(std::memory_order_acquire)) {
      Failed = true;
      recordFailure(Parent, T.Failure, T);
    }

    // Before its successors, which need no turn that it has.
    TaskNode *Next;
    for (TaskNode *Turn = giveTurn(T); Turn; Turn = Next) {
      Next = Turn->NextReady;
      List = readied(*Turn, From, List);
    }
    for (TaskNode *Ready = complete(T, Failed); Ready; Ready = Next) {
      Next = Ready->NextReady;
      List = readied(*Ready, From, List);
    }

    if (T.Awaited) {
      T.Mine.store(true);
      notifyWaiters();
    }
    if (!T.IsCombination && Outstanding.fetch_sub(1) == LowWater + 1)
      notifyWaiters();
    uint32_t Before = Parent.Live.fetch_sub(1); // sequentially consistent, as are Waiter and NumWaiters
    if (Before == 2) {
      if (&Parent == Root)
        notifyWaiters();
      else if (Parker *P = Parent.Waiter.load())
        P->unpark();
    } else if (Before == 1) {
      Parent.NextReady = List;
      List = &Parent;
    }
    release(T);
  }
}

// Ready has nothing to wait for any more. Returns List, with Ready in front if it is complete.
TaskNode *Executor::readied(TaskNode &Ready, WorkerId From, TaskNode *List) {
  if (Ready.IsWait) {
    Ready.Live.store(0);
    notifyWaiters();
    release(Ready);
    return List;
  }
  bool Cancelled = !Ready.IsCombination && Ready.Poisoned.load(std::memory_order_relaxed);
  if (Cancelled)
    neverRan(Ready, Outcome::Cancelled);
  if (!Cancelled && !Ready.IsCombination && dispatch(Ready, From, true))
    return List;
  Ready.Live.store(0, std::memory_order_relaxed);
  Ready.NextReady = List;
  return &Ready;
}

void Executor::endGroups(TaskNode &Parent, WorkerId From) {
  DependenceDomain *Domain = &Parent == Root ? &RootDomain : Parent.Children.get();
  if (Domain && Domain->anyOpen())
    completeAll(Domain->closeAll(), From);
}

void Executor::neverRan(TaskNode &T, Outcome How) {
  if (!Watch)
    return;
  const Seat *S = threadState().S;
  WorkerId W = S ? S->W->Id : 0;
  TimePoint Now = Time.now();
  RowId Row = Machine.Workers[W].Dev ? computeRow(W, 0) : cpuRow(W);
  Watch->ran({T.Id, T.Type->name(), nullptr, T.Label, Row, W, T.DataBytes, {Now, Now}, How, T.Cost});
}

void Executor::fail(TaskNode &T, const std::string &Device, const std::string &Cause) {
  recordFailure(T, std::make_exception_ptr(task_error(T.Label, Device, Cause)), T);
  neverRan(T, Outcome::Failed);
}

void Executor::recordFailure(TaskNode &Holder, std::exception_ptr Failure, const TaskNode &From) {
  {
    std::lock_guard Guard(TroubleLock);
    if (!Holder.HasFailure.load(std::memory_order_relaxed)) {
      Holder.Failure = std::move(Failure);
      Holder.HasFailure.store(true, std::memory_order_release);
      return;
    }
  }
  log(LogLevel::Warning, "task '%s' failed after another one had: %s", From.Label, textOf(Failure).c_str());
}

void Executor::throwFailure(TaskNode &Holder) {
  if (!Holder.HasFailure.load(std::memory_order_acquire))
    return;
  std::exception_ptr Failure;
  {
    std::lock_guard Guard(TroubleLock);
    Failure = std::exchange(Holder.Failure, nullptr);
    Holder.HasFailure.store(false, std::memory_order_relaxed);
  }
  if (Failure)
    std::rethrow_exception(Failure);
}

} // namespace hsched::rt
