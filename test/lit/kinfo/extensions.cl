// Extensions by pragma, as far as they are on where a kernel stands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// RUN: %kinfo %s --json | FileCheck --check-prefix=JSON %s
kernel void before(global int *a) { a[0] = 0; }
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void both(global int *a) { a[0] = 0; }
#pragma OPENCL EXTENSION cl_khr_fp64 : disable
#pragma OPENCL EXTENSION cl_some_vendor_thing : enable
kernel void one(global int *a) { a[0] = 0; }
#pragma OPENCL EXTENSION all : disable
kernel void none(global int *a) { a[0] = 0; }
// CHECK: kernel before
// CHECK-NOT: extensions {{ }}
// CHECK: kernel both
// CHECK: extensions  cl_khr_fp64, cl_khr_int64_base_atomics
// CHECK: kernel one
// CHECK: extensions  cl_khr_int64_base_atomics, cl_some_vendor_thing
// CHECK: kernel none
// CHECK-NOT: extensions {{ }}
// JSON: "extensions": []
// JSON: "extensions": [
// JSON-NEXT: "cl_khr_fp64",
// JSON-NEXT: "cl_khr_int64_base_atomics"
// JSON-NEXT: ]
