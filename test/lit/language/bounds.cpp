// Loops' bounds that are no sums and products: those that are made of numbers that never change are words for the
// extent; of others the error names the bound and its place, and leaves the count to be written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -ferror-limit=0 --hsched-explain -Wno-hsched -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <algorithm>
#include <cstddef>

// CHECK: remark: task 'either': out([(b ? n : 2 * n)]y) is inferred
#pragma hsched task
void either(int n, bool b, double *y) {
  for (int i = 0; i < (b ? n : 2 * n); ++i)
    y[i] = 0;
}
// CHECK: remark: task 'later': out([(b ? n : 2 * n)]y) is inferred
#pragma hsched task
void later(int n, bool b, double *y) {
  int m;
  if (b)
    m = n;
  else
    m = 2 * n;
  for (int i = 0; i < m; ++i)
    y[i] = 0;
}
// CHECK: remark: task 'neither': in([(!b ? n : m)]x) is inferred
#pragma hsched task
void neither(int n, int m, bool b, const double *x, double *sum) {
  int count = m;
  if (!b)
    count = n;
  for (int i = 0; i < count; ++i)
    *sum += x[i];
}
// CHECK: remark: task 'greater': out([(k > 10 ? n : m)]y) is inferred
#pragma hsched task
void greater(int k, int n, int m, double *y) {
  for (int i = 0; i < (k > 10 ? n : m); ++i)
    y[i] = 0;
}
// CHECK: remark: task 'same': out([(k == 3 ? n : m)]y) is inferred
#pragma hsched task
void same(int k, int n, int m, double *y) {
  for (int i = 0; i < (k == 3 ? n : m); ++i)
    y[i] = 0;
}
// CHECK: remark: task 'other': out([(k != m ? n : 2)]y) is inferred
#pragma hsched task
void other(int k, int n, int m, double *y) {
  for (int i = 0; i < (k != m ? n : 2); ++i)
    y[i] = 0;
}
// CHECK: remark: task 'least': out([(n < m ? n : m)]y) is inferred
#pragma hsched task
void least(int n, int m, double *y) {
  for (int i = 0; i < std::min(n, m); ++i)
    y[i] = 0;
}
// CHECK: remark: task 'greatest': in([(n > m ? n : m)]y) is inferred
#pragma hsched task
void greatest(int n, int m, const double *y, double *sum) {
  for (int i = 0; i < std::max(n, m); ++i)
    *sum += y[i];
}
// CHECK: remark: task 'capped': out([(10 < n ? 10 : n)]y) is inferred
#pragma hsched task
void capped(int n, double *y) {
  if (n > 10)
    n = 10;
  for (int i = 0; i < n; ++i)
    y[i] = 0;
}
// What is not written on both sides is not overwritten.
// CHECK: remark: task 'half': inout([n]y) is inferred
#pragma hsched task
void half(int n, bool b, double *y) {
  if (b)
    for (int i = 0; i < n; ++i)
      y[i] = 0;
}
// A condition on what is in memory may come out otherwise when the task runs.
// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: '((*k) > 0 ? n : m)' may change before the task runs; write it, for example out([((*k) > 0 ? n : m)]y)
#pragma hsched task
void inMemory(const int *k, int n, int m, double *y) {
  for (int i = 0; i < (*k > 0 ? n : m); ++i)
    y[i] = 0;
}

// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: the loop's bound 'n * 1.5' is not a sum or product of numbers that are known before the call; write it, for example inout([<count>]y)
#pragma hsched task
void real(int n, double *y) {
  for (int i = 0; i < n * 1.5; ++i) // CHECK: [[@LINE]]:23: note: the loop's bound 'n * 1.5' is not a sum or product
    y[i] = 0;
}
// CHECK: [[@LINE+1]]:16: error: the extent of 'x' cannot be inferred: the loop's bound 'k' is not a sum or product
#pragma hsched task
void rounded(int n, const double *x, double *s) {
  const int k = n * 1.5;
  for (int i = 0; k > i; ++i) // CHECK: [[@LINE]]:19: note: the loop's bound 'k' is not a sum or product
    *s += x[i];
}
// CHECK: [[@LINE+1]]:16: error: the extent of 'b' cannot be inferred: the loop's bound 's[1]' is not a sum or product of numbers that are known before the call; write it, for example in([<count>]b)
#pragma hsched task
void read(int n, const double *b, double *s) {
  for (int i = 0; i < s[1]; ++i) // CHECK: [[@LINE]]:23: note: the loop's bound 's[1]' is not a sum or product
    *s += b[i];
}
// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: the loop's bound 'm' is not a sum or product
#pragma hsched task
void halved(std::size_t n, double *y) {
  auto m = n;
  while (m > 100)
    m /= 2;
  for (std::size_t i = 0; i < m; ++i) // CHECK: [[@LINE]]:31: note: the loop's bound 'm' is not a sum or product
    y[i] = 0;
}
// Two ends, of which one is always the same: that bounds it.
// CHECK: remark: task 'blocks': inout([n]y) is inferred
#pragma hsched task
void blocks(int n, int b, double *y) {
  for (int i = 0; i < n; i += b) {
    int end = i + b;
    if (end > n)
      end = n;
    for (int j = i; j < end; ++j)
      y[j] = 0;
  }
}
// Two ends, and which is reached first differs.
// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: how far subscript 'j' goes is not known; write it, for example inout([<count>]y)
#pragma hsched task
void twoEnds(int n, int m, int b, int c, double *y) {
  for (int i = 0; i < n; i += b) {
    int end = i + b;
    if (end > m - c * i)
      end = m - c * i;
    for (int j = i; j < end; ++j)
      y[j] = 0; // CHECK: [[@LINE]]:7: note: how far subscript 'j' goes is not known
  }
}
