// Runs tasks: submission, workers, waiting, errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   begin, submit -> dispatch -> Policy -> runOnCpu | DeviceWorker -> bodyEnded -> completeAll -> dispatch successors
//
// Threads. Each CPU worker but 0, and each device, has a thread of its own. Worker 0 is a seat: whichever thread of the
// program waits (the main thread, or one that we do not know) takes it for as long as it waits, if it is free, and
// works. No lock is held while a program's code runs.
#ifndef HSCHED_EXEC_EXECUTOR_H
#define HSCHED_EXEC_EXECUTOR_H

#include "base/Parker.h"
#include "data/Directory.h"
#include "graph/TaskGraph.h"
#include "perfmodel/History.h"
#include "sched/Policy.h"
#include "trace/Observer.h"

#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

namespace hsched::rt {

// Bodies on one thread's stack at which a ready child runs on the spot.
inline constexpr unsigned MaxDepth = 32;

struct ExecutorOptions {
  unsigned Window = 4096;  // outstanding tasks at most; at least 2
  unsigned InFlight = 0;   // tasks that a device has at once; 0: as suits the device
  unsigned Lambda = 3;     // for the policy
  std::vector<int> CoreOf; // by worker: hardware thread (OS index) to be pinned to, -1: none. Missing: none
  std::function<status(unsigned Core)> Pin; // pins the calling thread; may be empty
};

// A worker's place. Its thread, or for worker 0 the thread that has taken it, parks here.
struct Seat {
  const Worker *W = nullptr;
  Parker P;
  std::atomic<bool> Taken{false}; // worker 0 only
  std::thread Thread;             // not worker 0's
};

// What this thread is just now.
struct ThreadState {
  Seat *S = nullptr;           // the worker that it is
  TaskNode *Current = nullptr; // the task whose body it runs; null outside any
  unsigned Depth = 0;          // bodies on its stack
};
ThreadState &threadState();

class Executor final : public PolicyHost, private GraphListener {
public:
  // Everything outlives the executor; Watch may be null. Platform's workers: see Platform.
  Executor(const Platform &Machine, Policy &Scheduler, Directory &Data, History &Times, const Clock &Time,
           Observer *Watch, ExecutorOptions Options);
  ~Executor() override;

  // Starts the workers. Once.
  void start();

  // The C ABI's functions of the same names; see there. A null Label stands for the type's name.
  TaskNode &begin(TaskType &Type, unsigned NumAccesses);
  void submit(TaskNode &T, const hsched_submit_options &How);
  void abandon(TaskNode &T);
  static bool inFinal() { return threadState().Current && threadState().Current->Final; }
  void taskwait(bool Flush);
  void taskwaitOn(std::span<const Access> Sections, bool Flush);

  // Waits for everything, ends the workers, brings data home. A failure that nobody claimed is logged. Once, from a
  // thread outside any task.
  void shutdown();

  // PolicyHost.
  const Clock &clock() const override { return Time; }
  const Platform &platform() const override { return Machine; }
  History &history() override { return Times; }
  unsigned lambda() const override { return Options.Lambda; }
  void wake(WorkerId W) override;

private:
  friend class DeviceWorker;
  class SeatLease;

  struct Disabled {
    const Version *V;
    WorkerId W;
    std::string Cause;
  };
  // A task that could not run where the policy wanted it and was given a place by the executor.
  struct Detour {
    TaskNode *T;
    const Version *V;
  };

  // GraphListener.
  void dependence(TaskId From, TaskId To) override { Watch->dependence(From, To); }
  TaskId combination(const TaskNode &C) override;

  // Groups.cpp. Children's domains are the parent's thread's, and by its children nothing but the exclusion is used.
  DependenceDomain &domainOf(TaskNode &Parent);
  void prepareGroups(TaskNode &T, const hsched_submit_options &How);
  bool takeTurn(TaskNode &T); // false: it is dispatched when its turn comes
  TaskNode *giveTurn(TaskNode &T);
  void usePrivateCopies(TaskNode &T, MemoryNode Node);
  void fetchTo(Task &T, Acquisition &Held);
  void combine(TaskNode &C, WorkerId From);
  // A wait, or the end of a body, ends the groups of Parent's children.
  void endGroups(TaskNode &Parent, WorkerId From);

