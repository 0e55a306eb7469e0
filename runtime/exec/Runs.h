// Runs of versions without a choice: sampled, and counted or logged if an observer asks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_RUNS_H
#define HSCHED_EXEC_RUNS_H

#include "exec/Executor.h"
#include "graph/Bundle.h"

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

template <class Fn> inline void Executor::withLog(ThreadState &Me, Fn Use) {
  OwnQueue &L = ownQueue(Me);
  OwnNotes *Own = &L != &Table->shared() ? L.notes() : nullptr;
  if (Own) [[likely]]
    Use(Own->Log);
  else
    Log->withShared(Use);
}

// A run of the only candidate of a call, an item of a bundle, or a task. One word, so that the common case of a counted
// run needs few registers.
struct Executor::RunOfCall {
  CallFrame &F;
  TaskType &type() const { return *F.Type; }
  const Version &version() const { return *F.V; }
  void *args() const { return F.Args; }
  SizeClass size() const { return F.Cost >= 0 ? sizeClassOf(0, F.Cost) : dataBytes({F.AccessList, F.NumAccesses}); }
  static const TaskNode *node() { return nullptr; } // The task's own, if there is one.
  void write(Executor &E, ThreadState &Me, const TaskLog::Ran &R) const { E.logCall(Me, F, R); }
};
struct Executor::RunOfItem {
  BundleItem &I;
  TaskType &type() const { return *I.Type; }
  const Version &version() const { return *I.V; }
  void *args() const { return I.Args; }
  SizeClass size() const {
    uint64_t Bytes = 0;
    for (const ItemSection &S : I.list())
      Bytes += S.Bytes;
    return sizeClassOf(Bytes, I.Cost);
  }
  static const TaskNode *node() { return nullptr; }
  void write(Executor &E, ThreadState &Me, const TaskLog::Ran &R) const { E.logRun(Me, I.Id, R); }
};
struct Executor::RunOfTask {
  TaskNode &T;
  TaskType &type() const { return *T.Type; }
  const Version &version() const { return *T.Chosen; }
  void *args() const { return T.Args; }
  SizeClass size() const { return T.sizeClass(); }
  const TaskNode *node() const { return &T; }
  void write(Executor &E, ThreadState &Me, const TaskLog::Ran &R) const { E.logRun(Me, T.Id, R); }
};

template <class Run> inline void Executor::runUnchosen(ThreadState &Me, Run R) {
  if (Noted) [[unlikely]]
    return runNoted(Me, R);
  runUnnoted(Me, R);
}

template <class Run> [[gnu::noinline]] void Executor::runNoted(ThreadState &Me, Run R) {
  // The common case: counted with the entry of the run before it, not timed.
  RunCounts::Entry *Last = Me.QueuesSerial == Table->Serial ? Me.Own->Counted : nullptr;
  if (Last && &Last->V == &R.version() && Last->Size == R.size() && !Last->isTimed()) [[likely]] {
    try {
      runBody(Me, R.version().Desc->run, R.args());
    } catch (...) {
      uncountFailed(Me, *Last);
      throw;
    }
    return;
  }
  return runOthers(Me, R);
}

// Not inline: the common case above needs few registers.
template <class Run> [[gnu::noinline]] void Executor::runOthers(ThreadState &Me, Run R) {
  HangMonitor ? runWatched(Me, R) : Log ? runLogged(Me, R) : runCounted(Me, R);
}

// Registers a body with the watchdog for its lifetime.
class Executor::Noting {
public:
  Noting(Executor &E, ThreadState &Me, const TaskType &Type, const TaskNode *Node)
      : HangMonitor(*E.HangMonitor), Node(Node), List(E.ownBodies(Me)) {
    const Seat *S = Me.S;
    if (Node)
      HangMonitor.bodyBegins(*Node, S ? S->W->Id : 0, List);
    else if (List)
      List->begin(Type.name());
  }
  ~Noting() {
    if (Node)
      HangMonitor.endOfLast();
    else if (List)
      List->end();
  }
  Noting(const Noting &) = delete;
  Noting &operator=(const Noting &) = delete;

private:
  Watchdog &HangMonitor;
  const TaskNode *const Node;
  BodyList *const List;
};

