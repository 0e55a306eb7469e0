// The manager of one device: the thread that feeds it.
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

// Keeps tasks on the device: HSCHED_INFLIGHT that were ready, so that the transfers of the next run beside the kernel
// of the last, and behind them such as come after what is on the device and nothing else (docs/decisions/0013, "Two
// kinds of ready"). Everything here is on the manager's thread.
class DeviceWorker {
public:
  DeviceWorker(Executor &E, Seat &S)
      : E(E), S(S), W(*S.W), Dev(*S.W->Dev), Depth(depthFor(E.Options, Dev.info())), MayDeepen(E.Options.InFlight == 0),
        Aside(E.Options.Aside) {}

  // Returns when the executor is stopping and nothing is in flight.
  void loop();
  // How long to sleep before the next look, when all have brought nothing for so long; 0: only let others run.
  static Duration pauseAfter(Duration Quiet);

private:
  // Where data travels, transfers of many tasks have to be ahead of the kernels (figures: docs/decisions/0013).
  // Where it does not, what is taken early is only kept from other workers.
  static unsigned depthFor(const ExecutorOptions &Options, const DeviceInfo &Info) {
    return Options.InFlight ? Options.InFlight : Info.SharesHostMemory ? 4 : 16;
  }
  // Short kernels end faster than they are seen to: as many are on the device as it has work for this long from. When
  // so many are, more follow once a quarter of them has ended, many at a time: to look for the end of each would take
  // as long as to launch it.
  static constexpr Duration Ahead = std::chrono::microseconds(400);
  static constexpr size_t MostInFlight = 512;
  // While memory is tight, data travel in bursts: then more tasks are on the device, if memory is large beside what
  // each of them names.
  static constexpr size_t MostWhileTight = 64;
  // From what fullness on memory counts as tight, where kernels take so long, and where they do not.
  static constexpr Duration WorthChoosing = std::chrono::microseconds(20);
  static constexpr double TightForLong = 0.5, TightForShort = 0.875;
  // A driver takes as long to flush as to launch. What it has been handed, FewFlushed or more, keeps the device busy.
  static constexpr unsigned FlushedTogether = 32, FewFlushed = 16;
  // Kernels shorter than this, of those that have been timed so often, may be told of late.
  static constexpr Duration WorthTelling = std::chrono::microseconds(50);
  static constexpr uint64_t TimedBefore = 16;
  // What takes less than this, where many are on the device, has ended about when the next one has been launched.
  static constexpr Duration NotTiny = std::chrono::microseconds(16);
  static constexpr size_t ManyInFlight = 8;
  // An event with times takes NVIDIA's driver 15 us, as long as two or three launches: one tells of so many short
  // kernels as take about this long. Of tiny ones so many may be on the device, some of which have ended untold of.
  static constexpr Duration ToldWithin = std::chrono::microseconds(384);
  static constexpr unsigned FewTold = 16, ManyTold = 64;
  static constexpr size_t MostTiny = 160;
  // With nothing to do for so long, one asks to be told of what others may wait for; each time takes a launch's time.
  static constexpr Duration WorthAsking = std::chrono::microseconds(20);

  // A task on its way through the device.
  struct Flight {
    TaskNode *T = nullptr;
    const Version *V = nullptr;
    bool FromPolicy = false;
    bool Early = false;    // Taken while predecessors were on the device.
    bool Nothing = false;  // No work item, or none that can be waited for.
    bool Unlisted = false; // The directory does not know of its kernel, which has ended.
    KernelRef K;
    Acquisition Held;
    std::vector<EventRef> After;   // Early: the predecessors' kernels.
    std::exception_ptr Thrown;     // By the version's body.
    EventRef Done;                 // Null while its inputs are still on their way.
    std::vector<EventRef> Until;   // Starved: what may make room when it has ended.
    unsigned Tries = 0;            // That ended because data did not arrive.
    unsigned Stream = 0;           // That Done is on.
    TimePoint Launched;            // Host time.
    Duration Mean{0};              // Of a launch that may be told late: what it takes.
    SuccessorLink *Seen = nullptr; // Successors from here down the stack have been looked at.

    // As new, but for memory that its lists have.
    void blank() {
      After.clear();
      Until.clear();
      K.reset();
      Done.reset();
      Thrown = nullptr;
      Held.clear();
      T = nullptr;
      V = nullptr;
      FromPolicy = Early = Nothing = Unlisted = false;
      Tries = Stream = 0;
      Launched = {};
      Mean = {};
      Seen = nullptr;
    }
    // Its turn has not come, whatever the device has done: its predecessors are not complete.
    bool ahead() const { return Early && T->Pending.load(std::memory_order_acquire) != 0; }
  };
  using Flights = std::list<Flight>;
  using Place = Flights::iterator;

  bool take(); // False: there was nothing.
  bool reap(); // Whether a task ended or advanced.
  void idle(bool Progress);

