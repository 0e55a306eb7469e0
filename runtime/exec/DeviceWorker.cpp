// Acquire, bind, launch, reap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/DeviceWorker.h"
#include "exec/KernelBinding.h"

#include <algorithm>

namespace hsched::rt {

using namespace std::chrono_literals;

void DeviceWorker::loop() {
  LastProgress = E.Time.now();
  for (;;) {
    bool Progress = reap();
    while (Starved.empty() && InFlight.size() < Depth && take())
      Progress = true;
    if (InFlight.empty() && Starved.empty() && E.Stopping.load())
      return;
    idle(Progress);
  }
}

// Completion is polled: being called back by a driver takes three times as long. Polling gives way to short sleeps, so
// that a long kernel does not cost a core.
void DeviceWorker::idle(bool Progress) {
  if (Progress) {
    LastProgress = E.Time.now();
    return;
  }
  if (InFlight.empty() && Starved.empty())
    return S.P.park();
  Duration Quiet = E.Time.now() - LastProgress;
  if (Quiet < 50us)
    std::this_thread::yield();
  else
    S.P.park(std::clamp<Duration>(Quiet / 8, 20us, 200us));
}

bool DeviceWorker::take() {
  Executor::Detour D;
  if (E.takeDetour(W.Id, D)) {
    accept(*D.T, *D.V, false);
    return true;
  }
  Assignment A;
  if (!E.Scheduler.pop(W.Id, A))
    return false;
  accept(static_cast<TaskNode &>(*A.T), *A.V, true);
  return true;
}

void DeviceWorker::accept(TaskNode &T, const Version &V, bool FromPolicy) {
  if (!Platform::usable(W, V))
    return E.giveBack(T, V, W.Id, FromPolicy);
  Flight F;
  F.T = &T;
  F.V = &V;
  F.FromPolicy = FromPolicy;
  if (status Cause; refusedLately(F, Cause))
    return E.exclude(T, V, W.Id, FromPolicy, Cause);
  // The kernel first: when it does not build, no data has moved.
  status Built = V.Desc->kernel ? Dev.kernel(*V.Desc->kernel, F.K)
                                : status::error(errc::unsupported,
                                                "versions with a body of their own on a device are not supported yet");
  if (!Built.ok()) {
    E.disable(V, W.Id, Built);
    return E.giveBack(T, V, W.Id, FromPolicy);
  }
  if (T.Groups)
    try {
      E.usePrivateCopies(T, W.Node);
    } catch (...) {
      E.recordFailure(T, std::current_exception(), T);
      E.neverRan(T, Outcome::Failed);
      if (FromPolicy)
        E.Scheduler.completed(T, V, W.Id, Duration(-1));
      return E.bodyEnded(T, W.Id);
    }
  acquire(std::move(F));
}

void DeviceWorker::acquire(Flight F) {
  if (status Room = E.Data.acquire(*F.T, W.Node, F.Held); !Room.ok())
    return giveUp(F, Room, false);
  // A device of its own orders its transfers before the kernel. What shares host memory waits for other devices'.
  if (W.Node != HostNode || F.Held.Wait.empty())
    return launch(std::move(F));
  InFlight.push_back(std::move(F));
}

void DeviceWorker::launch(Flight F) {
  KernelBinding Bound;
  status Went = Bound.bind(*F.T, *F.V->Desc->kernel, F.Held, Dev, W.Node == HostNode);
  if (Went.ok() && Bound.empty()) {
    // No work item: done before it began.
    F.Launched = E.Time.now();
    return ended(F);
  }
  if (Went.ok()) {
    std::span<const EventRef> Wait;
    if (W.Node != HostNode)
      Wait = F.Held.Wait;
    F.Launched = E.Time.now();
    Went = Dev.launch(F.K, Bound.range(), Bound.args(), Wait, F.Done);
  }
  if (!Went.ok())
    return giveUp(F, Went, true);
  if (!Refusals.empty())
    Refusals.erase({F.V, F.T->sizeClass()});
  E.Data.launched(*F.T, F.Held, F.Done);
  Dev.flush();
  InFlight.push_back(std::move(F));
}

bool DeviceWorker::refusedLately(const Flight &F, status &Cause) {
  if (Refusals.empty())
    return false;
  auto Known = Refusals.find({F.V, F.T->sizeClass()});
  if (Known == Refusals.end() || Known->second.InARow < RefusalsTried)
    return false;
  if (++Known->second.SentOn % SentOnBetween == 0)
    return false;
  // A task that nobody else can run gets its chance: what is wanting may depend on more than the size.
  Cause = Known->second.Cause;
  return E.usableElsewhere(*F.T, *F.V, W.Id);
}

void DeviceWorker::giveUp(Flight &F, const status &Cause, bool Holding) {
  if (Holding)
    E.Data.release(*F.T, F.Held, true);
  // A launch may run out of memory too: then it is what else is on the device that stands in the way.
  bool WorthWaiting = Holding ? !InFlight.empty() : F.Held.MemoryBusy;
  F.Held = {};
  switch (Cause.code()) {
  case errc::out_of_memory:
    if (WorthWaiting) {
      Starved.push_back(std::move(F));
      return;
    }
    [[fallthrough]];
  case errc::transfer_failed:
  case errc::unsupported:      // too many work-items, too much local memory, data at a place it cannot begin at:
  case errc::invalid_argument: // another task of the same type may fare better
  {
    Refusal &R = Refusals[{F.V, F.T->sizeClass()}];
    ++R.InARow;
    R.Cause = Cause;
    return E.exclude(*F.T, *F.V, W.Id, F.FromPolicy, Cause);
  }
  default:
    E.disable(*F.V, W.Id, Cause);
    return E.giveBack(*F.T, *F.V, W.Id, F.FromPolicy);
  }
}

void DeviceWorker::retryStarved() {
  // Each gets one more try; those for which it is still too little come back to the list, or are given up when nobody
  // is left who could make room.
  for (size_t N = Starved.size(); N > 0; --N) {
    Flight F = std::move(Starved.front());
    Starved.pop_front();
    acquire(std::move(F));
  }
}

bool DeviceWorker::inputsArrived(Flight &F, status &Outcome) {
  for (const EventRef &Input : F.Held.Wait)
    if (Input && !Input->done())
      return false;
  for (const EventRef &Input : F.Held.Wait)
    if (Input && Outcome.ok())
      Outcome = Input->outcome();
  return true;
}

bool DeviceWorker::reap() {
  bool Progress = false, Ended = false;
  for (auto It = InFlight.begin(); It != InFlight.end();) {
    auto At = It++;
    if (At->Done) {
      if (!At->Done->done())
        continue;
      Flight F = std::move(*At);
      InFlight.erase(At);
      ended(F);
      Progress = Ended = true;
      continue;
    }
    status Inputs;
    if (!inputsArrived(*At, Inputs))
      continue;
    Flight F = std::move(*At);
    InFlight.erase(At);
    Progress = true;
    if (Inputs.ok())
      launch(std::move(F));
    else
      giveUp(F, Inputs, true);
  }
  // With nothing in flight it is a task elsewhere that keeps data from leaving the device.
  if (Ended || (!Starved.empty() && InFlight.empty()))
    retryStarved();
  return Progress;
}

void DeviceWorker::ended(Flight &F) {
  TaskNode &T = *F.T;
  status Outcome = F.Done ? F.Done->outcome() : status();
  Interval Ran{F.Launched, E.Time.now()};
  if (F.Done)
    if (auto Profiled = F.Done->times())
      Ran = *Profiled;
  E.Data.release(T, F.Held, !Outcome.ok());
  bool Ok = Outcome.ok();
  if (E.Watch)
    E.Watch->ran({T.Id, T.Type->name(), F.V->Desc->name, T.Label, computeRow(W.Id, F.Done ? Dev.streamOf(*F.Done) : 0),
                  W.Id, T.DataBytes, Ran, Ok ? rt::Outcome::Done : rt::Outcome::Failed, T.Cost});
  if (Ok) {
    E.Times.record(*T.Type, T.sizeClass(), F.V->Index, Ran.length());
    if (F.FromPolicy)
      E.Scheduler.completed(T, *F.V, W.Id, Ran.length());
    return E.bodyEnded(T, W.Id);
  }
  E.disable(*F.V, W.Id, Outcome);
  // What it updates in place may be half updated: only a task that reads nothing it writes can be run again.
  if (std::ranges::none_of(T.accesses(), [](const Access &A) { return reads(A) && writes(A); }))
    return E.giveBack(T, *F.V, W.Id, F.FromPolicy);
  if (F.FromPolicy)
    E.Scheduler.completed(T, *F.V, W.Id, Duration(-1));
  E.fail(T, W.Name, Outcome.message());
  E.bodyEnded(T, W.Id);
}

} // namespace hsched::rt
