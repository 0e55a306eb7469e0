// hsched-kinfo: says what OpenCL kernels are and do.
//
//   words -> Options -> for each file: analysis/kernel/File -> emit/KernelReport
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_KINFO_KINFO_H
#define HSCHED_CC_KINFO_KINFO_H

#include <string>
#include <vector>

namespace hsched::cc {

// Words are those after the program's name. The result is the exit code: 0; 1 where a file does not compile or a kernel
// is not there; 2 for a wrong command line.
int runKinfo(std::vector<std::string> Words);

} // namespace hsched::cc
#endif
