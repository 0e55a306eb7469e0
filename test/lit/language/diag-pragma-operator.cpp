// Directives cannot come from macros, even where there is no other one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: [[@LINE+1]]:1: error: an hsched directive must be written as '#pragma hsched': it cannot come from a macro
_Pragma("hsched task inout([n]y)")
void t(int n, float *y) {}
