// Runs another program to its end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_PROCESS_H
#define HSCHED_DAG_PROCESS_H

#include "base/Process.h"

namespace hsched::dag {
using rt::Finished;
using rt::runProcess;
} // namespace hsched::dag
#endif
