// Unusual index spaces: strides, grids, one work-item for several elements, vectors, loops over the grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
kernel void four(global const float4 *x, global float *y) {
  size_t i = get_global_id(0);
  vstore4(x[i], i, y);
}
// CHECK: kernel four
// CHECK: 0 x {{.*}} in [get_global_size(0)]x
// CHECK-NEXT: 1 y {{.*}} {{(in)?out}} [4 * get_global_size(0)]y

kernel void several(int n, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    for (int k = 0; k < 3; ++k)
      y[3 * i + k] = k;
}
// CHECK: kernel several
// CHECK: 1 y {{.*}} out [3 * n]y
// CHECK-NEXT: launch 1 dimension, global size n

kernel void transposed(int w, int h, global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}
// CHECK: kernel transposed
// CHECK: 2 in {{.*}} in [w * h]in
// CHECK-NEXT: 3 out {{.*}} out [w * h]out
// CHECK-NEXT: launch 2 dimensions, global size w x h

// Guarded in one dimension only.
kernel void rows(int h, global float *a) {
  if (get_global_id(1) < h)
    a[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 0;
}
// CHECK: kernel rows
// CHECK: launch 2 dimensions, global size get_global_size(0) x h

// What work-items do before the guard is done by all of them.
kernel void before(int n, global float *a, global float *b) {
  int i = get_global_id(0);
  b[i] = 0;
  if (i < n)
    a[i] = 1;
}
// CHECK: kernel before
// CHECK: 2 b {{.*}} out [get_global_size(0)]b
// CHECK-NEXT: launch 1 dimension, global size get_global_size(0)

// A loop with two bounds: u - 2 wraps for a small u, and the loop ends at n.
kernel void first_of_two(unsigned n, unsigned u, global float *a) {
  for (unsigned i = 1; i < n && i < u - 2; i++)
    a[i] = 1;
}
// CHECK: kernel first_of_two
// CHECK: 2 a {{.*}} inout a[1:n - 1]
