// Kernels of tiles.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void scale(global uint *a, int ld, int i, int j, uint by) {
  int c = j + (int)get_global_id(0), r = i + (int)get_global_id(1);
  a[r * ld + c] = a[r * ld + c] * by + (uint)c;
}

kernel void copyTile(global const uint *from, global uint *to, int ld, int i, int j, int k) {
  int c = (int)get_global_id(0), r = i + (int)get_global_id(1);
  to[r * ld + k + c] = from[r * ld + j + c] + 1;
}

kernel void blocks(global uint *v, int first, int n, int bs) {
  int i = (int)get_global_id(0), b = (int)get_global_id(1);
  if (b < n)
    v[(first + 2 * b) * bs + i] += (uint)(i + b);
}
