// Of loops of which only one can run nothing follows from all of them running.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:

// CHECK: remark: task 'either': out(y[a:b - a]) is inferred
// CHECK: remark: task 'either': out(y[b:a - b]) is inferred
// CHECK: remark: task 'either': out(*y) is inferred
#pragma hsched task
void either(int a, int b, int *y) {
  for (int i = a; i < b; ++i)
    y[i] = 1;
  for (int i = b; i < a; ++i)
    y[i] = 2;
  y[0] = 3;
}
