// The manager of one device: the thread that launches its tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_DEVICEWORKER_H
#define HSCHED_EXEC_DEVICEWORKER_H

#include "data/Extent.h"
#include "exec/Executor.h"
#include "exec/KernelBinding.h"
#include "exec/TightChoice.h"

#include <list>
#include <map>
#include <set>
#include <unordered_map>

namespace hsched::rt {

// Keeps HSCHED_INFLIGHT ready tasks on the device, so that transfers of the next task overlap the kernel of the
// previous one. Behind them it takes tasks early whose unfinished predecessors are all on the device
// (docs/decisions/0013, "Two kinds of ready"). All members are called on the manager's thread.
class DeviceWorker {
public:
  DeviceWorker(ThreadState &Me, Executor &E, Seat &S)
      : Me(Me), E(E), S(S), W(*S.W), Dev(*S.W->Dev), Depth(depthFor(E.Options, Dev.info())),
        MayDeepen(E.Options.InFlight == 0), IdleWork(E.Options.IdleWork) {}

  // Returns when the executor is stopping and nothing is in flight.
  void loop();
  // Time to sleep before the next poll, if polls have found nothing for Quiet. 0: only yield.
  static Duration pauseAfter(Duration Quiet);

private:
  // Tasks that a device holds. With transfers, those of many tasks must be ahead of the kernels (figures:
  // docs/decisions/0013). Without transfers, a deep queue only keeps tasks from other workers.
  static unsigned depthFor(const ExecutorOptions &Options, const DeviceInfo &Info) {
    return Options.InFlight ? Options.InFlight : Info.SharesHostMemory ? 4 : 16;
  }
  // Short kernels end faster than they can be polled. So the device gets enough of them for this time. After
  // that more follow, in batches, each time a quarter has ended: polling for each end would take as long as a
  // launch.
  static constexpr Duration Ahead = std::chrono::microseconds(400);
  static constexpr size_t MostInFlight = 512;
  // While memory is tight, transfers come in bursts. More tasks are then on the device if its memory is large compared
  // with their data.
  static constexpr size_t MaxInFlightTight = 64;
  // Memory counts as tight from these fill levels on: one for kernels that take this long, one for shorter ones.
  static constexpr Duration WorthChoosing = std::chrono::microseconds(20);
  static constexpr double TightForLong = 0.5, TightForShort = 0.875;
  // A flush costs a driver half as much as a launch. FewFlushed launches that have been flushed keep the device busy.
  static constexpr unsigned FlushedTogether = 32, FewFlushed = 16, FewTogether = 8;
  // Kernels with a shorter mean time, after enough timed runs, may be reported late.
  static constexpr Duration ReportLateBelow = std::chrono::microseconds(50);
  static constexpr uint64_t TimedBefore = 16;
  // If many are on the device, a kernel shorter than this has ended about when the next one is launched.
  static constexpr Duration NotTiny = std::chrono::microseconds(16);
  static constexpr size_t ManyInFlight = 8;
  // An event with times costs NVIDIA's driver 15 us, as much as two or three launches. So one event covers the short
  // kernels of about this time. With tiny kernels, some of those on the device have ended but are not reported yet.
  static constexpr Duration ReportWithin = std::chrono::microseconds(384);
  static constexpr unsigned SmallReportBatch = 16, LargeReportBatch = 64;
  static constexpr size_t MostTiny = 160;
  // After this idle time the manager requests the completion of kernels that other threads may wait for. A request
  // costs as much as a launch.
  static constexpr Duration RequestReportAfter = std::chrono::microseconds(20);

  // A task on its way through the device.
  struct Flight {
    TaskNode *T = nullptr;
    const Version *V = nullptr;
    bool FromPolicy = false;
    bool Early = false;    // Taken while predecessors were on the device.
    bool Nothing = false;  // Launch without a work item, or without an event to wait for.
    bool Unlisted = false; // The kernel has ended and is not registered with the directory.
    bool Alone = false;    // Launched behind no other flight and no transfer of its own.
    KernelRef K;
    Acquisition Acquired;
    std::vector<EventRef> After;   // Early: the predecessors' kernels.
    std::exception_ptr Thrown;     // Thrown by the version's body.
    EventRef Done;                 // Null while its inputs are in transfer.
    std::vector<EventRef> Until;   // Starved: operations whose end may free memory.
    unsigned Tries = 0;            // Attempts that ended because data did not arrive.
    unsigned Stream = 0;           // The stream of Done.
    TimePoint Launched;            // Host time.
    Duration Brief{0};             // Its expected time if that is known and short; else 0.
    Duration Mean{0};              // For a launch without times of its own: its expected time.
    SuccessorLink *Seen = nullptr; // Successors from here down the stack have been visited.

