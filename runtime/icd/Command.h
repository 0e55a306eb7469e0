// Commands, which are events too, and what orders them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The platform resolves dependences itself. A vendor is handed a command when everything that it waits for has ended,
// or has been handed to the same device: then the vendor's events order them. Between devices of one vendor they are
// not relied on: with them PoCL 3.1 locks itself up. One lock guards all edges; no vendor's function is called under
// it.
//
//   made -> linked (Waiting > 0) -> handed over (its vendor's event exists) -> done -> shown
//
// A vendor is asked to tell of a command's end only where somebody cannot ask himself: a command of another device, a
// callback of the program's. Otherwise ends are noticed by those who wait, and from time to time when a queue gets
// more.
//
// Commands of an in-order queue may run side by side where their data allow. They are shown in order: the program sees
// a command's end when all commands before it have ended, too.
#ifndef HSCHED_ICD_COMMAND_H
#define HSCHED_ICD_COMMAND_H

#include "icd/Memory.h"

namespace hsched::icd {

// A command's view of where it runs.
struct Target {
  Part *In = nullptr;
  Device *On = nullptr;
  cl_command_queue Queue = nullptr;
  const cl_icd_dispatch &cl() const { return table(Queue); }
};

// Bytes of a root that a command uses. Those that it writes and does not read it overwrites, all of them.
struct Use {
  Ref<Memory> Root;
  size_t First, Bytes;
  bool Reads, Writes;
  bool Home = false; // Reads them on the host, in a context of several vendors.
};
// The program's memory.
struct HostUse {
  const void *First;
  size_t Bytes;
  bool Writes;
};

// What a command that has ended used, for those who are told of tasks.
struct Footprint {
  struct Range {
    uint64_t Serial; // Of the memory object; 0: the program's memory.
    uintptr_t First;
    size_t Bytes;
    bool Writes;
  };
  uint64_t Task;
  bool Fence;
  std::vector<Range> Ranges;
};

class Command : public Object {
public:
  static constexpr Kind Tag = Kind::Event;
  // Hands it to a vendor: returns the vendor's error, or sets the event. Without an event it has ended.
  using Starts = std::function<cl_int(const Target &, cl_uint, const cl_event *, cl_event *)>;

  Command(Ref<Context> In, Ref<Queue> Of, cl_command_type Type);
  ~Command() override;

  // Before it is submitted.
  void uses(Memory &M, size_t First, size_t Bytes, bool Reads, bool Writes);
  void uses(Memory &M, bool Reads, bool Writes) { uses(M, 0, M.bytes(), Reads, Writes); }
  void usesHost(const void *First, size_t Bytes, bool Writes) { HostUses.push_back({First, Bytes, Writes}); }

  void info(cl_event_info What, const Answer &To);
  void profile(cl_profiling_info What, const Answer &To);
  // CL_QUEUED down to CL_COMPLETE, or an error: what the program may see. A vendor is asked where that tells more.
  cl_int status();
  void onStatus(cl_int From, void(CL_CALLBACK *Told)(cl_event, cl_int, void *), void *UserData);
  // Returns when it is shown; its status.
  cl_int wait();
  bool isUser() const { return !Of; }
  // Of a user event. False if it has been set before.
  bool setUserStatus(cl_int To);

  const Ref<Context> In;
  const Ref<Queue> Of; // Null for a user event.
  const cl_command_type Type;
  Starts Start;
  std::vector<Use> Uses;
  std::vector<HostUse> HostUses;
  bool Fence = false;       // Comes after everything before it in its queue, and before everything behind it.
  bool WaitsForAll = false; // Also in an out-of-order queue.
  bool HoldsBack = false;   // In an out-of-order queue: a barrier.
  // What comes before it in a queue of the vendor's need not be named to the vendor.
  bool FollowsLane = false;
  // The kernel that it runs, for measurements; empty otherwise.
  std::string Kernel;
  double Size = 0;                            // work-items
  std::function<bool(const Device &)> RunsOn; // Of a kernel: empty for what every device can do.
  // What it counts for in its device's load, while it has not ended.
  double Expected = 0;
  // What the engine's observers know it by; all 0 where nobody listens.
  uint64_t Task = 0, DataBytes = 0;
  const char *Name = nullptr;
  unsigned Row = 0; // Of its vendor's queue.