  // Completion.cpp. From: the worker that the calling thread is, or NoWorker.
  bool dispatch(TaskNode &T, WorkerId From, bool Activated); // false: it cannot run, its failure is recorded
  void bodyEnded(TaskNode &T, WorkerId From);                // the body has ended: what is due follows
  void completeAll(TaskNode *List, WorkerId From);
  TaskNode *readied(TaskNode &Ready, WorkerId From, TaskNode *List);
  void neverRan(TaskNode &T, Outcome How); // tells the observer of a task that did not run
  void fail(TaskNode &T, const std::string &Device, const std::string &Cause);
  void recordFailure(TaskNode &Holder, std::exception_ptr Failure, const TaskNode &From);
  void throwFailure(TaskNode &Holder); // claims and throws the holder's failure, if any

  // Trouble.cpp.
  bool usableSomewhere(const TaskNode &T) const;
  // The same without V on W and what T is excluded from.
  bool usableElsewhere(const TaskNode &T, const Version &V, WorkerId W) const;
  std::string whyUnusable(const TaskNode &T, std::string &Device) const;
  void disable(const Version &V, WorkerId W, const status &Cause);
  // T came out of the policy for V on W and did not run: V may have been disabled. Gives it to the policy again.
  void giveBack(TaskNode &T, const Version &V, WorkerId W, bool FromPolicy);
  // The same where V cannot run this one task on W, for want of memory or the like.
  void exclude(TaskNode &T, const Version &V, WorkerId W, bool FromPolicy, const status &Cause);
  bool detour(TaskNode &T, const std::string &Device, const std::string &Cause);
  bool takeDetour(WorkerId W, Detour &Out);

  // CpuWorker.cpp.
  void cpuLoop(Seat &S);
  bool runOne(Seat &S); // false: there was nothing to run
  // Whether the body ran; otherwise T has been given to someone else.
  bool runOnCpu(Seat &S, TaskNode &T, const Version &V, bool FromPolicy);
  status fetchHome(TaskNode &T, Acquisition &Held);
  void letGoOfData(TaskNode &T); // what a running body holds of the directory, before its first child

  // InPlace.cpp: tasks that the submitting thread runs itself.
  const Version *cpuVersion(const TaskNode &T, const Worker &W) const; // null: none is usable
  void runInPlace(TaskNode &T, bool Ready);                            // Ready: nothing has to be waited for

  // Waiting.cpp.
  void workUntil(const std::function<bool()> &Done);
  void makeRoom();
  void notifyWaiters();
  bool tryTakeSeat0();
  void leaveSeat0();
  void flushFor(std::span<const Access> Ranges, bool All);

  TaskNode &context() { return threadState().Current ? *threadState().Current : *Root; }
  void announceRows();

  const Platform &Machine;
  Policy &Scheduler;
  Directory &Data;
  History &Times;
  const Clock &Time;
  Observer *const Watch;
  const ExecutorOptions Options;
  const unsigned LowWater; // a full window is drained to this

  std::deque<Seat> Seats; // by worker
  TaskNode *Root;         // parent of what is submitted outside any task
  DependenceDomain RootDomain{true};
  std::atomic<bool> Stopping{false};
  std::atomic<uint32_t> NextCpu{0}; // whom to wake for worker 0 when nobody sits there

  alignas(64) std::atomic<uint64_t> NextTask{1};
  alignas(64) std::atomic<uint64_t> Outstanding{0};

  std::mutex WaitersLock;
  std::vector<Parker *> Waiters; // guarded by WaitersLock
  std::atomic<uint32_t> NumWaiters{0};

  mutable std::mutex TroubleLock; // of the rest; only taken where something has gone wrong
  std::vector<Disabled> DisabledVersions;
  std::set<std::pair<const Version *, WorkerId>> ToldOf; // pairs that a task was excluded from, with a warning
  std::vector<std::deque<Detour>> Detours;               // by worker
  std::atomic<uint32_t> NumDetours{0};
};

} // namespace hsched::rt
#endif
