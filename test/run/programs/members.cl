// A member's kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void triple_cl(global int *data, int by, int n) {
  int i = (int)get_global_id(0);
  if (i < n)
    data[i] *= by;
}
