// The composition root: everything that runs, put together from the environment at the first task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_RUNTIME_H
#define HSCHED_API_RUNTIME_H

#include "api/LastWords.h"
#include "api/ModelKeeper.h"
#include "api/OnPlatform.h"
#include "api/Opener.h"
#include "api/Settings.h"
#include "api/StartCost.h"
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
  // Whom to tell of what another library runs; null: nobody listens.
  Observer *observer() { return Observers.empty() ? nullptr : &Observers; }
  // Numbers from here on no worker of the engine has.
  size_t mostWorkers() const { return MostWorkers; }
  // All devices have come that will. Not on a thread that opens them.
  void awaitDevices();
  // The executor, while it has quicker ways to begin a task, else null. Any thread.
  static Executor *quick() { return Quick.load(std::memory_order_acquire); }
  // Bodies may return before their tasks are complete: from here on no task is begun in a quicker way.
  static void tasksMayDetach();
  // The main thread ends, and with it mostly the program: no driver is to be at work when its exit handlers are called.
  static void atThreadsEnd();
  // The one whose quick tasks have begun.
  static Executor &begun() { return *Current.load(std::memory_order_relaxed)->Exec; }

private:
  // The one runtime is never destroyed: workers' last words and drivers' threads may outlive any static object.
  static constinit std::atomic<Runtime *> Current;
  static constinit std::atomic<Runtime *> Usable; // Current, between its start and its end or a fork.
  static constinit std::atomic<Executor *> Quick;
  static constinit std::atomic<bool> MayDetach;
  static const int AtFork;

  explicit Runtime(Settings Given);
  static void atExit();
  void startOpener();
  void finish();
  void tellObserversOfEnd(); // Once.

  // Devices that come with the first task, and those that come later (the opener's thread).
  bool comeLater() const;
  std::vector<std::unique_ptr<Device>> findDevices(bool Sim, bool OpenCL);
  void open();
  bool worthIt();

  void makeCpuWorkers(const std::vector<std::unique_ptr<Device>> &Known);
  Worker cpuWorker(WorkerId Id) const;
  // Of New, whose nodes and links are known then. Devices keeps New.
  std::vector<Worker> makeDeviceWorkers(std::vector<std::unique_ptr<Device>> New, size_t First,
                                        std::vector<NodeInfo> &Nodes);
  void makeObservers();
  void tellLinks();
  void findLinks(std::span<const Worker> Of);
  void findWays(std::span<const Worker> Of); // Between devices.
  // A step of measuring a device's links, and then the ways to it, on that device's thread; false: there is no more to
  // do.
  bool measureMore(WorkerId W);
  bool measureWays(WorkerId To);
  CopyBetween copyBetween() {
    return [this](Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes, EventRef &Done) {
      return Between.copy(From, Src, To, Dst, Bytes, Done);
    };
  }

  const Settings S;
  unsigned FirstSlot = 0; // Of as many as there are workers.
  SteadyClock Time;
  Topology Machine;
  std::vector<std::unique_ptr<Device>> Devices;
  Platform Workers;
  bool Late = false; // Devices come later.
  size_t MostWorkers = 0;
  size_t CpusInAll = 0; // CPU workers: some of them come later where it has to be seen what is left of the cores.
  std::vector<int> CoreOf;
  size_t NumCpus = 0; // Of these, those that are there from the first task on.
  unsigned LastNode = HostNode;
  TimePoint Started;
  // The opener's: what was known of an earlier run, what this one took.
  StartCost Cost;
  bool Opened = false;
  uint64_t SeenRuns = 0;
  TimePoint SeenAt;
  ObserverList Observers;
  std::unique_ptr<ModelKeeper> Kept; // Null: nothing is kept.
  std::unique_ptr<History> Times;
  std::unique_ptr<Links> Measured;
  std::optional<LinkStore> KeptLinks;                         // Null: no device has links.
  std::vector<std::unique_ptr<LinkCalibration>> Calibrations; // By worker; null: nothing is left to measure.
  struct Way {
    WorkerId From;
    std::unique_ptr<PairCalibration> Calibration;
  };
  std::vector<std::vector<Way>> WaysTo; // By worker: what is left to measure.
  std::atomic<size_t> WaysLeft{0};      // Of all workers.
  Relay Between;                        // For measuring; the directory has one of its own.
  std::unique_ptr<Policy> Scheduler;
  std::unique_ptr<Directory> Data;
  std::unique_ptr<Executor> Exec;
  std::unique_ptr<Opener> Coming; // Null: none come later.
  std::atomic<bool> EndIsTold{false};
  std::unique_ptr<OnPlatform> Simulated; // Null: tasks are not simulated.
  std::unique_ptr<LastWords> Words;      // Null: nobody wants to be told.
};

} // namespace hsched::rt
#endif
