// What work-items write together: loops over the grid, over groups and places in them, all by each of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
kernel void grid(global float *y, int n) {
  for (int i = get_global_id(0) + 1; i < n; i += get_global_size(0))
    y[i] = 1;
}
// CHECK: kernel grid
// CHECK: 0 y {{.*}} out y[1:n - 1]
kernel void each_group(global float *y, int n) {
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    y[i] = 1;
}
// CHECK: kernel each_group
// CHECK: 0 y {{.*}} out [n]y
kernel void rows(global float *y, int w, int h) {
  for (int j = get_group_id(0); j < h; j += get_num_groups(0))
    for (int i = get_local_id(0); i < w; i += get_local_size(0))
      y[j * w + i] = 1;
}
// CHECK: kernel rows
// CHECK: 0 y {{.*}} out [w * h]y
kernel void plane(global float *y, int w, int h) {
  for (int j = get_global_id(1); j < h; j += get_global_size(1))
    for (int i = get_global_id(0); i < w; i += get_global_size(0))
      y[j * w + i] = 1;
}
// CHECK: kernel plane
// CHECK: 0 y {{.*}} out [w * h]y
kernel void sums(global const float *x, global float *y, local float *part) {
  int l = get_local_id(0);
  part[l] = x[get_global_id(0)];
  for (int o = get_local_size(0) / 2; o > 0; o >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < o)
      part[l] += part[l + o];
  }
  if (l == 0)
    y[get_group_id(0)] = part[0];
}
// CHECK: kernel sums
// CHECK: 1 y {{.*}} out [get_num_groups(0)]y
kernel void same_from_all(global float *y, int n) {
  for (int k = 0; k < n; ++k)
    y[k] = 1;
}
kernel void one_of_two(global float *y, global float *z) {
  y[get_global_id(0)] = 1;
  z[get_global_id(1)] = 1;
}
// CHECK: kernel one_of_two
// CHECK: 0 y {{.*}} out [get_global_size(0)]y
// CHECK-NEXT: 1 z {{.*}} out [get_global_size(1)]z
kernel void second_only(global float *y) { y[get_global_id(1)] = 1; }
// CHECK: kernel second_only
// CHECK: 0 y {{.*}} out [get_global_size(1)]y
// CHECK-NEXT: launch 2 dimensions, global size get_global_size(0) x get_global_size(1)
kernel void all_by_each(global float *y, global float *z, int n) {
  z[get_global_id(0)] = 0;
  for (int k = 0; k < n; ++k)
    y[k] = 1;
}
// CHECK: kernel all_by_each
// CHECK: 0 y {{.*}} out [n]y
kernel void guarded(global float *first, global float *rest) {
  int i = get_global_id(0), tx = get_local_id(0);
  if (i == 0)
    first[i] = 1;
  if (tx >= 16)
    rest[tx - 16] = 1;
}
// CHECK: kernel guarded
// CHECK: 0 first {{.*}} out *first
// CHECK-NEXT: 1 rest {{.*}} out [get_local_size(0) - 16]rest

