// Sections of a taskloop that name its variable: affine in it or not, by Clang's expressions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <array>
#include <cstddef>
#include <vector>
struct S { int n, m[4]; };
int twice(int), row_t(int);
typedef int cell;
#define CELL (i / 2)
#define SQUARE (i * i)
void use(const void *);
void good(int n, int w, double *p, double (&a)[8][8], std::array<std::array<double, 4>, 8> &b, S s) {
#pragma hsched taskloop in(p[2 * i + 1:w], p[(i) * (n + 1):1], p[-i + n:1], p[i - 1:3], p[+i:1])
  for (int i = 0; i < n; ++i) use(p + i);
#pragma hsched taskloop in(p[(size_t)i * n:w], p[static_cast<long>(i) * w:1], p[int(i):1], p[size_t{8} + i:1], p[std::size_t(i):1])
  for (int i = 0; i < n; ++i) use(p + i);
#pragma hsched taskloop in(a[i], b[i], p[i << 2:4], p[s.n * i:s.m[1]], p[twice(n) * i:1], p[i * w / 1 * 0:1])
  for (int i = 0; i < n; ++i) use(p + i);
#pragma hsched taskloop in(([n][8]p)[i:1][0:8], [i]p, p[0:i + 1], (&p[8])[i:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // What only rises or only falls: the hull.
#pragma hsched taskloop in(p[i / w:1], p[i >> 1:2], p[-(i / 2):1], p[2 * i + i / 8:1], p[i / 4 * 4:(i + 3) / 4 * 4 - i / 4 * 4], [i / 2]p)
  for (int i = 0; i < n; ++i) use(p + i);
#pragma hsched taskloop in(p[(cell)(i):1], p[CELL:1], a[i / 2], a[i / 2][0:4], ([n][8]p)[i / 4:1][0:8])
  for (int i = 0; i < n; ++i) use(p + i);
}
void bad(int n, int w, double *p, int *k, S s, S *t, double (*q)[8], std::vector<std::vector<double>> &rows) {
  // CHECK: [[@LINE+1]]:28: error: section 'p[i % w:1]' does not change evenly
#pragma hsched taskloop in(p[i % w:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[twice(i):1]' does not change evenly
#pragma hsched taskloop in(p[twice(i):1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[row_t(i):1]' does not change evenly
#pragma hsched taskloop in(p[row_t(i):1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(twice)(i):1]' does not change evenly
#pragma hsched taskloop in(p[(twice)(i):1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(unsigned char)i:1]' does not change evenly
#pragma hsched taskloop in(p[(unsigned char)i:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[SQUARE:1]' does not change evenly
#pragma hsched taskloop in(p[SQUARE:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[i / 8 - i:1]' does not change evenly
#pragma hsched taskloop in(p[i / 8 - i:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section '([n][8]p)[i / 4:1][8 - i:1]' does not change evenly
#pragma hsched taskloop in(([n][8]p)[i / 4:1][8 - i:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[!i:1]' does not change evenly
#pragma hsched taskloop in(p[!i:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[i > w ? i : w + 1:1]' does not change evenly
#pragma hsched taskloop in(p[i > w ? i : w + 1:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[w << i:1]' does not change evenly
#pragma hsched taskloop in(p[w << i:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section '[i][i]p' does not change evenly
#pragma hsched taskloop in([i][i]p)
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'rows[i]' does not change evenly
#pragma hsched taskloop in(rows[i])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[s.m[i]:1]' does not change evenly
#pragma hsched taskloop in(p[s.m[i]:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[t[i].n:1]' does not change evenly
#pragma hsched taskloop in(p[t[i].n:1])
  for (int i = 0; i < n; ++i) use(p + i);
}
