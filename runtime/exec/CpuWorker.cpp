// CPU workers: a task's CPU version is a plain call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"
#include "exec/Runs.h"

#include "base/NoMemory.h"

#include <algorithm>

namespace hsched::rt {

// Runs a task from a queue: there was no choice, so nothing is reported.
void Executor::runKept(ThreadState &Me, Seat &S, TaskNode &T) {
  if (T.isBundle())
    return runBundle(Me, S, T);
  const WorkerId W = S.W->Id; // S may be lent by a body that waits, so it is not used afterwards.
  const Version &V = *T.Chosen;
  if (T.Data.any())
    ReadyTasks.ranAt(T, W);
  // A version of a type made at run time may have been removed. A hosted engine's body runs in the default engine's
  // view.
  if (T.Groups || Options.Hosted || (T.Extras && (T.Extras->Named || T.Extras->Sections))) {
    Me.MayKeepNext = true;
    (void)runOnCpu(Me, S, T, V, false);
    Me.MayKeepNext = false;
    return;
  }
  TaskNode *Outer = std::exchange(Me.Current, &T);
  CallFrame *OuterCall = std::exchange(Me.Call, nullptr);
  ++Me.Depth;
  try {
    runUnchosen(Me, RunOfTask{T});
  } catch (...) {
    recordFailure(T, std::current_exception(), T);
  }
  --Me.Depth;
  Me.Current = Outer;
  Me.Call = OuterCall;
  Me.MayKeepNext = true;
  bodyEnded(Me, T, W);
  Me.MayKeepNext = false;
}

// --- counted runs

RunCounts::Entry *Executor::countOf(ThreadState &Me, const TaskType &Type, const Version &V, SizeClass Size) {
  OwnQueue &L = ownQueue(Me);
  if (&L == &Table->shared())
    return nullptr;
  RunCounts *C = L.Counts.load(std::memory_order_relaxed);
  if (!C)
    L.Counts.store(C = new RunCounts, std::memory_order_release);
  RunCounts::Entry &Count = C->of(Type, V, Size);
  if (CountsOnly) // Otherwise each run is reported in another way as well.
    L.Counted = &Count;
  return &Count;
}

void Executor::notifyRun(const ThreadState &Me, const TaskType &Type, const Version &V, SizeClass Size, Interval Ran,
                         Outcome How) {
  const Seat *S = Me.S;
  const WorkerId W = S ? S->W->Id : 0;
  const std::optional<double> Cost = costOf(Size);
  Watch->ran(
      {0, Type.name(), V.Desc->name, Type.name(), cpuRow(W), W, Cost ? 0 : Size, Ran, How, Cost.value_or(NoCost)});
}

[[gnu::cold]] void Executor::uncountFailed(const ThreadState &Me, RunCounts::Entry &Count) {
  Count.uncount();
  const TimePoint End = Time.now();
  notifyRun(Me, Count.Type, Count.V, Count.Size, {End, End}, Outcome::Failed);
}

void Executor::notifyCounts() {
  for (OwnQueue &L : Table->used())
    if (RunCounts *C = L.Counts.load(std::memory_order_acquire))
      C->forEach([&](RunCounts::Entry &E) {
        const std::optional<double> Cost = costOf(E.Size);
        if (uint64_t Runs = E.untimed())
          Watch->counted({E.Type.name(), E.V.Desc->name, L.Worker.load(std::memory_order_relaxed), Cost ? 0 : E.Size,
                          Cost.value_or(NoCost), Runs});
      });
}

// Brings T's inputs home and waits for them.
status Executor::fetchHome(TaskNode &T, Acquisition &Acquired) {
  status Result;
  for (unsigned Try = 0; Try < TriesOfTransfers; ++Try) {
    Result = Data.acquire(T, HostNode, Acquired);
    if (Acquired.DataLost)
      return Result;
    if (!Result.ok())
      continue;
    for (const EventRef &E : Acquired.Wait)
      if (E && Result.ok())
        Result = E->wait();
    if (Result.ok()) {
      T.extras().AcquiredData = &Acquired;
      return {};
    }
    WorkerId Blame = Acquired.Blame;
    Data.release(T, Acquired, true);
    Acquired.Blame = Blame;
  }
  return Result;
}

void Executor::releaseBodyData(TaskNode &T) {
  // Its children depend on what the body has written so far. From here on their writes are the newest, on any node: a
  // release at the body's end would wrongly declare the host's copy the newest.
  auto *Acquired = static_cast<Acquisition *>(std::exchange(T.Extras->AcquiredData, nullptr));
  Data.release(T, *Acquired, false);
}

bool Executor::runOnCpu(ThreadState &Me, Seat &S, TaskNode &T, const Version &V, bool FromPolicy) {
  WorkerId W = S.W->Id;
  if (!Platform::usable(*S.W, V)) {
    giveBack(Me, T, V, W, FromPolicy);
    return false;
  }
  if (!V.Desc->run) {
    disable(V, W, status::error(errc::unsupported, "the version has no body"));
    giveBack(Me, T, V, W, FromPolicy);
    return false;
  }
  if (mayHaveSections(T)) [[unlikely]]
    if (status Known = chooseSections(T, V); !Known.ok()) {
      cameLate(Me, T, V, W, FromPolicy, Known);
      return false;
    }
  std::exception_ptr Thrown;
  if (T.Groups)
    try {
      usePrivateCopies(T, HostNode);
    } catch (...) {
      Thrown = std::current_exception();
    }
  Acquisition Acquired;
  status Fetched;
  if (!Thrown && Data.anyReplica())
    try {
      Fetched = fetchHome(T, Acquired);
    } catch (const std::bad_alloc &) {
      Thrown = std::current_exception();
      Data.release(T, Acquired, true);
    }
  if (!Thrown)
    if (!Fetched.ok()) {
      if (!Acquired.DataLost) {
        exclude(Me, T, V, W, FromPolicy, Fetched, Acquired.Blame);
        return false;
      }
      if (FromPolicy)
        Scheduler.completed(T, V, W, Duration(-1));
      fail(Me, T, Machine.Workers[Acquired.Blame].Name, Fetched.message());
      bodyEnded(Me, T, W);
      return false;
    }

  if (FromPolicy && (Hooks & (HookArrived | HookStarted))) [[unlikely]]
    notifyBegin(T, V, W);
  const bool MightKeepNext =
      std::exchange(Me.MayKeepNext, false); // What the body makes ready must be in reach of other threads.
  TaskNode *Outer = std::exchange(Me.Current, &T);
  CallFrame *OuterCall = std::exchange(Me.Call, nullptr);
  ++Me.Depth;
  if (HangMonitor)
    HangMonitor->bodyBegins(T, W, ownBodies(Me));
  TaskLog::Ran Logged{V.Desc->name, Log ? Log->now() : 0, 0, W, Outcome::Done};
  TimePoint Begin = Time.now();
  try {
    if (!Thrown) {
      Outside Program(*this, Me);
      runBody(Me, V.Desc->run, T.Args);
    }
  } catch (...) {
    Thrown = std::current_exception();
  }
  TimePoint End = Time.now();
  if (HangMonitor)
    HangMonitor->endOfLast();
  --Me.Depth;
  Me.Current = Outer;
  Me.Call = OuterCall;

  if (T.Extras && T.Extras->AcquiredData) {
    T.Extras->AcquiredData = nullptr;
    Data.release(T, Acquired, Thrown != nullptr);
  }
  if (Log) {
    Logged.End = Log->now();
    Logged.How = Thrown ? Outcome::Failed : Outcome::Done;
    logRun(Me, T.Id, Logged);
  } else if (Watch)
    Watch->ran({T.Id,
                T.Type->name(),
                V.Desc->name,
                T.Label,
                cpuRow(W),
                W,
                T.DataBytes,
                {Begin, End},
                Thrown ? Outcome::Failed : Outcome::Done,
                T.Cost});
  Coming.countRun(T, End - Begin);
  if (!Thrown)
    noteTime(*T.Type, T.sizeClass(), V.Index, End - Begin);
  else
    recordFailure(T, std::move(Thrown), T);
  if (FromPolicy)
    Scheduler.completed(T, V, W, T.has(Signal::HasFailure) ? Duration(-1) : End - Begin);
  Me.MayKeepNext = MightKeepNext;
  bodyEnded(Me, T, W);
  return true;
}

} // namespace hsched::rt