// Not all of the range, or not before it is read.
kernel void behind(global float *y, global float *z, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[i] = 1;
  z[get_global_id(0)] = y[n - 1];
}
// CHECK: kernel behind
// CHECK: 0 y {{.*}} inout
kernel void beside(global float *y, global float *z, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    y[i] = 1;
    z[i] = y[n - 1 - i];
  }
}
// CHECK: kernel beside
// CHECK: 0 y {{.*}} inout [n]y
// CHECK-NEXT: 1 z {{.*}} out [n]z
kernel void leaves(global float *y, global const float *x, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    if (x[i] < 0)
      return;
    y[i] = 1;
  }
}
// CHECK: kernel leaves
// CHECK: 0 y {{.*}} inout [n]y
kernel void breaks(global float *y, global const float *x, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    if (x[i] < 0)
      break;
    y[i] = 1;
  }
}
// CHECK: kernel breaks
// CHECK: 0 y {{.*}} inout [n]y
kernel void own(global float *y, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[get_global_id(0)] = 1;
}
// CHECK: kernel own
// CHECK: 0 y {{.*}} inout [get_global_size(0)]y
kernel void some(global float *y, int n) {
  if (get_global_id(0) > 3)
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
      y[i] = 1;
}
// CHECK: kernel some
// CHECK: 0 y {{.*}} inout
kernel void another_place(global float *y) {
  if (get_local_id(0) == 1) // a group may have one work-item
    y[get_group_id(0)] = 1;
}
// CHECK: kernel another_place
// CHECK: 0 y {{.*}} inout [get_num_groups(0)]y
kernel void early(global float *y, global float *z) {
  if (get_local_id(0) != 0)
    return;
  y[get_group_id(0)] = 1;
  z[get_global_id(0)] = 1;
}
// CHECK: kernel early
// CHECK: 1 z {{.*}} inout
kernel void some_end(global float *y) {
  if (get_global_id(0) > 4)
    return;
  y[get_local_id(0) * get_num_groups(0) + get_group_id(0)] = 1;
}
// CHECK: kernel some_end
// CHECK: 0 y {{.*}} inout
kernel void all_end(global float *y, int n) {
  if (n > 4)
    return;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[i] = 1;
}
// CHECK: kernel all_end

// In another loop, behind a guard, with an input that each work-item reads at its own place.
kernel void one_reads(global const float *x, global float *y) {
  if (get_local_id(0) == 0)
    y[get_group_id(0)] = x[get_global_id(0)];
}
// CHECK: kernel one_reads
// CHECK: 0 x {{.*}} in [get_global_size(0)]x
// CHECK-NEXT: 1 y {{.*}} out [get_num_groups(0)]y
kernel void rows_of_groups(global float *y, int n) {
  for (int k = 0; k < n; ++k)
    y[get_group_id(0) * n + k] = 1;
}
// CHECK: kernel rows_of_groups
// CHECK: 0 y {{.*}} out [n * get_num_groups(0)]y
kernel void rows_of_places(global float *y, int n) {
  for (int k = 0; k < n; ++k)
    y[get_local_id(0) * n + k] = 1;
}
// CHECK: kernel rows_of_places
// CHECK: 0 y {{.*}} out [n * get_local_size(0)]y
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void halves(global float *y) {
  for (int k = get_local_id(0); k < 128; k += 64)
    y[get_group_id(0) * 128 + k] = 1;
}
// CHECK: kernel halves
// CHECK: 0 y {{.*}} out [128 * get_num_groups(0)]y
kernel void repeated(global float *y, int n, int steps) {
  for (int t = 0; t < steps; ++t)
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
      y[i] = t;
}
// CHECK: kernel repeated
// CHECK: 0 y {{.*}} inout [n]y
kernel void five_times(global float *y, int n) {
  for (int t = 0; t < 5; ++t)
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
      y[i] = t;
}
// CHECK: kernel five_times
// CHECK: 0 y {{.*}} out [n]y

// As often as the place of a work-item says; of what another one may not have written yet.
kernel void by_place(global float *y) {
  for (int k = 0; k < get_global_id(0); ++k)
    y[get_group_id(0)] = k;
}
// CHECK: kernel by_place
// CHECK: 0 y {{.*}} inout [get_num_groups(0)]y
kernel void of_others(global float *y, global float *z, int n) {
  for (int t = 0; t < 5; ++t)
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
      if (t > 0)
        z[i] = y[n - 1 - i];
      y[i] = t;
    }
}
// CHECK: kernel of_others
// CHECK: 0 y {{.*}} inout [n]y
kernel void own_output(global float *y) {
  if (get_local_id(0) == 0)
    y[get_group_id(0)] = y[get_global_id(0)];
}
// CHECK: kernel own_output
// CHECK: 0 y {{.*}} inout [get_global_size(0)]y
