// The engine's entries in the log of tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "exec/Executor.h"
#include "exec/Runs.h"

namespace hsched::rt {

TaskId Executor::numberOfCurrent(const ThreadState &Me) {
  return Me.Call ? Me.Call->Id : Me.Current ? Me.Current->Id : 0;
}

void Executor::logSubmitted(ThreadState &Me, const TaskNode &T) {
  withLog(Me, [&](TaskLog::Part &P) {
    Log->submitted(P, {T.Id, T.Parent->Id, T.Type->name(), T.Label, T.Cost}, T.accesses());
    if (T.Extras && T.Extras->Named) [[unlikely]]
      for (TaskId From : T.Extras->Named->After)
        Log->dependence(P, From, T.Id);
  });
}

void Executor::noteItem(ThreadState &Me, BundleItem &I) {
  I.Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  if (Log)
    withLog(Me, [&](TaskLog::Part &P) { Log->submitted(P, {I.Id, 0, I.Type->name(), nullptr, I.Cost}, I.list()); });
}

void Executor::logCall(ThreadState &Me, const CallFrame &F, const TaskLog::Ran &R) {
  const TaskNode *Around = Me.Current;
  const TaskId Parent = F.Outer ? F.Outer->Id : Around ? Around->Id : 0;
  withLog(Me, [&](TaskLog::Part &P) {
    Log->called(P, {F.Id, Parent, F.Type->name(), F.Label, F.Cost}, {F.AccessList, F.NumAccesses}, R);
  });
}

void Executor::logRun(ThreadState &Me, TaskId Id, const TaskLog::Ran &R) {
  withLog(Me, [&](TaskLog::Part &P) { Log->ran(P, Id, R); });
}

BodyList *Executor::ownBodies(ThreadState &Me) {
  OwnQueue &L = ownQueue(Me);
  if (&L == &Table->shared())
    return nullptr;
  OwnNotes *Notes = L.notes();
  if (!Notes)
    return nullptr;
  Notes->Bodies.Thread.store(Watchdog::threadNumber(), std::memory_order_relaxed);
  return &Notes->Bodies;
}

void Executor::visitBodies(const std::function<void(const BodyList &, WorkerId)> &Visit) const {
  for (const OwnQueue &L : Table->used())
    if (const OwnNotes *Notes = L.Notes.load(std::memory_order_acquire))
      Visit(Notes->Bodies, L.Worker.load(std::memory_order_relaxed));
}

void Executor::logWait(ThreadState &Me) {
  const TaskId Next = NextTask.load(std::memory_order_relaxed);
  withLog(Me, [&](TaskLog::Part &P) { Log->waited(P, numberOfCurrent(Me), Next); });
}

void Executor::notifyRest() {
  if (!Watch)
    return;
  if (!Log)
    return notifyCounts();
  try {
    std::vector<TaskLog::Part *> Parts;
    for (OwnQueue &L : Table->used())
      if (OwnNotes *Notes = L.Notes.load(std::memory_order_acquire))
        Parts.push_back(&Notes->Log);
    Log->notifyObserver(Parts, *Watch);
  } catch (const std::bad_alloc &) {
    log(LogLevel::Warning, "there is no memory to write down all tasks: traces and graphs are incomplete");
  }
  if (const uint64_t Lost = Log->lost())
    log(LogLevel::Warning, "there was no memory to note %llu tasks or their runs: traces and graphs are incomplete",
        static_cast<unsigned long long>(Lost));
}

} // namespace hsched::rt
