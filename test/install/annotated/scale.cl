// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void scale_cl(int n, float factor, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] *= factor;
}
