// The composition root: makes all parts of an engine from the environment at the first task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_RUNTIME_H
#define HSCHED_API_RUNTIME_H

#include "api/EarlyOpening.h"
#include "api/ModelKeeper.h"
#include "api/OnPlatform.h"
#include "api/Opener.h"
#include "api/Settings.h"
#include "api/SignalReport.h"
#include "api/StartCost.h"
#include "data/Relay.h"
#include "device/Topology.h"
#include "exec/Executor.h"
#include "perfmodel/Links.h"
#include "trace/ObserverList.h"

namespace hsched::rt {

class Runtime {
public:
  // The process's runtime, started if needed. Any thread. Throws task_error, which names Task, in a process forked
  // after the start and once the program has ended.
  static Runtime &get(const char *Task);
  // The same if it runs. Otherwise null, and get throws the reason.
  static Runtime *usable() { return Usable.load(std::memory_order_acquire); }
  // True after the runtime's end. Later submissions, by destructors of static objects, run at
  // once.
  static bool isOver();
  // The runtime if it has been started, else null. Throws in a forked process.
  static Runtime *running();

  // Makes another runtime, with this policy. Its destructor waits for all tasks; do not call it inside one of them.
  // Throws std::runtime_error if there are too many workers in all.
  static std::unique_ptr<Runtime> host(Settings S, std::unique_ptr<Policy> Chosen);
  ~Runtime();

  Executor &executor() { return *Exec; }
  Directory &data() { return *Data; }
  // The observer for tasks that another library runs. Null: none.
  Observer *observer() { return Observers.empty() ? nullptr : &Observers; }
  // Returns when all devices have been added. Not on a thread that opens them.
  void awaitDevices();
  // The executor while fast paths of submission are in use, else null. Any thread.
  static Executor *quick() { return Quick.load(std::memory_order_acquire); }
  // Bodies may return before their tasks are complete: disables the fast paths.
  static void tasksMayDetach();
  // The main thread ends, and usually the program: no driver may be working when exit handlers run.
  static void atThreadsEnd();
  // The executor of the runtime in which fast-path tasks have begun.
  static Executor &begun() { return *Current.load(std::memory_order_relaxed)->Exec; }
  // Most workers of that engine: its workers' numbers are smaller. Valid after its end too.
  static size_t mostWorkersBegun() { return Current.load(std::memory_order_relaxed)->MostWorkers; }

private:
  // The process's runtime is never destroyed: logging of workers and threads of drivers may outlive any static object.
  static constinit std::atomic<Runtime *> Current;
  static constinit std::atomic<Runtime *> Usable; // Current, from its start to its end or a fork.
  static constinit std::atomic<Executor *> Quick;
  static constinit std::atomic<bool> MayDetach;
  static const int AtFork;

  Runtime(Settings Given, std::unique_ptr<Policy> Chosen); // Null: as the settings say.
  static void atExit();
  void startOpener();
  void finish();
  void notifyObserversOfEnd(); // Once.

  // True if devices are added later, on the opener's thread. The functions below find and add them.
  bool addsDevicesLater() const;
  std::vector<std::unique_ptr<Device>> findDevices(bool Sim, bool OpenCL);
  // OpenCL devices: those that were opened early, or new ones.
  status openDevices(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out);
  void open();
  bool isWorthOpening();

  void makeCpuWorkers(const std::vector<std::unique_ptr<Device>> &Known);
  Worker cpuWorker(WorkerId Id) const;
  // Makes workers for New; their memory nodes and links are then known. Devices owns New.
  std::vector<Worker> makeDeviceWorkers(std::vector<std::unique_ptr<Device>> New, size_t First,
                                        std::vector<NodeInfo> &Nodes);
  void makeObservers();
  void notifyLinks();
  void findLinks(std::span<const Worker> Of);
  void findWays(std::span<const Worker> Of); // Determines the routes between devices.
  // One step of measuring a device's links, then the routes to it, on that device's thread. False: nothing is
  // left.
  bool measureMore(WorkerId W);
  bool measureWays(WorkerId To);
  CopyBetween copyBetween() {
    return [this](Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes, EventRef &Done) {
      return Between.copy(From, Src, To, Dst, Bytes, Done);
    };
  }

  const Settings S;
  unsigned FirstSlot = 0; // First slot of this engine's workers.
  SteadyClock Time;
  Topology Machine;
  std::vector<std::unique_ptr<Device>> Devices;
  Platform Workers;
  early::FirstTask Early;
  bool Late = false; // Devices are added later.
  size_t MostWorkers = 0;
  size_t CpusInAll = 0; // Number of CPU workers. Some start later if devices first decide which cores are left.
  std::vector<int> CoreOf;
  size_t NumCpus = 0; // CPU workers that exist from the first task on.
  unsigned LastNode = HostNode;
  TimePoint Started;
  // Used by the opener: costs of an earlier run, and of this one.
  StartCost Cost;
  bool Opened = false;
  Duration Preloading{0};
  uint64_t LastRuns = 0;
  TimePoint SeenAt;
  ObserverList Observers;
  std::unique_ptr<ModelKeeper> Kept; // Null: models are not kept.
  std::unique_ptr<History> Times;
  std::unique_ptr<Links> Measured;
  std::optional<LinkStore> KeptLinks;                         // Null: no device has links.
  std::vector<std::unique_ptr<LinkCalibration>> Calibrations; // By worker. Null: nothing is left to measure.
  struct Way {
    WorkerId From;
    std::unique_ptr<PairCalibration> Calibration;
  };
  std::vector<std::vector<Way>> WaysTo;  // By worker: routes left to measure.
  std::atomic<size_t> LinksToMeasure{0}; // Sum over all workers.
  Relay Between;                         // For measurements; the directory has its own.
  std::unique_ptr<Policy> Scheduler;
  std::unique_ptr<Directory> Data;
  std::unique_ptr<Executor> Exec;
  std::unique_ptr<Opener> Coming; // Null: no device comes later.
  std::atomic<bool> EndReported{false};
  std::unique_ptr<OnPlatform> Simulated; // Null: tasks are not simulated.
  std::unique_ptr<SignalReport> Words;   // Null: no observer.
};

} // namespace hsched::rt
#endif
