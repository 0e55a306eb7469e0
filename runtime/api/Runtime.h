// The composition root: everything that runs, put together from the environment at the first task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_RUNTIME_H
#define HSCHED_API_RUNTIME_H

#include "api/Settings.h"
#include "data/Relay.h"
#include "device/Topology.h"
#include "exec/Executor.h"
#include "perfmodel/Links.h"
#include "trace/ObserverList.h"

namespace hsched::rt {

class Runtime {
public:
  // The running one, started if need be. Any thread. Throws task_error, in the name of Task, where there can be none:
  // in a process forked after the start, and once the program has ended.
  static Runtime &get(const char *Task);
  // The same where it is known to run; else null, and get says more.
  static Runtime *usable() { return Usable.load(std::memory_order_acquire); }
  // Whether it has ended and everything with it: what is submitted from now on, by destructors of static objects, runs
  // at its submission.
  static bool isOver();
  // The same without starting it: null when it has not been started. Throws in a forked process.
  static Runtime *running();

  // One beside it, which its destructor ends when all tasks are complete; not in one of its tasks. Throws
  // std::runtime_error where there is no room for its workers.
  static std::unique_ptr<Runtime> host(Settings S);
  ~Runtime();

  Executor &executor() { return *Exec; }
  Directory &data() { return *Data; }
  const std::vector<std::unique_ptr<Device>> &devices() const { return Devices; }
  // The executor, while it has quicker ways to begin a task, else null. Any thread.
  static Executor *quick() { return Quick.load(std::memory_order_acquire); }
  // Bodies may return before their tasks are complete: from here on no task is begun in a quicker way.
  static void tasksMayDetach();
  // The one whose quick tasks have begun.
  static Executor &begun() { return *Current.load(std::memory_order_relaxed)->Exec; }

private:
  // The one runtime is never destroyed: workers' last words and drivers' threads may outlive any static object.
  static constinit std::atomic<Runtime *> Current;
  static constinit std::atomic<Runtime *> Usable; // Current, between its start and its end or a fork
  static constinit std::atomic<Executor *> Quick;
  static constinit std::atomic<bool> MayDetach;
  static const int AtFork;

  explicit Runtime(const Settings &S);
  static void atExit();
  void finish();

  void findDevices(const Settings &S);
  void makeWorkers(const Settings &S);
  void makeObservers(const Settings &S);
  void findLinks(const Settings &S);
  void findWays(const Settings &S); // between devices
  // A step of measuring a device's links, and then the ways to it, on that device's thread; false: there is no more to
  // do.
  bool measureMore(WorkerId W);
  bool measureWays(WorkerId To);
  CopyBetween copyBetween() {
    return [this](Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes, EventRef &Done) {
      return Between.copy(From, Src, To, Dst, Bytes, Done);
    };
  }

  const bool Hosted;
  unsigned FirstSlot = 0; // of as many as there are workers
  SteadyClock Time;
  Topology Machine;
  std::vector<std::unique_ptr<Device>> Devices;
  Platform Workers;
  std::vector<NodeInfo> Nodes;
  std::vector<int> CoreOf;
  ObserverList Observers;
  std::unique_ptr<History> Times;
  std::unique_ptr<Links> Measured;
  std::optional<LinkStore> KeptLinks;                         // null: no device has links
  std::vector<std::unique_ptr<LinkCalibration>> Calibrations; // by worker; null: nothing is left to measure
  struct Way {
    WorkerId From;
    std::unique_ptr<PairCalibration> Calibration;
  };
  std::vector<std::vector<Way>> WaysTo; // by worker: what is left to measure
  std::atomic<size_t> WaysLeft{0};      // of all workers
  Relay Between;                        // for measuring; the directory has one of its own
  std::unique_ptr<Policy> Scheduler;
  std::unique_ptr<Directory> Data;
  std::unique_ptr<Executor> Exec;
};

} // namespace hsched::rt
#endif
