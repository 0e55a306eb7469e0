// OpenCL's error numbers as statuses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_ERRORS_H
#define HSCHED_BACKENDS_OPENCL_ERRORS_H

#include <hsched/status.h>

#include <string>

namespace hsched::rt::opencl {

// "CL_OUT_OF_RESOURCES" for -5, and so on; null for an unknown number.
const char *errorName(int Code);

// "CL_OUT_OF_RESOURCES (-5)", or "error -12345".
std::string describeError(int Code);

// A failed OpenCL call: "<What>: CL_... (-n)". Numbers with one meaning (no memory left, device lost, a wait for a
// failed event) give their code. Any other gives Otherwise, the code for a failure of this call.
status clError(errc Otherwise, int Code, const std::string &What, const char *File = __builtin_FILE(),
               int Line = __builtin_LINE());

// In a catch (...) block: the exception as a status. No exception may leave the plugin.
status caughtException() noexcept;

} // namespace hsched::rt::opencl
#endif
