// The hub: where ready tasks wait, which worker takes which, and which is woken.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   where it waits   what                                                      who takes it
//   policy           a task with a choice, a priority or a placement           a worker, in the policy's order
//   queue            a task that any CPU worker may run as one version         its thread, last in first out; a thief,
//                                                                              first in first out
//   thread's Next    the first successor that a completion released            the thread that completed
//   home's list      a task whose data a worker wrote last                     that worker, first in first out; a
//                                                                              thief, last in first out
//   open bundle      short tasks, while more may be added                      a worker with nothing else to do
//   spill list       what has no queue, or whose queue had no memory           any CPU worker
//   detour           a task that could not run where the policy wanted it      the worker that was found for it
//
// Queues, Next, homes, bundles and the spill list are fast paths. A policy permits them (Policy::capabilities), and
// fastPaths determines which of them an engine uses.
#ifndef HSCHED_EXEC_HUB_H
#define HSCHED_EXEC_HUB_H

#include "exec/FastPaths.h"
#include "exec/Homes.h"
#include "exec/Seat.h"
#include "exec/SpillList.h"
#include "exec/ThreadState.h"
#include "exec/TightChoice.h"
#include "exec/Watchdog.h"
#include "sched/Policy.h"
#include "sched/WorkerClasses.h"

#include <functional>
#include <mutex>
#include <vector>

namespace hsched::rt {

// The hub's callbacks to its engine. Called without a lock of the hub, on the thread that called the hub.
class HubHost {
public:
  virtual void wakeWorker(WorkerId W) = 0;
  // A task was queued, and there is one CPU worker: calls a thread if its seat is free.
  virtual void attendSeat0() = 0;
  // Records the choice of V on W for T, if choices are recorded.
  virtual void notifyChoice(Task &T, const Version &V, WorkerId W, const char *Why) = 0;
  // The policy chose W for T, which W must not run.
  virtual void redirectTask(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W) = 0;

protected:
  ~HubHost() = default;
};

// Thread-safe. Functions with a Seat are called by the thread that has it.
class Hub {
public:
  struct Setup {
    const Platform &Machine;
    Policy &Scheduler;
    const Clock &Time;
    HubHost &Host;
    std::shared_ptr<OwnQueues> Table;
    DependenceDomain &Roots; // The domain with the open bundles.
    const ExecutorOptions &Options;
    Watchdog *HangMonitor; // Null: not requested.
    bool Explains;         // An observer wants the reasons of choices.
    unsigned Seats;
    FastPaths Paths;
  };
  explicit Hub(const Setup &S);

  const FastPaths Paths;
  const bool OneCpu;   // Worker.
  const bool HasHomes; // Tasks with a footprint go to the worker that wrote their data.

  // --- tasks come in

  // T is ready. True: it waits in a fast path. False: the caller pushes it to the policy. Activated: a completion on
  // this thread released it.
  bool keep(ThreadState &Me, TaskNode &T, bool Activated);
  // Pushes T to the policy. Throws std::bad_alloc without effect.
  void push(TaskNode &T, WorkerId From, bool Activated);
  // Returns T: to a queue if keep had taken it, else to the policy.
  void putBack(ThreadState &Me, TaskNode &T);
  // Lone: the calling thread will probably run the task itself soon, in a wait.
  void enqueueBundle(ThreadState &Me, TaskNode &T, bool Lone = false);
  // Assigns T to the worker with the fewest detours among those that can run it and that it does not exclude, CPU
  // workers before devices. False: none. Throws std::bad_alloc without effect.
  bool detour(TaskNode &T);

  // --- workers take them

  // For a CPU worker. False: no task. ToPark: the caller parks in that case; otherwise it does other
  // work.
  bool find(ThreadState &Me, Seat &S, FoundTask &F, bool ToPark);
  // For a device. Among: its candidates while its memory is tight. Typical: time of their runs.
  bool findForDevice(Seat &S, FoundTask &F, TightChoice &Among, bool Tight, Directory &Data, Duration Typical);
  // For a wait inside Within, which runs only that task's descendants. Takes the last task of this thread's queue, one
  // from the policy, or one from another thread's queue.
  TaskNode *takeChild(ThreadState &Me, const TaskNode &Within);
  bool findInside(ThreadState &Me, WorkerId W, const TaskNode &Within, FoundTask &F);
  bool stealInside(ThreadState &Me, const TaskNode &Within, FoundTask &F);
  // For the same, repeatedly: looks at the oldest task of each other thread, not at all tasks.
  TaskNode *stealBack(ThreadState &Me, const TaskNode &Within);
  static bool isInside(const TaskNode &T, const TaskNode &Within);

