// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void strided(global float *x, int ld) { x[get_global_id(1) * ld + get_global_id(0)] = 0; }
