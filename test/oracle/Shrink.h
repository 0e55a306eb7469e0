// Makes a program that goes wrong smaller.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_ORACLE_SHRINK_H
#define HSCHED_TEST_ORACLE_SHRINK_H

#include "Program.h"

#include <functional>

namespace hsched::oracle {

// The smallest program found from P on for which Wrong returns true. Threads, actions, sections and options of tasks
// are left out one by one, as long as More returns true.
Program shrink(Program P, const std::function<bool(const Program &)> &Wrong, const std::function<bool()> &More);

// True if P fails in one of Times runs, each on a new machine. The runs have a process of their own, which may crash,
// or stand still for SecondsEach. The calling process has no other thread.
bool goesWrong(const Setup &S, const Program &P, unsigned Times, unsigned SecondsEach);

} // namespace hsched::oracle
#endif