    // Resets it, but keeps the capacity of its lists.
    void blank() {
      After.clear();
      Until.clear();
      K.reset();
      Done.reset();
      Thrown = nullptr;
      Acquired.clear();
      T = nullptr;
      V = nullptr;
      FromPolicy = Early = Nothing = Unlisted = Alone = false;
      Tries = Stream = 0;
      Launched = {};
      Brief = Mean = {};
      Seen = nullptr;
    }
    // True if its predecessors are not complete, even if their kernels have ended.
    bool ahead() const { return Early && T->Pending.load(std::memory_order_acquire) != 0; }
  };
  using Flights = std::list<Flight>;
  using Place = Flights::iterator;

  bool take(); // False: nothing was taken.
  bool reap(); // True if a task ended or advanced.
  void idle(bool Progress);

  void accept(TaskNode &T, const Version &V, bool FromPolicy);
  // Host memory is exhausted for T, which this thread holds and has not begun: T fails.
  void failFor(std::exception_ptr NoMemory, TaskNode &T, const Version &V, bool FromPolicy);
  status buildKernel(Flight &F);
  // A flight keeps its address through all of these steps. All but prepare take a flight from NotInFlight and move it
  // to another list.
  Place prepare(TaskNode &T, const Version &V, bool FromPolicy);
  void appendInFlight(Place At); // Appends to InFlight.
  void discard(Place At);
  void acquire(Place At);
  // The flight's inputs have arrived, or the device orders them before it.
  void launch(Place At);
  // DeviceBody.cpp: launch, for a version that is host code.
  void runBody(Place At);
  void launched(Place At);
  // Handles an error before the device began: the task runs elsewhere, or later, or fails.
  void giveUp(Place At, const status &Cause, bool Holding);
  // Removes it from InFlight.
  void land(Place At) { NotInFlight.splice(NotInFlight.begin(), InFlight, At); }
  // Orders F's commands after its predecessors' events.
  void addPredecessors(Flight &F) const;
  void ended(Flight &F);
  // giveUp, without moving the flight. True: the task must wait for memory.
  bool starves(Flight &F, const status &Cause, bool Holding);
  // Cause: data did not arrive. The task is retried here or runs elsewhere.
  void tryAgain(Flight &F, const status &Cause);
  void refused(Flight &F, const status &Cause);
  // The device is lost, or it cannot run F.V: the task runs elsewhere.
  void reassign(Flight &F, const status &Cause);
  void handleOutcome(const status &Outcome) {
    if (Outcome.code() == errc::device_lost)
      Dev.lose(Outcome);
  }
  // Retries tasks that found too little memory, once another task has ended or blocking data have been written back.
  void retryStarved();
  bool roomMade() const;
  Duration briefTime(const Flight &F); // Flight::Brief.
  CompletionReport completionReport(Flight &F);
  // Requests completion of the first flight whose end would not be reported, unless others will be and the idle time is
  // short.
  void requestOneReport(bool QuietForLong);

  // Recent refusals of one version and size class. After a few in a row, the next tasks run elsewhere before their data
  // move, whatever the policy chose. Now and then one is tried.
  struct Refusal {
    unsigned InARow = 0, Reassigned = 0;
    status Cause;
  };
  static constexpr unsigned RefusalsTried = 3, ReassignedBetween = 64;
  bool recentlyRefused(const Flight &F, status &Cause);

  bool inputsArrived(Flight &F, status &Outcome);
  // Took: time of a kernel.
  void learn(Duration Took);
  bool tight() const;
  size_t room() const;
  bool hasRoom();

