// Fast paths: what an engine does without its policy, and the limits of task lengths for them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_FASTPATHS_H
#define HSCHED_EXEC_FASTPATHS_H

#include "exec/ExecutorOptions.h"
#include "sched/Policy.h"

namespace hsched::rt {

// Runs shorter than this are sampled if no choice depends on their time: two readings of the clock would cost more than
// the task.
inline constexpr Duration ShortRun = std::chrono::microseconds(20);
// Shorter tasks run at once if nothing else is in progress: adding one to a bundle takes as long.
inline constexpr uint32_t TinyNanoseconds = 100;
// Number of queued tasks that keep the other workers busy while a thread runs short tasks itself.
inline constexpr int64_t MinQueued = 4;

// Fast paths in use: what an engine does without its policy.
struct FastPaths {
  bool Stealing = false; // All workers are CPU workers: tasks of one version wait in threads' queues.
  bool Calls = false;    // Stealing with one worker: tasks may be calls.
  bool Bundles = false;  // Stealing with several workers: short tasks go into bundles.
};
// The fast paths that the policy permits, without present or future devices. EachTask: an
// observer needs every task as it happens.
FastPaths fastPaths(const Policy &Scheduler, const Platform &Machine, const ExecutorOptions &Options, bool EachTask);

} // namespace hsched::rt
#endif
