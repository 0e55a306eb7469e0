// Parameters of an engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_EXECUTOROPTIONS_H
#define HSCHED_EXEC_EXECUTOROPTIONS_H

#include "base/Clock.h"
#include "base/Ids.h"
#include <hsched/status.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace hsched::rt {

class ThreadPool;
class Links;

struct ExecutorOptions {
  unsigned Window = 4096; // Limit of outstanding tasks; at least 2.
  unsigned InFlight = 0;  // Limit of tasks on a device; 0: chosen by the device's properties.
  unsigned Lambda = 3;    // Lambda of the policy: runs before a mean is used.
  // Shorter tasks go into bundles, in nanoseconds. 0: no bundles, and no calls with several
  // workers.
  uint32_t BundleBelow = 2000;
  std::vector<int> CoreOf;                  // By worker: hardware thread (OS index) to pin to. -1 or missing: none.
  std::function<status(unsigned Core)> Pin; // Pins the calling thread; may be empty.
  std::function<void()> AtStart;            // Called by each thread that becomes a worker's; may be empty.
  // Distance of two of CoreOf: workers steal from near queues first. Empty: all are equal.
  std::function<uint32_t(unsigned Core, unsigned Other)> Distance;
  // Measured rates of devices' links; null: none. Outlives the executor.
  const Links *Measured = nullptr;
  // Idle work of a device's thread, after it has run a task. Called on that thread until it returns false; each call is
  // short. May be empty.
  std::function<bool(WorkerId)> IdleWork;
  // Not the default engine: see EngineScope.h. Tasks are then neither calls nor stolen.
  bool Hosted = false;
  // Limit of devices that may be opened after the start (ArrivingDevices.cpp). If not 0, tasks are neither calls nor
  // stolen.
  unsigned ArrivingDevices = 0;
  // Requests these devices. Wait: returns when all have been opened or have failed. Any thread. Set if ArrivingDevices
  // is not 0.
  std::function<void(bool Wait)> RequestDevices;
  // Kernels are built on another thread, from a type's first task on; a device gets a task once its kernel has been
  // built. Otherwise the device's thread builds a kernel at its first use.
  bool BuildsOnOwnThread = false;
  // Called when all tasks are complete, before the threads end. May be empty.
  std::function<void()> BeforeEnd;
  Duration Watchdog{0};                // Time without progress after which waiting tasks are reported. 0: never.
  std::shared_ptr<ThreadPool> Threads; // Threads for the workers. Null: the executor makes its own.
};

} // namespace hsched::rt
#endif
