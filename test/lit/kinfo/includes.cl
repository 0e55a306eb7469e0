// Kernels made by macros, from included files, with definitions from the command line; their places are those of use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo -I %S/Inputs -DNUMBER=double %s | FileCheck %s
// RUN: %kinfo -I%S/Inputs -D NUMBER=int -UUNUSED -cl-mad-enable -cl-nv-verbose %s | FileCheck --check-prefix=INT %s
// RUN: not %kinfo -DNUMBER=int %s 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: echo '-I%S/Inputs "-DNUMBER=unsigned long"' > %t.rsp && %kinfo @%t.rsp %s | FileCheck --check-prefix=LONG %s
// RUN: cd %S && %kinfo -I Inputs -DNUMBER=double - < %s | FileCheck --check-prefix=STDIN %s
#include "common.h"
DEFINE_KERNEL(square, v *v)
DEFINE_KERNEL(half, v / 2)
// CHECK: kernel apply_square  ({{.*}}includes.cl:[[#@LINE-2]])
// CHECK: 0  y  __global number *
// CHECK: uses{{ +}}fp64
// CHECK: kernel apply_half  ({{.*}}includes.cl:[[#@LINE-4]])
// INT: kernel apply_square
// INT-NOT: uses
// LONG: kernel apply_half
// MISSING: includes.cl:[[#@LINE-10]]:10: error: 'common.h' file not found
// MISSING-NOT: kernel
// STDIN: <stdin>: CL1.2, 2 kernels
// STDIN: kernel apply_square  (<stdin>:[[#@LINE-12]])
