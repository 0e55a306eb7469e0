// For libraries of the project that run their own tasks, as the OpenCL platform does: observers of the default engine
// receive these tasks, too.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exported by libhsched, not part of the ABI for programs: libraries of one version go together. Any thread.
#ifndef HSCHED_API_WATCH_H
#define HSCHED_API_WATCH_H

#include "trace/Observer.h"

extern "C" {

// The observer, or null without one. Starts the default engine if there is an observer. It lives as long as the
// process. Not for use in a forked child.
HSCHED_EXPORT hsched::rt::Observer *hsched_watch(void);
// A new task number, unique in the engine.
HSCHED_EXPORT hsched::rt::TaskId hsched_watch_task(void);
// A new worker number, not used by the engine. Call after hsched_watch() returned an observer; also after the engine's
// end.
HSCHED_EXPORT hsched::rt::WorkerId hsched_watch_worker(void);
// Warns about misspelt settings, in libhsched's log. The process gets the warnings once: an engine gives the same.
HSCHED_EXPORT void hsched_warn_about_settings(void);
}

#endif
