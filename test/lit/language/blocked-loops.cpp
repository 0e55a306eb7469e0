// Loops whose bounds are the lesser or the greater of two numbers: blocks, windows, bands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <algorithm>

// CHECK: task 'known': out([n]y) is inferred
#pragma hsched task
void known(int n, float *y) {
  for (int ii = 0; ii < n; ii += 32)
    for (int i = ii; i < std::min(ii + 32, n); ++i)
      y[i] = 1;
}
// CHECK: task 'blocks': inout([n]y) is inferred
#pragma hsched task
void blocks(int n, int b, float *y) {
  for (int ii = 0; ii < n; ii += b) {
    const int end = std::min(ii + b, n);
    for (int i = ii; i < end; ++i)
      y[i] = 1;
  }
}
// CHECK: task 'clamped': inout([n]y) is inferred
#pragma hsched task
void clamped(int n, int b, float *y) {
  for (int ii = 0; ii < n; ii += b) {
    int end = ii + b;
    if (end > n)
      end = n;
    for (int i = ii; i < end; ++i)
      y[i] = 1;
  }
}
// CHECK: task 'tiles': out([n * m]y) is inferred
#pragma hsched task
void tiles(int n, int m, float *y) {
  for (int ii = 0; ii < n; ii += 8)
    for (int jj = 0; jj < m; jj += 8)
      for (int i = ii; i < std::min(ii + 8, n); ++i)
        for (int j = jj; j < std::min(m, jj + 8); ++j)
          y[i * m + j] = 1;
}
// CHECK-DAG: task 'window': in([n]x) is inferred
// CHECK-DAG: task 'window': out([n]y) is inferred
#pragma hsched task
void window(int n, const float *x, float *y) {
  for (int k = 0; k < n; ++k) {
    float s = 0;
    for (int i = std::max(0, k - 2); i <= std::min(n - 1, k + 2); ++i)
      s += x[i];
    y[k] = s;
  }
}
// CHECK-DAG: task 'wide': in([n]x) is inferred
// CHECK-DAG: task 'wide': out([n]y) is inferred
#pragma hsched task
void wide(int n, int w, const float *x, float *y) {
  for (int k = 0; k < n; ++k) {
    int lo = k - w;
    if (lo < 0)
      lo = 0;
    const int hi = k + w < n - 1 ? k + w : n - 1;
    float s = 0;
    for (int i = lo; i <= hi; ++i)
      s += x[i];
    y[k] = s;
  }
}
// CHECK-DAG: task 'band': in([n * n]A) is inferred
// CHECK-DAG: task 'band': out([n]y) is inferred
#pragma hsched task
void band(int n, int k, const float *A, float *y) {
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = std::max(0, i - k); j < std::min(n, i + k + 1); ++j)
      s += A[i * n + j];
    y[i] = s;
  }
}
// Not all of it is written: it begins at m, or later.
// CHECK: task 'late': inout([(n > 1 ? n : 1)]y) is inferred
#pragma hsched task
void late(int n, int m, float *y) {
  y[0] = 0;
  for (int k = 0; k < n; ++k)
    for (int i = std::max(k, m); i < n; ++i)
      y[i] = 1;
}
// The number that a loop ends with is not the less of its bounds.
// CHECK: task 'after': of 'y' it is not known which part is touched
#pragma hsched task inout([n]y)
void after(int n, int k, float *y) {
  for (int j = 0; j < n; ++j) {
    int i = std::max(j - 4, k);
    for (; i < j; ++i)
      ;
    y[i] = 1;
  }
}

// CHECK: task 'at_least_once': out([(n > 1 ? n : 1)]y) is inferred
#pragma hsched task
void at_least_once(int n, float *y) {
  int i = 0;
  do {
    y[i] = 1;
    ++i;
  } while (i < n);
}
// CHECK: task 'sixteen': out([16]y) is inferred
#pragma hsched task
void sixteen(float *y) {
  int i = 0;
  do
    y[i] = 1;
  while (++i < 16);
}
// CHECK: task 'updated': inout([n]y) is inferred
#pragma hsched task
void updated(int n, float *y) {
  int i = 0;
  do {
    y[i] += 1;
  } while (++i != n);
}
// CHECK: task 'every_second': inout([n]y) is inferred
#pragma hsched task
void every_second(int n, float *y) {
  int i = 0;
  while (i < n) {
    y[i] = 1;
    i += 2;
  }
}
// CHECK: task 'tested_inside': out([n]y) is inferred
#pragma hsched task
void tested_inside(int n, float *y) {
  int i = 0;
  for (;;) {
    if (i >= n)
      break;
    y[i] = 1;
    ++i;
  }
}
// CHECK: task 'in_a_while': out([n]y) is inferred
#pragma hsched task
void in_a_while(int n, float *y) {
  int i = 0;
  while (true) {
    if (i == n) {
      break;
    }
    y[i++] = 1;
  }
}
