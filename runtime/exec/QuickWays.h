// What an engine does without asking its policy, and from which lengths of tasks on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_QUICKWAYS_H
#define HSCHED_EXEC_QUICKWAYS_H

#include "exec/ExecutorOptions.h"
#include "sched/Policy.h"

namespace hsched::rt {

// A run as short as this is measured now and then only, where there is no choice that depends on it: to read the clock
// twice would cost more than the task.
inline constexpr Duration ShortRun = std::chrono::microseconds(20);
// What is shorter than this is run at once where nothing else is going on: to add it to a bundle takes as long.
inline constexpr uint32_t TinyNanoseconds = 100;
// Tasks in a thread's queue that keep the other workers busy while it runs short ones itself.
inline constexpr int64_t Plenty = 4;

// What an engine does without asking its policy.
struct QuickWays {
  bool Stealing = false; // CPU workers are alike: tasks of one version wait in threads' queues
  bool Calls = false;    // and there is one: tasks may be calls
  bool Bundles = false;  // and there are several: short tasks go into bundles
};
// As the policy claims, where the engine is the process's own, and no device is there or may come. EachTask: somebody
// has to be told of every task as it happens.
QuickWays quickWays(const Policy &Scheduler, const Platform &Machine, const ExecutorOptions &Options, bool EachTask);

} // namespace hsched::rt
#endif
