// One step of a tile: see jacobi.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A quarter of a sum is exact, so that a device that fuses multiplications and additions rounds as a core does.
kernel void sweep(int rows, int columns, global const float *u, global const float *above, global const float *below,
                  global const float *left, global const float *right, global float *next, global float *edges) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= columns || y >= rows)
    return;
  global const float *at = u + (size_t)y * columns + x;
  const float n = y > 0 ? at[-columns] : above[x], s = y + 1 < rows ? at[columns] : below[x];
  const float w = x > 0 ? at[-1] : left[y], e = x + 1 < columns ? at[1] : right[y];
  const float v = 0.25f * ((n + s) + (w + e));
  next[(size_t)y * columns + x] = v;
  if (y == 0)
    edges[x] = v;
  if (y == rows - 1)
    edges[columns + x] = v;
  if (x == 0)
    edges[2 * columns + y] = v;
  if (x == columns - 1)
    edges[2 * columns + rows + y] = v;
}
