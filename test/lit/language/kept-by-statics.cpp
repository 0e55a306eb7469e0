// A static of a function that keeps a parameter: later calls may use it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: [[@LINE+1]]:16: error: the extent of 'p' cannot be inferred: a static of a function may keep it
#pragma hsched task
void keeps(int *p) {
  static int *kept = p;
  (void)kept;
}
