// What a counter is behind its loop: where the loop may run no times, it is what it was at first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="only where"
// CHECK: [[@LINE+1]]:16: remark: task 'fromParameter': out(y[(m > n ? m : n):1]) is inferred
#pragma hsched task
void fromParameter(double *y, int n, int m) {
  int i = m;
  for (; i < n; ++i)
    ;
  y[i] = 0;
}
// CHECK: [[@LINE+1]]:16: remark: task 'fromOne': inout(y[1:(n > 1 ? n : 1)]) is inferred
#pragma hsched task
void fromOne(double *y, int n) {
  int i = 1;
  for (; i < n; ++i)
    ;
  y[i] = 0;
}
// CHECK: [[@LINE+1]]:16: remark: task 'last': inout([(n > 1 ? n : 1)]y) is inferred
#pragma hsched task
void last(double *y, int n) {
  int i = 0;
  for (; i < n - 1; ++i)
    y[i] = 1;
  y[i] = 0;
}
// CHECK: [[@LINE+1]]:16: remark: task 'down': inout(y[(m < n ? m : n):n + 1 - (m < n ? m : n)]) is inferred
#pragma hsched task
void down(double *y, int n, int m) {
  int i = n;
  while (i > m)
    --i;
  y[i] = 0;
}
// CHECK: [[@LINE+1]]:16: remark: task 'written': out(y[m:(m > n ? m : n) + 1 - m]) is inferred
#pragma hsched task
void written(double *y, int n, int m) {
  int i = m;
  for (; i < n; ++i)
    y[i] = 1;
  y[i] = 0;
}
// CHECK: [[@LINE+1]]:16: remark: task 'rests': inout([n]y) is inferred
#pragma hsched task
void rests(double *y, unsigned n) {
  unsigned i = 0;
  for (; i + 4 <= n; i += 4)
    y[i] = 1;
  for (; i < n; ++i)
    y[i] = 2;
}
// CHECK: [[@LINE+1]]:16: remark: task 'sizes': inout([n + 1]y) is inferred
#pragma hsched task
void sizes(double *y, unsigned n) {
  unsigned i = 0;
  for (; i < n; ++i)
    if (y[i] < 0)
      break;
  y[i] = 0;
}
