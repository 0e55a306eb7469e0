// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Events.h"

#include "backends/opencl/Errors.h"

namespace hsched::rt::opencl {

static TimePoint now() { return SteadyClock().now(); }

void Stream::flushTo(uint64_t Wanted) {
  if (Flushed.load(std::memory_order_acquire) >= Wanted)
    return;
  // Read before the flush: what is enqueued meanwhile may or may not be in it.
  uint64_t Reached = Enqueued.load(std::memory_order_acquire);
  Queue.flush();
  uint64_t Old = Flushed.load(std::memory_order_relaxed);
  while (Old < Reached && !Flushed.compare_exchange_weak(Old, Reached, std::memory_order_release))
    ;
}

ClEvent::ClEvent(std::shared_ptr<Stream> S, uint64_t Number, cl::Event E, errc Failure, TimePoint EnqueuedAt,
                 std::string What, std::vector<std::shared_ptr<void>> Kept)
    : S(std::move(S)), Number(Number), E(std::move(E)), Failure(Failure), EnqueuedAt(EnqueuedAt), What(std::move(What)),
      Kept(std::move(Kept)) {}

ClEvent::~ClEvent() {
  if (!knownDone())
    S->Outstanding.fetch_sub(1, std::memory_order_relaxed);
}

// Status is what the command ended with: CL_COMPLETE or negative.
void ClEvent::settle(cl_int Status) {
  TimePoint Seen = now();
  std::vector<std::shared_ptr<void>> Unused; // freed without the lock
  std::lock_guard Guard(Lock);
  if (knownDone())
    return;
  SeenAt = Seen;
  if (Status < 0)
    Result = clError(Failure, Status, What + " on " + S->Device);
  Unused.swap(Kept);
  S->Outstanding.fetch_sub(1, std::memory_order_relaxed);
  Ended.store(true, std::memory_order_release);
}

bool ClEvent::done() {
  if (knownDone())
    return true;
  S->flushTo(Number);
  cl_int Status = CL_QUEUED;
  cl_int Code = clGetEventInfo(E(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Status), &Status, nullptr);
  if (Code != CL_SUCCESS)
    Status = Code; // nothing will ever be known of it: it has failed
  if (Status > CL_COMPLETE)
    return false;
  settle(Status);
  return true;
}

status ClEvent::wait() {
  if (!knownDone()) {
    S->flushTo(Number);
    cl_event Native = E();
    cl_int Code = clWaitForEvents(1, &Native);
    // A failed wait says less than the event's own status does.
    if (!done())
      settle(Code == CL_SUCCESS ? CL_COMPLETE : Code);
  }
  return outcome();
}

status ClEvent::outcome() {
  std::lock_guard Guard(Lock);
  return Result;
}

std::optional<Interval> ClEvent::times() {
  if (!knownDone())
    return std::nullopt;
  std::lock_guard Guard(Lock);
  if (!TimesRead && Result.ok())
    Ran = readTimes();
  TimesRead = true;
  return Ran;
}

std::optional<Interval> ClEvent::readTimes() {
  cl_ulong Begin = 0, End = 0;
  const cl::Event &Started = First() ? First : E;
  cl_int Code = Started.getProfilingInfo(CL_PROFILING_COMMAND_START, &Begin);
  if (Code == CL_PROFILING_INFO_NOT_AVAILABLE) { // a driver may tell of the end before it has the times
    E.wait();
    Code = Started.getProfilingInfo(CL_PROFILING_COMMAND_START, &Begin);
  }
  if (Code != CL_SUCCESS || E.getProfilingInfo(CL_PROFILING_COMMAND_END, &End) != CL_SUCCESS || Begin == 0 ||
      End < Begin)
    return std::nullopt;
  Interval I = S->Time->onHost(Begin, End, EnqueuedAt, SeenAt);
  // The clocks' difference may have been corrected between two operations of one queue.
  std::lock_guard Guard(S->RowLock);
  if (S->AnyEnd && Begin >= S->LastDeviceEnd) {
    I.Begin = std::max(I.Begin, S->LastEnd);
    I.End = std::max(I.End, I.Begin);
  }
  if (!S->AnyEnd || End > S->LastDeviceEnd) {
    S->AnyEnd = true;
    S->LastDeviceEnd = End;
    S->LastEnd = I.End;
  }
  return I;
}

static void CL_CALLBACK completeUserEvent(cl_event, cl_int Status, void *Data) {
  cl_event User = static_cast<cl_event>(Data);
  clSetUserEventStatus(User, Status < 0 ? Status : CL_COMPLETE);
  clReleaseEvent(User);
}

// An event of Context that ends when Foreign, of another context, does.
static status bridge(ClEvent &Foreign, const cl::Context &Context, cl::Event &Out) {
  cl_int Code = CL_SUCCESS;
  cl_event User = clCreateUserEvent(Context(), &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::internal, Code, "an event of another device cannot be waited for");
  Out = cl::Event(User);
  clRetainEvent(User); // the callback's
  Code = clSetEventCallback(Foreign.native()(), CL_COMPLETE, completeUserEvent, User);
  if (Code != CL_SUCCESS) {
    clReleaseEvent(User);
    return clError(errc::internal, Code, "an event of another device cannot be waited for");
  }
  Foreign.stream()->flushTo(Foreign.number());
  return {};
}

static status cancelled(const status &Cause) {
  return status::error(errc::cancelled, "what it had to wait for failed: " + Cause.message(), Cause.native_code());
}

status makeWaitList(std::span<const EventRef> Wait, const Stream &Target, WaitList &Out) {
  for (const EventRef &W : Wait) {
    if (!W)
      continue;
    auto *E = dynamic_cast<ClEvent *>(W.get());
    if (!E || E->knownDone()) { // another backend's cannot be handed to a driver
      if (status S = E ? E->outcome() : W->wait(); !S.ok())
        return cancelled(S);
      continue;
    }
    const std::shared_ptr<Stream> &From = E->stream();
    if (From.get() == &Target)
      continue;
    if (From->Context() == Target.Context()) {
      From->flushTo(E->number());
      Out.List.push_back(E->native()());
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
