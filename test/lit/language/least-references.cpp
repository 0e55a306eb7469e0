// min, max and clamp return one of their arguments, which may be stored into.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <algorithm>

// CHECK-DAG: task 'greater': inout(*a) is inferred
// CHECK-DAG: task 'greater': inout(*b) is inferred
#pragma hsched task
void greater(float *a, float *b, float v) { const_cast<float &>(std::max(*a, *b)) = v; }
// CHECK-DAG: task 'less': inout(*a) is inferred
// CHECK-DAG: task 'less': inout(*b) is inferred
#pragma hsched task
void less(int *a, int *b, int v) {
  const int &m = std::min(*a, *b);
  *const_cast<int *>(&m) = v;
}
// CHECK-DAG: task 'between': inout(*a) is inferred
// CHECK-DAG: task 'between': inout(*b) is inferred
// CHECK-DAG: task 'between': inout(*c) is inferred
#pragma hsched task
void between(int *a, int *b, int *c, int v) { const_cast<int &>(std::clamp(*a, *b, *c)) = v; }
// CHECK-DAG: task 'loaded': in(*a) is inferred
// CHECK-DAG: task 'loaded': in(*b) is inferred
// CHECK-DAG: task 'loaded': out(*y) is inferred
#pragma hsched task
void loaded(float *a, float *b, float *y) { *y = std::max(std::min(*a, *b), 0.f); }
// The number is what it is when it is asked for.
// CHECK: task 'later': out([m]y) is inferred
#pragma hsched task
void later(int n, int m, float *y) {
  for (int i = 0; i < std::min(std::max(m, m), m); ++i)
    y[i] = 1;
}
