// Makes a program that goes wrong smaller.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_ORACLE_SHRINK_H
#define HSCHED_TEST_ORACLE_SHRINK_H

#include "Program.h"

#include <functional>

namespace hsched::oracle {

// The smallest program found from P on for which Wrong says so: by leaving out threads, actions, sections and all that
// makes a task special, as long as More says that there is time.
Program shrink(Program P, const std::function<bool(const Program &)> &Wrong, const std::function<bool()> &More);

// Whether P goes wrong in one of Times runs, each on a new machine: in a process of its own, so that it may crash or
// stand still for SecondsEach. The calling process has no other thread.
bool goesWrong(const Setup &S, const Program &P, unsigned Times, unsigned SecondsEach);

} // namespace hsched::oracle
#endif
