// A device whose commands are handed to the driver by a thread of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DEVICE_SUBMITTINGDEVICE_H
#define HSCHED_DEVICE_SUBMITTINGDEVICE_H

#include "base/Parker.h"
#include "base/SpinLock.h"
#include "device/Device.h"

#include <deque>
#include <thread>

namespace hsched::rt {

class SubmittingDevice;

// The end of a command that a SubmittingDevice has handed over, or will. Any thread.
class SubmittedEvent final : public Event {
public:
  explicit SubmittedEvent(const std::atomic<bool> &ThreadPolls) : ThreadPolls(ThreadPolls) {}

  bool done() override;
  status wait() override;
  status outcome() override { return done() ? Result : status(); }
  std::optional<Interval> times() override { return done() ? Ran : std::nullopt; }

private:
  friend class SubmittingDevice;
  enum State : uint8_t { Queued, Submitted, Ended };
  bool ended() const { return At.load(std::memory_order_acquire) == Ended; }
  bool submitted() const { return At.load(std::memory_order_acquire) != Queued; }
  void awaitSubmission() const;
  // The device's own event; null if the end has been seen.
  EventRef native() const {
    std::lock_guard Guard(Lock);
    return Own;
  }
  // Asks the driver. True if it has ended.
  bool poll();
  void settle(Event &E);
  void submittedAs(EventRef E, unsigned Stream);
  void refusedFor(status Why);
  void dropNative();

  const std::atomic<bool> &ThreadPolls; // The device's thread polls; others must not be in its way.
  std::atomic<uint8_t> At{Queued};
  mutable SpinLock Lock;
  EventRef Own; // Guarded by Lock.
  // Constant from Ended on.
  status Result;
  std::optional<Interval> Ran;
  bool Refused = false;
  unsigned Stream = 0; // Constant from Submitted on.
};

// Decorates a device: launches, transfers and flushes are queued, and one thread calls the device's functions in their
// order. So the manager prepares tasks while the driver takes earlier ones. The same thread polls for their ends: calls
// of two threads make a driver's calls slower. A command that the device refuses there has an event that fails with the
// reason.
//
// While few commands come, that thread sleeps, and commands are handed over by the threads that give them.
//
// Everything else is called directly, native work after all queued commands.
class SubmittingDevice final : public Device {
public:
  explicit SubmittingDevice(std::unique_ptr<Device> Of);
  ~SubmittingDevice() override;

  const DeviceInfo &info() const override { return Of->info(); }
  status allocate(size_t Bytes, BufferRef &Out) override { return Of->allocate(Bytes, Out); }
  status wrap(void *Ptr, size_t Bytes, BufferRef &Out) override { return Of->wrap(Ptr, Bytes, Out); }
  status kernel(const hsched_kernel_desc &Desc, KernelRef &Out) override { return Of->kernel(Desc, Out); }
  void preload(const hsched_kernel_desc &Desc) override { Of->preload(Desc); }
  status write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes, std::span<const EventRef> Wait,
               EventRef &Done) override;
  status read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
              EventRef &Done) override;
  status writeRows(const BufferRef &Dst, size_t DstOffset, const void *Src, const RowLayout &Rows,
                   std::span<const EventRef> Wait, EventRef &Done) override;
  status readRows(const BufferRef &Src, size_t SrcOffset, void *Dst, const RowLayout &Rows,
                  std::span<const EventRef> Wait, EventRef &Done) override;
  status pin(void *Ptr, size_t Bytes) override { return Of->pin(Ptr, Bytes); }
  void unpin(void *Ptr) override { Of->unpin(Ptr); }
  status copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
              std::span<const EventRef> Wait, EventRef &Done) override;
  bool reaches(const Device &From) const override;
  status copyFrom(const Device &From, const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset,
                  const RowLayout &Rows, std::span<const EventRef> Wait, EventRef &Done) override;
  status launch(const KernelRef &K, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                std::span<const EventRef> Wait, EventRef &Done, CompletionReport When, unsigned Queue) override;
  void preferQueue(unsigned Queue, bool Timed) override;
  void requestReport(const EventRef &Done) override;
  bool isReported(const Event &Done) const override;
  void setReportBatch(unsigned Launches) override { Of->setReportBatch(Launches); }
  bool takesNativeWork() const override { return Of->takesNativeWork(); }
  status beginNative(const char *Name, std::span<const EventRef> Wait, std::unique_ptr<NativeWork> &Out,
                     unsigned Queue) override;
  bool submitsApart() const override { return true; }
  bool hasBacklog() const override {
    return Pushed.load(std::memory_order_relaxed) != Executed.load(std::memory_order_relaxed);
  }
  bool refused(const Event &Done) const override;
  void flush() override;
  unsigned computeQueues() const override { return Of->computeQueues(); }
  unsigned streamOf(const Event &E) const override;

private:
  enum class Kind : uint8_t { Launch, Write, Read, WriteRows, ReadRows, Copy, CopyFrom, Report, Flush };
  // Its lists keep their capacity for the next command.
  struct Command {
    Kind K = Kind::Flush;
    KernelRef Kernel;
    hsched_ndrange Range{};
    std::vector<BoundArg> Args;    // Value: null, until it is handed over.
    std::vector<std::byte> Values; // Of Args, each at a multiple of ValueAlignment.
    std::vector<EventRef> Wait;
    std::shared_ptr<SubmittedEvent> Done;
    CompletionReport When = CompletionReport::Soon;
    unsigned Queue = AnyQueue; // Of Write: the queue that it may go to.
    bool Timed = true;         // preferQueue's.
    BufferRef Dst, Src;
    size_t DstOffset = 0, SrcOffset = 0, Bytes = 0;
    void *Host = nullptr;
    RowLayout Rows;
    const Device *From = nullptr;
    EventRef Reported;
  };
  static constexpr size_t ValueAlignment = 16;

  template <class Fn> status push(Kind K, std::span<const EventRef> Wait, EventRef *Done, Fn &&Fill);
  void run();
  void handOverHere();
  bool handOver();
  bool pollAll();
  void execute(Command &C);
  status submit(Command &C, EventRef &Done);
  void drain();
  // preferQueue of this thread.
  struct Preference {
    const SubmittingDevice *Of = nullptr;
    unsigned Queue = AnyQueue;
    bool Timed = true;
  };
  static thread_local Preference Preferred;
  static EventRef nativeOf(const EventRef &E);
  static const Device &undecorated(const Device &D);

  const std::unique_ptr<Device> Of;
  SpinLock Lock;
  std::vector<Command> Filling; // The first Filled are queued. Lock guards both.
  size_t Filled = 0;
  std::atomic<uint64_t> Pushed{0}, Executed{0};
  std::atomic<bool> Active{false}; // The thread hands over and polls.
  std::atomic<bool> Stopping{false};

  std::mutex Handing; // Held while commands are handed over; guards what follows.
  std::vector<Command> Running;
  std::vector<std::deque<std::shared_ptr<SubmittedEvent>>> Unfinished; // By row: see rowOf.
  size_t rowOf(const Command &C, unsigned Stream) const;
  unsigned InARow = 0; // Commands handed over by the threads that gave them, each soon after the last one.
  TimePoint LastHere;

  Parker Wakes;
  std::thread Thread;
};

} // namespace hsched::rt
#endif
