// Sections of iterations that end at the lesser of two numbers, of which one is counted by the taskloop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %hsched-cc -O1 %s -o %t && %t
#include <algorithm>

void loops(int *y, int n, int m, int k) {
// CHECK: task 'loops:[[#@LINE+1]]': out(y[i:((i + 8) < n ? (i + 8) : n) - i]) is inferred
#pragma hsched taskloop grainsize(2)
  for (int i = 0; i < n; i += 8)
    for (int j = i; j < std::min(i + 8, n); ++j)
      y[j] = i;
// CHECK: task 'loops:[[#@LINE+1]]': out(y[i:((n - i) < m ? (n - i) : m)]) is inferred
#pragma hsched taskloop grainsize(2)
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < std::min(n - i, m); ++r)
      y[i + r] = i;
// The sum 4 * i + min(n - i, 4) rises, too.
// CHECK: task 'loops:[[#@LINE+1]]': inout(y[4 * i:((n - i) < 4 ? (n - i) : 4)]) is inferred
#pragma hsched taskloop grainsize(2)
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < std::min(n - i, 4); ++r)
      y[4 * i + r] += i;
// A section that does not only rise: all that an iteration may touch.
// CHECK: task 'loops:[[#@LINE+1]]': inout(y[k * i:m]) is inferred
#pragma hsched taskloop grainsize(2)
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < std::min(n - i, m); ++r)
      y[i * k + r] += i;
#pragma hsched taskwait
}

int main() {
  static int y[200], z[200];
  const int n = 29, m = 3, k = 2;
  loops(y, n, m, k);
  for (int i = 0; i < n; i += 8)
    for (int j = i; j < std::min(i + 8, n); ++j)
      z[j] = i;
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < std::min(n - i, m); ++r)
      z[i + r] = i;
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < std::min(n - i, 4); ++r)
      z[4 * i + r] += i;
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < std::min(n - i, m); ++r)
      z[i * k + r] += i;
  return !std::equal(y, y + 200, z);
}
