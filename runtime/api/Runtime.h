// The composition root: everything that runs, put together from the environment at the first task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_RUNTIME_H
#define HSCHED_API_RUNTIME_H

#include "api/Settings.h"
#include "device/Topology.h"
#include "exec/Executor.h"
#include "trace/ObserverList.h"

namespace hsched::rt {

class Runtime {
public:
  // The running one, started if need be. Any thread. Throws task_error, in the name of Task, where there can be none:
  // in a process forked after the start, and once the program has ended.
  static Runtime &get(const char *Task);
  // The same without starting it: null when it has not been started. Throws in a forked process.
  static Runtime *running();

  Executor &executor() { return *Exec; }

private:
  explicit Runtime(const Settings &S);
  static void atExit();
  void finish();

  void findDevices(const Settings &S);
  void makeWorkers(const Settings &S);
  void makeObservers(const Settings &S);

  SteadyClock Time;
  Topology Machine;
  std::vector<std::unique_ptr<Device>> Devices;
  Platform Workers;
  std::vector<NodeInfo> Nodes;
  std::vector<int> CoreOf;
  ObserverList Observers;
  std::unique_ptr<History> Times;
  std::unique_ptr<Policy> Scheduler;
  std::unique_ptr<Directory> Data;
  std::unique_ptr<Executor> Exec;
};

} // namespace hsched::rt
#endif
