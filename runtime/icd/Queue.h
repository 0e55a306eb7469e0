// Command queues.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_QUEUE_H
#define HSCHED_ICD_QUEUE_H

#include "icd/Command.h"

#include <deque>

namespace hsched::icd {

class Queue : public Object {
public:
  static constexpr Kind Tag = Kind::Queue;
  // Throws Failure. Properties: pairs, as given; Bits: their CL_QUEUE_PROPERTIES.
  Queue(Ref<Context> In, Ref<Device> On, cl_command_queue_properties Bits, std::vector<cl_queue_properties> Properties,
        cl_ulong Sched);
  ~Queue() override;

  void info(cl_command_queue_info What, const Answer &To);
  bool isOutOfOrder() const { return Bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE; }
  bool profiles() const { return Bits & CL_QUEUE_PROFILING_ENABLE; }
  // Commands go where the scheduler wants them; On is where they go without it.
  bool isScheduled() const { return Scheduled.load(std::memory_order_acquire); }

  // Submits. Blocking: returns after its end, and throws its failure. Sets *Event where that is wanted.
  void enqueue(const Ref<Command> &C, const std::vector<Ref<Command>> &After, bool Blocking, cl_event *Event);
  // All that was enqueued is going to be run.
  void flush();
  // And has been.
  void finish();
  // The vendor's queue of a device, made when first needed. Throws Failure.
  Target target(Device *D);
  // The vendor's queue that a command is handed to: that of a command that it follows, or one that has nothing to do.
  // An in-order queue of the program's has several of a device, so that its commands can run side by side.
  cl_command_queue laneFor(Command &C);
  // The command has ended. Under the graph's lock.
  void leaveLane(const Command &C);
  // Its vendors' queues order nothing by themselves.
  bool isVendorsOutOfOrder() const { return isOutOfOrder(); }
  void handedOver() { Unflushed.store(true, std::memory_order_release); }
  bool isUnflushed() const { return Unflushed.load(std::memory_order_acquire); }
  void flushVendors();

  void setSched(cl_ulong Properties);

  const Ref<Context> In;
  const Ref<Device> On;
  const cl_command_queue_properties Bits;
  const bool SideBySide; // In order, and commands run side by side where their data allow.

  // Under the graph's lock: what has not been shown yet, in the order of enqueueing; the last barrier.
  std::deque<Ref<Command>> Flight;
  Ref<Command> Barrier;
  unsigned SinceFence = 0;
  // The same: what has been shown of an in-order queue, the latest last, so that observers are told of dependences on
  // it.
  std::deque<Footprint> Past;

  // Of the scheduler, under its lock.
  std::vector<Ref<Command>> Held;
  Device *Mapped = nullptr;
  bool Settled = false; // Mapped when all its kernels were known.
  std::atomic<cl_ulong> Sched{0};

protected:
  void abandoned() override;

private:
  friend class Graph;
  std::vector<cl_queue_properties> Properties;
  std::atomic<bool> Scheduled{false};
  std::mutex Lock;
  struct Lane {
    Target To;
    const Command *Last; // Until it has ended.
    unsigned Row = 0;    // Of the trace.
  };
  Target open(Device *D);
  std::vector<Lane> Lanes;
  std::vector<Target> Retired;
  size_t Turn = 0;
  std::atomic<bool> Unflushed{false};
};

// The events of a wait list. Throws CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT.
std::vector<Ref<Command>> waitList(const Context &In, cl_uint N, const cl_event *Events);

} // namespace hsched::icd
#endif
