// Loops that the work-items share and that count down, and loops with their test inside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// CHECK-LABEL: kernel down
// CHECK: x {{.*}} out [n]x
kernel void down(int n, global float *x) {
  for (int i = n - 1 - get_global_id(0); i >= 0; i -= get_global_size(0))
    x[i] = 1;
}
// CHECK-LABEL: kernel behind
// CHECK: x {{.*}} out [n]x
kernel void behind(int n, global float *x) {
  for (int i = n - (int)get_global_id(0); i > 0; i -= (int)get_global_size(0))
    x[i - 1] = 1;
}
// CHECK-LABEL: kernel from
// CHECK: x {{.*}} out x[lo:n - lo]
kernel void from(int n, int lo, global float *x) {
  int i = n - 1 - get_global_id(0);
  while (i >= lo) {
    x[i] = 1;
    i -= get_global_size(0);
  }
}
// CHECK-LABEL: kernel inGroup
// CHECK: x {{.*}} out [n * get_num_groups(0)]x
kernel void inGroup(int n, global float *x) {
  for (int i = n - 1 - get_local_id(0); i >= 0; i -= get_local_size(0))
    x[get_group_id(0) * n + i] = 1;
}
// CHECK-LABEL: kernel byGroups
// CHECK: x {{.*}} out [n]x
kernel void byGroups(int n, global float *x) {
  for (int i = n - 1 - get_group_id(0); i >= 0; i -= get_num_groups(0))
    x[i] = 1;
}
// CHECK-LABEL: kernel rows
// CHECK: x {{.*}} out [n * m]x
kernel void rows(int n, int m, global float *x) {
  for (int j = m - 1 - get_global_id(1); j >= 0; j -= get_global_size(1))
    for (int i = n - 1 - get_global_id(0); i >= 0; i -= get_global_size(0))
      x[j * n + i] = 1;
}
// CHECK-LABEL: kernel both
// CHECK: y {{.*}} in [n + 1]y
// CHECK: x {{.*}} out [n]x
kernel void both(int n, global const float *y, global float *x) {
  for (int i = n - 1 - get_global_id(0); i >= 0; i -= get_global_size(0))
    x[i] = y[i + 1] + y[n - 1 - i];
}
// CHECK-LABEL: kernel inside
// CHECK: x {{.*}} out [n]x
kernel void inside(int n, global float *x) {
  for (int i = n - 1 - get_global_id(0);; i -= get_global_size(0)) {
    if (i < 0)
      break;
    x[i] = 1;
  }
}
// Each work-item begins elsewhere, but not in steps of all of them.
// CHECK-LABEL: kernel uneven
// CHECK: x {{.*}} inout [n + get_global_size(0)]x
kernel void uneven(int n, global float *x) {
  for (int i = n + (int)get_global_id(0); i >= 0; i -= get_global_size(0))
    x[i] = 1;
}
// A number without a sign goes on below 0.
// CHECK-LABEL: kernel wraps
// CHECK: x {{.*}} inout extent unknown
kernel void wraps(uint n, global float *x) {
  for (uint i = n - get_global_id(0); i > 0; i -= get_global_size(0))
    x[i - 1] = 1;
}
// The condition fails for i = -1, which is a large number there: y is not always written.
// CHECK-LABEL: kernel large
// CHECK: y {{.*}} inout *y
kernel void large(global int *y) {
  for (int i = -1; !(get_num_groups(0) <= i); ++i)
    *y = 1;
}
