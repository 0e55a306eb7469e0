// Checked runs (HSCHED_CHECK): tasks go to libhsched_check.so instead of the engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_CHECKED_H
#define HSCHED_API_CHECKED_H

#include "base/Checking.h"

namespace hsched::rt {

// Null: the engine runs tasks. Decided when the library is loaded. While a thread runs a task on the engine for the
// checks (RunOnEngine), it is null for that thread. Any thread.
const CheckedRun *checkedRun();

} // namespace hsched::rt
#endif
