// Kernels for inference-kernels.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__kernel void scale(int n, float a, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i];
}
__kernel void unguarded(int n, __global float *y) { y[get_global_id(0)] = 0; }
__kernel void twod(int m, int n, __global const float4 *x, __global float4 *y) {
  int r = get_global_id(1), c = get_global_id(0);
  if (r >= m || c >= n) return;
  y[r * n + c] = x[r * n + c];
}
__kernel void acc(int n, __global float *y, __global float *x) {
  int i = get_global_id(0);
  if (i < n) { y[i] += x[i]; x[i] = 0; }
}
kernel void least(int n, int m, global float *y) {
  for (int i = 0; i < (n < m ? n : m); ++i)
    y[i] = 0;
}
kernel void masked(int n, int m, global float *y) {
  for (int i = 0; i < (n & m); ++i)
    y[i] = 0;
}
kernel void guards(int n, int m, global float *y) {
  int i = get_global_id(0);
  if (i < n && i < m)
    y[i] = 0;
}

kernel void stencil(global const float *in, global float *out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
    out[y * w + x] = in[y * w + x];
  else
    out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x];
}

kernel void last(global int *a, int n) {
  int i = get_global_id(0);
  if (i != n - 1)
    a[i + 1] = 1;
}
