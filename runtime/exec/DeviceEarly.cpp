// Tasks that a device takes before they are ready, because all their unfinished predecessors are on that device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only this thread completes tasks on its device. So a task whose Pending equals the number of its predecessors here
// becomes ready on this thread only, and lives until then. It can be marked, launched and unmarked without a lock. Its
// data are ordered too: the directory knows the predecessors' kernels.
#include "exec/DeviceWorker.h"

#include "base/NoMemory.h"

#include <algorithm>
#include <unordered_set>

namespace hsched::rt {

bool DeviceWorker::takeEarly() {
  bool Any = false;
  if (Dev.lost())
    return Any;
  // Tasks taken now are appended, and visited later in this loop.
  for (Flight &F : InFlight) {
    if (InFlight.size() >= room())
      break;
    if (F.Done && !F.Unlisted)
      try {
        Any |= scanSuccessors(F);
      } catch (const std::bad_alloc &) { // The task is taken later, when it is ready.
      }
  }
  return Any;
}

bool DeviceWorker::scanSuccessors(Flight &F) {
  SuccessorLink *Head = F.T->Successors.load(std::memory_order_acquire);
  if (Head == F.Seen)
    return false;
  NewSuccessors.clear();
  for (SuccessorLink *L = Head; L != F.Seen; L = L->Next)
    NewSuccessors.push_back(L);
  bool Any = false;
  for (; !NewSuccessors.empty(); NewSuccessors.pop_back()) { // In order of submission.
    TaskNode &To = *NewSuccessors.back()->To;
    int32_t Pending = To.Pending.load(std::memory_order_acquire);
    if (Pending > MostPredecessors)
      break; // Still being linked.
    F.Seen = NewSuccessors.back();
    Any |= consider(To, F, Pending);
  }
  return Any;
}

bool DeviceWorker::consider(TaskNode &To, const Flight &F, int32_t Pending) {
  if (!To.Type || To.isWait() || To.isCombination() || To.Runs != Turn::Queued || To.Groups ||
      To.has(Signal::Poisoned) || InFlight.size() >= room())
    return false;
  if (Pending == 1)
    return acceptEarly(To, {&F.Done, 1});
  Partly &P = Behind[&To];
  P.After.push_back(F.Done);
  ++P.Here; // Last, because a task that is not counted is never taken early.
  if (P.Here != Pending)
    return false;
  std::vector<EventRef> After = std::move(P.After);
  Behind.erase(&To);
  return acceptEarly(To, After);
}

bool DeviceWorker::acceptEarly(TaskNode &To, std::span<const EventRef> After) {
  const Version *V = E.Scheduler.takeEarly(To, W.Id);
  if (!V)
    return false;
  if (Executor::mayHaveSections(To) && !Executor::chooseSections(To, *V).ok()) { // Reported when it is ready.
    E.Scheduler.completed(To, *V, W.Id, Duration(-1));
    return false;
  }
  if (E.Explains && !To.Decided)
    E.notifyChoice(To, *V, W.Id, "all that it waits for is on that device");
  Place At;
  try {
    At = prepare(To, *V, true);
    At->After.assign(After.begin(), After.end());
  } catch (const std::bad_alloc &) {
    if (!NotInFlight.empty() && NotInFlight.front().T == &To)
      discard(NotInFlight.begin());
    E.Scheduler.completed(To, *V, W.Id, Duration(-1));
    return false;
  }
  At->Early = true;
  To.At = Stage::DispatchedEarly;
  if (status Cause; !buildKernel(*At).ok() || recentlyRefused(*At, Cause)) {
    releaseEarly(*At); // Errors are reported when it is ready.
    discard(At);
    return false;
  }
  if (E.HangMonitor)
    E.HangMonitor->launched(To, W.Id);
  size_t Before = InFlight.size();
  acquire(At);
  return InFlight.size() > Before;
}

void DeviceWorker::forget(const Flight &F) {
  if (Behind.empty())
    return;
  for (SuccessorLink *L = F.Seen; L && L != &ClosedStack; L = L->Next)
    if (auto It = Behind.find(L->To); It != Behind.end() && --It->second.Here == 0)
      Behind.erase(It);
}

void DeviceWorker::releaseEarly(Flight &F) {
  E.Scheduler.completed(*F.T, *F.V, W.Id, Duration(-1));
  F.T->At = Stage::Usual;
}

bool DeviceWorker::mayHaveOverwritten(const TaskNode &T, const std::vector<Extent> &Written) {
  return std::ranges::any_of(T.accesses(), [&](const Access &A) {
    return writes(A) && beginOf(A) < endOf(A) &&
           std::ranges::any_of(Written, [&](const Extent &W) { return W.touches(extentOf(A)); });
  });
}

bool DeviceWorker::unwind(TaskNode &T, std::vector<Extent> &Written) {
  bool Ran = false;
  if (std::ranges::none_of(InFlight, &Flight::Early))
    return Ran;
  std::unordered_set<TaskNode *> Doomed;
  retryUntilAllocated([&] {
    Doomed.clear();
    std::vector<TaskNode *> Next{&T};
    while (!Next.empty()) {
      TaskNode *From = Next.back();
      Next.pop_back();
      for (SuccessorLink *L = From->Successors.load(std::memory_order_acquire); L; L = L->Next)
        if (L->To->Pending.load(std::memory_order_acquire) < MostPredecessors && L->To->At == Stage::DispatchedEarly &&
            Doomed.insert(L->To).second)
          Next.push_back(L->To);
    }
    size_t Most = 0;
    for (const TaskNode *Each : Doomed)
      Most += Each->NumAccesses;
    Written.reserve(Most);
  });
  // In reverse order: each restores the directory's state before it.
  for (auto At = InFlight.end(); At != InFlight.begin();) {
    auto It = std::prev(At);
    if (!Doomed.contains(It->T)) {
      At = It;
      continue;
    }
    bool Began = It->Done && It->Done->wait().code() != errc::cancelled;
    Ran |= Began;
    E.Data.release(*It->T, It->Acquired, true,
                   Began || mayHaveOverwritten(*It->T, Written) ? FailedOutputs::Undefined : FailedOutputs::Untouched);
    if (Began)
      for (const Access &A : It->T->accesses())
        if (writes(A) && beginOf(A) < endOf(A))
          Written.push_back(extentOf(A));
    forget(*It);
    releaseEarly(*It);
    NotLaunched -= !It->Done && !It->Nothing;
    At = InFlight.erase(It);
  }
  return Ran;
}

} // namespace hsched::rt
