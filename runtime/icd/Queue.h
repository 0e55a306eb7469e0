// Command queues.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_QUEUE_H
#define HSCHED_ICD_QUEUE_H

#include "icd/Direct.h"

#include <deque>

namespace hsched::icd {

class Queue : public Object {
public:
  static constexpr Kind Tag = Kind::Queue;
  // Throws Failure. Properties: pairs as given. Bits: their CL_QUEUE_PROPERTIES.
  Queue(Ref<Context> In, Ref<Device> On, cl_command_queue_properties Bits, std::vector<cl_queue_properties> Properties,
        cl_ulong Sched);
  ~Queue() override;

  void info(cl_command_queue_info What, const Answer &To);
  bool isOutOfOrder() const { return Bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE; }
  bool profiles() const { return Bits & CL_QUEUE_PROFILING_ENABLE; }
  // True: the scheduler maps commands to devices. False: they run on On.
  bool isScheduled() const { return Scheduled.load(std::memory_order_acquire); }

  // Submits C. Blocking: returns after its end, and throws its failure. Sets *Event unless Event is null.
  void enqueue(const Ref<Command> &C, const std::vector<Ref<Command>> &After, bool Blocking, cl_event *Event);
  // Passes a command to the vendor at once and records only its data. False: it must be enqueued as a node of the
  // graph. Only for commands without an event and without a wait list. Blocking: returns after its end and that of all
  // before it. Error: the vendor's, or that of its execution.
  bool direct(const Touch &T, Start Do, cl_int &Error, bool Blocking = false);
  // Makes a node of the graph that represents all direct commands. Throws Failure.
  void standIn();
  // Everything enqueued so far will run without further calls.
  void flush();
  // Waits for everything enqueued so far.
  void finish();
  // The vendor's queue of a device, made when first needed. Throws Failure.
  Target target(Device *D);
  // The vendor queue for a command: that of a predecessor, or an idle one. A program's in-order queue has several per
  // device, so that its commands can overlap.
  cl_command_queue laneFor(Command &C);
  // Call when the command has ended, under the graph's lock. Returns unused records, to be destroyed without the
  // lock.
  std::vector<Record> leaveLane(const Command &C);
  // Call under the graph's lock when all commands with a node have ended. Moves unused records to Old.
  void emptyLanes(std::vector<Record> &Old);
  // True if its vendor queues are out-of-order.
  bool isVendorsOutOfOrder() const { return isOutOfOrder(); }
  // The vendor has got a command in this vendor queue.
  void handedOver(cl_command_queue To);
  bool isUnflushed() const { return Unflushed.load(std::memory_order_acquire); }
  void flushVendors();

  void setSched(cl_ulong Properties);
  // Final decision of the scheduler: from now on it is a queue of this device.
  void settle(Device *D);
  // The device of its commands while it is not scheduled.
  Device &device() const { return *Runs.load(std::memory_order_acquire); }

  const Ref<Context> In;
  const Ref<Device> On;
  const cl_command_queue_properties Bits;
  const bool SideBySide; // In order, but commands may overlap if their data allow.

  // Under the graph's lock: commands whose end is not visible yet, in order; the last barrier.
  std::deque<Ref<Command>> Flight;
  cl_ulong LastShown = 0; // The end of the last one that has left it, of an in-order queue that profiles.
  Ref<Command> Barrier;
  unsigned SinceFence = 0;
  // The same: recent commands of an in-order queue whose end is visible, so that observers receive dependences on
  // them.
  std::deque<Footprint> Past;

  // Used by the scheduler, under its lock.
  std::vector<Ref<Command>> Unmapped;
  Device *Mapped = nullptr;
  bool Forget = false; // The times of its next epoch's kernels are measured anew.
  unsigned Alike = 0;  // Number of consecutive epochs with kernels, all known, on the same device.
  std::atomic<cl_ulong> Sched{0};
  std::atomic<cl_ulong> LastEnd{0}; // The end of its last command, on the host's clock.

protected:
  void abandoned() override;

private:
  friend class Graph;
  bool canBeDirect() const;
  size_t mostLanes() const;
  cl_int finishDirect();
  void emptied(uint64_t Number);
  cl_int block(const Target &To, Start Do, uint64_t Number);
  std::vector<cl_queue_properties> Properties;
  std::atomic<bool> Scheduled{false};
  std::atomic<bool> Settled{false}; // The scheduler has decided for good.
  std::atomic<size_t> Synchronised{0};
  std::mutex Lock;
  struct Lane {
    Target To;
    bool Measures;       // Its vendor queue profiles.
    Command *Last;       // Its last command, until that has ended.
    unsigned Row = 0;    // Row of the trace.
    Record Used = {};    // Data of its commands since it was last empty.
    uint64_t Direct = 0; // Number of the last direct command that no node represents.
    bool Unflushed = false;
  };
  Lane *laneFor(const Touch &T, std::vector<Lane *> &Others);
  Lane &open(Device *D, bool Measures);
  // Adds a node's uses to the record of its lane, which is returned. Under the lock.
  Lane &record(const Target &To, const Command &C);
  // True if each vendor queue profiles.
  bool alwaysMeasures() const;
  // Times of all devices become comparable.
  void compareClocks() const;
  // From now on it is a queue of this device.
  void leaveScheduler(Device *D);
  // Counts a synchronisation of a settled queue, which is scheduled again after HSCHED_OPENCL_REFRESH of them.
  void synchronised();
  // A flush that does not count.
  void passOn();
  std::vector<Lane> Lanes;
  // A lane whose last command is passed to the vendor and awaited in one call of one thread. The node represents that
  // command if another thread's command depends on it. Null: there is none.
  cl_command_queue Blocked = nullptr;
  Ref<Command> Blocking;
  size_t Turn = 0;
  bool LastMeasured = true; // The last command that was passed on as a node; also before the first one.
  uint64_t Submitted = 0;   // Number of the last direct command.
  std::atomic<bool> Unflushed{false};
  std::atomic<bool> HasDirect{false};
  std::atomic<Device *> Runs{nullptr};
  std::atomic<bool> Unrecorded{false};    // A command in Flight is in no lane's record.
  std::atomic<bool> BehindBarrier{false}; // An out-of-order queue has an unfinished barrier.
  std::atomic<bool> Blocks{false};        // There is a Blocked lane.
  std::atomic<uint32_t> Pending{0};       // Commands submitted and not passed to the vendor.
  std::atomic<uint32_t> Shows{0};         // Number of commands in Flight.
  std::recursive_mutex Order;             // Taken before Lock. Vendor functions are called with it held.
};

// The events of a wait list. Throws CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT.
std::vector<Ref<Command>> waitList(const Context &In, cl_uint N, const cl_event *Events);

} // namespace hsched::icd
#endif
