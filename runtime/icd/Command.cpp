// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Command.h"

#include "icd/Clocks.h"
#include "icd/Kernel.h"
#include "icd/Queue.h"
#include "icd/Reporter.h"

#include <algorithm>
#include <ctime>

namespace hsched::icd {

thread_local unsigned InCallback::Depth = 0;

cl_ulong hostTime() {
  timespec Now{};
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return static_cast<cl_ulong>(Now.tv_sec) * 1000000000 + static_cast<cl_ulong>(Now.tv_nsec);
}

Command::Command(Ref<Context> In, Ref<Queue> Of, cl_command_type Type)
    : Object(Tag), In(std::move(In)), Of(std::move(Of)), Type(Type) {
  if (isUser())
    Shown = CL_SUBMITTED;
}

Command::~Command() {
  if (cl_event E = Vendors.load(std::memory_order_acquire))
    table(E).clReleaseEvent(E);
}

void Command::uses(Memory &M, size_t First, size_t Bytes, bool Reads, bool Writes) {
  Touch T;
  T.uses(M, First, Bytes, Reads, Writes);
  uses(std::move(T));
}

bool Command::isRefusedBy(const Device &D) const { return Runs && Runs->isRefusedBy(D); }

bool Command::mayRunOn(const Device &D) const {
  return (!Runs || Runs->isOn(D)) && (!Accepts || Accepts(D)) &&
         std::all_of(Uses.begin(), Uses.end(),
                     [&](const Use &U) { return U.Home || U.Root->bytes() <= D.limits().AllocBytes; });
}

void Command::uses(Touch &&T) {
  if (Uses.empty() && HostUses.empty()) {
    Uses.swap(T.Uses);
    HostUses.swap(T.HostUses);
  }
  std::move(T.Uses.begin(), T.Uses.end(), std::back_inserter(Uses));
  std::move(T.HostUses.begin(), T.HostUses.end(), std::back_inserter(HostUses));
  Fence |= T.Fence;
}

Footprint Command::footprint() const {
  Footprint F{Task, Fence, {}};
  for (const Use &U : Uses)
    F.Ranges.push_back({U.Root->Serial, U.First, U.Bytes, U.Writes});
  for (const HostUse &U : HostUses)
    F.Ranges.push_back({0, reinterpret_cast<uintptr_t>(U.First), U.Bytes, U.Writes});
  return F;
}

cl_int Command::status() {
  if (Of && Shown.load(std::memory_order_acquire) > CL_COMPLETE)
    Graph::get().poll(this);
  cl_int Known = Shown.load(std::memory_order_acquire);
  if (Known != CL_SUBMITTED || isUser() || Of->SideBySide)
    return Known;
  cl_event E = Vendors.load(std::memory_order_acquire);
  cl_int Its = CL_SUBMITTED;
  if (E && table(E).clGetEventInfo(E, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr) == CL_SUCCESS &&
      Its <= CL_RUNNING)
    return CL_RUNNING; // Its end becomes visible when the platform has seen it.
  return Known;
}

void Command::info(cl_event_info What, const Answer &To) {
  switch (What) {
  case CL_EVENT_COMMAND_QUEUE:
    return To.value(Of ? Of->handle<cl_command_queue>() : nullptr);
  case CL_EVENT_CONTEXT:
    return To.value(In->handle<cl_context>());
  case CL_EVENT_COMMAND_TYPE:
    return To.value(Type);
  case CL_EVENT_COMMAND_EXECUTION_STATUS:
    return To.value(status());
  case CL_EVENT_REFERENCE_COUNT:
    return To.value(userRefs());
  default:
    throw Failure{CL_INVALID_VALUE};
  }
}

void Command::profile(cl_profiling_info What, const Answer &To) {
  require(What >= CL_PROFILING_COMMAND_QUEUED && What <= CL_PROFILING_COMMAND_COMPLETE, CL_INVALID_VALUE);
  require(Of && Of->profiles() && Shown.load(std::memory_order_acquire) == CL_COMPLETE,
          CL_PROFILING_INFO_NOT_AVAILABLE);
  switch (What) {
  case CL_PROFILING_COMMAND_QUEUED:
    return To.value(Queued);
  case CL_PROFILING_COMMAND_SUBMIT:
    return To.value(Submitted);
  case CL_PROFILING_COMMAND_START:
    return To.value(Begin);
  default:
    return To.value(End);
  }
}

void Command::takeTimes() {
  Begin = End = hostTime();
  cl_event E = Vendors.load(std::memory_order_acquire);
  if (!E || !Of || !Measured || Outcome < 0)
    return;
  if (!Clocks::get().works(Where.On)) { // Its end has just been noticed.
    Begin = std::min(End, std::max(Submitted, Of->LastEnd.exchange(End, std::memory_order_relaxed)));
    Ran = End - Begin;
    return;
  }
  cl_ulong From = 0, To = 0;
  const cl_icd_dispatch &Cl = table(E);
  if (Cl.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_START, sizeof(From), &From, nullptr) != CL_SUCCESS ||
      Cl.clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_END, sizeof(To), &To, nullptr) != CL_SUCCESS || To < From)
    return;
  Ran = To - From;
  // A command ends before its end is noticed, and begins after it was passed to the vendor.
  End = std::clamp(Clocks::get().toHost(Where.On, To), Submitted, End);
  Begin = std::clamp(End - std::min(End, Ran), Submitted, End);
  const cl_ulong Before = Of->LastEnd.exchange(End, std::memory_order_relaxed);
  if (FollowsMeasured)
    Idle = Begin - std::min(Begin, std::max(Submitted, Before));
}

