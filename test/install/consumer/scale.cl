// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void scale(int n, float a, global float *x) {
  int i = get_global_id(0);
  if (i < n)
    x[i] *= a;
}
