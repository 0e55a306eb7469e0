// Sections of a taskloop that name its variable: affine in it or not, by Clang's expressions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
struct S { int n, m[4]; };
int twice(int), row_t(int), (*called)(int) = twice;
typedef int cell;
#define CELL (i / 2)
#define SQUARE (i * i)
#define ROW a[i]
#define FROM (p + i)
#define ONE(x) 1
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define ANY(...) (i + __VA_ARGS__)
#define OTHER(...) __VA_ARGS__
static inline int lesser(int a, int b) { return a < b ? a : b; }
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
#pragma hsched taskloop in(ROW, ROW[2:3], FROM[0:3], (p + i / 2)[0:3], p[ONE(i):OTHER(2)])
  for (int i = 0; i < n; ++i) use(p + i);
}
void members(int n, double *p, S *s, S (&t)[8], std::array<S, 8> *u) {
#pragma hsched taskloop in(s[i].n, s[i].m[0:2], s[i].m[n], t[i].m, s[i / 2].n, u[i])
  for (int i = 0; i < n; ++i) use(p + i);
}
// The last block may be shorter.
void blocks(int n, int m, std::size_t z, double *p, double (*a)[8]) {
#pragma hsched taskloop in(p[i:std::min(8, n - i)], p[i:LESSER(8, n - i)], p[i:lesser(8, n - i)], p[i:i + 8 < n ? 8 : n - i])
  for (int i = 0; i < n; i += 8) use(p + i);
#pragma hsched taskloop in(p[i:std::min<std::size_t>(8, z - i)], ([z][m]p)[i:std::min<std::size_t>(8, z - i)][0:m])
  for (std::size_t i = 0; i < z; i += 8) use(p + i);
#pragma hsched taskloop in(p[i * n / 4:(i + 1) * n / 4 - i * n / 4], a[std::max(i - 1, 0):3])
  for (int i = 0; i < 4; ++i) use(p + i);
}
void pointers(int n, double *p, std::vector<double> &v) {
#pragma hsched taskloop in(q[0:4], p[q - p:4], p[(q - p) / 2:4])
  for (double *q = p; q < p + n; q += 4) use(q);
#pragma hsched taskloop in(p[it - v.begin():4])
  for (auto it = v.begin(); it < v.end(); it += 4) use(&*it);
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
  // CHECK: [[@LINE+1]]:28: error: section 'p[1 + (*called)(i):1]' does not change evenly
#pragma hsched taskloop in(p[1 + (*called)(i):1], p[(*called)(n) + i:1])
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
  // The values of a hash, and of unsigned differences, wrap around.
  // CHECK: [[@LINE+1]]:28: error: section 'p[i * 2654435761u >> 28:1]' does not change evenly
#pragma hsched taskloop in(p[i * 2654435761u >> 28:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(unsigned)(i * 2654435761ul) >> 28:1]' does not change evenly
#pragma hsched taskloop in(p[(unsigned)(i * 2654435761ul) >> 28:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[std::min(i - 1u, 7u):1]' does not change evenly
#pragma hsched taskloop in(p[std::min(i - 1u, 7u):1])
  for (unsigned i = 0; i < unsigned(n); ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[std::min<unsigned>(i, 7):1]' does not change evenly
#pragma hsched taskloop in(p[std::min<unsigned>(i, 7):1])
  for (int i = -4; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(unsigned char)i:1]' does not change evenly
#pragma hsched taskloop in(p[(unsigned char)i:1])
  for (signed char i = -4; i < 4; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[std::uint8_t(i):1]' does not change evenly
#pragma hsched taskloop in(p[std::uint8_t(i):1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section '(p + (unsigned char)i)[0:1]' does not change evenly
#pragma hsched taskloop in((p + (unsigned char)i)[0:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(int)(i * 0.5):1]' does not change evenly
#pragma hsched taskloop in(p[(int)(i * 0.5):1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(i < w ? i : 0):1]' does not change evenly
#pragma hsched taskloop in(p[(i < w ? i : 0):1])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'q[i][0:std::min(8, n - i)]' does not change evenly
#pragma hsched taskloop in(q[i][0:std::min(8, n - i)])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:29: error: section 'p[(unsigned char)i + j:1]' does not change evenly
#pragma hsched taskloop in({p[(unsigned char)i + j:1], j = 0; 2})
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[ANY(1):1]' contains the macro 'ANY', and whether it names the variable 'i' of the taskloop is not known: write its value in the section
#pragma hsched taskloop in(p[ANY(1):1])
  for (int i = 0; i < n; ++i) use(p + i);
}
// In a template, i may be of any type.
template <class T, class U> void dependent(int n, T *p, U w) {
#pragma hsched taskloop in(p[i * w:1], p[(std::size_t)i * n:n], p[(int)i + 1:1], FROM[0:n])
  for (U i = 0; i < n; ++i) use(p + i);
#pragma hsched taskloop in(p[i / n:1], p[i:std::min(4, n - i)])
  for (int i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(unsigned char)i:1]' does not change evenly
#pragma hsched taskloop in(p[(unsigned char)i:1])
  for (U i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[static_cast<short>(i):1]' does not change evenly
#pragma hsched taskloop in(p[static_cast<short>(i):1])
  for (U i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[(U)i:1]' does not change evenly
#pragma hsched taskloop in(p[(U)i:1])
  for (int i = 0; i < n; ++i) use(p + i);
  // A conversion of a fraction is possible.
  // CHECK: [[@LINE+1]]:28: error: section 'p[(int)(i * w):1]' does not change evenly
#pragma hsched taskloop in(p[(int)(i * w):1])
  for (U i = 0; i < n; ++i) use(p + i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[row_t(i):1]' does not change evenly
#pragma hsched taskloop in(p[row_t(i):1])
  for (U i = 0; i < n; ++i) use(p + i);
}
template void dependent(int, double *, int);