cl_ulong Command::behind(cl_ulong EndBefore) {
  Begin = std::max(Begin, EndBefore);
  return End = std::max(Begin, End);
}

void Command::setStatus(cl_int Reached) {
  std::vector<Callback> Due;
  {
    std::lock_guard Hold(CallbackLock);
    if (Shown.load(std::memory_order_relaxed) <= Reached)
      return;
    Shown.store(Reached, std::memory_order_release);
    std::erase_if(Callbacks, [&](const Callback &C) {
      if (C.From >= Reached)
        Due.push_back(C);
      return C.From >= Reached;
    });
  }
  if (Reached <= CL_COMPLETE)
    Shown.notify_all();
  std::stable_sort(Due.begin(), Due.end(), [](const Callback &A, const Callback &B) { return A.From > B.From; });
  InCallback Here;
  for (const Callback &C : Due)
    C.Notified(handle<cl_event>(), Reached < 0 ? Reached : C.From, C.UserData);
}

void Command::show(cl_int As) { setStatus(As); }

void Command::onStatus(cl_int From, void(CL_CALLBACK *Notified)(cl_event, cl_int, void *), void *UserData) {
  cl_int Now;
  {
    std::lock_guard Hold(CallbackLock);
    Now = Shown.load(std::memory_order_relaxed);
    if (Now > From)
      Callbacks.push_back({From, Notified, UserData});
  }
  if (Now > From)
    return Graph::get().watch(this);
  Notified(handle<cl_event>(), Now < 0 ? Now : From, UserData);
}

cl_int Command::wait() {
  struct CompletionReport {
    Reporter *To = Reporter::get();
    cl_ulong Begin = To ? hostTime() : 0;
    ~CompletionReport() {
      if (To)
        To->waited(Begin);
    }
  } Report;
  Graph::get().await(this);
  cl_int Now;
  // The thread that ended it is about to publish its status.
  while ((Now = Shown.load(std::memory_order_acquire)) > CL_COMPLETE)
    Shown.wait(Now, std::memory_order_acquire);
  return Now;
}

bool Command::setUserStatus(cl_int To) {
  if (UserSet.exchange(true))
    return false;
  Graph::get().ended(this, To, false);
  return true;
}

} // namespace hsched::icd
