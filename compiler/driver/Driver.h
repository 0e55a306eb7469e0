// hsched-cc: a compiler driver that replaces g++.
//
//   words -> ResponseFile -> CommandLine -> for each C++ input: DirectiveScan -> rewrite/Frontend -> host compiler
//                                        -> the rest, and the link: host compiler
//
// If no input has a directive, the host compiler gets the user's own command line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_DRIVER_H
#define HSCHED_CC_DRIVER_DRIVER_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// Words are those after the program's name. The result is the exit code: the host compiler's, or 1. ForC: it was
/// called as hsched-c.
int runDriver(StringList Words, bool ForC = false);

} // namespace hsched::cc

#endif
