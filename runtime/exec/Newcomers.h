// Devices that come while tasks run, kernels that are built meanwhile, and the tasks that wait for either.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   admit -> Platform, policy, device's thread            allCame: nothing more is expected
//   first task of a type -> Version::Unbuilt -> builder thread -> built or disabled -> policy
//   dispatch, nothing usable -> hold -> release, whenever one of these has happened -> dispatch
//
// A task that a CPU worker can run is never held: the policy does not see a device's worker before it has come, nor a
// version on it before its kernel has been built. See test/model/newcomers.pml.
#ifndef HSCHED_EXEC_NEWCOMERS_H
#define HSCHED_EXEC_NEWCOMERS_H

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

// Part of an executor. Any thread, unless said otherwise.
class Newcomers {
public:
  Newcomers(Executor &E, bool Expected) : E(E), Expecting(Expected) {}

  // One thread. New follows the workers that Machine, the executor's platform, has; the directory knows its memory
  // nodes. Devices for which no thread can be made are left out.
  void admit(Platform &Machine, std::vector<Worker> New);
  // All have come that will: a task that nothing can run fails from here on.
  void allCame();
  bool expecting() const { return Expecting.load(std::memory_order_relaxed); }
  bool moreToCome() const { return expecting() || NumToBuild.load() != 0; }
  // Returns when all have come. For those who name workers.
  void await() const;

  enum class Standing : uint8_t { Usable, Held, Never };
  // T, which nothing could run a moment ago. Held: what is to come may be able to, and T is dispatched then.
  Standing hold(TaskNode &T);
  // Whether a task waits for a device to come.
  bool holds() const { return NumHeld.load() != 0; }

  // T is being submitted: its versions' kernels are built for the devices that are there, and for those that come.
  void ask(const TaskNode &T) {
    if (T.Type->AskedToBuild.load(std::memory_order_acquire) < T.Type->numVersions())
      startBuilding(T);
  }
  // No kernel is built any more; returns when none is being built.
  void stopBuilding();

  // While devices may come: what CPU workers have run.
  struct Progress {
    Duration Capable; // Of tasks that a device could have run.
    uint64_t Runs;    // Of all tasks.
  };
  // What it took to build kernels so far.
  Duration builtFor() const { return Duration(BuildNs.load()); }
  uint32_t toBuild() const { return NumToBuild.load(); }
  Progress progress() const { return {Duration(CapableNs.load()), CountedRuns.load()}; }
  void countRun(const TaskNode &T, Duration Took) {
    if (expecting())
      count(T, Took);
  }

private:
  struct Build {
    const Version *V;
    WorkerId W;
    std::shared_ptr<void> Code, Kept; // Keep it, of a type that was made at run time.
  };
  struct Asked {
    TaskType *Type;
    bool RunTime; // Then the others keep it.
    std::weak_ptr<void> Code, Kept;
  };

  bool mayBecomeUsable(const TaskNode &T) const;
  void release();
  void startBuilding(const TaskNode &T);
  void addBuilds(TaskType &Type, unsigned From, const Worker &W, const std::shared_ptr<void> &Code,
                 const std::shared_ptr<void> &Kept); // ArrivalLock is held.
  void callBuilder();
  void buildAll();
  void count(const TaskNode &T, Duration Took);

  Executor &E;
  std::atomic<bool> Expecting; // Workers may come.
  std::mutex ArrivalLock;      // Held while workers come, and while the policy is told; guards what follows.
  std::vector<Asked> Types;    // Of which tasks have been submitted.
  std::deque<Build> ToBuild;   // In order.
  bool Building = false;       // A thread does.
  bool MayBuild = true;
  std::atomic<uint32_t> NumToBuild{0};
  std::mutex BuildLock;         // Held while a kernel is built.
  std::mutex HeldLock;          // Guards Held; no lock is taken under it.
  std::vector<TaskNode *> Held; // That nothing could run.
  std::atomic<size_t> NumHeld{0};
  std::atomic<int64_t> CapableNs{0}, BuildNs{0};
  std::atomic<uint64_t> CountedRuns{0};
};

} // namespace hsched::rt
#endif
