// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void scale_rows(int rows, int n, int ld, global const int *factor, global int *a) {
  const int j = get_global_id(0), i = get_global_id(1);
  if (i < rows && j < n)
    a[i * ld + j] *= factor[j];
}
