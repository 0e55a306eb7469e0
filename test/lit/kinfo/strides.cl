// A stride that may be negative: a launch says nothing of which end of the buffer is which.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// CHECK: 0 y {{.*}} inout {{.*}}extent unknown: stride 'inc' may be negative
kernel void strided(global float *y, int inc, int n) {
  int i = get_global_id(0);
  if (i < n)
    y[i * inc] = 0;
}
