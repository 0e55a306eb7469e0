// How long a task's data would travel: what drivers answer PolicyHost::transferTime with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_TRANSFERTIME_H
#define HSCHED_SCHED_TRANSFERTIME_H

#include "data/Directory.h"
#include "perfmodel/Links.h"

namespace hsched::rt {

// Of what T reads and Node lacks, one transfer after another. NodeWorkers: of each memory node, the worker whose links
// lead to it; NoWorker for the host. Any thread.
Duration transferTime(const Directory &Data, const Links &Measured, std::span<const WorkerId> NodeWorkers,
                      const Task &T, MemoryNode Node);

} // namespace hsched::rt
#endif
