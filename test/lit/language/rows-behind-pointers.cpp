// Sections of what pointers to rows lead to, in statements as in functions; loop counters behind their loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 -Wall -Wno-hsched-unnamed --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <array>
void statements(int (*v)[10], std::array<int, 10> *w, int n) {
  int (*u)[10] = v + 1;
// CHECK: [[@LINE+1]]:{{.*}} remark: task 'statements:[[@LINE+1]]': out(u[1:1]) is inferred
#pragma hsched task
  for (int k = 0; k < 10; ++k)
    u[1][k] = n;
#pragma hsched task out(u[1:1])
  for (int k = 0; k < 10; ++k)
    u[1][k] = n;
  std::array<int, 10> *x = w + 1;
// CHECK: [[@LINE+1]]:{{.*}} remark: task 'statements:[[@LINE+1]]': out(x[1:1]) is inferred
#pragma hsched task
  for (int k = 0; k < 10; ++k)
    x[1][k] = n;
#pragma hsched task out(x[1:1])
  for (int k = 0; k < 10; ++k)
    x[1][k] = n;
// CHECK: [[@LINE+1]]:{{.*}} remark: task 'statements:[[@LINE+1]]': out(u[i:1]) is inferred
#pragma hsched taskloop
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 10; ++k)
      u[i][k] = 2;
#pragma hsched taskwait
}
// With m > n the counter ends where it began.
// CHECK: [[@LINE+1]]:{{.*}} remark: task 'counter': out(y[([[A:[mn]]] > [[B:[mn]]] ? [[A]] : [[B]]):1]) is inferred
#pragma hsched task
void counter(int *y, int n, int m) {
  int i = m;
  for (; i < n; ++i) {
  }
  y[i] = 0;
}
