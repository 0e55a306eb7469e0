// hsched-kinfo: reports properties and accesses of OpenCL kernels.
//
//   words -> Options -> for each file: analysis/kernel/File -> emit/KernelReport
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_KINFO_KINFO_H
#define HSCHED_CC_KINFO_KINFO_H

#include <string>
#include <vector>

namespace hsched::cc {

// Words are those after the program's name. The result is the exit code: 0; 1 if a file does not compile or a kernel
// does not exist; 2 for a wrong command line.
int runKinfo(std::vector<std::string> Words);

} // namespace hsched::cc
#endif
