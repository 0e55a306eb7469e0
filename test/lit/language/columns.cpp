// Places within rows that are no constants: the rows that they may lie in are named whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: %hsched-cc -std=c++20 --hsched-emit=source %s -o - | FileCheck %s --check-prefix=CODE

// CHECK: remark: task 'column': in(a[c / 64:n]) is inferred
// CODE: ::hsched_gen_range(a, ::hsched_gen_reach(::hsched_gen_wide(c)).hsched_along(::hsched_gen_wide(n), 64).hsched_low(64)
#pragma hsched task
void column(int n, int c, const double (*a)[64], double *s) {
  for (int i = 0; i < n; ++i)
    *s += a[i][c];
}
// Not all of the rows is written.
// CHECK: remark: task 'set': inout(a[c / 64:n]) is inferred
#pragma hsched task
void set(int n, int c, double (*a)[64]) {
  for (int i = 0; i < n; ++i)
    a[i][c] = 0;
}
// CHECK: remark: task 'beside': in(a[2 + (c + 1) / 64:n]) is inferred
#pragma hsched task
void beside(int n, int c, const double (*a)[64], double *s) {
  for (int i = 2; i < n + 2; ++i)
    *s += a[i][c + 1];
}
// CHECK: remark: task 'left': inout([n - 1 + (m + 63) / 64]a) is inferred
#pragma hsched task
void left(int n, int m, double (*a)[64]) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < m; ++c)
      a[i][c] = 0;
}
// CHECK: remark: task 'between': in(a[low / 64:n - 1 + (high + 63) / 64 - low / 64]) is inferred
#pragma hsched task
void between(int n, int low, int high, const double (*a)[64], double *s) {
  for (int i = 0; i < n; ++i)
    for (int c = low; c < high; ++c)
      *s += a[i][c];
}
// CHECK: remark: task 'flat': inout([(n + 63) / 64]a) is inferred
#pragma hsched task
void flat(int n, double (*a)[64]) {
  double *p = a[0];
  for (int i = 0; i < n; ++i)
    p[i] = 0;
}
// CHECK: remark: task 'whole': out([n]a) is inferred
#pragma hsched task
void whole(int n, double (*a)[64]) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 64; ++c)
      a[i][c] = 0;
}
