// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/SubmittingDevice.h"

#include "device/EndedEvent.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <typeinfo>

#include <pthread.h>

namespace hsched::rt {

namespace {

// The thread is woken if so many commands come, each within this time of the end of the last. The commands of one task,
// or of a short graph, are handed over sooner without it.
constexpr Duration Soon = std::chrono::microseconds(50);
constexpr unsigned ManyInARow = 64;
// It sleeps when no command has come for this time.
constexpr Duration ActiveFor = std::chrono::microseconds(300);
// Between two commands it polls only after this time.
constexpr Duration BetweenPolls = std::chrono::microseconds(10);
constexpr unsigned MostSpins = 2048;

SubmittedEvent *ownEvent(const Event *E) {
  return E && typeid(*E) == typeid(SubmittedEvent) ? static_cast<SubmittedEvent *>(const_cast<Event *>(E)) : nullptr;
}

} // namespace

bool SubmittedEvent::done() {
  if (ended())
    return true;
  return !ThreadPolls.load(std::memory_order_relaxed) && poll();
}

bool SubmittedEvent::poll() {
  const EventRef E = native();
  if (E && E->done())
    settle(*E);
  return ended();
}

void SubmittedEvent::settle(Event &E) {
  const status Outcome = E.outcome();
  const std::optional<Interval> Times = E.times();
  std::lock_guard Guard(Lock);
  if (ended())
    return;
  Result = Outcome;
  Ran = Times;
  At.store(Ended, std::memory_order_release);
}

void SubmittedEvent::awaitSubmission() const {
  for (unsigned Spins = 0; Spins < MostSpins && !submitted(); ++Spins)
    Parker::pause();
  At.wait(Queued, std::memory_order_acquire);
}

status SubmittedEvent::wait() {
  awaitSubmission();
  if (const EventRef E = ended() ? nullptr : native()) {
    (void)E->wait();
    settle(*E);
  }
  return outcome();
}

void SubmittedEvent::submittedAs(EventRef E, unsigned OfStream) {
  Stream = OfStream;
  {
    std::lock_guard Guard(Lock);
    Own = std::move(E);
    At.store(Submitted, std::memory_order_release);
  }
  At.notify_all();
}

void SubmittedEvent::dropNative() {
  EventRef Unused; // Freed without the lock.
  std::lock_guard Guard(Lock);
  Unused.swap(Own);
}

void SubmittedEvent::refusedFor(status Why) {
  Result = std::move(Why);
  Refused = true;
  At.store(Ended, std::memory_order_release);
  At.notify_all();
}

thread_local SubmittingDevice::Preference SubmittingDevice::Preferred;

SubmittingDevice::SubmittingDevice(std::unique_ptr<Device> Of)
    : Of(std::move(Of)), Unfinished(this->Of->computeQueues() + 2), Thread([this] { run(); }) {}

SubmittingDevice::~SubmittingDevice() {
  Stopping.store(true);
  Wakes.unpark();
  Thread.join();
}

template <class Fn>
status SubmittingDevice::push(Kind K, std::span<const EventRef> Wait, EventRef *Done, Fn &&Fill) try {
  auto Event = Done ? std::make_shared<SubmittedEvent>(Active) : nullptr;
  {
    std::lock_guard Guard(Lock);
    if (Filled == Filling.size())
      Filling.emplace_back();
    Command &C = Filling[Filled];
    C.K = K;
    C.Wait.assign(Wait.begin(), Wait.end());
    Fill(C);
    C.Done = Event;
    ++Filled;
    Pushed.fetch_add(1, std::memory_order_relaxed);
  }
  if (!Active.load(std::memory_order_seq_cst))
    handOverHere();
  if (Done && Event->ended() && Event->Refused)
    return Event->Result;
  if (Done)
    *Done = std::move(Event);
  return {};
} catch (const std::bad_alloc &) {
  return status::error(errc::out_of_memory, "no memory for a command of " + title());
}

void SubmittingDevice::handOverHere() {
  // The thread may take the lock again and again, so this one must not wait for it.
  while (!Active.load(std::memory_order_seq_cst)) {
    if (!Handing.try_lock()) {
      Parker::pause();
      continue;
    }
    std::lock_guard Guard(Handing, std::adopt_lock);
    if (Active.load(std::memory_order_relaxed))
      return;
    InARow = SteadyClock().now() - LastHere < Soon ? InARow + 1 : 1;
    if (InARow % ManyInARow == 0)
      Wakes.unpark();
    (void)handOver();
    LastHere = SteadyClock().now();
    return;
  }
}

// False: there was nothing.
bool SubmittingDevice::handOver() {
  size_t Count = 0;
  {
    std::lock_guard Guard(Lock);
    Running.swap(Filling);
    Count = std::exchange(Filled, 0);
  }
  TimePoint Polled = Active.load(std::memory_order_relaxed) ? SteadyClock().now() : TimePoint();
  for (size_t I = 0; I < Count; ++I) {
    execute(Running[I]);
    Executed.fetch_add(1, std::memory_order_release);
    if (Polled != TimePoint())
      if (const TimePoint Now = SteadyClock().now(); Now - Polled > BetweenPolls) {
        (void)pollAll();
        Polled = Now;
      }
  }
  return Count != 0;
}

// Commands of a row end in their order, mostly. True if one has ended.
bool SubmittingDevice::pollAll() {
  bool Any = false;
  for (auto &Row : Unfinished)
    while (!Row.empty() && (Row.front().use_count() == 1 || Row.front()->poll())) {
      Row.front()->dropNative();
      Row.pop_front();
      Any = true;
    }
  return Any;
}

size_t SubmittingDevice::rowOf(const Command &C, unsigned Stream) const {
  if (C.K == Kind::Launch)
    return Stream < Unfinished.size() - 2 ? Stream : 0;
  return Unfinished.size() - (C.K == Kind::Read || C.K == Kind::ReadRows ? 1 : 2);
}

void SubmittingDevice::run() {
  (void)pthread_setname_np(pthread_self(), "hsched submit");
  while (!Stopping.load()) {
    (void)Wakes.park();
    TimePoint Last = SteadyClock().now();
    while (!Stopping.load()) {
      bool Any = false;
      {
        std::lock_guard Guard(Handing);
        Active.store(true, std::memory_order_seq_cst);
        Any = handOver();
        if (!Any && !pollAll() && SteadyClock().now() - Last > ActiveFor) {
          Active.store(false, std::memory_order_seq_cst);
          std::lock_guard Queue(Lock);
          if (Filled == 0)
            break;
        }
      }
      if (Any)
        Last = SteadyClock().now();
      else
        Parker::pause();
    }
  }
  std::lock_guard Guard(Handing);
  Active.store(false);
  while (handOver())
    ;
  // Events may outlive their device.
  for (auto &Row : Unfinished)
    for (const auto &E : Row)
      (void)E->wait();
}

EventRef SubmittingDevice::nativeOf(const EventRef &E) {
  SubmittedEvent *Own = ownEvent(E.get());
  if (!Own)
    return E;
  Own->awaitSubmission();
  if (EventRef Native = Own->native())
    return Native;
  return Own->outcome().ok() ? nullptr : std::make_shared<EndedEvent>(Own->outcome());
}

void SubmittingDevice::execute(Command &C) {
  EventRef Made;
  status S;
  try {
    for (EventRef &W : C.Wait)
      W = nativeOf(W);
    S = submit(C, Made);
    if (C.Done && S.ok()) {
      const unsigned Stream = Of->streamOf(*Made);
      auto &Row = Unfinished[rowOf(C, Stream)];
      while (!Row.empty() && (Row.front()->ended() || Row.front().use_count() == 1)) // No thread waits for it.
        Row.pop_front();
      Row.push_back(C.Done);
      C.Done->submittedAs(std::move(Made), Stream);
    }
  } catch (const std::bad_alloc &) {
    S = status::error(errc::out_of_memory, "no memory for a command of " + title());
    if (Made)
      (void)Made->wait();
  }
  if (C.Done && !S.ok())
    C.Done->refusedFor(std::move(S));
  C.Wait.clear();
  C.Args.clear();
  C.Values.clear();
  C.Kernel.reset();
  C.Done.reset();
  C.Dst.reset();
  C.Src.reset();
  C.Reported.reset();
}

status SubmittingDevice::submit(Command &C, EventRef &Done) {
  switch (C.K) {
  case Kind::Launch: {
    if (C.Queue != AnyQueue) // Kernels of several given queues were slower with the thread.
      InARow = 0;
    const std::byte *Value = C.Values.data();
    for (BoundArg &A : C.Args)
      if (A.K == BoundArg::Kind::Value) {
        A.Value = Value;
        Value += (A.Bytes + ValueAlignment - 1) / ValueAlignment * ValueAlignment;
      }
    return Of->launch(C.Kernel, C.Range, C.Args, C.Wait, Done, C.When, C.Queue);
  }
  case Kind::Write: {
    if (C.Queue == AnyQueue)
      return Of->write(C.Dst, C.DstOffset, C.Host, C.Bytes, C.Wait, Done);
    Of->preferQueue(C.Queue, C.Timed);
    status S = Of->write(C.Dst, C.DstOffset, C.Host, C.Bytes, C.Wait, Done);
    Of->preferQueue(AnyQueue);
    return S;
  }
  case Kind::Read:
    return Of->read(C.Src, C.SrcOffset, C.Host, C.Bytes, C.Wait, Done);
  case Kind::WriteRows:
    return Of->writeRows(C.Dst, C.DstOffset, C.Host, C.Rows, C.Wait, Done);
  case Kind::ReadRows:
    return Of->readRows(C.Src, C.SrcOffset, C.Host, C.Rows, C.Wait, Done);
  case Kind::Copy:
    return Of->copy(C.Src, C.SrcOffset, C.Dst, C.DstOffset, C.Bytes, C.Wait, Done);
  case Kind::CopyFrom:
    return Of->copyFrom(*C.From, C.Src, C.SrcOffset, C.Dst, C.DstOffset, C.Rows, C.Wait, Done);
  case Kind::Report:
    if (const EventRef Native = nativeOf(C.Reported))
      Of->requestReport(Native);
    return {};
  case Kind::Flush:
    Of->flush();
    return {};
  }
  return {};
}

void SubmittingDevice::drain() {
  const uint64_t To = Pushed.load(std::memory_order_acquire);
  while (Executed.load(std::memory_order_acquire) < To)
    std::this_thread::yield();
}

status SubmittingDevice::launch(const KernelRef &K, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                                std::span<const EventRef> Wait, EventRef &Done, CompletionReport When, unsigned Queue) {
  return push(Kind::Launch, Wait, &Done, [&](Command &C) {
    C.Kernel = K;
    C.Range = Range;
    C.Args.assign(Args.begin(), Args.end());
    for (BoundArg &A : C.Args)
      if (A.K == BoundArg::Kind::Value) {
        const size_t At = C.Values.size();
        C.Values.resize(At + (A.Bytes + ValueAlignment - 1) / ValueAlignment * ValueAlignment);
        std::memcpy(C.Values.data() + At, A.Value, A.Bytes);
        A.Value = nullptr;
      }
    C.When = When;
    C.Queue = Queue;
  });
}

status SubmittingDevice::write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
                               std::span<const EventRef> Wait, EventRef &Done) {
  return push(Kind::Write, Wait, &Done, [&](Command &C) {
    C.Queue = Preferred.Of == this ? Preferred.Queue : AnyQueue;
    C.Timed = Preferred.Timed;
    C.Dst = Dst;
    C.DstOffset = DstOffset;
    C.Host = const_cast<void *>(Src);
    C.Bytes = Bytes;
  });
}

