// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void both(global float *x, global float *y, int ld) {
  x[get_global_id(1) * ld + get_global_id(0)] = y[get_global_id(1) * ld + get_global_id(0)];
}
