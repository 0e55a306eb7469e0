// Clang has something to say of this, and an edit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void loose(int n, global float *x) {
  if (n = 3)
    x[get_global_id(0)] *= 2;
}