  void accept(TaskNode &T, const Version &V, bool FromPolicy);
  // There is no host memory for T, which this thread has and has not begun: it fails.
  void failFor(std::exception_ptr NoMemory, TaskNode &T, const Version &V, bool FromPolicy);
  status buildKernel(Flight &F);
  // A flight stays where it is in memory from the first of these to the last: all but prepare take one that is in
  // Loose, and leave it somewhere else.
  Place prepare(TaskNode &T, const Version &V, bool FromPolicy);
  void fly(Place At); // To the end of InFlight.
  void discard(Place At);
  void acquire(Place At);
  // The flight's inputs have arrived, or the device orders them before it.
  void launch(Place At);
  // DeviceBody.cpp: launch, for a version that is host code.
  void runBody(Place At);
  void launched(Place At);
  // Something went wrong before the device began: the task goes on elsewhere, or later, or fails.
  void giveUp(Place At, const status &Cause, bool Holding);
  // Out of InFlight.
  void land(Place At) { Loose.splice(Loose.begin(), InFlight, At); }
  // What F has been handed over for comes after these.
  void addPredecessors(Flight &F) const;
  void ended(Flight &F);
  // giveUp, but for where the flight is. Whether it is to wait among those that starve.
  bool starves(Flight &F, const status &Cause, bool Holding);
  // Cause says that data did not arrive: the task has another try here, or goes on elsewhere.
  void tryAgain(Flight &F, const status &Cause);
  void refused(Flight &F, const status &Cause);
  // The device has gone, or it cannot run F.V: the task goes on elsewhere.
  void sendOn(Flight &F, const status &Cause);
  void heed(const status &Outcome) {
    if (Outcome.code() == errc::device_lost)
      Dev.lose(Outcome);
  }
  // Tasks for which memory did not suffice come again once another has ended, or what is in their way has gone home.
  void retryStarved();
  bool roomMade() const;
  Telling telling(Flight &F);
  // Of the flights the end of which nobody would be told of, the first: unless there are others, and it was not quiet
  // for long.
  void askForOne(bool QuietForLong);

  // Tasks of one version and size that the device refused lately: after a few in a row the next ones are sent on
  // before their data has moved, whatever the policy, and only now and then one is tried.
  struct Refusal {
    unsigned InARow = 0, SentOn = 0;
    status Cause;
  };
  static constexpr unsigned RefusalsTried = 3, SentOnBetween = 64;
  bool refusedLately(const Flight &F, status &Cause);

  bool inputsArrived(Flight &F, status &Outcome);
  // Took: what a kernel has taken.
  void learn(Duration Took);
  bool tight() const;
  size_t room() const;
  bool hasRoom();

  // DeviceEarly.cpp: tasks that are taken while predecessors are on the device.
  //
  // A task that comes after several of them: how many are known to be here, neither complete nor forgotten.
  struct Partly {
    int32_t Here = 0;
    std::vector<EventRef> After;
  };
  // Looks at what has been linked behind tasks on the device since the last look. Whether one was taken.
  bool takeEarly();
  bool lookBehind(Flight &F);
  // To comes after F. Whether it was taken.
  bool consider(TaskNode &To, const Flight &F, int32_t Pending);
  bool acceptEarly(TaskNode &To, std::span<const EventRef> After);
  // F does not hold its task's place any more: it is complete, or goes on elsewhere.
  void forget(const Flight &F);
  // F's task was taken early and will be ready, or cancelled, like any other instead.
  void letGo(Flight &F);
  // What was taken early behind T, on and on, is let go of: T has failed, or runs again. Whether the device has run
  // any; what that may have written is appended to Written.
  bool unwind(TaskNode &T, std::vector<Extent> &Written);
  // Whether some of what T writes is in Written. A task that was cancelled has left its data as they were, but a driver
  // may have run one behind it all the same: on an in-order queue nothing names what is in front.
  static bool mayHaveRunOver(const TaskNode &T, const std::vector<Extent> &Written);

  Executor &E;
  Seat &S;
  const Worker &W;
  Device &Dev;
  const unsigned Depth;
  const bool MayDeepen;
  bool Aside;       // There may be something to do aside from tasks.
  Flights InFlight; // In order of launch, as far as they have been.
  Flights Loose;    // Being prepared, or ended.
  Flights Spare;    // Blank, to be used again.
  KernelBinding Bound;
  std::unordered_map<const Version *, KernelRef> Kernels; // Built ones.
  Flights Starved;
  TightChoice Candidates; // Popped; empty unless memory is tight.
  std::unordered_map<TaskNode *, Partly> Behind;
  std::vector<SuccessorLink *> NewBehind;                            // lookBehind's
  std::map<std::pair<const Version *, SizeClass>, Refusal> Refusals; // By version and size class.
  // Versions with a body that have run once: a library may have built its kernels meanwhile.
  std::set<std::pair<const Version *, SizeClass>> WarmedUp;
  // What telling() has looked up last: a version that may be told of late.
  static constexpr unsigned BriefUses = 64;
  struct {
    const Version *V = nullptr;
    SizeClass Size{};
    Duration Mean{0};
    unsigned Uses = 0; // That it is good for.
  } Brief;
  unsigned Together = FewTold; // As Dev.tellTogether has been told.
  TimePoint LastProgress;      // As long as Quiet.
  bool Quiet = false;          // The last look around brought nothing.
  TimePoint SeenEnd;           // Of the last run that was timed.
  Duration Typical{0};         // What a kernel takes, lately.
  size_t Room = Depth;         // How many may be in flight; see room().
  bool Tight = false;          // The device's memory is.
  double TypicalBytes{0};      // That a task names, lately.
  size_t NotLaunched = 0;      // Of InFlight.
  bool Full = false;           // There were Room, and a quarter of them has not ended yet.
  // Where that quarter takes long, this thread sleeps meanwhile: the device has the other three, and may need the core.
  // Whether it does is seen each time that it has not slept.
  static constexpr unsigned RestsBetween = 4;
  static constexpr Duration WorthResting = std::chrono::microseconds(100);
  TimePoint FullSince;
  Duration Drain{0}; // What it took, awake.
  unsigned FullTimes = 0;
  bool Rests = false;     // This time.
  unsigned Unflushed = 0; // Launches.
};

} // namespace hsched::rt
#endif
