// A structured binding is a bound like any other number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
struct Pair {
  int first, second;
};
void values(double *p, Pair q) {
  auto [n, m] = q;
// CHECK: task 'values:[[@LINE+1]]': out([m]p) is inferred
#pragma hsched task
  for (int i = 0; i < m; ++i)
    p[i] = n;
}
void references(double *p) {
  int q[2] = {1, 8};
  auto &[n, m] = q;
// CHECK: task 'references:[[@LINE+1]]': out(p[n:m]) is inferred
#pragma hsched task
  for (int i = 0; i < m; ++i)
    p[i + n] = i;
}
