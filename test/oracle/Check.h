// The serial oracle: whether what was observed of a run is what the serial program does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_ORACLE_CHECK_H
#define HSCHED_TEST_ORACLE_CHECK_H

#include "Run.h"

namespace hsched::oracle {

// What is wrong, or nothing. Results: the words of memory, and what each task and each wait read, are the serial
// program's. Order: a dependent task began after the end of its predecessor and of all tasks that this had submitted.
// Tasks that exclude each other did not overlap. A wait returned when it was allowed to. Failures: what depends on a
// failure did not run, all else did, waits throw when they have to and only when they may. Which tasks ran is taken
// from the run, since a dependence may be coarser than the sections are; whether they may is checked.
std::string check(const Program &P, const Observed &Seen);

} // namespace hsched::oracle
#endif
