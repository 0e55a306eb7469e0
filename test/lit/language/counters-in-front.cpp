// Counters that are declared in front of their loops, and the reason where a callee is not visible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=changes --implicit-check-not="not affine"
extern "C" double opaque(double *);
void statements(double (*a)[8], double *x, int n) {
  int i, j;
// CHECK: :[[@LINE+1]]:16: remark: task 'statements:[[@LINE+1]]': out([n]a) is inferred
#pragma hsched task
  for (i = 0; i < n; ++i)
    for (j = 0; j < 8; ++j)
      a[i][j] = 1;
// CHECK: :[[@LINE+1]]:16: error: the extent of 'x' cannot be inferred: 'x' is handed to 'opaque', whose body is not visible;
#pragma hsched task
  opaque(x);
#pragma hsched taskwait
}
// CHECK: remark: task 'function': out([8 * n]a) is inferred
#pragma hsched task
void function(double *a, int n) {
  int i, j;
  for (i = 0; i < n; ++i)
    for (j = 0; j < 8; ++j)
      a[i * 8 + j] = 1;
}
