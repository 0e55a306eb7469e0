// The kernels of an attention head: a product of matrices, a transposition, a softmax of rows. Matrices are row-major.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE
#define TILE 8
#endif

// c = a * b: m rows of k times k rows of n. A work-group of TILE x TILE work-items makes as many elements, from slices in
// local memory; sizes are multiples of TILE.
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void gemm(global const float *a, global const float *b,
                                                                      global float *c, int m, int n, int k) {
  local float sliceA[TILE][TILE], sliceB[TILE][TILE];
  const int column = get_global_id(0), row = get_global_id(1), x = get_local_id(0), y = get_local_id(1);
  float sum = 0;
  for (int at = 0; at < k; at += TILE) {
    sliceA[y][x] = a[row * k + at + x];
    sliceB[y][x] = b[(at + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i)
      sum += sliceA[y][i] * sliceB[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// Out, n rows of m, is in, m rows of n, transposed.
kernel void transpose_of(global const float *in, global float *out, int m, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (row < m && column < n)
    out[column * m + row] = in[row * n + column];
}

// For each of m rows of n: exp(x) over the sum of all, as exp(x - greatest). A work-group of SIDE work-items makes a row.
#define SIDE 64
kernel __attribute__((reqd_work_group_size(SIDE, 1, 1))) void softmax_of_rows(global const float *in, global float *out,
                                                                             int m, int n) {
  local float part[SIDE];
  const int row = get_group_id(0), lane = get_local_id(0);
  float greatest = -INFINITY, sum = 0;
  for (int i = lane; i < n; i += SIDE)
    greatest = fmax(greatest, in[row * n + i]);
  part[lane] = greatest;
  for (int width = SIDE / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width)
      part[lane] = fmax(part[lane], part[lane + width]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  greatest = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < n; i += SIDE)
    sum += exp(in[row * n + i] - greatest);
  part[lane] = sum;
  for (int width = SIDE / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width)
      part[lane] += part[lane + width];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = part[0];
  for (int i = lane; i < n; i += SIDE)
    out[row * n + i] = exp(in[row * n + i] - greatest) / sum;
}