  // How long it ran on its device; 0 where that is not known. After its end.
  cl_ulong runTime() const { return Ran; }

  Device *device() const { return Where.On; }

private:
  friend class Graph;
  friend class Queue;
  friend class Reporter;
  struct Edge {
    Ref<Command> To;
    bool Fails; // If this command fails, that one is not run.
  };
  struct Callback {
    cl_int From;
    void(CL_CALLBACK *Told)(cl_event, cl_int, void *);
    void *UserData;
  };
  void show(cl_int As);
  Footprint footprint() const;
  void tell(cl_int Reached);
  void takeTimes();

  // Under the graph's lock.
  unsigned Waiting = 1; // Ends that it waits for, and one while it is being linked or mapped.
  std::vector<Edge> Next;
  std::vector<Ref<Command>> Before; // While it has no target: what it has edges from.
  struct Wait {
    Ref<Command> On;
    bool Fails;
  };
  std::vector<Wait> Waits; // Handed to the same device: the vendor orders them.
  cl_int Failed = CL_SUCCESS;
  bool Linked = false, HandedOver = false, Done = false;
  bool Watched = false; // Its vendor tells of its end, or will be asked to.
  Target Where;
  cl_command_queue Lane = nullptr; // Set before HandedOver.
  cl_int Outcome = CL_COMPLETE;

  std::atomic<cl_event> Vendors{nullptr}; // Once it has been handed over.
  std::atomic<bool> Ending{false};        // Somebody has noticed its end.
  std::atomic<bool> Over{false};          // Done, for those who wait.
  std::atomic<cl_int> Shown{CL_QUEUED};
  std::atomic<bool> UserSet{false};
  std::mutex CallbackLock;
  std::vector<Callback> Callbacks;
  // Nanoseconds of the host's clock.
  cl_ulong Queued = 0, Submitted = 0, Begin = 0, End = 0, Ran = 0;
};

// What orders commands. Any thread.
class Graph {
public:
  static Graph &get();
  // Puts a command behind what it waits for, and hands it over if that is nothing. Throws Failure with the vendor's
  // error where it is handed over at once and refused: then it has not been enqueued. True if it now waits for map().
  bool submit(const Ref<Command> &C, const std::vector<Ref<Command>> &After);
  // Gives a command of a scheduled queue its device.
  void map(const Ref<Command> &C, const Target &Where);
  // The command has ended. FromVendor: the calling thread is a vendor's.
  void ended(const Ref<Command> &C, cl_int Outcome, bool FromVendor);
  // Returns when the command, and what is shown before it, is done.
  void await(const Ref<Command> &C);
  // Notices what has ended, of the command and what is shown before it.
  void poll(const Ref<Command> &C);
  // Its vendor tells of its end, and of those that are shown before it.
  void watch(const Ref<Command> &C);
  // What the program has not been shown the end of.
  std::vector<Ref<Command>> inFlight(Queue &Q);

private:
  void edge(const Ref<Command> &From, const Ref<Command> &To, bool Fails);
  void link(const Ref<Command> &C, const std::vector<Ref<Command>> &After);
  // What observers are told of beside: dependences on what has ended.
  void linkPast(const Command &C);
  void handOver(const Ref<Command> &C, bool Throws, bool MayWait);
  void release(std::vector<Ref<Command>> Ready, bool Elsewhere);
  void awaitOne(const Ref<Command> &C);
  // The command and what is shown before it, in order. Under the lock.
  static std::vector<Ref<Command>> upTo(const Ref<Command> &C);
  void tellMe(const Ref<Command> &C);
  void reap(Queue &Q);

  std::mutex Lock;
  std::vector<Ref<Command>> ToWatch; // While edges are made.
  std::vector<uint64_t> Edges;       // Of a command that observers are told of: where they come from.
};

// Nanoseconds of the clock that profiling shows.
cl_ulong hostTime();

} // namespace hsched::icd
#endif
