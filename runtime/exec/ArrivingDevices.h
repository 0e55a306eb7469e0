// Devices that are opened while tasks run, kernels that are built meanwhile, and tasks that wait for either.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   admit -> Platform, policy, device's thread            endArrivals: nothing more is expected
//   first task of a type -> Version::Unbuilt -> builder thread -> built or disabled -> policy
//   dispatch, nothing usable -> hold -> release, whenever one of these has happened -> dispatch
//
// A task that a CPU worker can run is never held. The policy sees neither a worker before its device is open nor a
// version before its kernel has been built. See test/model/newcomers.pml.
#ifndef HSCHED_EXEC_ARRIVINGDEVICES_H
#define HSCHED_EXEC_ARRIVINGDEVICES_H

#include "base/Clock.h"
#include "graph/TaskGraph.h"
#include "sched/Platform.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace hsched::rt {

class Executor;
struct ThreadState;

// Part of an executor. Any thread, unless said otherwise.
class ArrivingDevices {
public:
  ArrivingDevices(Executor &E, bool Expected);

  // One thread. Appends New to the workers of Machine, the executor's platform. The directory already knows their
  // memory nodes. A device is left out if its thread cannot be made.
  void admit(ThreadState &Me, Platform &Machine, std::vector<Worker> New);
  // No more devices will come: from now on a task that no worker can run fails.
  void endArrivals(ThreadState &Me);
  bool expecting() const { return Expecting.load(std::memory_order_relaxed); }
  bool moreToCome() const { return expecting() || NumToBuild.load() != 0; }
  // Returns when all devices have come. For callers that name workers.
  void await() const;

  enum class Standing : uint8_t { Usable, Deferred, Never };
  // T could be run by no worker. Deferred: a device or kernel to come may run it; T is then dispatched.
  Standing hold(TaskNode &T);
  // True if a task waits for a device to come.
  bool holds() const { return NumDeferred.load() != 0; }

  // T is being submitted: builds the kernels of its versions for present and future devices.
  void ask(ThreadState &Me, const TaskNode &T) {
    if (T.Type->BuildRequested.load(std::memory_order_acquire) < T.Type->numVersions())
      startBuilding(Me, T);
  }
  // Stops building kernels; returns when no build is in progress.
  void stopBuilding();

  // Runs of CPU workers while devices may come.
  struct Progress {
    Duration Capable; // Time of tasks that a device could have run.
    uint64_t Runs;    // Number of all tasks.
    // The part of Capable that belongs to tasks with known times on a device, from earlier programs. And these times.
    Duration Known, OnDevice;
  };
  // Time spent on building kernels.
  Duration builtFor() const { return Duration(BuildNs.load()); }
  uint32_t toBuild() const { return NumToBuild.load(); }
  Progress progress() const {
    return {Duration(CapableNs.load()), CountedRuns.load(), Duration(KnownNs.load()), Duration(OnDeviceNs.load())};
  }
  void countRun(const TaskNode &T, Duration Took) {
    if (expecting())
      count(T, Took);
  }

private:
  struct Build {
    const Version *V;
    WorkerId W;
    std::shared_ptr<void> Code, TypeOwner; // Owners of a type that was made at run time.
  };
  struct SubmittedType {
    TaskType *Type;
    bool RunTime; // Then Code and TypeOwner own it.
    std::weak_ptr<void> Code, TypeOwner;
  };

  bool mayBecomeUsable(const TaskNode &T) const;
  void release(ThreadState &Me);
  void startBuilding(ThreadState &Me, const TaskNode &T);
  void addBuilds(TaskType &Type, unsigned From, const Worker &W, const std::shared_ptr<void> &Code,
                 const std::shared_ptr<void> &TypeOwner); // ArrivalLock is held.
  void callBuilder(ThreadState &Me);
  void buildAll(ThreadState &Me);
  void count(const TaskNode &T, Duration Took);

  Executor &E;
  std::atomic<bool> Expecting;      // Devices may still come.
  std::mutex ArrivalLock;           // Held while workers are added and the policy is notified. Guards the fields below.
  std::vector<SubmittedType> Types; // Types of which tasks have been submitted.
  std::deque<Build> ToBuild;        // In order.
  bool Building = false;            // A thread builds now.
  bool MayBuild = true;
  std::atomic<uint32_t> NumToBuild{0};
  std::mutex BuildLock;             // Held while a kernel is built.
  std::mutex DeferredLock;          // Guards Deferred; no lock is taken under it.
  std::vector<TaskNode *> Deferred; // Tasks that no worker can run yet.
  std::atomic<size_t> NumDeferred{0};
  std::atomic<int64_t> CapableNs{0}, BuildNs{0}, KnownNs{0}, OnDeviceNs{0};
  const size_t KnownModels; // Kinds of workers with times from earlier programs.
  std::atomic<uint64_t> CountedRuns{0};
};

} // namespace hsched::rt
#endif
