// The one way to include OpenCL's C++ header: without exceptions, any device from OpenCL 1.2 on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_CLHEADER_H
#define HSCHED_BACKENDS_OPENCL_CLHEADER_H

#define CL_HPP_TARGET_OPENCL_VERSION 300
// The intended minimum is 120, but some releases of the header then call a function that they define for lower minima
// only.
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>

#endif
