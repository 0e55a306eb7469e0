// Ready tasks: where they wait, which worker takes which of them, and who is woken for them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   where it waits   what                                                      who takes it
//   policy           a task with a choice, a priority or a placement           a worker, in the policy's order
//   queue            a task that any CPU worker may run as one version         its thread, last in first out; a thief,
//                                                                              first in first out
//   thread's Next    the first successor that a completion released            the thread that completed
//   open bundle      short tasks, while more may be added                      a worker with nothing else to do
//   spill list       what has no queue, or whose queue had no memory           any CPU worker
//   detour           a task that could not run where the policy wanted it      the worker that was found for it
//
// Queues, Next, bundles and the spill list are quick ways. A policy claims them (Policy::capabilities), and quickWays
// says which of them an engine may use.
#ifndef HSCHED_EXEC_HUB_H
#define HSCHED_EXEC_HUB_H

#include "exec/QuickWays.h"
#include "exec/Seat.h"
#include "exec/SpillList.h"
#include "exec/ThreadState.h"
#include "exec/TightChoice.h"
#include "exec/Watchdog.h"
#include "sched/Policy.h"
#include "sched/WorkerClasses.h"

#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace hsched::rt {

// What the hub asks of its engine. Called with no lock of the hub's held, by the thread that called the hub.
class HubHost {
public:
  virtual void wakeWorker(WorkerId W) = 0;
  // Something was queued, and there is one CPU worker: a thread has to come if nobody has its seat.
  virtual void attendSeat0() = 0;
  // The choice of V on W for T is to be told, if anybody wants to know.
  virtual void tellChoice(Task &T, const Version &V, WorkerId W, const char *Why) = 0;
  // The policy chose W for T, which W is not to run.
  virtual void sendElsewhere(TaskNode &T, const Version &V, WorkerId W) = 0;

protected:
  ~HubHost() = default;
};

// Thread-safe, but for what takes a Seat: by the thread that sits there.
class Hub {
public:
  struct Setup {
    const Platform &Machine;
    Policy &Scheduler;
    const Clock &Time;
    HubHost &Host;
    std::shared_ptr<OwnQueues> Table;
    DependenceDomain &Roots; // Whose bundles are open.
    const ExecutorOptions &Options;
    Watchdog *Dog; // Null: not requested.
    bool Explains; // An observer wants the reasons of choices.
    unsigned Seats;
    QuickWays Ways;
  };
  explicit Hub(const Setup &S);

  const QuickWays Ways;
  const bool OneCpu; // Worker.

  // --- tasks come in

  // T is ready: it waits in a quick way from here on, or the caller gives it to the policy. Activated: a completion on
  // this thread released it.
  bool keep(TaskNode &T, bool Activated);
  // To the policy. Throws bad_alloc: nothing has changed.
  void push(TaskNode &T, WorkerId From, bool Activated);
  // T, which was kept or taken, waits again: in a queue, if it has been kept, else in the policy.
  void putBack(TaskNode &T);
  // Lone: the calling thread will probably run the task itself soon, in a wait.
  void enqueueBundle(TaskNode &T, bool Lone = false);
  // T gets the worker with fewest detours among those that can run it and that it does not exclude, CPU workers before
  // devices. False: there is none. Throws bad_alloc: nothing has changed.
  bool detour(TaskNode &T);

  // --- workers take them

  // For a CPU worker. False: there is nothing to run. ToPark: the caller will sleep then; else it has other things to
  // do.
  bool find(Seat &S, Found &F, bool ToPark);
  // For a device. Among: what it compares while its memory is tight, and whose runs take Typical; the device's own.
  bool findForDevice(Seat &S, Found &F, TightChoice &Among, bool Tight, Directory &Data, Duration Typical);
  // For a wait inside Within, which runs nothing but that task's descendants: the last task in this thread's queue, one
  // that the policy holds, one of another thread's queue.
  TaskNode *takeChild(const TaskNode &Within);
  bool findInside(WorkerId W, const TaskNode &Within, Found &F);
  bool robInside(const TaskNode &Within, Found &F);
  static bool isInside(const TaskNode &T, const TaskNode &Within);

