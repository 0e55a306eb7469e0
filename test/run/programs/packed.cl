// Kernels of packed.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LDC
#define LDC int
#endif
kernel void multiply(int n, global const uint *a, int lda, global const uint *b, long ldb, global uint *c, LDC ldc) {
  int j = (int)get_global_id(0), i = (int)get_global_id(1);
  if (i >= n || j >= n)
    return;
  uint sum = c[i * ldc + j];
  for (int k = 0; k < n; ++k)
    sum += a[i * lda + k] * b[k * ldb + j];
  c[i * ldc + j] = sum;
}

// The matrix, and where in it the tile is.
kernel void scale(global uint *m, uint ld, int i, int j, uint by) {
  int c = j + (int)get_global_id(0), r = i + (int)get_global_id(1);
  m[r * ld + c] = m[r * ld + c] * by + (uint)c;
}

// The tile's middle; around it is a row and a column more on each side.
kernel void blur(global const uint *from, int ld, global uint *to, int ldTo) {
  int c = (int)get_global_id(0), r = (int)get_global_id(1);
  to[r * ldTo + c] = from[(r - 1) * ld + c - 1] + from[(r + 1) * ld + c + 1] + from[(r - 1) * ld + c + 1] +
                     from[(r + 1) * ld + c - 1] + 4 * from[r * ld + c];
}

// The tile's first element itself.
kernel void negate(global uint *tile, int ld, local uint *row, int scratch) {
  int c = (int)get_global_id(0), r = (int)get_global_id(1);
  row[c % scratch] = 0;
  tile[r * ld + c] = ~tile[r * ld + c];
}

kernel void addRows(global uint *a, int width, uint by) { a[get_global_id(1) * width + get_global_id(0)] += by; }
