// What an engine is made with.
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

class Crew;
class Links;

struct ExecutorOptions {
  unsigned Window = 4096; // Outstanding tasks at most; at least 2.
  unsigned InFlight = 0;  // Tasks that a device has at once; 0: as suits the device.
  unsigned Lambda = 3;    // For the policy.
  // What runs for less goes into bundles, in nanoseconds; 0: nothing does, nor are tasks calls if there are several
  // workers.
  uint32_t BundleBelow = 2000;
  std::vector<int> CoreOf; // By worker: hardware thread (OS index) to be pinned to, -1: none. Missing: none.
  std::function<status(unsigned Core)> Pin; // Pins the calling thread; may be empty.
  std::function<void()> AtStart;            // Called by each thread that becomes a worker's; may be empty.
  // How far apart two of CoreOf are: queues of near workers are robbed first. Empty: all are alike.
  std::function<uint32_t(unsigned Core, unsigned Other)> Distance;
  // What is known of devices' links; null: nothing. Outlives the executor.
  const Links *Measured = nullptr;
  // What a device's thread does once it has run something and has nothing more to run: called on that thread, short
  // each time, until it says that nothing is left. May be empty.
  std::function<bool(WorkerId)> Aside;
  // Not the process's own engine: see EngineScope.h. Tasks are neither calls nor stolen then.
  bool Hosted = false;
  // Devices that may come after the start (Newcomers.cpp), at most; tasks are neither calls nor stolen then.
  unsigned Newcomers = 0;
  // They are wanted; Wait: the caller goes on when all have come, or will not. Any thread. Set where Newcomers is.
  std::function<void(bool Wait)> Summon;
  // Kernels are built beside the program, from the first task of a type on, and a device gets a task once its kernel
  // has been built; else a device's thread builds them when they are needed.
  bool BuildsBeside = false;
  // Called when all tasks are complete, before the threads are ended. May be empty.
  std::function<void()> BeforeEnd;
  Duration Watchdog{0};          // After how long without progress to say what waits for what; 0: never.
  std::shared_ptr<Crew> Threads; // Of the workers; null: the executor makes its own.
};

} // namespace hsched::rt
#endif
