// Clauses are put where the task is defined: template parameters are called there as where the directive stands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma hsched task inout([N]x)
template <class T, int N> void f(T *x, int times);
// CHECK: [[@LINE+1]]:17: error: this template parameter is called 'T' at the directive: call it so here
template <class U, int N> void f(U *x, int times) { x[N - 1] += times; }
// CHECK: note: the directive's declaration is here
int main() {
  int x[4] = {};
  f<int, 4>(x, 1);
}
