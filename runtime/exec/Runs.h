// Runs of versions without a choice: sampled, and counted or logged if an observer asks. Part of
// Executor.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_RUNS_H
#define HSCHED_EXEC_RUNS_H

#include "exec/Executor.h"

namespace hsched::rt {

// Faster runs weigh more: slow ones were more often disturbed.
inline void noteRun(TaskType &Type, Duration Ran) {
  auto Now = static_cast<uint32_t>(std::clamp<int64_t>(std::chrono::nanoseconds(Ran).count(), 1, UINT32_MAX / 4));
  uint32_t Known = Type.Nanoseconds.load(std::memory_order_relaxed);
  Type.Nanoseconds.store(Known == 0    ? Now
                         : Now < Known ? (Known + Now) / 2
                                       : (3 * Known + Now) / 4,
                         std::memory_order_relaxed);
}

template <class Fn> inline void Executor::withLog(Fn Use) {
  OwnQueue &L = ownQueue();
  OwnNotes *Own = &L != &Table->shared() ? L.notes() : nullptr;
  if (Own) [[likely]]
    Use(Own->Log);
  else
    Log->withShared(Use);
}

template <class Fn, class LogFn>
inline void Executor::runUnchosen(TaskType &Type, const Version &V, void *Args, const TaskNode *Node, Fn SizeOf,
                                  LogFn Write) {
  if (Noted) [[unlikely]]
    return runNoted(Type, V, Args, Node, SizeOf, Write);
  runUnnoted(Type, V, Args, SizeOf);
}

template <class Fn, class LogFn>
[[gnu::noinline]] void Executor::runNoted(TaskType &Type, const Version &V, void *Args, const TaskNode *Node, Fn SizeOf,
                                          LogFn Write) {
  // The common case: counted with the entry of the run before it, not timed.
  ThreadState &Me = threadState();
  RunCounts::Entry *Last = CountsOnly && Me.QueuesSerial == Table->Serial ? Me.Own->Counted : nullptr;
  if (Last && &Last->V == &V && Last->Size == SizeOf() && !Last->isTimed()) [[likely]] {
    try {
      runBody(Me, V.Desc->run, Args);
    } catch (...) {
      uncountFailed(*Last);
      throw;
    }
    return;
  }
  return Dog   ? runWatched(Type, V, Args, Node, SizeOf, Write)
         : Log ? runLogged(Type, V, Args, SizeOf, Write)
               : runCounted(Type, V, Args, SizeOf);
}

// Registers a body with the watchdog for its lifetime.
class Executor::Noting {
public:
  Noting(Executor &E, const TaskType &Type, const TaskNode *Node) : Dog(*E.Dog), Node(Node), List(E.ownBodies()) {
    const Seat *S = threadState().S;
    if (Node)
      Dog.bodyBegins(*Node, S ? S->W->Id : 0, List);
    else if (List)
      List->begin(Type.name());
  }
  ~Noting() {
    if (Node)
      Dog.endOfLast();
    else if (List)
      List->end();
  }
  Noting(const Noting &) = delete;
  Noting &operator=(const Noting &) = delete;

private:
  Watchdog &Dog;
  const TaskNode *const Node;
  BodyList *const List;
};

template <class Fn, class LogFn>
[[gnu::noinline]] void Executor::runWatched(TaskType &Type, const Version &V, void *Args, const TaskNode *Node,
                                            Fn SizeOf, LogFn Write) {
  Noting Note(*this, Type, Node);
  if (Log)
    runLogged(Type, V, Args, SizeOf, Write);
  else if (Watch)
    runCounted(Type, V, Args, SizeOf);
  else
    runUnnoted(Type, V, Args, SizeOf);
}

template <class Fn> inline void Executor::runUnnoted(TaskType &Type, const Version &V, void *Args, Fn SizeOf) {
  ThreadState &Me = threadState();
  auto &Rest = Me.Unmeasured[Type.Id % ThreadState::NumRests];
  if (Rest.Type != &Type || Rest.Runs == 0) [[unlikely]]
    return runMeasured(Type, V, Args, SizeOf);
  --Rest.Runs;
  runBody(Me, V.Desc->run, Args);
}

template <class Fn>
[[gnu::noinline]] void Executor::runMeasured(TaskType &Type, const Version &V, void *Args, Fn SizeOf) {
  ThreadState &Me = threadState();
  TimePoint Begin = Time.now();
  runBody(Me, V.Desc->run, Args);
  Duration Ran = Time.now() - Begin;
  noteTime(Type, SizeOf(), V.Index, Ran);
  noteRun(Type, Ran - ClockTakes);
  if (Me.Unmeasured == ThreadState::NoRests && !makeRests(Me))
    return;
  auto &Rest = Me.Unmeasured[Type.Id % ThreadState::NumRests];
  // Intervals grow: the first runs are not typical.
  uint32_t Runs = Ran >= ShortRun ? 0 : Rest.Type == &Type ? std::min(2 * Rest.Before + 1, UnmeasuredRuns) : 1;
  Rest = {&Type, Runs, Runs};
}

template <class Fn, class LogFn>
[[gnu::noinline]] void Executor::runLogged(TaskType &Type, const Version &V, void *Args, Fn SizeOf, LogFn Write) {
  ThreadState &Me = threadState();
  const ThreadState::Rest &Rest = Me.Unmeasured[Type.Id % ThreadState::NumRests];
  const bool Measured = Rest.Type != &Type || Rest.Runs == 0;
  TaskLog::Ran R{V.Desc->name, Log->now(), 0, Me.S ? Me.S->W->Id : 0, Outcome::Done};
  try {
    if (Measured) {
      runMeasured(Type, V, Args, SizeOf);
    } else {
      --Me.Unmeasured[Type.Id % ThreadState::NumRests].Runs;
      runBody(Me, V.Desc->run, Args);
    }
  } catch (...) {
    R.End = Log->now();
    R.How = Outcome::Failed;
    Write(R);
    throw;
  }
  R.End = Log->now();
  Write(R);
}

template <class Fn>
[[gnu::noinline]] void Executor::runCounted(TaskType &Type, const Version &V, void *Args, Fn SizeOf) {
  ThreadState &Me = threadState();
  const SizeClass Size = SizeOf();
  RunCounts::Entry *Count = Me.QueuesSerial == Table->Serial ? Me.Own->Counted : nullptr;
  if (!Count || &Count->V != &V || Count->Size != Size) [[unlikely]]
    Count = countOf(Type, V, Size);
  const bool Timed = !Count || Count->isTimed();
  const TimePoint Begin = Timed ? Time.now() : TimePoint();
  try {
    runBody(Me, V.Desc->run, Args);
  } catch (...) {
    const TimePoint End = Time.now();
    if (!Timed)
      Count->uncount();
    tellRun(Type, V, Size, {Timed ? Begin : End, End}, Outcome::Failed);
    throw;
  }
  if (!Timed)
    return;
  const TimePoint End = Time.now();
  Times.record(Type, Size, V.Index, CpuModel, End - Begin);
  noteRun(Type, End - Begin - ClockTakes);
  tellRun(Type, V, Size, {Begin, std::max(Begin, End - ClockTakes)}, Outcome::Done);
  if (Count)
    Count->restFor(
        End - Begin >= ShortRun ? 0 : std::min(2 * Count->Before.load(std::memory_order_relaxed) + 1, UntimedRuns));
}

} // namespace hsched::rt
#endif
