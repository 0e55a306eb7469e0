// What an engine does without asking its policy, and from which lengths of tasks on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_QUICKWAYS_H
#define HSCHED_EXEC_QUICKWAYS_H

#include "exec/ExecutorOptions.h"
#include "sched/Policy.h"

namespace hsched::rt {

// Runs shorter than this are sampled if no choice depends on their time: two readings of the clock would cost more than
// the task.
inline constexpr Duration ShortRun = std::chrono::microseconds(20);
// Shorter tasks run at once if nothing else is in progress: adding one to a bundle takes as long.
inline constexpr uint32_t TinyNanoseconds = 100;
// Number of queued tasks that keep the other workers busy while a thread runs short tasks itself.
inline constexpr int64_t Plenty = 4;

// What an engine does without asking its policy.
struct QuickWays {
  bool Stealing = false; // CPU workers are alike: tasks of one version wait in threads' queues.
  bool Calls = false;    // And there is one: tasks may be calls.
  bool Bundles = false;  // And there are several: short tasks go into bundles.
};
// As the policy claims, where the engine is the process's own, and no device is there or may come. EachTask: somebody
// has to be told of every task as it happens.
QuickWays quickWays(const Policy &Scheduler, const Platform &Machine, const ExecutorOptions &Options, bool EachTask);

} // namespace hsched::rt
#endif