  // S, marked as idle, will do other work instead of sleeping: its pending wake-up goes to another worker.
  void comeBack(Seat &S);
  // S, a worker, has found a task.
  void takesUp(Seat &S) {
    comeBack(S);
    if (Ways.Bundles)
      offerOpenBundle();
  }
  // This thread may not come back soon: what it has next is for others.
  void letGoOfNext();
  // For something that was queued. Lone: as enqueueBundle.
  void wakeForWork(bool Lone = false);
  bool anyWork() const; // Whether a queue or the policy has a task for a worker.
  // By who completed tasks, and does not look for work at once.
  void offerWhatIsReady() {
    if (Ways.Bundles && Roots.anyOpenBundle())
      wakeForWork();
  }

  // The open ones: nothing more comes into them. By a thread that runs what it finds next.
  void passOnBundles();
  // Of worker W, with nothing to do, whose thread sleeps by P. False: no sentry is wanted; else it has been one, and
  // looks for work now. See HubBundles.cpp.
  bool keepWatch(WorkerId W, Parker &P, const std::atomic<bool> &Stopping);
  bool keepsWatch() const { return Sentry.load(); }

  // Inside a task of thread Me: it is short with all that it waits for, others find enough to do in this thread's
  // queue, and nobody is looking. So recursions make tasks near their root and whenever one is taken away, and are
  // calls below.
  bool hasPlenty(const ThreadState &Me, const TaskType &Type) const {
    return Me.QueuesSerial == Table.Serial && Me.Own->Ready.size() >= Plenty &&
           Type.Nanoseconds.load(std::memory_order_relaxed) - 1 < std::chrono::nanoseconds(ShortRun).count() &&
           Searchers.load(std::memory_order_relaxed) == 0;
  }

  // The calling thread's.
  OwnQueue &ownQueue() {
    ThreadState &Me = threadState();
    return Me.QueuesSerial == Table.Serial ? *Me.Own : takeOwnQueue();
  }
  // Of two workers' cores; UINT32_MAX: it is not known.
  uint32_t distance(WorkerId From, WorkerId To) const;

private:
  // A task that could not run where the policy wanted it and was given a place by the engine.
  struct Detour {
    TaskNode *T;
    const Version *V;
  };

  OwnQueue &takeOwnQueue();
  bool enqueue(TaskNode &T, bool Lone = false); // False: this thread has no queue.
  void pushAsItIs(TaskNode &T);
  bool takeDetour(WorkerId W, Found &F);
  bool findInPolicy(Seat &S, Found &F);
  bool popFor(Seat &S, Assignment &Out);
  bool stealFromVictims(Seat &S, Assignment &Out); // Of the policy's.
  void leftPolicy(const Assignment &A, Found &F);
  TaskNode *steal(Seat &S);
  void orderVictims(Seat &S);
  void takeAlong(OwnQueue &From, OwnQueue &Own, int64_t Most);
  TaskNode *takeOpenBundle(Seat &S, bool AtOnce);
  void offerOpenBundle(); // Offers the open bundle to a worker without work.
  bool isLeftAlone() const;
  void
  waitsForOne(bool Alone); // Notes a wait outside any task. Alone: it waits for one bundle that no other thread took.
  void count(const TaskNode &T, int By) { // In the policy.
    if (T.Priority < 0)
      UnurgentInPolicy.fetch_add(By);
    InPolicy.fetch_add(By);
  }
  unsigned words() const { return (NumSeats + 63) / 64; }

  const Platform &Machine;
  Policy &Scheduler;
  const Clock &Time;
  HubHost &Host;
  const std::shared_ptr<OwnQueues> Shared;
  OwnQueues &Table;
  DependenceDomain &Roots;
  const ExecutorOptions &Options;
  Watchdog *const Dog;
  const bool Explains, AsksPolicyToSteal;
  const unsigned NumSeats;
  WorkerBits AllWorkers{}; // That were there at the start.

  SpillList Spilled;
  std::mutex DetourLock;
  std::vector<std::deque<Detour>> Detours; // By worker; guarded by DetourLock.
  std::atomic<uint32_t> NumDetours{0};

  alignas(64) IdleWorkers QueueIdle; // Workers that found no task in any queue.
  // A worker keeps watch; one is to; somebody was not woken since it looked last; how many waits in a row were for one
  // short task.
  std::atomic<bool> Sentry{false}, SentryWanted{false}, Unwoken{false};
  std::atomic<uint32_t> LoneWaits{0};
  std::atomic<uint32_t> Searchers{0}; // Workers that search the queues. Each will mark itself idle or find a task.
  alignas(64) std::atomic<int64_t> InPolicy{0}; // Tasks pushed and not popped; counted where Ways.Stealing.
  std::atomic<int64_t> UnurgentInPolicy{0};     // Those of them with a priority below 0.
};

} // namespace hsched::rt
#endif
