// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Events.h"

#include "backends/opencl/Errors.h"
#include "backends/opencl/Programs.h"
#include "base/Sanitizers.h"
#include "base/SpinLock.h"

#include <algorithm>
#include <new>

namespace hsched::rt::opencl {

static TimePoint now() { return SteadyClock().now(); }

namespace {

// AddressSanitizer must detect uses of freed events.
constexpr bool KeepNoBlocks = HSCHED_ASAN;

// All blocks have one size: an event with its reference counts, rounded up.
constexpr size_t EventBlockBytes = sizeof(ClEvent) + 64;
struct EventBlock {
  EventBlock *Next;
};
struct EventBlocks {
  SpinLock Lock;
  EventBlock *Free = nullptr; // Guarded by Lock.
};

// Never destroyed: events may be freed when the process ends.
EventBlocks &eventBlocks() {
  static EventBlocks &All = *new EventBlocks;
  return All;
}

} // namespace

void *takeEventBlock(size_t Bytes) {
  if (Bytes > EventBlockBytes)
    return ::operator new(Bytes);
  EventBlocks &All = eventBlocks();
  {
    std::lock_guard Guard(All.Lock);
    if (EventBlock *B = All.Free) {
      All.Free = B->Next;
      return B;
    }
  }
  return ::operator new(EventBlockBytes);
}

void giveEventBlock(void *Block, size_t Bytes) noexcept {
  if (Bytes > EventBlockBytes || KeepNoBlocks)
    return ::operator delete(Block);
  EventBlocks &All = eventBlocks();
  std::lock_guard Guard(All.Lock);
  All.Free = new (Block) EventBlock{All.Free};
}

// Streams that this thread is about to flush.
namespace {
struct Flushing {
  const Stream *Of;
  const Flushing *Outer;
  static thread_local const Flushing *Innermost;
  explicit Flushing(const Stream &S) : Of(&S), Outer(std::exchange(Innermost, this)) {}
  ~Flushing() { Innermost = Outer; }
  static bool has(const Stream &S) {
    for (const Flushing *F = Innermost; F; F = F->Outer)
      if (F->Of == &S)
        return true;
    return false;
  }
};
thread_local const Flushing *Flushing::Innermost = nullptr;
} // namespace

bool Stream::flushTo(uint64_t Target) {
  if (Flushed.load(std::memory_order_acquire) >= Target)
    return true;
  // Streams that need each other: the outer call flushes what this one needs, and sets Flushed.
  if (Flushing::has(*this))
    return clFlush(native()) == CL_SUCCESS;
  const Flushing Now(*this);
  // Read before the flush: commands enqueued meanwhile may not be included.
  uint64_t Reached = Enqueued.load(std::memory_order_acquire);
  std::vector<Need> Others; // The entries stay: another thread must not flush this queue before those.
  {
    std::lock_guard Guard(NeedsLock);
    Others = Needs;
  }
  for (const Need &N : Others)
    if (!N.Other->flushTo(N.Number)) {
      N.E.wait(); // Later commands there may need this stream.
      raise(N.Other->Flushed, N.Number);
    }
  if (clFlush(native()) != CL_SUCCESS)
    return false;
  raise(Flushed, Reached);
  if (!Others.empty())
    dropFlushedNeeds();
  return true;
}

void Stream::dropFlushedNeeds() {
  std::lock_guard Guard(NeedsLock);
  std::erase_if(Needs, [](const Need &N) { return N.Other->Flushed.load(std::memory_order_acquire) >= N.Number; });
}

void Stream::needs(const std::shared_ptr<Stream> &Other, uint64_t Number, const cl::Event &E) {
  if (Other->Flushed.load(std::memory_order_acquire) >= Number)
    return;
  std::lock_guard Guard(NeedsLock);
  for (Need &N : Needs)
    if (N.Other == Other) {
      if (N.Number < Number)
        N = {Other, Number, E};
      return;
    }
  Needs.push_back({Other, Number, E});
}

void Stream::finish() {
  (void)flushTo(Enqueued.load(std::memory_order_acquire)); // Includes what its commands wait for.
  std::vector<Need> Others;                                // Needs that a refused flush left.
  {
    std::lock_guard Guard(NeedsLock);
    Others = Needs;
  }
  std::unique_lock Guard(Lock);
  const std::array<cl::CommandQueue, 2> Both{Queue, Untimed};
  Guard.unlock();
  for (const cl::CommandQueue &Q : Both) {
    cl::Event Last;
    if (Q() && Q.finish() != CL_SUCCESS && Q.enqueueMarkerWithWaitList(nullptr, &Last) == CL_SUCCESS)
      Last.wait();
  }
  // Streams that need each other keep each other: no need stays when all commands have ended.
  for (const Need &N : Others)
    raise(N.Other->Flushed, N.Number);
  if (!Others.empty())
    dropFlushedNeeds();
}

cl_int Stream::choose(bool Timed) {
  if (!MayBeUntimed || Timed == isTimed())
    return CL_SUCCESS;
  const bool Empty =
      LastWork.load(std::memory_order_relaxed) <= NumObservedEnds.load(std::memory_order_acquire) && !Open;
  if (!Timed) {
    if (!Empty || UntimedScore < UntimedFrom)
      return CL_SUCCESS;
    if (!Untimed()) {
      cl_int Code = CL_SUCCESS;
      Untimed = cl::CommandQueue(Context, Queue.getInfo<CL_QUEUE_DEVICE>(), 0, &Code);
      MayBeUntimed = Code == CL_SUCCESS;
      if (!MayBeUntimed) // The first queue is as good.
        return CL_SUCCESS;
    }
  }
  const cl_command_queue From = native(), To = Timed ? Queue() : Untimed();
  if (!Empty) {
    cl_event Raw = nullptr;
    if (cl_int Code = clEnqueueMarkerWithWaitList(From, 0, nullptr, &Raw); Code != CL_SUCCESS)
      return Code;
    const uint64_t Number = Enqueued.load(std::memory_order_relaxed) + 1;
    Enqueued.store(Number, std::memory_order_release);
    close(Number, cl::Event(Raw, true));
    cl::Event Last(Raw);
    if (!flushTo(Number))
      Last.wait();
    if (cl_int Code = clEnqueueBarrierWithWaitList(To, 1, &Raw, nullptr); Code != CL_SUCCESS)
      return Code;
  }
  Current.store(To, std::memory_order_release);
  return CL_SUCCESS;
}

void Stream::close(uint64_t Number, const cl::Event &E) {
  Unreported = 0;
  if (!Open)
    return;
  Open->E = E;
  Open->Number = Number;
  Open->Set.store(true, std::memory_order_release);
  Open.reset();
}

void Stream::requestReport(Mark &M) {
  std::lock_guard Guard(Lock);
  if (Open.get() != &M)
    return;
  cl_event Raw = nullptr;
  if (cl_int Code = clEnqueueMarkerWithWaitList(native(), 0, nullptr, &Raw); Code != CL_SUCCESS) {
    M.Status.store(Code);                                    // Their state can never be determined: they have failed.
    (void)flushTo(Enqueued.load(std::memory_order_relaxed)); // Includes what they wait for.
    (void)clFinish(native());                                // They must not access anything from then on.
  }
  uint64_t Number = Enqueued.load(std::memory_order_relaxed) + (Raw ? 1 : 0);
  Enqueued.store(Number, std::memory_order_release);
  close(Number, cl::Event(Raw));
}

std::string CommandName::text() const { return K ? "kernel '" + K->Name + "'" : *Text; }

ClEvent::ClEvent(std::shared_ptr<Stream> S, uint64_t Number, cl::Event E, errc Failure, TimePoint EnqueuedAt,
                 CommandName What, OwnedRefs &&Owned, PriorEvents &&Before)
    : S(std::move(S)), Number(Number), E(std::move(E)), Failure(Failure), EnqueuedAt(EnqueuedAt), What(std::move(What)),
      Owned(std::move(Owned)), Before(std::move(Before)) {}

ClEvent::~ClEvent() {
  if (endObserved())
    return;
  S->Outstanding.fetch_sub(1, std::memory_order_relaxed);
  Stream::raise(S->Abandoned, Number);
}

// True if it is known to have succeeded.
static bool endedWell(Event &E) {
  ClEvent *Own = ownEvent(&E);
  return Own && Own->endObserved() && Own->outcome().ok();
}

// All pieces of the command, and all predecessors, have ended. Status becomes that of a failed piece. Returns the
// failure caused by a predecessor.
status ClEvent::lookBack(std::span<const EventRef> Others, cl_int &Status) const {
  if (P)
    for (const cl::Event &Piece : P->Pieces) {
      cl_int Part = CL_COMPLETE;
      cl_int Code = clGetEventInfo(Piece(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Part), &Part, nullptr);
      if (Status == CL_COMPLETE && (Code != CL_SUCCESS || Part < 0))
        Status = Code != CL_SUCCESS ? Code : Part;
    }
  for (const EventRef &Other : Others)
    if (Status == CL_COMPLETE || Status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
      if (status Outcome = Other->done() ? Other->outcome() : Other->wait(); !Outcome.ok())
        return status::error(errc::transfer_failed,
                             What.text() + " on " + S->Device + " came after what had failed: " + Outcome.message(),
                             Outcome.native_code());
  return {};
}

// Status: the final status, CL_COMPLETE or negative.
void ClEvent::settle(cl_int Status) {
  TimePoint Seen = M ? TimePoint() : now();
  status Spoilt;
  std::unique_lock Guard(Lock);
  if (endObserved())
    return;
  bool Parted = P && !P->Pieces.empty();
  if (Parted || Before.any([](const EventRef &B) { return !endedWell(*B); })) {
    std::vector<EventRef> Others = Before.list();
    Guard.unlock();
    Spoilt = lookBack(Others, Status);
    Guard.lock();
    if (endObserved())
      return;
  }
  SeenAt = Seen;
  // A driver may report a barrier's end long before its predecessors have ended (NVIDIA's does).
  if (P && P->StartsAfter())
    for (const EventRef &B : Before.list())
      if (ClEvent *Own = ownEvent(B.get()); Own && Own->E() && Own->S->Time == S->Time) {
        cl_ulong End = 0;
        if (Own->E.getProfilingInfo(CL_PROFILING_COMMAND_END, &End) == CL_SUCCESS)
          P->InputsEnd = std::max<uint64_t>(P->InputsEnd, End);
      }
  // A command without an event may have run although the one that reports its end has not.
  if (M && Status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    Result = status::error(errc::transfer_failed,
                           What.text() + " on " + S->Device + " ends with others: " + describeError(Status), Status);
  else if (Status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && !Spoilt.ok())
    Result = status::error(errc::cancelled, Spoilt.message(), Status);
  else if (Status < 0)
    Result = clError(Failure, Status, What.text() + " on " + S->Device);
  else
    Result = std::move(Spoilt);
  if (Status < 0) {
    std::lock_guard Keep(S->RowLock);
    S->Failed.push_back(M ? M->E : E);
    if (P)
      S->Failed.insert(S->Failed.end(), P->Also.begin(), P->Also.end());
  }
  // After a failure, the driver's further behaviour is undefined.
  Stream::raise(Status == CL_COMPLETE ? S->NumObservedEnds : S->Abandoned, Number);
  OwnedRefs Unused(std::move(Owned)); // Freed without the lock, as are its predecessors.
  PriorEvents Others(std::move(Before));
  S->Outstanding.fetch_sub(1, std::memory_order_relaxed);
  Ended.store(true, std::memory_order_release);
  Guard.unlock();
}

// The state of an event that cannot be queried is never known: it has failed.
static cl_int statusOf(const cl::Event &E) {
  cl_int Status = CL_QUEUED;
  cl_int Code = clGetEventInfo(E(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Status), &Status, nullptr);
  return Code == CL_SUCCESS ? Status : Code;
}

bool ClEvent::done() {
  if (endObserved())
    return true;
  if (M && !M->Set.load(std::memory_order_acquire)) {
    if (!What.isKernel() && Polls.fetch_add(1, std::memory_order_relaxed) == MostPolls)
      requestReport();
    return false;
  }
  cl_int Status = M ? M->Status.load(std::memory_order_relaxed) : CL_QUEUED;
  if (Status > CL_COMPLETE) {
    const cl::Event &Its = native();
    if (S->Flushed.load(std::memory_order_acquire) < reportedBy() &&
        Polls.fetch_add(1, std::memory_order_relaxed) < PollsUnflushed)
      return false;
    if (!S->flushTo(reportedBy()))
      Its.wait();
    Status = statusOf(Its);
    if (M)
      M->Status.store(Status, std::memory_order_relaxed);
  }
  if (Status > CL_COMPLETE)
    return false;
  if (P)
    for (const cl::Event &Other : P->Also) {
      cl_int Its = statusOf(Other);
      if (Its > CL_COMPLETE)
        return false;
      Status = std::min(Status, Its);
    }
  settle(Status);
  return true;
}

status ClEvent::wait() {
  if (!endObserved()) {
    cl_event Native = native()();
    S->flushTo(reportedBy());
    cl_int Code = Native ? clWaitForEvents(1, &Native) : CL_INVALID_EVENT;
    if (P)
      for (const cl::Event &Other : P->Also)
        Other.wait();
    // A failed wait has less information than the event's own status.
    if (!done())
      settle(Code == CL_SUCCESS ? CL_COMPLETE : Code);
  }
  return outcome();
}

status ClEvent::outcome() { return endObserved() ? Result : status(); }

std::optional<Interval> ClEvent::times() {
  if (M || EnqueuedAt == TimePoint() || !endObserved())
    return std::nullopt;
  std::lock_guard Guard(Lock);
  if (!TimesRead && Result.ok())
    Ran = readTimes();
  TimesRead = true;
  return Ran;
}

std::optional<Interval> ClEvent::readTimes() {
  cl_ulong Begin = 0, End = 0;
  bool StartsAfter = P && P->StartsAfter();
  const cl::Event &Started = StartsAfter ? P->StartsAfter : P && !P->Pieces.empty() ? P->Pieces.front() : E;
  const cl_profiling_info Point = StartsAfter ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START;
  cl_int Code = Started.getProfilingInfo(Point, &Begin);
  if (Code == CL_PROFILING_INFO_NOT_AVAILABLE) { // A driver may report the end before the times are available.
    E.wait();
    Code = Started.getProfilingInfo(Point, &Begin);
  }
  if (StartsAfter && Code == CL_SUCCESS && Begin == 0) // NVIDIA's driver does not report the end of a barrier.
    Begin = S->Time->onDevice(P->BeforeAt);
  if (Code != CL_SUCCESS || E.getProfilingInfo(CL_PROFILING_COMMAND_END, &End) != CL_SUCCESS || Begin == 0 ||
      End < Begin)
    return std::nullopt;
  if (StartsAfter) { // Ignores what drivers report for a barrier's end.
    std::lock_guard Guard(S->RowLock);
    for (uint64_t Earlier : {S->Time->lastEndBefore(End), S->AnyEnd ? S->LastDeviceEnd : 0, P->InputsEnd})
      if (Earlier <= End)
        Begin = std::max<cl_ulong>(Begin, Earlier);
  }
  if (S->Counts)
    S->Time->ended(End);
  Interval I = S->Time->onHost(Begin, End, StartsAfter ? P->BeforeAt : EnqueuedAt, SeenAt);
  // The clock offset may have been corrected between two operations of one queue.
  std::lock_guard Guard(S->RowLock);
  if (S->AnyEnd && Begin >= S->LastDeviceEnd)
    I = DeviceClock::notBefore(I, S->LastEnd);
  if (!S->AnyEnd || End > S->LastDeviceEnd) {
    S->AnyEnd = true;
    S->LastDeviceEnd = End;
    S->LastEnd = I.End;
  }
  return I;
}

static void CL_CALLBACK endUserEvent(cl_event, cl_int, void *Data) {
  cl_event User = static_cast<cl_event>(Data);
  clSetUserEventStatus(User, CL_COMPLETE);
  clReleaseEvent(User);
}

static void CL_CALLBACK completeUserEvent(cl_event, cl_int Status, void *Data) {
  cl_event User = static_cast<cl_event>(Data);
  clSetUserEventStatus(User, Status < 0 ? Status : CL_COMPLETE);
  clReleaseEvent(User);
}

// Makes Out, a user event of Context, which End completes when Other has ended. What: for the message.
static status userEventBehind(cl_event Other, const cl::Context &Context,
                              void(CL_CALLBACK *End)(cl_event, cl_int, void *), const char *What, cl::Event &Out) {
  cl_int Code = CL_SUCCESS;
  cl_event User = clCreateUserEvent(Context(), &Code);
  if (Code == CL_SUCCESS) {
    Out = cl::Event(User);
    clRetainEvent(User); // The callback's reference.
    Code = clSetEventCallback(Other, CL_COMPLETE, End, User);
    if (Code != CL_SUCCESS)
      clReleaseEvent(User);
  }
  return Code == CL_SUCCESS ? status() : clError(errc::internal, Code, std::string(What) + " cannot be waited for");
}

status followEvent(const cl::Event &Other, const cl::Context &Context, cl::Event &Out) {
  return userEventBehind(Other(), Context, endUserEvent, "an event", Out);
}

// Makes an event of Context that ends when Foreign, of another context, ends.
static status bridge(ClEvent &Foreign, const cl::Context &Context, cl::Event &Out) {
  status S = userEventBehind(Foreign.native()(), Context, completeUserEvent, "an event of another device", Out);
  if (S.ok() && !Foreign.stream()->flushTo(Foreign.reportedBy()))
    (void)Foreign.wait();
  return S;
}

static status cancelled(const status &Cause) {
  return status::error(errc::cancelled, "what it had to wait for failed: " + Cause.message(), Cause.native_code());
}

status makeWaitList(std::span<const EventRef> Wait, Stream &Target, WaitList &Out, bool WithTarget) {
  for (const EventRef &W : Wait) {
    if (!W)
      continue;
    ClEvent *E = ownEvent(W.get());
    if (!E || E->endObserved()) { // An event of another backend cannot be passed to a driver.
      if (status S = E ? E->outcome() : W->wait(); !S.ok())
        return cancelled(S);
      continue;
    }
    Out.Unsettled.add(W);
    const std::shared_ptr<Stream> &From = E->stream();
    if (From.get() == &Target)
      continue;
    if (From->Context() == Target.Context()) {
      cl_event Native = E->native()();
      if (WithTarget)
        Target.needs(From, E->reportedBy(), E->native());
      if (WithTarget || From->flushTo(E->reportedBy()))
        Out.List.push_back(Native);
      else if (status S = E->wait(); !S.ok())
        return cancelled(S);
      continue;
    }
    cl::Event Own;
    if (status S = bridge(*E, Target.Context, Own); !S.ok())
      return S;
    Out.List.push_back(Own());
    Out.Owned.push_back(std::move(Own));
  }
  return {};
}

} // namespace hsched::rt::opencl
