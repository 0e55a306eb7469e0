// Commands, which are also events, and their order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The platform resolves dependences itself. A command is passed to its vendor when all predecessors have
// ended or were passed to the same device, where the vendor's events order them. Vendor events between
// devices are not used: PoCL 3.1 deadlocks with them. One lock guards all edges; no vendor function is called
// under it.
//
//   made -> linked (Waiting > 0) -> handed over (its vendor's event exists) -> done -> shown
//
// A vendor callback for a command's end is set only if nothing polls for it. This is for a successor on another
// device, or a callback of the program. Otherwise waiting threads notice ends, and now and then a submission
// does.
//
// Commands of an in-order queue may run side by side where their data allow. They appear in order: the program sees a
// command's end when all commands before it have ended, too.
#ifndef HSCHED_ICD_COMMAND_H
#define HSCHED_ICD_COMMAND_H

#include "icd/Memory.h"

#include <optional>

namespace hsched::icd {

// Where a command runs.
struct Target {
  Part *In = nullptr;
  Device *On = nullptr;
  cl_command_queue Queue = nullptr;
  const cl_icd_dispatch &cl() const { return table(Queue); }
};

// Bytes of a root memory object that a command uses. If it writes and does not read them, it overwrites all of them.
struct Use {
  Ref<Memory> Root;
  size_t First, Bytes;
  bool Reads, Writes;
  bool Home = false; // On the host: for objects that are data.
};
// The program's memory.
struct HostUse {
  const void *First;
  size_t Bytes;
  bool Writes;
};

// Memory used by an ended command, for observers of tasks.
struct Footprint {
  struct Range {
    uint64_t Serial; // Serial of the memory object; 0: the program's memory.
    uintptr_t First;
    size_t Bytes;
    bool Writes;
  };
  uint64_t Task;
  bool Fence;
  std::vector<Range> Ranges;
};

struct Touch;
class Kernel;
class Minikernel;
class Reporter;

class Command : public Object {
public:
  static constexpr Kind Tag = Kind::Event;
  // Passes it to a vendor: returns the vendor's error, or sets the event. Without an event it has ended.
  using Starts = std::function<cl_int(const Target &, cl_uint, const cl_event *, cl_event *)>;

  Command(Ref<Context> In, Ref<Queue> Of, cl_command_type Type);
  ~Command() override;

  // Call before it is submitted.
  void uses(Touch &&T);
  void uses(Memory &M, size_t First, size_t Bytes, bool Reads, bool Writes);
  void uses(Memory &M, bool Reads, bool Writes) { uses(M, 0, M.bytes(), Reads, Writes); }
  void usesHost(const void *First, size_t Bytes, bool Writes) { HostUses.push_back({First, Bytes, Writes}); }

  void info(cl_event_info What, const Answer &To);
  void profile(cl_profiling_info What, const Answer &To);
  // The status for the program: CL_QUEUED down to CL_COMPLETE, or an error. Queries the vendor if needed.
  cl_int status();
  void onStatus(cl_int From, void(CL_CALLBACK *Notified)(cl_event, cl_int, void *), void *UserData);
  // Waits until the program may see its end. Returns its status.
  cl_int wait();
  bool isUser() const { return !Of; }
  // True if a device may run it: its kernel, its work-groups and its objects fit.
  bool mayRunOn(const Device &D) const;
  // True if a vendor has refused its kernel there: see Kernel::leave().
  bool isRefusedBy(const Device &D) const;
  bool runsOn(const Device &D) const { return !isRefusedBy(D) && mayRunOn(D); }
  // For a user event. False if it has been set before.
  bool setUserStatus(cl_int To);

  const Ref<Context> In;
  const Ref<Queue> Of; // Null for a user event.
  const cl_command_type Type;
  Starts Start;
  std::vector<Use> Uses;
  std::vector<HostUse> HostUses;
  bool Fence = false;       // Ordered after everything before it in its queue, and before everything behind it.
  bool WaitsForAll = false; // Also in an out-of-order queue.
  bool IsBarrier = false;   // In an out-of-order queue: a barrier.
  // Predecessors in the same vendor queue are not in the vendor's wait list.
  bool FollowsLane = false;
  // The key of the kernel that it runs, for measurements; empty otherwise.
  std::string_view Kernel;
  double Size = 0;       // Number of work-items.
  Ref<icd::Kernel> Runs; // That kernel. Null: every device can run the command.
  // In a scheduled queue: true if the kernel's launch fits a device. Empty: it fits all.
  std::function<bool(const Device &)> Accepts;
  // Estimates its time; null: it is not asked for. The scheduler takes it away under its lock.
  std::shared_ptr<const Minikernel> Mini;
  // Its contribution to its device's load until it has ended.
  double Expected = 0;
  // Its identity for the engine's observers. All 0 without observers.
  uint64_t Task = 0, DataBytes = 0;
  const char *Name = nullptr;
  unsigned Row = 0; // Row of its vendor queue.
  // Tells the observers of the kernel's launch, once Task is known. Empty: they do not ask.
  std::function<void(Reporter &)> Describe;

  bool Measures = false;        // The scheduler wants its time.
  bool Measured = false;        // It runs in a vendor queue with profiling.
  bool FollowsMeasured = false; // So did the command before it in its queue.

  // Time on its device; 0: unknown. Call after its end.
  cl_ulong runTime() const { return Ran; }
  // Time that its device was idle in its queue before it, although the command was submitted, if known.
  std::optional<cl_ulong> idleTime() const { return Idle; }