template <class Run> [[gnu::noinline]] void Executor::runWatched(ThreadState &Me, Run R) {
  Noting Note(*this, Me, R.type(), R.node());
  if (Log)
    runLogged(Me, R);
  else if (Watch)
    runCounted(Me, R);
  else
    runUnnoted(Me, R);
}

template <class Run> inline void Executor::runUnnoted(ThreadState &Me, Run R) {
  TaskType &Type = R.type();
  auto &Rest = Me.Unmeasured[Type.Id % ThreadState::NumRests];
  if (Rest.Type != &Type || Rest.Runs == 0) [[unlikely]]
    return runMeasured(Me, R);
  --Rest.Runs;
  runBody(Me, R.version().Desc->run, R.args());
}

template <class Run> [[gnu::noinline]] void Executor::runMeasured(ThreadState &Me, Run R) {
  TaskType &Type = R.type();
  const Version &V = R.version();
  TimePoint Begin = Time.now();
  runBody(Me, V.Desc->run, R.args());
  Duration Ran = Time.now() - Begin;
  noteTime(Type, R.size(), V.Index, Ran);
  noteRun(Type, Ran - ClockCost);
  if (Me.Unmeasured == ThreadState::NoRests && !makeRests(Me))
    return;
  auto &Rest = Me.Unmeasured[Type.Id % ThreadState::NumRests];
  // Intervals grow: the first runs are not typical.
  uint32_t Runs = Ran >= ShortRun ? 0 : Rest.Type == &Type ? std::min(2 * Rest.Before + 1, UnmeasuredRuns) : 1;
  Rest = {&Type, Runs, Runs};
}

template <class Run> [[gnu::noinline]] void Executor::runLogged(ThreadState &Me, Run R) {
  const TaskType &Type = R.type();
  const Version &V = R.version();
  const ThreadState::Rest &Rest = Me.Unmeasured[Type.Id % ThreadState::NumRests];
  const bool Measured = Rest.Type != &Type || Rest.Runs == 0;
  TaskLog::Ran Entry{V.Desc->name, Log->now(), 0, Me.S ? Me.S->W->Id : 0, Outcome::Done};
  try {
    if (Measured) {
      runMeasured(Me, R);
    } else {
      --Me.Unmeasured[Type.Id % ThreadState::NumRests].Runs;
      runBody(Me, V.Desc->run, R.args());
    }
  } catch (...) {
    Entry.End = Log->now();
    Entry.How = Outcome::Failed;
    R.write(*this, Me, Entry);
    throw;
  }
  Entry.End = Log->now();
  R.write(*this, Me, Entry);
}

template <class Run> [[gnu::noinline]] void Executor::runCounted(ThreadState &Me, Run R) {
  TaskType &Type = R.type();
  const Version &V = R.version();
  const SizeClass Size = R.size();
  RunCounts::Entry *Count = Me.QueuesSerial == Table->Serial ? Me.Own->Counted : nullptr;
  if (!Count || &Count->V != &V || Count->Size != Size) [[unlikely]]
    Count = countOf(Me, Type, V, Size);
  const bool Timed = !Count || Count->isTimed();
  const TimePoint Begin = Timed ? Time.now() : TimePoint();
  try {
    runBody(Me, V.Desc->run, R.args());
  } catch (...) {
    const TimePoint End = Time.now();
    if (!Timed)
      Count->uncount();
    notifyRun(Me, Type, V, Size, {Timed ? Begin : End, End}, Outcome::Failed);
    throw;
  }
  if (!Timed)
    return;
  const TimePoint End = Time.now();
  Times.record(Type, Size, V.Index, CpuModel, End - Begin);
  noteRun(Type, End - Begin - ClockCost);
  notifyRun(Me, Type, V, Size, {Begin, std::max(Begin, End - ClockCost)}, Outcome::Done);
  if (Count)
    Count->restFor(
        End - Begin >= ShortRun ? 0 : std::min(2 * Count->Before.load(std::memory_order_relaxed) + 1, UntimedRuns));
}

} // namespace hsched::rt
#endif
