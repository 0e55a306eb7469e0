// Extents hold what is touched at sizes of 0; what they hold only for some arguments is told.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// RUN: %kinfo --json %s | FileCheck %s --check-prefix=JSON
kernel void first(int n, global int *a) {
  int i = 0;
  do {
    a[i] = 1;
    i++;
  } while (i < n);
}
// CHECK: kernel first
// CHECK: 1 a {{.*}} out [(n > 1 ? n : 1)]a
// CHECK-NEXT: launch

// JSON: "elements": "(N > 1 ? N : 1)"
// JSON-NEXT: "section": "[(N > 1 ? N : 1)]cdf"
kernel void cumulated(global float *cdf, global const float *weights, int N) {
  cdf[0] = weights[0];
  for (int x = 1; x < N; x++)
    cdf[x] = weights[x] + cdf[x - 1];
}
// CHECK: kernel cumulated
// CHECK: 0 cdf {{.*}} out [(N > 1 ? N : 1)]cdf
// CHECK-NEXT: 1 weights {{.*}} in [(N > 1 ? N : 1)]weights

// JSON: "section": "[(n > m ? n : m)]a"
// JSON-NEXT: "onlyWhere": [
// JSON-NEXT: "m"
// JSON-NEXT: ]
kernel void two(global float *a, int m, int n) {
  for (int i = 0; i < m; i++)
    a[i] = 0;
  for (int i = m; i < n; i++)
    a[i] = 1;
}
// CHECK: kernel two
// CHECK: 0 a {{.*}} out [(n > m ? n : m)]a  only where m >= 0

// JSON: "section": "[n]a"
// JSON-NEXT: "onlyWhere": [
// JSON-NEXT: "n - 1"
// JSON-NEXT: ]
kernel void ends(global float *a, int n) {
  a[0] = a[n - 1] = 0;
  for (int i = 1; i < n - 1; i++)
    a[i] = 1;
}
// CHECK: kernel ends
// CHECK: 0 a {{.*}} out [n]a only where n - 1 >= 0

// The sign of the stride decides which end is first. It is negative for one work-item in a group.
// JSON: "onlyWhere": [
// JSON-NEXT: "get_local_size(0) - 2"
// JSON-NEXT: ]
kernel void backwards(global int *a) { a[get_global_size(0) - 1 - get_global_id(0) + 2 * get_group_id(0)] = 1; }
// CHECK: kernel backwards
// CHECK: 0 a {{.*}} only where get_local_size(0) - 2 >= 0

// Of an element in front of, or behind, a range that a guard or a loop over the grid ends.
kernel void first_of_grid(global int *a, int n) {
  if (get_global_id(0) == 0)
    a[0] = 1;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    a[i] = 1;
}
// CHECK: kernel first_of_grid
// CHECK: 0 a {{.*}} inout [(n > 1 ? n : 1)]a
kernel void first_or_below(global int *a, int n) {
  int i = get_global_id(0);
  if (i == 0)
    a[i] = 1;
  if (i < n)
    a[i] = 2;
}
// CHECK: kernel first_or_below
// CHECK: 0 a {{.*}} inout [(n > 1 ? n : 1)]a
kernel void end(global int *a, int n) {
  int i = get_global_id(0);
  if (i < n)
    a[i] = 1;
  a[n] = 2;
}
// CHECK: kernel end
// CHECK: 0 a {{.*}} inout [n + 1]a only where n >= 0
