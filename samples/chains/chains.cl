// Kernels of which chains.py makes programs: products, updates, a stencil. Matrices are row-major, n x n.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void matrix_product(global const float *a, global const float *b, global float *c, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
kernel void by_rows(global const float *a, global const float *x, global float *y, int n) {
  const int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * x[k];
  y[row] = sum;
}
kernel void by_columns(global const float *a, global const float *x, global float *y, int n) {
  const int column = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[k * n + column] * x[k];
  y[column] = sum;
}
kernel void add_to(global const float *x, global float *y) { y[get_global_id(0)] += x[get_global_id(0)]; }
kernel void sum_of(global const float *x, global const float *y, global float *z) {
  z[get_global_id(0)] = x[get_global_id(0)] + y[get_global_id(0)];
}
// A += u * v + w * x, columns by rows.
kernel void rank_two(global float *a, global const float *u, global const float *v, global const float *w,
                     global const float *x, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  a[row * n + column] += u[row] * v[column] + w[row] * x[column];
}
// A step of a wave in two dimensions: the fields' edges stay.
kernel void field_of_y(global float *ey, global const float *hz, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (row > 0)
    ey[row * n + column] -= 0.5f * (hz[row * n + column] - hz[(row - 1) * n + column]);
}
kernel void field_of_x(global float *ex, global const float *hz, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (column > 0)
    ex[row * n + column] -= 0.5f * (hz[row * n + column] - hz[row * n + column - 1]);
}
kernel void field_of_z(global const float *ex, global const float *ey, global float *hz, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (row < n - 1 && column < n - 1)
    hz[row * n + column] -= 0.7f * (ex[row * n + column + 1] - ex[row * n + column] + ey[(row + 1) * n + column] -
                                    ey[row * n + column]);
}
