// Checked runs (HSCHED_CHECK): libhsched_check.so runs tasks instead of the engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_CHECKED_H
#define HSCHED_API_CHECKED_H

#include "base/Checking.h"

namespace hsched::rt {

// Null: the engine runs tasks. Fixed when the library is loaded. Null also for a thread that runs a task on the engine
// for the checks (RunOnEngine). Any thread.
const CheckedRun *checkedRun();

} // namespace hsched::rt
#endif
