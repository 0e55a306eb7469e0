// Linear algebra, reductions, scans and sorting, mostly with local memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ndrange: n, m
// expect: in([m][k]a) in([k][n]b) out([m][n]c)
kernel void matmul(int m, int n, int k, global const float *a, global const float *b, global float *c) {
  int col = get_global_id(0), row = get_global_id(1);
  float s = 0;
  for (int p = 0; p < k; ++p)
    s += a[row * k + p] * b[p * n + col];
  c[row * n + col] = s;
}

// Sizes are multiples of the tile's: the guard that a general kernel has is not here.
// ndrange: n, n; 16, 16
// expect: in(a[?]) in(b[?]) out([n][n]c)
kernel void matmulTiled(int n, global const float *a, global const float *b, global float *c) {
  local float ta[16][16], tb[16][16];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  for (int t = 0; t < n / 16; ++t) {
    ta[ly][lx] = a[y * n + t * 16 + lx];
    tb[ly][lx] = b[(t * 16 + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k)
      s += ta[ly][k] * tb[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < n && y < n)
    c[y * n + x] = s;
}

// ndrange: m
// expect: in([m][n]a) in([n]x) out([m]y)
kernel void gemv(int m, int n, global const float *a, global const float *x, global float *y) {
  int i = get_global_id(0);
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += a[i * n + j] * x[j];
  y[i] = s;
}

// ndrange: m; 128
// expect: in(a<0; m x lda, n>) in([n]x) inout([m]y)
kernel void gemvLd(int m, int n, float alpha, global const float *a, int lda, global const float *x, float beta,
                   global float *y) {
  int i = get_global_id(0);
  if (i >= m)
    return;
  global const float *row = a + i * lda;
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += row[j] * x[j];
  y[i] = alpha * s + beta * y[i];
}

// One result for each group.
// ndrange: n; 256
// expect: in([n]x) inout!(sums[?])
kernel void reduceSum(int n, global const float *x, global float *sums, local float *scratch) {
  int i = get_global_id(0), l = get_local_id(0);
  scratch[l] = i < n ? x[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s)
      scratch[l] += scratch[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    sums[get_group_id(0)] = scratch[0];
}

// ndrange: n
// expect: in([n]x) inout([1]total)
kernel void sumAtomically(int n, global const int *x, global int *total) { atomic_add(total, x[get_global_id(0)]); }

// ndrange: m
// expect: in(rowStart[0:m+1]) in(column[?]) in(value[?]) in(x[?]) out([m]y)
kernel void spmv(int m, global const int *rowStart, global const int *column, global const float *value,
                 global const float *x, global float *y) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = rowStart[i]; k < rowStart[i + 1]; ++k)
    s += value[k] * x[column[k]];
  y[i] = s;
}

// One step of a scan between two buffers.
// ndrange: n
// expect: in([n]x) out([n]y)
kernel void scanStep(int n, int distance, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] = i >= distance ? x[i] + x[i - distance] : x[i];
}

// ndrange: n/2
// expect: inout(x[?])
kernel void bitonicStep(int n, int distance, int size, global float *x) {
  int t = get_global_id(0);
  int i = 2 * t - (t & (distance - 1)), j = i + distance;
  bool up = (i & size) == 0;
  float a = x[i], b = x[j];
  if ((a > b) == up) {
    x[i] = b;
    x[j] = a;
  }
}

// ndrange: half_
// expect: inout([2*half_]z) in([half_]w)
kernel void butterflies(int half_, global float2 *z, global const float2 *w) {
  int k = get_global_id(0);
  float2 a = z[k], b = z[k + half_];
  float2 t = (float2)(b.x * w[k].x - b.y * w[k].y, b.x * w[k].y + b.y * w[k].x);
  z[k] = a + t;
  z[k + half_] = a - t;
}

// ndrange: rows
// expect: inout(a<k*n+k; n-k x n, n-k>)
kernel void eliminate(int n, int k, int rows, global float *a) {
  int i = k + 1 + get_global_id(0);
  if (i >= n)
    return;
  float f = a[i * n + k] / a[k * n + k];
  for (int j = k; j < n; ++j)
    a[i * n + j] -= f * a[k * n + j];
}

// ndrange: n
// expect: in([n][n]l) in([n]b) inout([n]x)
kernel void jacobiRow(int n, global const double *l, global const double *b, global double *x) {
  int i = get_global_id(0);
  double s = b[i];
  for (int j = 0; j < n; ++j)
    s -= l[i * n + j] * x[j];
  x[i] += s / l[i * n + i];
}

// ndrange: n
// expect: in([n]x) in([n]y) out([n]z)
kernel void axpbyInto(int n, float a, global const float *restrict x, float b, global const float *restrict y,
                      global float *restrict z) {
  size_t i = get_global_id(0);
  if (i < (size_t)n)
    z[i] = fma(a, x[i], b * y[i]);
}

// Copies by the whole group into local memory.
// ndrange: n; 64
// expect: in(x[?]) inout!(y[?])
kernel void blockReverse(int n, global const float *x, global float *y, local float *block) {
  int base = get_group_id(0) * get_local_size(0);
  event_t e = async_work_group_copy(block, x + base, get_local_size(0), 0);
  wait_group_events(1, &e);
  int l = get_local_id(0);
  y[base + l] = block[get_local_size(0) - 1 - l];
}

// ndrange: n
// expect: in([n]x) inout([1]largest)
kernel void maximum(int n, global const int *x, volatile global int *largest) {
  atomic_max(largest, x[get_global_id(0)]);
}