status SubmittingDevice::read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes,
                              std::span<const EventRef> Wait, EventRef &Done) {
  return push(Kind::Read, Wait, &Done, [&](Command &C) {
    C.Src = Src;
    C.SrcOffset = SrcOffset;
    C.Host = Dst;
    C.Bytes = Bytes;
  });
}

status SubmittingDevice::writeRows(const BufferRef &Dst, size_t DstOffset, const void *Src, const RowLayout &Rows,
                                   std::span<const EventRef> Wait, EventRef &Done) {
  return push(Kind::WriteRows, Wait, &Done, [&](Command &C) {
    C.Dst = Dst;
    C.DstOffset = DstOffset;
    C.Host = const_cast<void *>(Src);
    C.Rows = Rows;
  });
}

status SubmittingDevice::readRows(const BufferRef &Src, size_t SrcOffset, void *Dst, const RowLayout &Rows,
                                  std::span<const EventRef> Wait, EventRef &Done) {
  return push(Kind::ReadRows, Wait, &Done, [&](Command &C) {
    C.Src = Src;
    C.SrcOffset = SrcOffset;
    C.Host = Dst;
    C.Rows = Rows;
  });
}

status SubmittingDevice::copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset,
                              size_t Bytes, std::span<const EventRef> Wait, EventRef &Done) {
  return push(Kind::Copy, Wait, &Done, [&](Command &C) {
    C.Src = Src;
    C.SrcOffset = SrcOffset;
    C.Dst = Dst;
    C.DstOffset = DstOffset;
    C.Bytes = Bytes;
  });
}

