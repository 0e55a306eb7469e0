// y += a * x, one element a work-item.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// n need not be a multiple of the work-group's size: the runtime rounds the global size up, hence the test.
kernel void saxpy(int n, float a, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] += a * x[i];
}
