// Roles, proved for a launch over the guards' sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
kernel void copy(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = x[i];
}
// CHECK: kernel copy
// CHECK: 1 x {{.*}} in [n]x
// CHECK-NEXT: 2 y {{.*}} out [n]y
// CHECK-NEXT: launch 1 dimension, global size n

kernel void update(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  y[i] += x[i];
}
// CHECK: kernel update
// CHECK: 1 x {{.*}} in [n]x
// CHECK-NEXT: 2 y {{.*}} inout [n]y
// CHECK-NEXT: launch 1 dimension, global size n

// Not every element is written.
kernel void sometimes(int n, global const int *x, global int *y) {
  int i = get_global_id(0);
  if (i < n && x[i] > 0)
    y[i] = x[i];
}
// CHECK: kernel sometimes
// CHECK: 2 y {{.*}} inout [n]y

// Written first, read afterwards: nothing of the old contents is seen.
kernel void own(int n, global float *y) {
  int i = get_global_id(0);
  if (i < n) {
    y[i] = 1;
    y[i] = y[i] + 1;
  }
}
// CHECK: kernel own
// CHECK: 1 y {{.*}} out [n]y

kernel void none(global float *y, global const float *z) {}
// CHECK: kernel none
// CHECK: 0 y {{.*}} unused
// CHECK-NEXT: 1 z {{.*}} unused

static void put(global float *to, int at, float what) { to[at] = what; }
static float get(global const float *from, int at) { return from[at]; }
kernel void helpers(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    put(y, i, get(x, i));
}
// CHECK: kernel helpers
// CHECK: 1 x {{.*}} in [n]x
// CHECK-NEXT: 2 y {{.*}} out [n]y

kernel void counts(global const int *x, volatile global int *bins, int n) {
  int i = get_global_id(0);
  if (i < n)
    atomic_inc(&bins[x[i]]);
}
// CHECK: kernel counts
// CHECK: 0 x {{.*}} in [n]x
// CHECK-NEXT: 1 bins {{.*}} inout extent unknown: {{.*}} (line [[#@LINE-4]])
