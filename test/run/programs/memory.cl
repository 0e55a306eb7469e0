// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void twice(int n, global int *x) {
  int i = get_global_id(0);
  if (i < n)
    x[i] *= 2;
}
