// The observer of the default engine, for libraries that run their own tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Runtime.h"
#include "api/Watch.h"
#include "base/SettingNames.h"
#include <hsched/hsched.h>

using namespace hsched::rt;

extern "C" Observer *hsched_watch(void) {
  if (!wantsObservers())
    return nullptr;
  try {
    return Runtime::get("OpenCL command").observer();
  } catch (const hsched::task_error &) { // A forked child, or the end of the process.
    return nullptr;
  }
}

extern "C" TaskId hsched_watch_task(void) { return Runtime::begun().numberTask(); }

extern "C" WorkerId hsched_watch_worker(void) {
  static std::atomic<WorkerId> Next{0};
  return static_cast<WorkerId>(Runtime::mostWorkersBegun()) + Next.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void hsched_warn_about_settings(void) { warnAboutUnknownSettings(); }