  // DeviceEarly.cpp: tasks taken early, while predecessors are on the device.
  //
  // A task with several predecessors here: the number that is known to be on this device, not complete and not
  // forgotten.
  struct Partly {
    int32_t Here = 0;
    std::vector<EventRef> After;
  };
  // Visits successors linked behind tasks on the device since the last visit. True if one was taken early.
  bool takeEarly();
  bool scanSuccessors(Flight &F);
  // To depends on F. True if it was taken early.
  bool consider(TaskNode &To, const Flight &F, int32_t Pending);
  bool acceptEarly(TaskNode &To, std::span<const EventRef> After);
  // F no longer holds its task: the task is complete, or runs elsewhere.
  void forget(const Flight &F);
  // Releases F's task, which was taken early: it becomes ready, or is cancelled, like any other.
  void releaseEarly(Flight &F);
  // Releases everything taken early behind T, transitively: T has failed, or runs again. True if the device has run any
  // of it; what that may have written is appended to Written.
  bool unwind(TaskNode &T, std::vector<Extent> &Written);
  // True if some of T's outputs are in Written. A cancelled task leaves its data unchanged. But a driver may still have
  // run a task behind it: on an in-order queue, commands do not name their predecessors.
  static bool mayHaveOverwritten(const TaskNode &T, const std::vector<Extent> &Written);

  ThreadState &Me; // State of the device's thread.
  Executor &E;
  Seat &S;
  const Worker &W;
  Device &Dev;
  const unsigned Depth;
  const bool MayDeepen;
  bool IdleWork;       // There may be other work than tasks: see ExecutorOptions::IdleWork.
  Flights InFlight;    // In order of launch, launched ones first.
  Flights NotInFlight; // Being prepared, or ended.
  Flights Spare;       // Blank, for reuse.
  KernelBinding Bound;
  std::unordered_map<const Version *, KernelRef> Kernels; // Built kernels.
  Flights Starved;
  TightChoice Candidates; // Popped; empty unless memory is tight.
  std::unordered_map<TaskNode *, Partly> Behind;
  std::vector<SuccessorLink *> NewSuccessors;                        // scanSuccessors's
  std::map<std::pair<const Version *, SizeClass>, Refusal> Refusals; // By version and size class.
  // Versions with a body that have run once. A library may have built its kernels in that run.
  std::set<std::pair<const Version *, SizeClass>> WarmedUp;
  // A device that has been idle measures launches, until it is idle again or MostSampled have been measured. It does so
  // once so many had no times, or if one that waited for nothing took much longer than expected.
  static constexpr unsigned SampledEvery = 1024, MostSampled = 32;
  static constexpr unsigned MuchLonger = 8;
  static constexpr Duration MuchLater = std::chrono::microseconds(500);
  unsigned SinceSample = 0;
  bool Sampling = true;
  static constexpr unsigned BriefUses = 64;
  struct {
    const Version *V = nullptr;
    SizeClass Size{};
    Duration Mean{0};
    unsigned Uses = 0; // Number of uses before it is looked up again.
  } Brief;
  unsigned Together = SmallReportBatch; // The last value given to Dev.setReportBatch.
  TimePoint LastProgress;               // Start of the idle time.
  bool Quiet = false;                   // The last poll found nothing.
  TimePoint LastRunEnd;                 // End of the last timed run.
  Duration Typical{0};                  // Recent time of a kernel.
  size_t Room = Depth;                  // Number of tasks that may be in flight; see room().
  bool Tight = false;                   // The device's memory is tight.
  double TypicalBytes{0};               // Recent bytes of a task's sections.
  size_t NotLaunched = 0;               // Number of flights in InFlight that are not launched.
  bool Full = false;                    // Room was reached, and less than a quarter has ended since.
  // If that quarter takes long, this thread sleeps: the device has three quarters left, and may need the core. Every
  // few times it stays awake, to measure whether the device does.
  static constexpr unsigned RestsBetween = 4;
  static constexpr Duration WorthResting = std::chrono::microseconds(100);
  // The longest rest: that quarter may have taken long because of transfers or builds that are over.
  static constexpr Duration MostRest = std::chrono::microseconds(400);
  TimePoint FullSince;
  Duration Drain{0}; // Time of that quarter, measured awake.
  unsigned FullTimes = 0;
  bool Rests = false;       // This thread sleeps this time.
  unsigned Unflushed = 0;   // Number of launches that are not flushed.
  bool AnyAcquired = false; // Transfers may not be flushed either.
  void flush() {
    Unflushed = 0;
    AnyAcquired = false;
    Dev.flush();
  }
};

} // namespace hsched::rt
#endif
