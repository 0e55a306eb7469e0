// For the project's libraries that run tasks by themselves, as the OpenCL platform does: whoever listens to the
// process's own engine is told of these tasks, too.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exported by libhsched, not part of the ABI for programs: libraries of one version go together. Any thread.
#ifndef HSCHED_API_WATCH_H
#define HSCHED_API_WATCH_H

#include "trace/Observer.h"

extern "C" {

// Whom to tell; null: nobody listens. Starts the process's own engine if somebody does. It lives as long as the
// process; not to be used in a forked child.
HSCHED_EXPORT hsched::rt::Observer *hsched_watch(void);
// A number for a task: no other task of the engine has it.
HSCHED_EXPORT hsched::rt::TaskId hsched_watch_task(void);
// A number for a worker that the engine does not have. After hsched_watch() has returned somebody; after the engine's
// end too.
HSCHED_EXPORT hsched::rt::WorkerId hsched_watch_worker(void);
}

#endif
