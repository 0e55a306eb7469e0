// Loops in which each item goes on by as many as there are items, as programs write them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s

// CHECK-LABEL: kernel groups
// CHECK: 0 a {{.*}} out {{.*}}[n]a
kernel void groups(global float *a, int n) {
  for (int i = get_global_id(0); i < n; i += get_num_groups(0) * get_local_size(0))
    a[i] = 1;
}

// CHECK-LABEL: kernel places
// CHECK: 0 a {{.*}} out {{.*}}[n]a
kernel void places(global float *a, int n) {
  int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  int step = get_num_groups(0) * get_local_size(0);
  while (i < n) {
    a[i] = 1;
    i += step;
  }
}

// An item below n; the others do nothing.
// CHECK-LABEL: kernel tested_last
// CHECK: 0 a {{.*}} out {{.*}}[n]a
kernel void tested_last(global float *a, int n) {
  int i = get_global_id(0);
  if (i < n)
    do {
      a[i] = 1;
      i += get_global_size(0);
    } while (i < n);
}

// Each first iteration runs, whatever n is.
// CHECK-LABEL: kernel always_once
// CHECK: 0 a {{.*}} extent unknown: of 'get_global_size(0) - 1' and 'n - 1' it is not known which is greater
kernel void always_once(global float *a, int n) {
  int i = get_global_id(0);
  do {
    a[i] = 1;
    i += get_global_size(0);
  } while (i < n);
}

// CHECK-LABEL: kernel half
// CHECK: 0 a {{.*}} inout {{.*}}[n]a
kernel void half_of_them(global float *a, int n) {
  for (int i = get_global_id(0); i < n; i += 2 * get_num_groups(0) * get_local_size(0))
    a[i] = 1;
}
