// Predicted transfer time of a task's data: the implementation of PolicyHost::transferTime, returnTimes and handOver.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_TRANSFERTIME_H
#define HSCHED_SCHED_TRANSFERTIME_H

#include "data/Directory.h"
#include "perfmodel/Links.h"

namespace hsched::rt {

// Time to transfer T's inputs that Node lacks, in sequence. NodeWorkers: by memory node, the worker whose links lead to
// it; NoWorker for the host. Any thread.
Duration transferTime(const Directory &Data, const Links &Measured, std::span<const WorkerId> NodeWorkers,
                      const Task &T, MemoryNode Node);

// PolicyHost::returnTimes. Any thread.
void returnTimes(const Directory &Data, const Links &Measured, std::span<const WorkerId> NodeWorkers, const Task &T,
                 std::span<Duration::rep> ByNode);

// Time until the transfers to Node that have been started end: with the links of Node's worker W. Any thread.
Duration underway(const Directory &Data, const Links &Measured, WorkerId W, MemoryNode Node);

// Time of a transfer of no bytes from W's memory to the host, and of another one back. Any thread.
Duration handOver(const Links &Measured, WorkerId W);

} // namespace hsched::rt
#endif
