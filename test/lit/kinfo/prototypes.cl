// Kernels that are declared only are none; overloads, unnamed parameters, several dimensions asked for in helpers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck --implicit-check-not='kernel declared' %s
kernel void declared(global int *a);
kernel void unnamed(global int *, int) {}
// CHECK: 2 kernels
// CHECK: kernel unnamed
// CHECK-NEXT: 0    __global int *  unused
// CHECK-NEXT: 1    int             value

static size_t flat(void) { return get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2)); }
kernel void deep(global int *a) { a[flat()] = 1; }
// CHECK: kernel deep
// CHECK: launch{{ +}}3 dimensions
