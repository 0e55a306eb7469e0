// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Queue.h"

#include "base/Env.h"
#include "icd/Clocks.h"
#include "icd/Reporter.h"
#include "icd/Scheduler.h"

#include <CL/cl_hsched.h>

#include <algorithm>

namespace hsched::icd {
namespace {

// For a device: by its number of compute units. A CPU has two lanes a core: chains do not stand behind each other while
// cores are idle.
constexpr size_t LeastLanes = 4, MostLanes = 16, MostOfCpu = 32;

bool wantsSideBySide() {
  static const bool On = rt::envFlag("HSCHED_OPENCL_SIDE_BY_SIDE", true);
  return On;
}

// After this many synchronisations a settled queue is measured and mapped again. 0: never.
uint64_t refreshPeriod() {
  static const uint64_t Its = rt::envUnsigned("HSCHED_OPENCL_REFRESH", 0, 0, 1000000000);
  return Its;
}

constexpr cl_ulong Modes = CL_QUEUE_SCHED_AUTO_STATIC_HSCHED | CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED;

} // namespace

// With profiling, times of overlapping commands would be visible.
Queue::Queue(Ref<Context> Of, Ref<Device> For, cl_command_queue_properties Bits,
             std::vector<cl_queue_properties> Properties, cl_ulong Sched)
    : Object(Tag), In(std::move(Of)), On(std::move(For)), Bits(Bits),
      SideBySide(!(Bits & (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)) && wantsSideBySide()),
      Properties(std::move(Properties)) {
  setSched(Sched);
  if (alwaysMeasures())
    compareClocks();
  if (!On->isAuto())
    (void)target(On.get());
  if (isScheduled() && !On->isAuto() && !alwaysMeasures()) { // Not when its first kernel runs.
    std::lock_guard Hold(Lock);
    (void)open(On.get(), true);
  }
  In->add(this);
}

Queue::~Queue() {
  for (const Lane &L : Lanes)
    L.To.cl().clReleaseCommandQueue(L.To.Queue);
}

void Queue::compareClocks() const {
  for (const Device *D : In->vendorDevices())
    Clocks::get().compare(D, *In->partOf(D));
}

void Queue::setSched(cl_ulong To) {
  const cl_ulong Before = Sched.load(std::memory_order_acquire);
  To |= Before & CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED;
  Settled.store(false, std::memory_order_release);
  const auto All = In->vendorDevices();
  // The end of an explicit region: the queue stays on the device that the region was mapped to.
  Device *Pinned = nullptr;
  if (All.size() != 1 && !(To & Modes) && Before & CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED)
    Pinned = Scheduler::get().deviceOf(*this);
  if (On->isAuto() && !(To & Modes) && (!Pinned || Pinned->isAuto()))
    To |= CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED;
  if (All.size() == 1) { // There is only one device.
    Runs.store(All.front(), std::memory_order_release);
    Sched.store(To, std::memory_order_release);
    return;
  }
  if (isScheduled() && !(To & Modes)) {
    Sched.store(To, std::memory_order_release);
    leaveScheduler(Pinned ? Pinned : On.get());
    return Scheduler::get().map(*In); // Another thread's commands, held since the caller's flush.
  }
  Runs.store(Pinned ? Pinned : On.get(), std::memory_order_release);
  bool Starts = To & Modes && !isScheduled();
  if (Starts)
    standIn();
  if (Starts && !alwaysMeasures())
    compareClocks();
  if (Starts) {
    Scheduler::get().begin(*this, To);
    Unrecorded.store(true, std::memory_order_release);
  }
  Sched.store(To, std::memory_order_release);
  Scheduled.store((To & Modes) != 0, std::memory_order_release);
}

void Queue::settle(Device *D) {
  leaveScheduler(D);
  Settled.store(true, std::memory_order_release);
}

void Queue::leaveScheduler(Device *D) {
  Unrecorded.store(true, std::memory_order_release); // Commands that run elsewhere.
  Runs.store(D, std::memory_order_release);
  Scheduled.store(false, std::memory_order_release);
}

void Queue::synchronised() {
  const uint64_t Period = refreshPeriod();
  if (!Period || !Settled.load(std::memory_order_acquire) ||
      Synchronised.fetch_add(1, std::memory_order_relaxed) + 1 < Period || !Settled.exchange(false))
    return;
  Synchronised.store(0, std::memory_order_relaxed);
  Scheduler::get().forget(*this);
  setSched(Sched.load(std::memory_order_acquire));
}

void Queue::abandoned() {
  guarded([&] {
    standIn();
    flush();
    for (const auto &C : Graph::get().inFlight(*this)) // No thread will poll it.
      Graph::get().watch(C);
  });
  In->remove(this);
}

Target Queue::target(Device *D) {
  std::lock_guard Hold(Lock);
  for (const Lane &L : Lanes)
    if (L.To.On == D)
      return L.To;
  return open(D, alwaysMeasures()).To;
}

bool Queue::alwaysMeasures() const { return profiles() || Reporter::get(); }

// Requires the lock.
Queue::Lane &Queue::open(Device *D, bool Measures) {
  Target T{In->partOf(D), D, nullptr};
  require(T.In, CL_INVALID_DEVICE);
  cl_command_queue_properties Its = 0;
  if (D->OutOfOrder && isOutOfOrder())
    Its |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  Reporter *Report = Reporter::get();
  if (Measures)
    Its |= CL_QUEUE_PROFILING_ENABLE;
  cl_int Error = CL_SUCCESS;
  T.Queue = T.In->cl().clCreateCommandQueue(T.In->Id, D->Id, Its, &Error);
  check(T.Queue ? CL_SUCCESS : Error < 0 ? Error : CL_OUT_OF_RESOURCES);
  Lanes.push_back({T, Measures, nullptr, Report ? Report->stream(*D) : 0, {}, 0, false});
  return Lanes.back();
}

size_t Queue::mostLanes() const {
  const Device &D = device();
  if (isOutOfOrder() ? D.OutOfOrder : !SideBySide)
    return 1;
  if (D.isAuto())
    return LeastLanes;
  const size_t Units = D.limits().Units;
  return D.Type & CL_DEVICE_TYPE_CPU ? std::clamp<size_t>(2 * Units, LeastLanes, MostOfCpu)
                                     : std::clamp<size_t>(Units, LeastLanes, MostLanes);
}

cl_command_queue Queue::laneFor(Command &C) {
  Device *D = C.Where.On;
  size_t Most = isOutOfOrder() && !D->OutOfOrder ? LeastLanes : mostLanes();
  // Profiling makes each command longer.
  const bool Measures = alwaysMeasures() || (isScheduled() && C.Measures);
  std::vector<Ref<Command>> Last; // Released without the lock.
  std::unique_lock Hold(Lock);
  auto Matches = [&](const Lane &L) { return L.To.On == D && L.Measures == Measures; };
  auto Take = [&](Lane &L) {
    L.Last = &C;
    C.Measured = L.Measures;
    C.FollowsMeasured = std::exchange(LastMeasured, C.Measured);
    L.Used.add(C.Uses, C.HostUses, C.Fence);
    C.Row = L.Row;
    return L.To.Queue;
  };
  for (const Command::Wait &W : C.Waits) // Latest first.
    if (Most != 1 && !D->Of->Lazy)
      for (Lane &L : Lanes)
        // Measured or not: two vendor queues would wait for each other by events.
        if ((Matches(L) || (L.To.On == D && isScheduled() && !Measures)) && L.Last == W.On.get())
          return Take(L);
  // The first lane of the device's that is empty, or whose last command is one of these.
  auto Idle = [&]() -> Lane * {
    for (Lane &L : Lanes)
      if (Matches(L) && (!L.Last || std::find(Last.begin(), Last.end(), L.Last) != Last.end()))
        return &L;
    return nullptr;
  };
  for (Lane &L : Lanes)
    if (Matches(L) && (Most == 1 || D->Of->Lazy))
      return Take(L);
    else if (Matches(L) && L.Last)
      Last.emplace_back(L.Last);
  if (!Last.empty()) {
    // No vendor is asked under the lock. rusticl calls back, and so takes this lock, with its event's lock held.
    Hold.unlock();
    std::erase_if(Last, [](const auto &X) {
      cl_event E = X->Vendors.load(std::memory_order_acquire);
      cl_int Its = CL_COMPLETE;
      return !E ||
             table(E).clGetEventInfo(E, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(Its), &Its, nullptr) != CL_SUCCESS ||
             Its > CL_COMPLETE;
    });
    Hold.lock();
  }
  if (Lane *L = Idle())
    return Take(*L);
  std::vector<Lane *> Its;
  for (Lane &L : Lanes)
    if (Matches(L))
      Its.push_back(&L);
  if (Its.size() < Most)
    return Take(open(D, Measures));
  return Take(*Its[Turn++ % Its.size()]);
}

std::vector<Record> Queue::leaveLane(const Command &C) {
  std::vector<Record> Old;
  std::lock_guard Hold(Lock);
  for (Lane &L : Lanes)
    if (L.Last == &C) {
      L.Last = nullptr;
      if (!C.Vendors.load(std::memory_order_acquire) || C.Lane != L.To.Queue)
        Unrecorded.store(true, std::memory_order_release); // Refused: those before it may still run there.
      else if (!L.Direct && !isVendorsOutOfOrder())
        Old.push_back(std::exchange(L.Used, {}));
    }
  return Old;
}

void Queue::emptyLanes(std::vector<Record> &Old) {
  std::lock_guard Hold(Lock);
  for (Lane &L : Lanes)
    if (!L.Direct && !L.Last)
      Old.push_back(std::exchange(L.Used, {}));
}

void Queue::enqueue(const Ref<Command> &C, const std::vector<Ref<Command>> &After, bool Blocking, cl_event *Event) {
  // The user reference of a new command is passed to the program with its event, or released.
  struct Owner {
    Command *C;
    ~Owner() {
      if (C)
        C->releaseUser();
    }
  } Own{C.get()};
  if (Graph::get().submit(C, After))
    Scheduler::get().hold(C);
  if (Blocking) {
    flush();
    check(C->wait());
  }
  if (Event)
    *Event = std::exchange(Own.C, nullptr)->handle<cl_event>();
}

void Queue::flush() {
  synchronised();
  passOn();
}

void Queue::passOn() {
  if (isScheduled())
    Scheduler::get().map(*In);
  flushVendors();
}

void Queue::handedOver(cl_command_queue To) {
  std::lock_guard Hold(Lock);
  for (Lane &L : Lanes)
    if (L.To.Queue == To)
      L.Unflushed = true;
  Unflushed.store(true, std::memory_order_release);
}

void Queue::flushVendors() {
  if (!Unflushed.exchange(false, std::memory_order_acq_rel))
    return;
  std::vector<Target> All;
  {
    std::lock_guard Hold(Lock);
    for (Lane &L : Lanes)
      if (std::exchange(L.Unflushed, false))
        All.push_back(L.To);
  }
  for (const Target &T : All)
    if (!T.In->Of->Lazy) // A lazy vendor runs commands inside clFlush, which only the dispatcher's thread may call.
      if (cl_int Error = T.cl().clFlush(T.Queue); Error < 0 && T.On->answered(Error))
        Graph::get().lost(*In, *T.On);
}

void Queue::finish() {
  synchronised(); // First: it may make nodes of direct commands.
  if (!HasDirect.load(std::memory_order_acquire) || isScheduled() || Pending.load(std::memory_order_acquire) ||
      Shows.load(std::memory_order_acquire))
    passOn(); // Otherwise the vendor flushes what it finishes.
  const cl_int Error = finishDirect();
  {
    std::lock_guard InTurn(Order); // Another thread may be making nodes of direct commands.
  }
  auto All = Shows.load(std::memory_order_acquire) ? Graph::get().inFlight(*this) : std::vector<Ref<Command>>();
  if (!isOutOfOrder() && !All.empty())
    All.erase(All.begin(), All.end() - 1); // The end of the last one becomes visible last.
  for (const auto &C : All)
    C->wait();
  check(Error);
}

void Queue::info(cl_command_queue_info What, const Answer &To) {
  switch (What) {
  case CL_QUEUE_CONTEXT:
    return To.value(In->handle<cl_context>());
  case CL_QUEUE_DEVICE:
    return To.value(On->handle<cl_device_id>());
  case CL_QUEUE_REFERENCE_COUNT:
    return To.value(userRefs());
  case CL_QUEUE_PROPERTIES:
    return To.value(Bits);
  case CL_QUEUE_PROPERTIES_ARRAY:
    return To.list(Properties);
  case CL_QUEUE_DEVICE_DEFAULT:
    return To.value(cl_command_queue(nullptr));
  case CL_QUEUE_SIZE:
    throw Failure{CL_INVALID_COMMAND_QUEUE};
  case CL_QUEUE_SCHED_DEVICE_HSCHED: {
    Device *D = Scheduler::get().deviceOf(*this);
    return To.value(D ? D->handle<cl_device_id>() : nullptr);
  }
  default:
    throw Failure{CL_INVALID_VALUE};
  }
}

std::vector<Ref<Command>> waitList(const Context &In, cl_uint N, const cl_event *Events) {
  require(!N == !Events, CL_INVALID_EVENT_WAIT_LIST);
  std::vector<Ref<Command>> All;
  for (cl_uint I = 0; I != N; ++I) {
    Command &C = need<Command>(Events[I], CL_INVALID_EVENT_WAIT_LIST);
    require(C.In.get() == &In, CL_INVALID_CONTEXT);
    All.emplace_back(&C);
  }
  return All;
}

} // namespace hsched::icd
