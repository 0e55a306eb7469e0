// Sections hold what is touched where loops do not run, and where they run once whatever their condition says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="only where"
// RUN: %hsched-cc -std=c++20 --hsched-emit=source %s | FileCheck %s --check-prefix=CODE
// CHECK: task 'first': out([(n > 1 ? n : 1)]y) is inferred
// CODE-LABEL: void first(
// CODE: ((::hsched_gen_wide(n)) > (1) ? (::hsched_gen_wide(n)) : (1))
#pragma hsched task
void first(double *y, unsigned n) {
  unsigned i = 0;
  do
    y[i] = 1;
  while (++i < n);
}
// CHECK: task 'from': inout(y[m:(n > (m + 1) ? n : (m + 1)) - m]) is inferred
#pragma hsched task
void from(double *y, int n, int m) {
  int i = m;
  do {
    y[i] = 1;
    i += 2;
  } while (i < n);
}
// A loop over rows: nothing is copied, and all of it is known.
// CHECK: task 'rows': out([m * (n > 1 ? n : 1)]y) is inferred
#pragma hsched task
void rows(double *y, int n, int m) {
  int i = 0;
  do
    for (int j = 0; j < m; ++j)
      y[i * m + j] = 1;
  while (++i < n);
}
// It ends only where it meets n.
// CHECK: task 'until': out([n]y) is inferred
#pragma hsched task
void until(double *y, int n) {
  int i = 0;
  do
    y[i] = 1;
  while (++i != n);
}
// CHECK: task 'sums': in([(n > 1 ? n : 1)]x) is inferred
// CHECK: task 'sums': out([(n > 1 ? n : 1)]y) is inferred
#pragma hsched task
void sums(const double *x, double *y, int n) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i)
    y[i] = x[i] + y[i - 1];
}
// CHECK: task 'written': out([n]y) is as written
#pragma hsched task in([n]x) out([n]y)
void written(const double *x, double *y, int n) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i)
    y[i] = x[i] + y[i - 1];
}
// CHECK: task 'two': out([(n > m ? n : m)]y) is inferred
#pragma hsched task
void two(double *y, unsigned m, unsigned n) {
  for (unsigned i = 0; i < m; ++i)
    y[i] = 1;
  for (unsigned i = m; i < n; ++i)
    y[i] = 2;
}
// CHECK: task 'lower': out(y[(m < (n - 1) ? m : (n - 1)):n - (m < (n - 1) ? m : (n - 1))]) is inferred
#pragma hsched task
void lower(double *y, int m, int n) {
  y[n - 1] = 1;
  for (int i = m; i < n; ++i)
    y[i] = 2;
}
