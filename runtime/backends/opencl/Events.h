// Command queues and the completion of what was put on them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_EVENTS_H
#define HSCHED_BACKENDS_OPENCL_EVENTS_H

#include "backends/opencl/ClHeader.h"
#include "backends/opencl/DeviceClock.h"
#include "device/Device.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace hsched::rt::opencl {

// One in-order command queue. Outlives its device while events of it live. Any thread, where no lock is named.
struct Stream {
  cl::Context Context;
  cl::CommandQueue Queue;
  unsigned Number = 0; // among the compute queues; 0 for the queues of transfers
  std::string Device;  // for messages
  std::shared_ptr<DeviceClock> Time;

  std::mutex Lock;                      // held from choosing a sequence number to the end of the enqueue
  std::atomic<uint64_t> Enqueued{0};    // sequence number of the last command; written with Lock held
  std::atomic<uint64_t> Flushed{0};     // every command up to this one has been flushed
  std::atomic<unsigned> Outstanding{0}; // commands whose end nobody has seen

  std::mutex RowLock; // the three below
  bool AnyEnd = false;
  uint64_t LastDeviceEnd = 0; // of the latest operation whose times were asked for
  TimePoint LastEnd;          // the same on the host's time line: one queue's operations must not overlap there

  // Hands commands up to Number to the device; no call where that has been done.
  void flushTo(uint64_t Number);
};

class ClEvent final : public Event {
public:
  // Kept holds what the command uses until it has ended. Failure is the code of an outcome that failed. The caller
  // has counted the command in S's Enqueued and Outstanding.
  ClEvent(std::shared_ptr<Stream> S, uint64_t Number, cl::Event E, errc Failure, TimePoint EnqueuedAt, std::string What,
          std::vector<std::shared_ptr<void>> Kept);
  ~ClEvent() override;

  bool done() override;
  status wait() override;
  status outcome() override;
  std::optional<Interval> times() override;

  // The command was enqueued in pieces, of which this was the first: times() spans them all. Before anyone else sees
  // this.
  void startsWith(cl::Event Piece) { First = std::move(Piece); }

  const std::shared_ptr<Stream> &stream() const { return S; }
  uint64_t number() const { return Number; }
  const cl::Event &native() const { return E; }
  // Whether the end has been seen already; asks nobody.
  bool knownDone() const { return Ended.load(std::memory_order_acquire); }

private:
  void settle(cl_int Status);
  std::optional<Interval> readTimes();

  const std::shared_ptr<Stream> S;
  const uint64_t Number;
  const cl::Event E;
  cl::Event First; // null: E
  const errc Failure;
  const TimePoint EnqueuedAt;

  std::atomic<bool> Ended{false};
  std::mutex Lock; // all below
  std::string What;
  std::vector<std::shared_ptr<void>> Kept;
  status Result;
  TimePoint SeenAt;
  bool TimesRead = false;
  std::optional<Interval> Ran;
};

// The part of Wait that a command on Target must name: what has ended, and what precedes it on Target itself, is left
// out; queues that it waits for are flushed, as OpenCL asks. Events of other contexts are represented by user events in
// Context's. Fails with cancelled where one of Wait has failed already. Owned keeps List's events alive.
struct WaitList {
  std::vector<cl_event> List;
  std::vector<cl::Event> Owned;
  cl_uint size() const { return static_cast<cl_uint>(List.size()); }
  const cl_event *data() const { return List.empty() ? nullptr : List.data(); }
};
status makeWaitList(std::span<const EventRef> Wait, const Stream &Target, WaitList &Out);

} // namespace hsched::rt::opencl
#endif
