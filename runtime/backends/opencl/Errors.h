// OpenCL's error numbers as statuses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_ERRORS_H
#define HSCHED_BACKENDS_OPENCL_ERRORS_H

#include <hsched/status.h>

#include <string>

namespace hsched::rt::opencl {

// "CL_OUT_OF_RESOURCES" for -5, and so on; null for a number that is in no header.
const char *errorName(int Code);

// "CL_OUT_OF_RESOURCES (-5)", or "error -12345".
std::string describeError(int Code);

// A failed OpenCL call: "<What>: CL_... (-n)". Numbers that always mean the same (no memory left, device gone, a wait
// for something that failed) give that code; any other gives Otherwise, what a failure of the call means.
status clError(errc Otherwise, int Code, const std::string &What, const char *File = __builtin_FILE(),
               int Line = __builtin_LINE());

// In a catch (...) block: the exception as a status. None may leave the plugin.
status caughtException() noexcept;

} // namespace hsched::rt::opencl
#endif
