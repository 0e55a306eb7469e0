// Of loops of which only one can run nothing follows from all of them running.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=inferred:

// CHECK: error: the extent of 'y' cannot be inferred: of 'a' and 'b' it is not known which is less; write it, for example inout([<count>]y)
#pragma hsched task
void either(int a, int b, int *y) {
  for (int i = a; i < b; ++i)
    y[i] = 1;
  for (int i = b; i < a; ++i)
    y[i] = 2;
  y[0] = 3;
}
