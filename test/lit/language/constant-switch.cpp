// A switch on a constant is what stands from its label on, and what runs only where u - 3 wraps is not told of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning:

// CHECK: task 'falls': out([(n > 1 ? n : 1)]y) is inferred
#pragma hsched task
void falls(int n, int *y, int *z) {
  switch (2) {
  case 1:
    z[0] = 1;
  case 2:
    y[0] = 1;
  default:
    for (int i = 0; i < n; ++i)
      y[i] = 1;
    break;
  case 3:
    z[1] = 1;
  }
}

// CHECK: task 'leaves': in(*x) is inferred
// CHECK: task 'leaves': inout(*y) is inferred
#pragma hsched task
void leaves(const int *x, int *y) {
  switch (1) {
  case 1:
    if (x[0])
      break;
    y[0] = 1;
  }
}

// CHECK-NOT: task 'none': {{.*}} is inferred
#pragma hsched task
void none(int *y) {
  switch (4) {
  case 1:
    y[0] = 1;
  }
}

#pragma hsched task in([1]x) inout(y[u - 3:1]) out(*z)
void wraps(unsigned u, const int *x, int *y, int *z) {
  y[u - 3] += x[0];
  z[0] = 1 >= u ? x[3] : 0;
}
