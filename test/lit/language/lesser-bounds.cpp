// Counters that are below two numbers of which nobody knows which is less: no section reaches further than the lesser.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -Werror -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
#include <algorithm>

// CHECK: task 'twoEnds': out([(n < m ? n : m)]y) is inferred
#pragma hsched task
void twoEnds(int n, int m, float *y) {
  for (int i = 0; i < n && i < m; ++i)
    y[i] = 1;
}
// CHECK: task 'insideOthers': out([(n < m ? n : m)]y) is inferred
// CHECK: task 'insideOthers': out([n]z) is inferred
#pragma hsched task
void insideOthers(int n, int m, float *y, float *z) {
  for (int i = 0; i < n; ++i) {
    z[i] = 0;
    if (i < m)
      y[i] = 1;
  }
}
// CHECK: task 'goesOn': out([(n < m ? n : m)]y) is inferred
#pragma hsched task
void goesOn(int n, int m, float *y) {
  for (int i = 0; i < n; ++i) {
    if (i >= m)
      continue;
    y[i] = 1;
  }
}
// CHECK: task 'ends': inout([(n < m ? n : m)]y) is inferred
#pragma hsched task
void ends(int n, int m, float *y) {
  for (int i = 0; i < n; ++i) {
    if (i >= m)
      break;
    y[i] = 1;
  }
}
// CHECK: task 'three': out([((n < m ? n : m) < k ? (n < m ? n : m) : k)]y) is inferred
#pragma hsched task
void three(int n, int m, int k, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < m && i < k)
      y[i] = 1;
}
// CHECK: task 'nested': in([((n < m ? n : m) < k ? (n < m ? n : m) : k)]x) is inferred
// CHECK: task 'nested': out([(n < m ? n : m)]y) is inferred
#pragma hsched task
void nested(int n, int m, int k, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < m) {
      y[i] = 0;
      if (i < k)
        y[i] = x[i];
    }
}
// CHECK: task 'tile': out(([(rows < 8 ? rows : 8)][8]y)[0:(rows < 8 ? rows : 8)][0:(columns < 8 ? columns : 8)])
#pragma hsched task
void tile(int rows, int columns, float *y) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (i < 8 && j < 8)
        y[i * 8 + j] = 1;
}
// CHECK: task 'window': inout(y[k:(n < (k + w) ? n : (k + w)) - k]) is inferred
#pragma hsched task
void window(int n, int k, int w, float *y) {
  for (int i = 0; i < n; ++i)
    if (i >= k && i < k + w)
      y[i] = 1;
}

// What both are below.
// CHECK: task 'twoLoops': inout([m]y) is inferred
#pragma hsched task
void twoLoops(int n, int m, int k, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < m)
      y[i] = 1;
  for (int i = 0; i < k; ++i)
    if (i < m)
      y[i] += 1;
}
// CHECK: task 'neighbours': inout([m]y) is inferred
#pragma hsched task
void neighbours(int n, int m, float *y) {
  for (int i = 0; i < n; ++i) {
    if (i < m)
      y[i] = 1;
    if (i + 1 < m)
      y[i + 1] += 1;
  }
}
// However often it is said.
// CHECK: task 'often': out([(n < m ? n : m)]y) is inferred
#define WRITE if (i < m) y[i] = i;
#define WRITES WRITE WRITE WRITE WRITE WRITE WRITE WRITE WRITE
#pragma hsched task
void often(int n, int m, float *y) {
  for (int i = 0; i < n; ++i) {
    WRITES WRITES WRITES
  }
}
// n - u may be a great number.
// CHECK: task 'wraps': inout([m]y) is inferred
#pragma hsched task
void wraps(unsigned u, unsigned n, unsigned m, float *y) {
  for (unsigned i = 0; i < n - u && i < m; ++i)
    y[i] = 1;
}

// What is known to be less, of sizes, is taken.
// CHECK: task 'half': out([(n / 2)]y) is inferred
#pragma hsched task
void half(int n, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < n / 2)
      y[i] = 1;
}
// CHECK: task 'differences': out([n - 1]y) is inferred
#pragma hsched task
void differences(int n, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < n - 1)
      y[i] = 1;
}
// A number that it is equal to is one.
// CHECK: task 'first': inout(*sum) is inferred
#pragma hsched task
void first(int n, float *sum) {
  for (int i = 0; i < n; ++i) {
    if (i == 0)
      *sum = 0;
    *sum += 1;
  }
}
// Either way, all of it.
// CHECK: task 'bothWays': out([n]y) is inferred
#pragma hsched task
void bothWays(int n, int m, float *y) {
  for (int i = 0; i < n; ++i)
    if (i < m)
      y[i] = 1;
    else
      y[i] = 2;
}

// The section is evaluated; and it is no lie to name it, nor more.
#pragma hsched task out([std::min(n, m)]y)
void named(int n, int m, float *y) {
  for (int i = 0; i < n && i < m; ++i)
    y[i] = 1;
}
#pragma hsched task inout([n]y)
void more(int n, int m, float *y) {
  for (int i = 0; i < n && i < m; ++i)
    y[i] = 1;
}
#pragma hsched task inout([m]y)
void otherMore(int n, int m, float *y) {
  for (int i = 0; i < n && i < m; ++i)
    y[i] = 1;
}