bool SubmittingDevice::reaches(const Device &From) const { return Of->reaches(undecorated(From)); }

status SubmittingDevice::copyFrom(const Device &From, const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst,
                                  size_t DstOffset, const RowLayout &Rows, std::span<const EventRef> Wait,
                                  EventRef &Done) {
  if (!reaches(From))
    return Device::copyFrom(From, Src, SrcOffset, Dst, DstOffset, Rows, Wait, Done);
  return push(Kind::CopyFrom, Wait, &Done, [&](Command &C) {
    C.From = &undecorated(From);
    C.Src = Src;
    C.SrcOffset = SrcOffset;
    C.Dst = Dst;
    C.DstOffset = DstOffset;
    C.Rows = Rows;
  });
}

void SubmittingDevice::preferQueue(unsigned Queue, bool Timed) { Preferred = {this, Queue, Timed}; }

void SubmittingDevice::requestReport(const EventRef &Done) {
  (void)push(Kind::Report, {}, nullptr, [&](Command &C) { C.Reported = Done; });
}

bool SubmittingDevice::isReported(const Event &Done) const {
  const SubmittedEvent *Own = ownEvent(&Done);
  if (!Own)
    return Of->isReported(Done);
  const EventRef Native = Own->native();
  return !Native || Of->isReported(*Native);
}

bool SubmittingDevice::refused(const Event &Done) const {
  const SubmittedEvent *Own = ownEvent(&Done);
  return Own && Own->ended() && Own->Refused;
}

status SubmittingDevice::beginNative(const char *Name, std::span<const EventRef> Wait, std::unique_ptr<NativeWork> &Out,
                                     unsigned Queue) {
  drain();
  std::vector<EventRef> Native(Wait.begin(), Wait.end());
  for (EventRef &E : Native)
    E = nativeOf(E);
  return Of->beginNative(Name, Native, Out, Queue);
}

void SubmittingDevice::flush() {
  (void)push(Kind::Flush, {}, nullptr, [](Command &) {});
}

unsigned SubmittingDevice::streamOf(const Event &E) const {
  const SubmittedEvent *Own = ownEvent(&E);
  return !Own ? Of->streamOf(E) : Own->submitted() ? Own->Stream : NotSubmitted;
}

const Device &SubmittingDevice::undecorated(const Device &D) {
  auto *Own = dynamic_cast<const SubmittingDevice *>(&D);
  return Own ? *Own->Of : D;
}

} // namespace hsched::rt
