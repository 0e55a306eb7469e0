// The devices' transfer streams and links.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_FABRIC_H
#define HSCHED_VIRTUAL_FABRIC_H

#include "device/Device.h"
#include "virtual/Network.h"
#include "virtual/PlatformModel.h"
#include "virtual/Timeline.h"

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace hsched::rt::virt {

// Something that waits for events.
class Waiter {
public:
  virtual ~Waiter() = default;
  // Called when the last of them is done.
  virtual void arrived() = 0;
  unsigned NumPending = 0; // Number of unfinished events.
};

// The event of an operation or a task's run. Never fails.
class VirtualEvent final : public Event {
public:
  // Drive: executes the next happening. False: there is none.
  explicit VirtualEvent(const std::function<bool()> &Drive) : Drive(Drive) {}
  bool done() override { return Done; }
  // Advances virtual time until it is done. Only after the last task, when data are brought home.
  status wait() override;
  status outcome() override { return {}; }
  std::optional<Interval> times() override { return Ran; }

  void finish(Interval When);
  // Registers W for the end of this event, which is not done yet.
  void addWaiter(Waiter &W) { Waiters.push_back(&W), ++W.NumPending; }

private:
  const std::function<bool()> &Drive;
  bool Done = false;
  Interval Ran;
  std::vector<Waiter *> Waiters;
};

// Registers W for the end of E, unless E is null or has ended.
void await(Waiter &W, const EventRef &E);
// Registers W for the unfinished events. True if there are any.
bool awaitAll(Waiter &W, std::span<const EventRef> Events);

// Not thread-safe. Each device has an in-order stream for each direction, and one for copies within its memory.
class Fabric {
public:
  static constexpr unsigned StreamsEach = 3; // In the order of Lane in device/Device.h.
  // Both outlive it.
  Fabric(const PlatformModel &Platform, Timeline &Time);

  // Enqueues an operation on a stream. Its data pass Path's links, if any; then time Fixed passes. Owned lives until it
  // has ended.
  EventRef enqueue(unsigned Stream, const PlatformModel::Path &Path, uint64_t Bytes, Duration Fixed,
                   std::span<const EventRef> Wait, std::vector<BufferRef> Owned);
  EventRef newEvent() const { return std::make_shared<VirtualEvent>(Drive); }

  // Handles LatencyEnds, NetworkChanges and DeviceIsSetUp.
  void handle(const TimelineEvent &H);

  // A task is about to run on worker W. The event, if any, must be done before.
  EventRef setUp(uint32_t W);
  // A task's data have arrived on worker W. True: it may run now. False: its turn comes later, and RunMayBegin is
  // called.
  bool runWants(uint32_t W);
  // A task's run has ended, and everything was reported. True: the next one may begin. False: at its turn.
  bool runEnded(uint32_t W);

  const PlatformModel &Platform;
  std::function<bool()> Drive; // See VirtualEvent.
  std::function<void(uint32_t W)> RunMayBegin;

private:
  struct Operation final : Waiter {
    void arrived() override { Of->startHead(Stream); }
    Fabric *Of = nullptr;
    unsigned Stream = 0;
    std::vector<unsigned> Channels;
    uint64_t Bytes = 0;
    Duration Latency{0};
    TimePoint Began;
    EventRef Done;
    std::vector<BufferRef> Owned;
  };
  struct Stream {
    std::deque<Operation> Queue;
    bool Running = false; // Its first operation is running, or waits for its turn.
  };
  // A device's transfers and runs take turns, in the order in which they could begin.
  struct Turns {
    bool InUse = false;
    std::deque<unsigned> Waiting; // Streams, or ARun.
  };
  static constexpr unsigned ARun = ~0u;
  bool takeTurn(uint32_t W, unsigned Stream);
  void passTurn(uint32_t W);
  void startHead(unsigned Stream);
  void begin(unsigned Stream);
  void end(unsigned Stream);
  void planNetwork();

  Timeline &Time;
  Network Net;
  std::vector<Stream> Streams;
  std::vector<Turns> TurnsOf;      // By worker.
  std::vector<EventRef> SetUpDone; // By worker; null: not begun.
};

// A device whose buffers have sizes but no bytes. It runs no kernels: the simulation models their times.
class VirtualDevice final : public Device {
public:
  // Worker: its index in Net's platform.
  VirtualDevice(Fabric &Net, unsigned Worker);

  const DeviceInfo &info() const override { return Info; }
  status allocate(size_t Bytes, BufferRef &Out) override;
  status wrap(void *, size_t, BufferRef &) override { return unsupported(); }
  status kernel(const hsched_kernel_desc &, KernelRef &) override { return unsupported(); }
  status write(const BufferRef &Dst, size_t, const void *, size_t Bytes, std::span<const EventRef> Wait,
               EventRef &Done) override;
  status read(const BufferRef &Src, size_t, void *, size_t Bytes, std::span<const EventRef> Wait,
              EventRef &Done) override;
  status writeRows(const BufferRef &Dst, size_t, const void *, const RowLayout &Rows, std::span<const EventRef> Wait,
                   EventRef &Done) override;
  status readRows(const BufferRef &Src, size_t, void *, const RowLayout &Rows, std::span<const EventRef> Wait,
                  EventRef &Done) override;
  status pin(void *, size_t) override { return {}; }
  void unpin(void *) override {}
  status copy(const BufferRef &Src, size_t, const BufferRef &Dst, size_t, size_t Bytes, std::span<const EventRef> Wait,
              EventRef &Done) override;
  // All devices reach each other, so that the directory never waits while it plans; see copyFrom.
  bool reaches(const Device &) const override { return true; }
  // Error unsupported if the platform's devices are no peers: the directory then copies through host memory.
  status copyFrom(const Device &From, const BufferRef &Src, size_t, const BufferRef &Dst, size_t, const RowLayout &Rows,
                  std::span<const EventRef> Wait, EventRef &Done) override;
  status launch(const KernelRef &, const hsched_ndrange &, std::span<const BoundArg>, std::span<const EventRef>,
                EventRef &, CompletionReport, unsigned) override {
    return unsupported();
  }
  void flush() override {}
  unsigned computeQueues() const override { return 1; }
  unsigned streamOf(const Event &) const override { return 0; }

private:
  static status unsupported() { return status::error(errc::unsupported, "a simulated device runs no kernels"); }
  unsigned stream(Lane L) const { return Worker * Fabric::StreamsEach + static_cast<unsigned>(L); }

  Fabric &Net;
  const unsigned Worker;
  DeviceInfo Info;
  std::shared_ptr<uint64_t> Used = std::make_shared<uint64_t>(0);
};

} // namespace hsched::rt::virt
#endif
