// OpenCL C 3.0 and C++ for OpenCL.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo -cl-std=CL3.0 %s | FileCheck %s
// RUN: %kinfo -cl-std=CLC++2021 %s | FileCheck --check-prefix=CXX %s
// RUN: %kinfo -cl-std=CL1.0 -DOLD %s | FileCheck --check-prefix=OLD %s
#ifdef __OPENCL_CPP_VERSION__
template <class T> T twice(T v) { return v + v; }
#else
#define twice(v) ((v) + (v))
#endif
#if __OPENCL_C_VERSION__ >= 300 || defined(__OPENCL_CPP_VERSION__)
typedef int chosen;
#elif defined(OLD)
typedef float chosen;
#endif
kernel void generations(global chosen *a) { a[get_global_id(0)] = twice(a[1]); }
// CHECK: opencl3.cl: CL3.0, 1 kernel
// CHECK: kernel generations
// CXX: opencl3.cl: CLC++2021, 1 kernel
// CXX: kernel generations
// OLD: opencl3.cl: CL1.0, 1 kernel
// OLD: kernel generations
