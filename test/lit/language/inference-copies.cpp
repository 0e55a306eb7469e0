// A statement has copies of its function's variables: what they lead to, and what is counted in them, is inferred.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// RUN: %hsched-cc -std=c++20 -DRUN %s -o %t.exe
// RUN: env HSCHED_OPENCL=0 HSCHED_NCPU=4 %t.exe | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: 1998 10 5
struct Range {
  int low, high;
};
double opaque(double);
void look(const double *);
void change(double **);

// No callee changes a copy whose address it is not given.
void calls(int n, double *x, Range r) {
  double sum = 0;
// CHECK: remark: task 'calls:[[@LINE+1]]': inout([n]x) is inferred
#pragma hsched task
  for (int i = 0; i < n; ++i)
    x[i] = opaque(x[i]);
// CHECK: remark: task 'calls:[[@LINE+1]]': in(x[r.low:r.high - r.low]) is inferred
#pragma hsched task
  for (int i = r.low; i < r.high; ++i) {
    sum += x[i];
    look(&sum);
  }
#pragma hsched taskwait
}
#ifndef RUN
void handed(int n, double *x, double *y) {
// CHECK: [[@LINE+2]]:16: error: the extent of 'x' cannot be inferred: '&x' is handed to 'change', whose body is not visible
// CHECK: [[@LINE+3]]:5: note: '&x' is handed to 'change', whose body is not visible
#pragma hsched task
  for (int i = 0; i < n; ++i) {
    change(&x);
    x[i] = 0;
    y[i] = 0;
  }
#pragma hsched taskwait
}
#endif
// A counter that is declared before its loop.
void counts(int n, double *x, const double *y) {
  int i, j;
// CHECK: remark: task 'counts:[[@LINE+1]]': out([n]x) is inferred
#pragma hsched task
  for (j = 0; j < n; ++j)
    x[j] = y[j];
// CHECK: remark: task 'counts:[[@LINE-3]]': in([n]y) is inferred
  for (i = 0; i < n; i += 2)
// CHECK: remark: task 'counts:[[@LINE+1]]': inout(x[i:2]) is inferred
#pragma hsched task
    for (j = i; j < i + 2; ++j)
      x[j] += j;
// CHECK: remark: task 'counts:[[@LINE+2]]': out(x[i * n:n]) is inferred
// CHECK: remark: task 'counts:[[@LINE+1]]': in([n]y) is inferred
#pragma hsched taskloop
  for (i = 1; i < n; ++i)
    for (j = 0; j < n; ++j)
      x[i * n + j] = y[j];
#pragma hsched taskwait
}
// Those of a taskloop are not in every iteration what they were at first.
#ifndef RUN
void carried(int n, int m, double *x) {
  int k = m;
  double *p = x;
// CHECK: [[@LINE+2]]:16: warning: task 'carried:[[@LINE+2]]' writes 'x', which no clause names: its extent cannot be inferred, 'k' changes in a way that is not affine
// CHECK: [[@LINE+4]]:5: warning: the task changes a copy of 'k' that is its own, and the change is lost
#pragma hsched taskloop
  for (int i = 0; i < n; ++i) {
    x[k] = 0;
    k = k + 1;
  }
// CHECK: [[@LINE+2]]:16: warning: task 'carried:[[@LINE+2]]' writes 'p', which no clause names: its extent cannot be inferred, 'p' changes from one iteration to the next
// CHECK: [[@LINE+3]]:6: warning: the task changes a copy of 'p' that is its own, and the change is lost
#pragma hsched taskloop
  for (int i = 0; i < n; ++i)
    *p++ = 0;
#pragma hsched taskwait
}
#else
#include <cstdio>
#include <vector>
double opaque(double v) { return 2 * v; }
void look(const double *) {}
int main() {
  std::vector<double> x(1000), y(1000);
  for (int i = 0; i < 1000; ++i)
    x[i] = i;
  calls(1000, x.data(), {3, 9});
  std::printf("%g ", x[999]);
  std::vector<double> a(16), b{5, 5, 5, 5};
  counts(4, a.data(), b.data());
  std::printf("%g %g\n", a[3] + 2, a[15]);
}
#endif