  Device *device() const { return Where.On; }

private:
  friend class ContextData;
  friend class Graph;
  friend class Queue;
  friend class Reporter;
  struct Edge {
    Ref<Command> To;
    bool Fails; // If this command fails, that one is not run.
  };
  struct Callback {
    cl_int From;
    void(CL_CALLBACK *Notified)(cl_event, cl_int, void *);
    void *UserData;
  };
  void show(cl_int As);
  Footprint footprint() const;
  void setStatus(cl_int Reached);
  void takeTimes();
  // In an in-order queue it begins when the one before has ended, whatever the clocks of two devices say. Returns its
  // end.
  cl_ulong behind(cl_ulong EndBefore);

  // The fields below are guarded by the graph's lock.
  unsigned Waiting = 1; // Number of predecessors left, plus one while it is being linked or mapped.
  std::vector<Edge> Next;
  std::vector<Ref<Command>> Before; // While it has no target: its predecessors.
  struct Wait {
    Ref<Command> On;
    bool Fails;
  };
  std::vector<Wait> Waits; // Predecessors on the same device: the vendor orders them.
  cl_int Failed = CL_SUCCESS;
  bool Linked = false, HandedOver = false, Done = false;
  bool Watched = false;            // Its vendor reports its end, or will be asked to.
  std::atomic<bool> Counts{false}; // It counts among its queue's pending commands.
  Target Where;
  cl_command_queue Lane = nullptr; // Set before HandedOver.
  cl_int Outcome = CL_COMPLETE;
  // Its acquisition of objects that are data, from submission to its end; null: there are none.
  std::unique_ptr<rt::Acquisition> Acquired;

  std::atomic<cl_event> Vendors{nullptr}; // Set once it has been passed to the vendor.
  std::atomic<bool> Ending{false};        // A thread has noticed its end.
  std::atomic<bool> Over{false};          // Done. Read by waiting threads.
  std::atomic<cl_int> Shown{CL_QUEUED};
  std::atomic<bool> UserSet{false};
  std::mutex CallbackLock;
  std::vector<Callback> Callbacks;
  // In nanoseconds of the host's clock.
  cl_ulong Queued = 0, Submitted = 0, Begin = 0, End = 0, Ran = 0;
  std::optional<cl_ulong> Idle;
};

// The graph of commands. Any thread.
class Graph {
public:
  static Graph &get();
  // Links a command behind its predecessors, and passes it to the vendor if there are none. Throws Failure with the
  // vendor's error if the vendor refuses it at once; it has then not been enqueued. True if it now waits for map().
  bool submit(const Ref<Command> &C, const std::vector<Ref<Command>> &After);
  // Inserts a command that has already been passed to its vendor into its queue. Without Vendors, another thread is
  // passing it to the vendor, and will call ended().
  void standsIn(const Ref<Command> &C, const Target &Where, cl_event Vendors);
  // Gives a command of a scheduled queue its device.
  void map(const Ref<Command> &C, const Target &Where);
  // The command has ended. FromVendor: the calling thread is a vendor's.
  void ended(const Ref<Command> &C, cl_int Outcome, bool FromVendor);
  // Its predecessors that have not ended, while it has no device.
  std::vector<Ref<Command>> inputs(const Ref<Command> &C);
  // Waits until everything before C has ended, if vendors have it already. True: only the mapping of C is missing.
  bool awaitInputs(const Ref<Command> &C);
  // Returns when the command, and those visible before it, are done.
  void await(const Ref<Command> &C);
  // On the dispatcher's thread: waits for a command of the context that is with its vendor, if there is one.
  bool awaitHolder(Context &In, const Command &But);
  // Polls for the end of the command and of those visible before it.
  void poll(const Ref<Command> &C);
  // The same for all commands of a queue.
  void look(Queue &Q);
  // The vendor has said that the device is not there: ends the commands that it has. Some vendors never report them.
  void lost(Context &In, const Device &D);
  // Requests a vendor callback for its end, and for those visible before it.
  void watch(const Ref<Command> &C);
  // Commands whose end the program cannot see yet.
  std::vector<Ref<Command>> inFlight(Queue &Q);

private:
  void edge(const Ref<Command> &From, const Ref<Command> &To, bool Fails);
  void link(const Ref<Command> &C, const std::vector<Ref<Command>> &After);
  // Reports dependences on ended commands to observers.
  void linkPast(const Command &C);
  // Flushes: unless Throws; otherwise the caller asks the vendor to begin.
  void handOver(const Ref<Command> &C, bool Throws, bool MayWait, bool Flushes = true);
  // Passes it to its vendor. False: the dispatcher's thread has to.
  bool start(const Ref<Command> &C, bool MayWait, cl_int &Error, cl_event &Event);
  void endAll(Context &In, const Device &D);
  // Gives it another device, or the same one, and makes it wait for the ends of its predecessors there. True: it can be
  // passed on at once.
  bool move(const Ref<Command> &C, const Target &Where);
  void release(std::vector<Ref<Command>> Ready, bool Elsewhere);
  void awaitOne(const Ref<Command> &C);
  // The command and those visible before it, in order. Under the lock.
  static std::vector<Ref<Command>> upTo(const Ref<Command> &C);
  void addWaiter(const Ref<Command> &C);
  void reap(Queue &Q);

  std::mutex Lock;
  std::vector<Ref<Command>> ToWatch; // Used while edges are made.
  std::vector<uint64_t> Edges;       // Predecessors of a command that is reported to observers.
};

// Marks the calling thread: it runs a callback, and may not wait for commands.
class InCallback {
public:
  InCallback() { ++Depth; }
  ~InCallback() { --Depth; }
  InCallback(const InCallback &) = delete;
  static bool isHere() { return Depth != 0; }

private:
  static thread_local unsigned Depth;
};

// Time in nanoseconds, on the clock of profiling information.
cl_ulong hostTime();

} // namespace hsched::icd
#endif
