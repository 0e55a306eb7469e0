// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Clocks.h"
#include "icd/ContextData.h"
#include "icd/Dispatcher.h"
#include "icd/Kernel.h"
#include "icd/Queue.h"
#include "icd/Reporter.h"
#include "icd/Scheduler.h"

#include <algorithm>

namespace hsched::icd {
namespace {

// Each time this many commands of a queue are unfinished, their ends are polled.
constexpr size_t MostUnnoticed = 128;
// Limit of ended commands of a queue that are kept for dependences reported to observers.
constexpr size_t MostRemembered = 32;

// Waits for a vendor's event. Returns how its command ended.
cl_int outcomeOf(cl_event Event) {
  cl_int Waited = table(Event).clWaitForEvents(1, &Event);
  if (Waited >= 0)
    return CL_COMPLETE;
  // The vendor reports that it failed, but not why.
  cl_int Its = CL_COMPLETE;
  cl_int QueryError = table(Event).clGetEventInfo(Event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr);
  return QueryError != CL_SUCCESS || Its > CL_COMPLETE ? Waited : Its;
}

// The times that the program sees may be those when ends are noticed.
bool endsAreTimes(const Command &C) {
  if (!C.Of || !C.Of->profiles() || C.Of->isOutOfOrder())
    return false;
  const auto Devices = C.In->vendorDevices();
  return !std::all_of(Devices.begin(), Devices.end(), [](const Device *D) { return Clocks::get().works(D); });
}

struct Ended {
  Ref<Command> C;
};

void CL_CALLBACK vendorEnded(cl_event, cl_int Outcome, void *Data) {
  InCallback Here;
  std::unique_ptr<Ended> Own(static_cast<Ended *>(Data));
  Graph::get().ended(Own->C, Outcome, true);
}

} // namespace

Graph &Graph::get() {
  static Graph &Only = *new Graph;
  return Only;
}

bool Graph::submit(const Ref<Command> &C, const std::vector<Ref<Command>> &After) {
  C->Queued = hostTime();
  if (C->Of) { // From now on no command overtakes it, and direct commands have a node.
    C->Counts.store(true, std::memory_order_relaxed);
    C->Of->Pending.fetch_add(1, std::memory_order_acq_rel);
  }
  bool Scheduled = false;
  try {
    if (C->Of)
      C->Of->standIn();
    Scheduled = C->Of && C->Of->isScheduled();
    if (C->Of && !Scheduled)
      C->Where = C->Of->target(&C->Of->device());
  } catch (...) { // The command is not enqueued.
    if (C->Of && C->Counts.exchange(false, std::memory_order_relaxed))
      C->Of->Pending.fetch_sub(1, std::memory_order_acq_rel);
    throw;
  }
  Reporter *Report = C->Of ? Reporter::get() : nullptr;
  if (Report)
    Report->submitted(*C);
  bool Ready, Full;
  std::vector<Ref<Command>> Watch;
  {
    std::lock_guard Hold(Lock);
    link(C, After);
    if (Report) // Before it can begin.
      Report->dependence(std::exchange(Edges, {}), *C);
    Ready = !Scheduled && --C->Waiting == 0;
    Watch = std::exchange(ToWatch, {});
    Full = C->Of && C->Of->Flight.size() % MostUnnoticed == 0;
  }
  if (Report && !Scheduled)
    Report->placed(*C, *C->Where.On);
  for (const auto &W : Watch)
    addWaiter(W);
  if (Full)
    reap(*C->Of);
  for (const auto &A : After)
    if (A->Of && A->Of != C->Of && (A->Of->isUnflushed() || A->Of->isScheduled()))
      A->Of->flush();
  if (Ready)
    handOver(C, true, false);
  return Scheduled;
}

void Graph::standsIn(const Ref<Command> &C, const Target &Where, cl_event Vendors) {
  C->Queued = C->Submitted = hostTime();
  std::lock_guard Hold(Lock);
  C->Where = Where;
  C->Lane = Where.Queue;
  C->Linked = true;
  C->HandedOver = Vendors != nullptr;
  C->Waiting = 0;
  C->Vendors.store(Vendors, std::memory_order_release);
  C->Shown.store(CL_SUBMITTED, std::memory_order_release);
  C->Of->Flight.push_back(C);
  C->Of->Shows.store(static_cast<uint32_t>(C->Of->Flight.size()), std::memory_order_release);
}

void Graph::map(const Ref<Command> &C, const Target &Where) {
  bool Ready;
  std::vector<Ref<Command>> Watch; // Predecessors on other devices, which their vendors report.
  {
    std::lock_guard Hold(Lock);
    C->Where = Where;
    // Predecessors on the same device are ordered there.
    for (const auto &B : std::exchange(C->Before, {}))
      if (B->Done || !B->HandedOver)
        continue;
      else if (B->Where.On != Where.On) {
        if (!std::exchange(B->Watched, true))
          Watch.push_back(B);
      } else
        std::erase_if(B->Next, [&](const Command::Edge &E) {
          if (!(E.To == C))
            return false;
          C->Waits.push_back({B, E.Fails});
          --C->Waiting;
          return true;
        });
    Ready = --C->Waiting == 0;
  }
  for (const auto &W : Watch)
    addWaiter(W);
  if (Ready)
    handOver(C, false, false, false);
}

// MayWait: called on the dispatcher's thread, which copies between vendors.
bool Graph::start(const Ref<Command> &C, bool MayWait, cl_int &Error, cl_event &Event) {
  if (C->Where.In && C->Where.In->Of->Lazy && !Error && !MayWait)
    return false;
  try {
    ContextData *Data = C->Where.In && !C->Uses.empty() ? C->In->data() : nullptr;
    if (!Error && Data && !Data->take(*C, MayWait))
      return false;
    C->Submitted = hostTime();
    if (!Error && C->Start) {
      std::vector<cl_event> Waits;
      Target To = C->Where;
      if (C->Of)
        To.Queue = C->Lane = C->Of->laneFor(*C);
      for (const auto &W : C->Waits)
        if (!C->FollowsLane || W.Fails || W.On->Lane != C->Lane || C->Of->isVendorsOutOfOrder())
          Waits.push_back(W.On->Vendors.load(std::memory_order_acquire));
      if (C->Acquired)
        for (const rt::EventRef &E : C->Acquired->Wait) // Copies between vendors.
          if (cl_event Copy = commandOf(E))
            Waits.push_back(Copy);
      const auto InTurn = To.On ? To.On->inTurn() : std::unique_lock<std::recursive_mutex>();
      Error = C->Start(To, static_cast<cl_uint>(Waits.size()), Waits.empty() ? nullptr : Waits.data(), &Event);
    }
  } catch (const Failure &F) {
    Error = F.Code;
  } catch (const std::bad_alloc &) {
    Error = CL_OUT_OF_HOST_MEMORY;
  }
  if (Error < 0 && C->Acquired) // The command has not begun.
    C->In->data()->releaseData(*C, true);
  return true;
}

void Graph::handOver(const Ref<Command> &C, bool Throws, bool MayWait, bool Flushes) {
  cl_int Error = C->Failed;
  cl_event Event = nullptr;
  std::vector<const Device *> Unfit; // They have refused the command for what it is.
  for (std::vector<Device *> Refused;;) {
    if (!start(C, MayWait, Error, Event))
      return Dispatcher::get().post([this, C] { handOver(C, false, true); });
    // A marker may need nothing of its vendor.
    if (!C->Failed && C->Where.On && (Error < 0 || (Event && !C->Fence)) && C->Where.On->answered(Error))
      lost(*C->In, *C->Where.On);
    if (C->Failed || !Device::isOfDevice(Error) || !C->Of || !C->Of->isScheduled())
      break;
    Device *const From = C->Where.On, *D = nullptr;
    bool Ready = false;
    const cl_int Moved = guarded([&] {
      Refused.push_back(From);
      auto [Other, Seconds] = Scheduler::get().elsewhere(*C, Refused);
      if (!Other)
        return;
      if (!Device::isRefusal(Error))
        Unfit.push_back(From);
      const Target To = C->Of->target(Other);
      const double Before = Scheduler::get().moves(*C, From, Other, Seconds);
      try {
        Ready = move(C, To); // Not ready: another thread may run it from now on.
        D = Other;
      } catch (const std::bad_alloc &) {
        (void)Scheduler::get().moves(*C, Other, From, Before);
      }
    });
    if (Moved || !D)
      break;
    if (!Ready)
      return;
    Error = C->Failed;
  }
  if (Error >= 0 && C->Runs && C->Where.On && !C->Failed) {
    if (!Unfit.empty() && !C->isRefusedBy(*C->Where.On)) // Some device stays.
      for (const Device *D : Unfit)
        (void)guarded([&] { C->Runs->refusedBy(*D); }); // It would be asked again and again.
    C->Runs->accepted(*C->Where.On);
  }
  // A command that fails before it begins does not end before its predecessors: its successors may know only this one.
  if (Error < 0 && !Event && !C->Waits.empty()) {
    C->Failed = Error;
    bool Ready = true; // Without memory for the edges it ends at once.
    (void)guarded([&] { Ready = move(C, Target(C->Where)); });
    if (!Ready) {
      if (Throws)
        check(Error);
      return;
    }
  }
  const bool Lazy = C->Where.In && C->Where.In->Of->Lazy;
  // Without a clock of the vendor's, the kernel's end has to be noticed at once.
  const bool Timed = C->Of && C->Of->isScheduled() && C->Measures && !Clocks::get().works(C->Where.On);
  C->Waits.clear();
  if (Error < 0 || !Event) {
    ended(C, Error < 0 ? Error : CL_COMPLETE, false);
    if (Throws)
      check(Error);
    return;
  }
  std::vector<Ref<Command>> Ready;
  bool Watched;
  {
    std::lock_guard Hold(Lock);
    C->Vendors.store(Event, std::memory_order_release);
    C->HandedOver = true;
    if (C->Counts.exchange(false, std::memory_order_relaxed))
      C->Of->Pending.fetch_sub(1, std::memory_order_acq_rel);
    // Successors on the same device need not wait for the end.
    std::erase_if(C->Next, [&](const Command::Edge &E) {
      if (E.To->Where.On != C->Where.On)
        return false;
      E.To->Waits.push_back({C, E.Fails});
      if (--E.To->Waiting == 0)
        Ready.push_back(E.To);
      return true;
    });
    // A successor without a device sets the callback when it gets one, if it needs it.
    C->Watched |= Lazy || Timed ||
                  std::any_of(C->Next.begin(), C->Next.end(), [](const auto &E) { return E.To->Where.On != nullptr; });
    Watched = C->Watched;
  }
  if (C->Acquired)
    C->In->data()->handedOver();
  C->setStatus(CL_SUBMITTED);
  Queue &Q = *C->Of;
  Q.handedOver(C->Lane);
  if (!Throws && Flushes)
    Q.flushVendors();
  if (Lazy) {
    ended(C, outcomeOf(Event), false);
  } else if (Watched) {
    addWaiter(C);
  }
  release(std::move(Ready), false);
}

void Graph::addWaiter(const Ref<Command> &C) {
  cl_event Event = C->Vendors.load(std::memory_order_acquire);
  auto Notified = std::make_unique<Ended>(Ended{C});
  if (C->Where.In->Of->Lazy)
    return; // The dispatcher waits for it.
  if (table(Event).clSetEventCallback(Event, CL_COMPLETE, vendorEnded, Notified.get()) == CL_SUCCESS)
    (void)Notified.release();
  else
    Dispatcher::get().post([this, C, Event] { // Without callbacks, a thread must wait.
      ended(C, outcomeOf(Event), false);
    });
}

std::vector<Ref<Command>> Graph::upTo(const Ref<Command> &C) {
  std::vector<Ref<Command>> All;
  if (C->Of && !C->Of->isOutOfOrder())
    for (const auto &X : C->Of->Flight) {
      if (X == C)
        break;
      All.push_back(X);
    }
  All.push_back(C);
  return All;
}

void Graph::awaitOne(const Ref<Command> &C) {
  for (;;) {
    bool Notified;
    {
      std::lock_guard Hold(Lock);
      if (C->Done)
        return;
      if (!C->HandedOver)
        C->Watched = true;
      // Some vendors call back milliseconds after the end.
      Notified = !C->HandedOver || C->Where.In->Of->Lazy;
    }
    if (Notified) {
      C->Over.wait(false, std::memory_order_acquire);
      continue;
    }
    cl_event Event = C->Vendors.load(std::memory_order_acquire);
    cl_int Its = CL_SUBMITTED;
    cl_int QueryError =
        table(Event).clGetEventInfo(Event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr);
    ended(C, QueryError == CL_SUCCESS && Its <= CL_COMPLETE ? Its : outcomeOf(Event), false);
  }
}

void Graph::await(const Ref<Command> &C) {
  std::vector<Ref<Command>> All;
  {
    std::lock_guard Hold(Lock);
    if (C->Done && C->Shown.load() <= CL_COMPLETE)
      return;
    All = upTo(C);
  }
  if (endsAreTimes(*C))
    std::for_each(All.begin(), All.end(), [&](const auto &X) { awaitOne(X); });
  else // The last one first: then most others have ended, and their vendor need not wake this thread for each.
    std::for_each(All.rbegin(), All.rend(), [&](const auto &X) { awaitOne(X); });
}

std::vector<Ref<Command>> Graph::inputs(const Ref<Command> &C) {
  std::lock_guard Hold(Lock);
  return C->Before;
}

bool Graph::awaitInputs(const Ref<Command> &C) {
  std::vector<Ref<Command>> All;
  {
    std::lock_guard Hold(Lock);
    for (const auto &B : C->Before)
      if (!B->Done) {
        if (!B->HandedOver)
          return false;
        All.push_back(B);
      }
  }
  for (const auto &B : All)
    awaitOne(B);
  std::lock_guard Hold(Lock);
  return C->Waiting == 1 && !C->Failed;
}

bool Graph::awaitHolder(Context &In, const Command &But) {
  for (const auto &Q : In.queues())
    for (const auto &C : inFlight(*Q)) {
      {
        std::lock_guard Hold(Lock);
        if (!C->HandedOver || C->Done || C.get() == &But)
          continue;
      }
      // Not awaitOne(): this is the dispatcher's thread, which may have to notice the end itself.
      cl_event Event = C->Vendors.load(std::memory_order_acquire);
      ended(C, outcomeOf(Event), false);
      return true;
    }
  return false;
}

void Graph::poll(const Ref<Command> &C) {
  std::vector<Ref<Command>> All;
  {
    std::lock_guard Hold(Lock);
    for (const auto &X : upTo(C))
      if (!X->Done) {
        if (!X->HandedOver || X->Where.In->Of->Lazy)
          break;
        All.push_back(X);
      }
  }
  for (const auto &X : All) {
    cl_event Event = X->Vendors.load(std::memory_order_acquire);
    cl_int Its = CL_SUBMITTED;
    if (table(Event).clGetEventInfo(Event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr) !=
            CL_SUCCESS ||
        Its > CL_COMPLETE)
      return;
    ended(X, Its, false);
  }
}

void Graph::look(Queue &Q) {
  auto All = inFlight(Q);
  if (!All.empty() && !Q.isOutOfOrder())
    All.erase(All.begin(), All.end() - 1);
  for (const auto &C : All)
    poll(C);
}

void Graph::reap(Queue &Q) {
  Ref<Command> Middle;
  {
    std::lock_guard Hold(Lock);
    if (Q.Flight.size() < MostUnnoticed)
      return;
    Middle = Q.Flight[Q.Flight.size() / 2];
  }
  if (!Q.isOutOfOrder())
    return poll(Middle);
  for (const auto &C : inFlight(Q))
    poll(C);
}

void Graph::watch(const Ref<Command> &C) {
  std::vector<Ref<Command>> Now;
  {
    std::lock_guard Hold(Lock);
    for (const auto &X : upTo(C))
      if (!X->Done && !X->Watched) {
        X->Watched = true;
        if (X->HandedOver)
          Now.push_back(X);
      }
  }
  for (const auto &X : Now)
    addWaiter(X);
}

void Graph::release(std::vector<Ref<Command>> Ready, bool Elsewhere) {
  for (auto &C : Ready)
    if (Elsewhere)
      Dispatcher::get().post([this, C] { handOver(C, false, true); });
    else
      handOver(C, false, false);
}

std::vector<Ref<Command>> Graph::inFlight(Queue &Q) {
  std::lock_guard Hold(Lock);
  return {Q.Flight.begin(), Q.Flight.end()};
}

void Graph::ended(const Ref<Command> &C, cl_int Outcome, bool FromVendor) {
  if (C->Ending.exchange(true, std::memory_order_acq_rel))
    return;
  C->Outcome = Outcome < 0 ? Outcome : CL_COMPLETE;
  C->takeTimes();
  if (C->Where.On && !C->Kernel.empty() && (C->runTime() || C->Expected > 0))
    Scheduler::get().measured(*C);
  if (Reporter *Report = C->Task ? Reporter::get() : nullptr)
    Report->ran(*C);
  std::vector<Ref<Command>> Ready, Shown;
  std::vector<Record> Old;
  {
    std::lock_guard Hold(Lock);
    C->Done = true;
    if (C->Counts.exchange(false, std::memory_order_relaxed))
      C->Of->Pending.fetch_sub(1, std::memory_order_acq_rel);
    for (Command::Edge &E : std::exchange(C->Next, {})) {
      if (E.Fails && C->Outcome < 0)
        E.To->Failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      if (--E.To->Waiting == 0)
        Ready.push_back(std::move(E.To));
    }
    if (!C->Of) {
      Shown.push_back(C);
    } else {
      Queue &Q = *C->Of;
      Old = Q.leaveLane(*C);
      if (C->Task && !Q.isOutOfOrder()) {
        Q.Past.push_back(C->footprint());
        if (Q.Past.size() > MostRemembered)
          Q.Past.pop_front();
      }
      if (Q.isOutOfOrder())
        Shown.push_back(C);
      while (!Q.Flight.empty() && Q.Flight.front()->Done) {
        if (!Q.isOutOfOrder()) {
          Shown.push_back(Q.Flight.front());
          if (Q.profiles())
            Q.LastShown = Shown.back()->behind(Q.LastShown);
        }
        Q.Flight.pop_front();
      }
      Q.Shows.store(static_cast<uint32_t>(Q.Flight.size()), std::memory_order_release);
      if (Q.Flight.empty()) {
        Q.Unrecorded.store(false, std::memory_order_release);
        Q.emptyLanes(Old); // Of an out-of-order queue, and of commands that their vendors did not get.
      }
      if (Q.Barrier == C) {
        Q.Barrier = {};
        Q.BehindBarrier.store(false, std::memory_order_release);
      }
    }
  }
  if (C->Acquired)
    C->In->data()->releaseData(*C, false);
  C->Over.store(true, std::memory_order_release);
  C->Over.notify_all();
  C->Start = nullptr;
  C->Mini.reset();
  C->Accepts = nullptr;
  C->Uses.clear();
  C->HostUses.clear();
  for (const auto &S : Shown)
    S->show(S->Outcome);
  // A long chain of failing commands must not become a deep recursion.
  static thread_local unsigned Depth = 0;
  ++Depth;
  release(std::move(Ready), FromVendor || Depth > 8);
  --Depth;
}

} // namespace hsched::icd