  // S, marked as idle, will do other work instead of sleeping: its pending wake-up goes to another worker.
  void cancelIdle(Seat &S);
  // S, a worker, has found a task.
  void leaveIdle(ThreadState &Me, Seat &S) {
    cancelIdle(S);
    if (Paths.Bundles)
      offerOpenBundle(Me);
  }
  // This thread may not return soon: queues its next task for others.
  void requeueNext(ThreadState &Me);
  // Wakes a worker for a queued task. Lone: as in enqueueBundle.
  void wakeForWork(bool Lone = false);
  // Worker W runs T, which has a footprint.
  void ranAt(const TaskNode &T, WorkerId W) { Homed.ran(T.Data, W); }
  // Whether there is a task for this thread before it must search others' queues.
  bool hasOwnWork(ThreadState &Me) { return Me.Next || ownQueue(Me).Ready.size() != 0 || seemsHomed(Me); }
  // Whether tasks wait for this thread's worker because of their data.
  bool seemsHomed(const ThreadState &Me) const { return HasHomes && Me.S && Homed.seemsAny(Me.S->W->Id); }
  bool anyWork() const; // Whether a queue or the policy has a task for a worker.
  // For a thread that completed tasks and does not search at once.
  void offerReadyTasks() {
    if (Paths.Bundles && Roots.anyOpenBundle())
      wakeForWork();
  }

  // Closes the open bundles and passes them on. For a thread that runs the next task it finds.
  void passOnBundles(ThreadState &Me);
  // Makes idle worker W, whose thread parks in P, the poller. False: no poller is wanted. True: it was the poller, and
  // searches for tasks now. See HubBundles.cpp.
  bool pollWhileIdle(WorkerId W, Parker &P, const std::atomic<bool> &Stopping);
  bool hasPoller() const { return Poller.load(); }

  // Inside a task of thread Me: Type is short including its children, this thread's queue has enough tasks for
  // others, and no worker searches. So a recursion makes tasks near its root and after a steal, and calls
  // below.
  bool keepsOthersBusy(const ThreadState &Me, const TaskType &Type) const {
    return Me.QueuesSerial == Table.Serial && Me.Own->Ready.size() >= MinQueued &&
           Type.Nanoseconds.load(std::memory_order_relaxed) - 1 < std::chrono::nanoseconds(ShortRun).count() &&
           Searchers.load(std::memory_order_relaxed) == 0;
  }

  // The calling thread's.
  OwnQueue &ownQueue(ThreadState &Me) { return Me.QueuesSerial == Table.Serial ? *Me.Own : takeOwnQueue(Me); }
  // Distance of two workers' cores; UINT32_MAX: unknown.
  uint32_t distance(WorkerId From, WorkerId To) const;

private:
  // A task that could not run where the policy chose, and that the engine placed.
  struct Detour {
    TaskNode *T;
    const Version *V;
  };

  OwnQueue &takeOwnQueue(ThreadState &Me);
  bool enqueue(ThreadState &Me, TaskNode &T, bool Lone = false); // False: this thread has no queue.
  void sendHome(WorkerId W, TaskNode &T);
  bool leavesTasksAtHome(TimePoint &Until) const;
  TaskNode *olderAtHome(WorkerId W, TaskNode &T);
  TaskNode *stealHomed(Seat &S, uint32_t Least); // From other workers' lists.
  void pushAsItIs(TaskNode &T);
  bool takeDetour(WorkerId W, FoundTask &F);
  bool findInPolicy(ThreadState &Me, Seat &S, FoundTask &F);
  bool popFor(Seat &S, Assignment &Out);
  bool stealFromVictims(Seat &S, Assignment &Out); // Steals through the policy.
  void leftPolicy(ThreadState &Me, const Assignment &A, FoundTask &F);
  TaskNode *steal(ThreadState &Me, Seat &S);
  void orderVictims(Seat &S);
  void stealBatch(OwnQueue &From, OwnQueue &Own, int64_t Most);
  TaskNode *takeOpenBundle(Seat &S, bool AtOnce);
  void offerOpenBundle(ThreadState &Me); // Offers the open bundle to a worker without work.
  bool hasUnclaimedWork() const;
  // Notes a wait outside any task. Alone: it waits for one bundle that no other thread took.
  void waitsForOne(bool Alone);
  void count(const TaskNode &T, int By) { // Counts tasks in the policy.
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
  Watchdog *const HangMonitor;
  const bool Explains, AsksPolicyToSteal;
  const unsigned NumSeats;
  WorkerBits AllWorkers{}; // Workers present at the start.

  SpillList Spilled;
  Homes Homed;
  std::mutex DetourLock;
  std::vector<std::vector<Detour>> Detours; // By worker; guarded by DetourLock.
  std::atomic<uint32_t> NumDetours{0};

  alignas(64) IdleWorkers QueueIdle; // Workers that found no task in any queue.
  // A worker is the poller; one is requested; a wake-up was left out since its last poll; number of successive waits
  // for one short task.
  std::atomic<bool> Poller{false}, PollerWanted{false}, WakeUpSkipped{false};
  std::atomic<uint32_t> LoneWaits{0};
  std::atomic<uint32_t> Searchers{0}; // Workers that search the queues. Each will mark itself idle or find a task.
  alignas(64) std::atomic<int64_t> InPolicy{0}; // Tasks pushed and not popped. Counted only if Paths.Stealing.
  std::atomic<int64_t> UnurgentInPolicy{0};     // Number of these tasks with a priority below 0.
};

} // namespace hsched::rt
#endif
