// What hsched-run runs here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void twice(global const float *x, global float *y) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }
