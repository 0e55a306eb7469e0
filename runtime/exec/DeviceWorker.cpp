// The device manager: acquire, bind, launch, reap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/DeviceWorker.h"

#include "base/NoMemory.h"
#include "data/FlushLater.h"

#include <algorithm>

namespace hsched::rt {

using namespace std::chrono_literals;

void DeviceWorker::loop() {
  for (;;) {
    bool Progress = reap();
    // Successors of tasks here use data that are here, so with little memory they go first.
    Tight = tight();
    bool Open = hasRoom() && !E.Stopping.load();
    if (Tight && Open && Starved.empty() && takeEarly())
      Progress = true;
    while (Open && Starved.empty() && InFlight.size() < room() && !E.Stopping.load() && take()) {
      Progress = true;
      if (Tight)
        takeEarly();
    }
    if (Open && Starved.empty() && takeEarly())
      Progress = true;
    if (!Open || !Starved.empty() || InFlight.size() >= room()) // It takes no task for now.
      E.ReadyTasks.cancelIdle(S);
    if (!Progress ? AnyAcquired || Unflushed : Unflushed >= FewTogether && InFlight.size() < Unflushed + FewFlushed)
      flush();
    if (InFlight.empty() && Starved.empty() && E.Stopping.load())
      return;
    idle(Progress);
  }
}

// A much longer time means an interruption, or that kernels take longer from now on; the next ones decide.
void DeviceWorker::learn(Duration Took) {
  Typical += (std::min(Took, Typical > Duration(0) ? 2 * Typical + 1us : Took) - Typical) / 8;
  if (!MayDeepen)
    return;
  Room = Typical <= Duration(0) ? Depth : std::clamp<size_t>(static_cast<size_t>(Ahead / Typical), Depth, MostInFlight);
  if (Typical < NotTiny)
    Room = std::max(Room, MostTiny);
  unsigned Wanted = Typical <= Duration(0) ? SmallReportBatch
                                           : std::clamp<unsigned>(static_cast<unsigned>(ReportWithin / Typical),
                                                                  SmallReportBatch, LargeReportBatch);
  if (Wanted != Together)
    Dev.setReportBatch(Together = Wanted);
}

// The first resident data determine the cost of the rest, but the choice takes longer than a short kernel.
bool DeviceWorker::tight() const {
  return E.Data.fullness(W.Node) > (Typical >= WorthChoosing ? TightForLong : TightForShort);
}

size_t DeviceWorker::room() const {
  if (!Tight || !MayDeepen || TypicalBytes < 1)
    return Room;
  double Fit = static_cast<double>(Dev.info().MemoryBytes) / TypicalBytes;
  return std::max(Room, static_cast<size_t>(std::min<double>(Fit, MaxInFlightTight)));
}

bool DeviceWorker::hasRoom() {
  const size_t Most = room();
  bool Was = std::exchange(Full, InFlight.size() >= Most || (Full && InFlight.size() > Most - (Most + 3) / 4));
  if (Was == Full)
    return !Full;
  TimePoint Now = E.Time.now();
  if (Full) {
    FullSince = Now;
    Rests = FullTimes++ % RestsBetween != 0;
  } else if (!Rests) {
    Drain = Now - FullSince;
  }
  return !Full;
}

// Completion is polled, because a driver's callback takes three times as long. After a while, short sleeps replace
// polling, so a long kernel does not occupy a core.
void DeviceWorker::idle(bool Progress) {
  if (Progress) {
    Quiet = false;
    return;
  }
  if (InFlight.empty() && Starved.empty()) {
    if (IdleWork && Typical > Duration(0) && (IdleWork = E.Options.IdleWork(W.Id)))
      return;
    return (void)S.P.load(std::memory_order_relaxed)->park();
  }
  TimePoint Now = E.Time.now();
  if (!std::exchange(Quiet, true) || Dev.hasBacklog())
    LastProgress = Now;
  requestOneReport(Now - LastProgress >= RequestReportAfter);
  if (Full && Rests && Drain >= WorthResting)
    return (void)S.P.load(std::memory_order_relaxed)->park(std::min<Duration>(Drain / 2, MostRest));
  if (Duration Pause = pauseAfter(Now - LastProgress); Pause > Duration(0))
    S.P.load(std::memory_order_relaxed)->park(Pause);
  else
    std::this_thread::yield();
}

Duration DeviceWorker::pauseAfter(Duration Quiet) {
  return Quiet < 50us ? Duration(0) : std::clamp<Duration>(Quiet / 8, 20us, 200us);
}

// A reported end implies earlier ones on its stream, but not on others: a long kernel reports nothing about other
// streams.
void DeviceWorker::requestOneReport(bool QuietForLong) {
  const Flight *Unreported = nullptr;
  for (const Flight &F : InFlight) {
    if (!F.Done)
      continue;
    const bool IsReported = Dev.isReported(*F.Done);
    if (IsReported && !QuietForLong)
      return;
    if (!IsReported && !Unreported)
      Unreported = &F;
    if (Unreported && QuietForLong)
      break;
  }
  if (Unreported)
    Dev.requestReport(Unreported->Done);
}

bool DeviceWorker::take() {
  FoundTask F;
  if (!E.ReadyTasks.findForDevice(S, F, Candidates, Tight, E.Data, Typical))
    return false;
  accept(*F.T, *F.V, F.FromPolicy);
  return true;
}

void DeviceWorker::failFor(std::exception_ptr NoMemory, TaskNode &T, const Version &V, bool FromPolicy) {
  if (FromPolicy)
    E.Scheduler.completed(T, V, W.Id, Duration(-1));
  E.recordFailure(T, std::move(NoMemory), T);
  E.neverRan(Me, T, Outcome::Failed);
  E.bodyEnded(Me, T, W.Id);
}

void DeviceWorker::accept(TaskNode &T, const Version &V, bool FromPolicy) {
  if (Dev.lost())
    E.disableAll(T, W.Id, Dev.whyLost());
  if (FromPolicy && !mayRunOn(T, W.Id))
    return E.redirectTask(Me, T, V, W.Id);
  if (!Platform::usable(W, V))
    return E.giveBack(Me, T, V, W.Id, FromPolicy, Dev.whyLost());
  if (Executor::mayHaveSections(T))
    if (status Known = Executor::chooseSections(T, V); !Known.ok())
      return E.cameLate(Me, T, V, W.Id, FromPolicy, Known);
  Place At;
  try {
    At = prepare(T, V, FromPolicy);
  } catch (const std::bad_alloc &) {
    return failFor(std::current_exception(), T, V, FromPolicy);
  }
  if (status Cause; recentlyRefused(*At, Cause)) {
    discard(At);
    return E.exclude(Me, T, V, W.Id, FromPolicy, Cause);
  }
  // The kernel first: if it does not build, no data have moved.
  if (status Built = buildKernel(*At); !Built.ok()) {
    handleOutcome(Built);
    // If memory was exhausted, the next task may succeed.
    Built.code() == errc::out_of_memory ? E.exclude(Me, T, V, W.Id, FromPolicy, Built) : reassign(*At, Built);
    return discard(At);
  }
  if (E.HangMonitor)
    E.HangMonitor->launched(T, W.Id);
  if (T.Groups)
    try {
      E.usePrivateCopies(T, W.Node);
    } catch (...) {
      discard(At);
      return failFor(std::current_exception(), T, V, FromPolicy);
    }
  acquire(At);
}

status DeviceWorker::buildKernel(Flight &F) {
  if (auto Known = Kernels.find(F.V); Known != Kernels.end()) {
    F.K = Known->second;
    return {};
  }
  const hsched_kernel_desc *Desc = F.V->Desc->kernel;
  if (!Desc)
    return Dev.takesNativeWork() ? status()
                                 : status::error(errc::unsupported, "it has a body, and this device runs kernels only");
  return statusOf([&] {
    status Built = Dev.kernel(*Desc, F.K);
    if (Built.ok())
      Kernels.emplace(F.V, F.K);
    return Built;
  });
}

DeviceWorker::Place DeviceWorker::prepare(TaskNode &T, const Version &V, bool FromPolicy) {
  if (Spare.empty())
    Spare.emplace_back();
  NotInFlight.splice(NotInFlight.begin(), Spare, Spare.begin());
  Flight &F = NotInFlight.front();
  F.T = &T;
  F.V = &V;
  F.FromPolicy = FromPolicy;
  return NotInFlight.begin();
}

void DeviceWorker::appendInFlight(Place At) {
  NotLaunched += !At->Done && !At->Nothing;
  InFlight.splice(InFlight.end(), NotInFlight, At);
}

void DeviceWorker::discard(Place At) {
  At->blank();
  Spare.splice(Spare.begin(), NotInFlight, At);
}

void DeviceWorker::acquire(Place At) {
  Flight &F = *At;
  TypicalBytes += (static_cast<double>(F.T->DataBytes) - TypicalBytes) / 8;
  // A kernel with a queue of its own takes its inputs along there.
  const unsigned Own = queueOf(*F.T);
  F.Brief = briefTime(F);
  if (InFlight.empty()) {
    Sampling = SinceSample >= SampledEvery;
    SinceSample = Sampling ? 0 : SinceSample;
  }
  if (Own != AnyQueue)
    Dev.preferQueue(Own, Sampling || F.Brief == Duration(0));
  const status Room = statusOf([&] {
    const FlushLater Together(W.Node);
    AnyAcquired = true;
    return E.Data.acquire(*F.T, W.Node, F.Acquired, &F.Until, packedOf(*F.V->Desc));
  });
  if (Own != AnyQueue)
    Dev.preferQueue(AnyQueue);
  if (!Room.ok())
    return giveUp(At, Room, F.Acquired.Acquired != nullptr);
  // A device with its own memory orders its transfers before the kernel. One that shares host memory waits for other
  // devices' transfers.
  if (W.Node == HostNode)
    std::erase_if(F.Acquired.Wait, [&](const EventRef &Ev) { return std::ranges::find(F.After, Ev) != F.After.end(); });
  if (W.Node != HostNode ? F.Acquired.Before.empty() : F.Acquired.Wait.empty())
    return launch(At);
  appendInFlight(At);
}

// Names all predecessors, also those without entries in the directory.
void DeviceWorker::addPredecessors(Flight &F) const {
  if (W.Node == HostNode)
    return;
  for (const EventRef &Ev : F.Acquired.Wait)
    if (std::ranges::find(F.After, Ev) == F.After.end())
      F.After.push_back(Ev);
}

void DeviceWorker::launch(Place At) {
  Flight &F = *At;
  if (!F.V->Desc->kernel)
    return runBody(At);
  status Outcome = statusOf([&] { return Bound.bind(*F.T, *F.V->Desc->kernel, F.Acquired, Dev, W.Node == HostNode); });
  if (Outcome.ok() && Bound.empty()) {
    // No work item: done before it began.
    F.Launched = E.Time.now();
    if (!F.ahead()) {
      ended(F);
      return discard(At);
    }
    F.Nothing = true;
    return appendInFlight(At);
  }
  if (Outcome.ok())
    Outcome = statusOf([&] {
      if (E.Watch && E.Watch->wantsLaunches())
        E.Watch->launching({F.T->Id, F.V->Desc->kernel, &Bound.range(), Bound.filled(), F.T->accesses()});
      addPredecessors(F);
      CompletionReport When = completionReport(F);
      if (!isLate(When))
        F.Launched = E.Time.now();
      return Dev.launch(F.K, Bound.range(), Bound.args(), F.After, F.Done, When, queueOf(*F.T));
    });
  handleOutcome(Outcome);
  Bound.clear();
  if (!Outcome.ok())
    return giveUp(At, Outcome, true);
  launched(At);
}

void DeviceWorker::launched(Place At) {
  Flight &F = *At;
  if (!Refusals.empty() && !Dev.submitsApart())
    Refusals.erase({F.V, F.T->sizeClass()});
  if (E.Hooks && (F.FromPolicy || F.Early))
    E.notifyBegin(*F.T, *F.V, W.Id);
  F.Unlisted = !E.Data.launched(*F.T, F.Acquired, F.Done);
  F.Stream = Dev.streamOf(*F.Done);
  F.After.clear();
  F.Alone = InFlight.empty() && !F.Acquired.Moves;
  // An idle device gets this one at once; a busy one gets several together.
  if (++Unflushed == FlushedTogether || InFlight.size() < 2)
    flush();
  appendInFlight(At);
}

bool DeviceWorker::recentlyRefused(const Flight &F, status &Cause) {
  if (Refusals.empty())
    return false;
  auto Known = Refusals.find({F.V, F.T->sizeClass()});
  if (Known == Refusals.end() || Known->second.InARow < RefusalsTried)
    return false;
  if (++Known->second.Reassigned % ReassignedBetween == 0)
    return false;
  // A task that no other worker can run is tried: the cause may depend on more than the size.
  Cause = Known->second.Cause;
  return E.usableOnOther(*F.T, *F.V, W.Id);
}

// Too many work-items, too much local memory, or data at an unsupported alignment: another task of the type may
// succeed.
static bool isOfOneTask(const status &Cause) {
  return Cause.code() == errc::unsupported || Cause.code() == errc::invalid_argument;
}

void DeviceWorker::giveUp(Place At, const status &Cause, bool Holding) {
  if (starves(*At, Cause, Holding))
    Starved.splice(Starved.end(), NotInFlight, At);
  else
    discard(At);
}

bool DeviceWorker::starves(Flight &F, const status &Cause, bool Holding) {
  if (Holding)
    E.Data.release(*F.T, F.Acquired, true);
  if (F.ahead()) {
    releaseEarly(F);
    return false;
  }
  F.T->At = Stage::Usual;
  if (F.Acquired.DataLost) {
    if (F.FromPolicy)
      E.Scheduler.completed(*F.T, *F.V, W.Id, Duration(-1));
    E.fail(Me, *F.T, E.Machine.Workers[F.Acquired.Blame].Name, Cause.message());
    E.bodyEnded(Me, *F.T, W.Id);
    return false;
  }
  if (Dev.lost()) {
    reassign(F, Cause);
    return false;
  }
  // A launch may also run out of memory: other tasks on the device then hold it.
  bool WorthWaiting = Holding ? !InFlight.empty() : F.Acquired.MemoryBusy;
  auto Turn = std::move(F.Acquired.Waits);
  F.Acquired = {};
  switch (Cause.code()) {
  case errc::out_of_memory:
    if (WorthWaiting) {
      F.Acquired.Waits = std::move(Turn);
      return true;
    }
    refused(F, Cause);
    break;
  case errc::transfer_failed:
  case errc::cancelled:
  case errc::device_lost: // Another device, the source of a transfer.
    tryAgain(F, Cause);
    break;
  default:
    if (isOfOneTask(Cause))
      refused(F, Cause);
    else
      reassign(F, Cause);
  }
  return false;
}

void DeviceWorker::refused(Flight &F, const status &Cause) {
  try {
    Refusal &R = Refusals[{F.V, F.T->sizeClass()}];
    ++R.InARow;
    R.Cause = Cause;
  } catch (const std::bad_alloc &) { // The next ones are tried again.
  }
  E.exclude(Me, *F.T, *F.V, W.Id, F.FromPolicy, Cause);
}

void DeviceWorker::reassign(Flight &F, const status &Cause) {
  if (Dev.lost())
    E.disableAll(*F.T, W.Id, Dev.whyLost());
  else
    E.disable(*F.V, W.Id, Cause);
  E.giveBack(Me, *F.T, *F.V, W.Id, F.FromPolicy, Cause);
}

void DeviceWorker::tryAgain(Flight &F, const status &Cause) {
  if (++F.Tries >= TriesOfTransfers)
    return refused(F, Cause);
  Place Anew;
  try {
    Anew = prepare(*F.T, *F.V, F.FromPolicy);
  } catch (const std::bad_alloc &) {
    return refused(F, noHostMemory());
  }
  Anew->K = F.K;
  Anew->Tries = F.Tries;
  acquire(Anew);
}

void DeviceWorker::retryStarved() {
  // Each is retried. Tasks that still lack memory return to the list, or are given up if no other task can free
  // memory.
  for (size_t N = Starved.size(); N > 0; --N) {
    Place At = Starved.begin();
    NotInFlight.splice(NotInFlight.begin(), Starved, At);
    status Left;
    for (const EventRef &Ev : At->Until)
      if (Ev->done() && !Ev->outcome().ok())
        Left = Ev->outcome();
    if (Left.ok() || Dev.lost() || ++At->Tries < TriesOfTransfers) {
      acquire(At);
    } else {
      refused(*At, Left); // Data that block it cannot be written back.
      discard(At);
    }
  }
}

// With nothing in flight and no write-back in progress, a task on another worker prevents the eviction.
bool DeviceWorker::roomMade() const {
  return std::ranges::any_of(Starved, [this](const Flight &F) {
    return F.Until.empty() ? InFlight.empty()
                           : std::ranges::any_of(F.Until, [](const EventRef &Ev) { return Ev->done(); });
  });
}

bool DeviceWorker::inputsArrived(Flight &F, status &Outcome) {
  const std::vector<EventRef> &Inputs = W.Node == HostNode ? F.Acquired.Wait : F.Acquired.Before;
  for (const EventRef &Input : Inputs)
    if (Input && !Input->done())
      return false;
  for (const EventRef &Input : Inputs)
    if (Input && Outcome.ok())
      Outcome = Input->outcome();
  return true;
}

bool DeviceWorker::reap() {
  bool Progress = false, Ended = false;
  // Streams whose oldest command has not ended: their other commands need no poll.
  uint64_t Busy = 0;
  const unsigned Streams = std::max(1u, Dev.computeQueues());
  const uint64_t AllBusy = Streams < 64 ? (uint64_t(1) << Streams) - 1 : UINT64_MAX;
  for (auto It = InFlight.begin(); It != InFlight.end();) {
    if (Busy == AllBusy && NotLaunched == 0)
      break;
    auto At = It++;
    if (At->Done || At->Nothing) {
      // Launches are handed over in their order.
      if (At->Stream == NotSubmitted && (At->Stream = Dev.streamOf(*At->Done)) == NotSubmitted) {
        Busy = AllBusy;
        continue;
      }
      uint64_t Stream = uint64_t(1) << At->Stream % 64;
      if (At->Done && (Busy & Stream))
        continue;
      // If it must wait for its predecessors, tasks behind both must wait too.
      if (At->ahead() || (At->Done && !At->Done->done())) {
        Busy |= At->Done ? Stream : 0;
        continue;
      }
      land(At);
      bool Failed = At->Thrown || (At->Done && !At->Done->outcome().ok());
      ended(*At);
      discard(At);
      Progress = Ended = true;
      if (Failed) // Others may have been released with it.
        It = InFlight.begin();
      continue;
    }
    status Inputs;
    if (!inputsArrived(*At, Inputs))
      continue;
    --NotLaunched;
    land(At);
    Progress = true;
    if (Inputs.ok())
      launch(At);
    else
      giveUp(At, Inputs, true);
  }
  if (Ended || roomMade())
    retryStarved();
  return Progress;
}

void DeviceWorker::ended(Flight &F) {
  TaskNode &T = *F.T;
  status Outcome = F.Done ? F.Done->outcome() : status();
  bool Timed = F.Mean == Duration(0);
  Interval Ran{};
  // By the host's clock it began when the previous one was seen to end: until then the device or this thread was busy.
  // So runs that are seen to end together share their total time.
  if (Timed)
    Ran = {std::max(F.Launched, LastRunEnd), E.Time.now()};
  else if (F.Alone && F.Launched != TimePoint() &&
           E.Time.now() - std::max(F.Launched, LastRunEnd) > MuchLonger * F.Mean + MuchLater)
    SinceSample = SampledEvery;
  if (F.Done)
    if (auto Profiled = F.Done->times()) {
      Ran = *Profiled;
      Timed = true;
    }
  if (Timed)
    LastRunEnd = std::max(LastRunEnd, Ran.End);
  const bool Refused = !Outcome.ok() && Dev.refused(*F.Done);
  bool Ok = Outcome.ok() && !F.Thrown, Began = !Refused && Outcome.code() != errc::cancelled;
  handleOutcome(Outcome);
  T.At = Stage::Usual;
  forget(F);
  std::vector<Extent> Written;
  bool Overrun = !Ok && unwind(T, Written);
  // An exception of a version does not concern its enqueued commands, which have succeeded.
  const bool PartlyWritten = F.Thrown && Outcome.ok() && !Overrun;
  const bool Untouched = !Began && !mayHaveOverwritten(T, Written);
  if (Ok && T.has(Signal::WritesLast))
    E.Data.releaseAndSendHome(F.Acquired);
  else
    E.Data.release(T, F.Acquired, !Ok,
                   Untouched       ? FailedOutputs::Untouched
                   : PartlyWritten ? FailedOutputs::PartlyWritten
                                   : FailedOutputs::Undefined);
  if (E.Watch)
    E.Watch->ran({T.Id, T.Type->name(), F.V->Desc->name, T.Label, computeRow(W.Id, F.Done ? Dev.streamOf(*F.Done) : 0),
                  W.Id, T.DataBytes, Ran, Ok ? rt::Outcome::Done : rt::Outcome::Failed, T.Cost});
  if (Ok) {
    if (!Refusals.empty() && Dev.submitsApart()) // Elsewhere the launch has shown it.
      Refusals.erase({F.V, T.sizeClass()});
    Duration Took = Timed ? Ran.length() : F.Mean;
    if (Timed) {
      learn(Took);
      try {
        if (F.V->Desc->kernel || !WarmedUp.emplace(F.V, T.sizeClass()).second)
          E.Times.record(*T.Type, T.sizeClass(), F.V->Index, W.Model, Took);
      } catch (const std::bad_alloc &) { // The next run is measured.
      }
    }
    if (F.FromPolicy)
      E.Scheduler.completed(T, *F.V, W.Id, Took);
    return E.bodyEnded(Me, T, W.Id);
  }
  if (F.Thrown) { // As on other workers: the task has failed, but its version stays usable.
    if (F.FromPolicy)
      E.Scheduler.completed(T, *F.V, W.Id, Duration(-1));
    E.recordFailure(T, std::move(F.Thrown), T);
    retryUntilAllocated([&] { E.Data.forget(T); });
    return E.bodyEnded(Me, T, W.Id);
  }
  // Data updated in place may be half updated, and inputs may have been updated by a later task. If another copy
  // exists, the task can run again; host memory has none.
  bool Whole = false;
  retryUntilAllocated([&] { Whole = E.Data.whole(T); });
  // The directory does not know this kernel, and would take its partial changes for the earlier contents.
  if (F.Unlisted && Began && std::ranges::any_of(T.accesses(), [](const Access &A) { return reads(A) && writes(A); }))
    Whole = false;
  if (W.Node == HostNode)
    Whole &= !Overrun &&
             (!Began || std::ranges::none_of(T.accesses(), [](const Access &A) { return reads(A) && writes(A); }));
  bool OfData = Outcome.code() == errc::cancelled || Outcome.code() == errc::transfer_failed;
  if (Whole && (OfData || (Refused && Outcome.code() == errc::out_of_memory)) && !Dev.lost())
    return tryAgain(F, Outcome);
  if (Whole && Refused && isOfOneTask(Outcome) && !Dev.lost())
    return refused(F, Outcome);
  if (Whole)
    return reassign(F, Outcome);
  if (!OfData && !Dev.lost())
    E.disable(*F.V, W.Id, Outcome);
  if (F.FromPolicy)
    E.Scheduler.completed(T, *F.V, W.Id, Duration(-1));
  E.fail(Me, T, W.Name, Outcome.message());
  retryUntilAllocated([&] { E.Data.forget(T); });
  E.bodyEnded(Me, T, W.Id);
}

} // namespace hsched::rt
