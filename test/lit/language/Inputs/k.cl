// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void scale(int n, float a, global float *x) {
  int i = get_global_id(0);
  if (i < n)
    x[i] *= a;
}
kernel void doubles(int n, global double *x) { x[0] = n; }
kernel void alone(int n) {}
kernel void tile(global float *x, local float *t, int n) { t[0] = x[0]; x[0] = t[0] + n; }
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void fixed(int n, global float *x) {
  x[get_global_id(0)] = n;
}
