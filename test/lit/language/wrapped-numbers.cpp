// Numbers that have wrapped, or were converted from a negative number, in operations that are not sums and products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
#include <algorithm>
#include <cstddef>
#include <utility>

static long lesser(long a, long b) { return a < b ? a : b; }

// (unsigned)l is large where l is negative, so that this difference is small.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: the loop's bound '10L - (unsigned int)l' is not a sum or product
#pragma hsched task
void lessALargeNumber(int l, int *y) {
  for (long i = 0; i < 10l - (unsigned)l; ++i)
    y[i] = 1;
}
// In its own type it is right.
// CHECK-DAG: task 'lessInItsType': out([10 - l]y) is inferred
#pragma hsched task
void lessInItsType(int l, int *y) {
  for (unsigned i = 0; i < 10 - (unsigned)l; ++i)
    y[i] = 1;
}
// So is one with a number that was converted, and divided.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript '2U - (h - u) / 3' is not affine
#pragma hsched task
void lessALargeQuotient(short h, unsigned u, int *y) { y[2u - (h - u) / 3] = 1; }
// 1 - 4294967294 is 3 in 32 bits.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript '1 - std::max<unsigned int>(-2L, z)' is not affine
#pragma hsched task
void aboveALargeNumber(std::size_t z, int *y) { y[1 - std::max<unsigned>(-2l, z)] = 1; }
// From n - 1 on while it is below n - 4: only where that is large.
// CHECK-DAG: task 'nearTheEnd': of 'y' it is not known which part is touched
#pragma hsched task
void nearTheEnd(unsigned n, int *y) {
  for (unsigned k = n - 1; k < n - 4; ++k)
    y[k] = 1;
}
static std::size_t greater(std::size_t a, std::size_t b) { return a > b ? a : b; }

// What is not known to be above 0 before it is converted, is not known afterwards either.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'std::min<std::size_t>(n - m, k)' is not affine
#pragma hsched task
void converted(int n, int m, std::size_t k, int *y) { y[std::min<std::size_t>(n - m, k)] = 1; }
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'std::min<long>(u - v, n)' is not affine
#pragma hsched task
void widened(unsigned u, unsigned v, int n, int *y) { y[std::min<long>(u - v, n)] = 1; }
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'std::min<std::size_t>((signed char)k, n)' is not affine
#pragma hsched task
void narrowed(std::size_t k, std::size_t n, int *y) { y[std::min<std::size_t>((signed char)k, n)] = 1; }
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'lesser(-u, n)' is not affine
#pragma hsched task
void byValue(unsigned u, int n, int *y) { y[lesser(-u, n)] = 1; }
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'greater(1UL - 4, n)' is not affine
#pragma hsched task
void constant(std::size_t n, int *y) { y[greater(1ul - 4, n)] = 1; }
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'std::min<std::size_t>(i, 5)' is not affine
#pragma hsched task
void counter(int n, int *y) {
  for (int i = -3; i < n; ++i)
    y[std::min<std::size_t>(i, 5)] = 1;
}
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'v' is not affine
#pragma hsched task
void compound(int n, int m, unsigned u, int *y) {
  long v = u - n;
  v /= 2;
  y[v] = 1;
}
// A number that was negative is less than a large constant.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: the loop's bound '4294967295U' is not a sum
#pragma hsched task
void large(int *y) {
  for (signed char i = -2; i < 4294967295u; ++i)
    y[i] = 1;
}
// Its bound is known only if that is a large number, too.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: it is not known where the loop ends that changes 'i'
#pragma hsched task
void fromLarge(int n, int *y) {
  for (unsigned i = -2; i <= n; ++i)
    y[1 - i] = 1;
}
// This counter goes on from 0 to its greatest number.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: it is not known whether the loop around subscript '-i'' meets its
#pragma hsched task
void fromZero(unsigned char b, int *y) {
  for (unsigned char i = 0; i != b; --i)
    y[i] += 1;
}
// A condition on such a number says nothing.
// CHECK-DAG: task 'guarded': inout(y[n:1]) is inferred
#pragma hsched task
void guarded(long n, unsigned u, int *y) {
  if (n > -u)
    y[n] = 1;
  else
    y[u] += 1;
}
// The number itself is written where it has a type of 32 bits.
// CHECK-DAG: task 'divided': out(y[((unsigned int)(u - v) / 4):1]) is inferred
#pragma hsched task
void divided(unsigned u, unsigned v, int *y) { y[(u - v) / 4] = 1; }
// CHECK-DAG: task 'cast': out(y[((unsigned long)(n - m) % 5):1]) is inferred
#pragma hsched task
void cast(std::size_t n, int m, int *y) { y[(n - m) % 5] = 1; }
// CHECK-DAG: task 'hashed': out(y[((unsigned int)(2654435761 * u) >> 28):1]) is inferred
#pragma hsched task
void hashed(unsigned u, int *y) { y[u * 2654435761u >> 28] = 1; }
// What is known around it keeps it from wrapping.
// CHECK-DAG: task 'kept': out([(n < (u - 1) ? n : (u - 1))]y) is inferred
#pragma hsched task
void kept(unsigned n, unsigned u, int *y) {
  if (u < 1)
    return;
  for (unsigned i = 0; i < std::min(n, u - 1); ++i)
    y[i] = 1;
}
// A conversion back to a type with a sign gives the number before.
// CHECK-DAG: task 'back': out(y[((n - m) < 4 ? (n - m) : 4):1]) is inferred
#pragma hsched task
void back(int n, int m, int *y) { y[std::min<int>((unsigned)n - m, 4)] = 1; }
// Counters from 0 up and sizes are not negative.
// CHECK-DAG: task 'blocks': out([n]y) is inferred
#pragma hsched task
void blocks(int n, int *y) {
  for (int b = 0; b < n; b += 8)
    for (std::size_t j = b; j < std::min<std::size_t>(b + 8, n); ++j)
      y[j] = 1;
}

// Stored in another type, by std::exchange.
// CHECK-DAG: task 'exchanged': out(y[(unsigned char)c:1]) is inferred
#pragma hsched task
void exchanged(int c, int *y) {
  unsigned char q = 1;
  std::exchange(q, c);
  y[q] = 1;
}
// Constants are numbers of their type.
// CHECK-DAG: task 'constants': out(y[11:1]) is inferred
#pragma hsched task
void constants(int *y) { y[2u - ~8] = 1; }
// The length of a range holds under the same condition as the end of a loop.
// CHECK-DAG: task 'filled': the section that is inferred for 'y' holds all of it only where d - 8 >= 0
#pragma hsched task
void filled(unsigned c, unsigned d, int *y) { std::fill_n(y, std::min(c, d - 8), 1); }
// What is computed in a section is computed in 64 bits.
// CHECK-DAG: task 'wide': out(y[-(signed char)((-z) < (u >> 1) ? (-z) : (u >> 1)):1]) is inferred
#pragma hsched task
void wide(unsigned u, std::size_t z, int *y) {
  signed char v = std::min<int>(-z, u >> 1);
  y[-v] = 1;
}
// A counter with few numbers comes to the end of a bound that has wrapped.
// CHECK-DAG: task 'few': the section that is inferred for 'y' holds all of it only where 1 - u >= 0
#pragma hsched task
void few(unsigned u, int *y) {
  for (signed char i = 0; i < 1 - u; ++i)
    y[i] = 1;
}

void loops(unsigned *a, int n, std::size_t z) {
// Nothing is assumed of the variable of a taskloop.
// CHECK-DAG: warning: task 'loops:[[#@LINE+1]]' writes 'a', {{.*}}it holds all of it only where n - i >= 0
#pragma hsched taskloop grainsize(1)
  for (short i = 0; i <= 24; ++i)
    for (std::size_t r = 0; r < std::min<std::size_t>(n - i, z); ++r)
      a[r] = 1;
// Its condition says that the difference is not negative.
// CHECK-DAG: task 'loops:[[#@LINE+1]]': out(a[4 * i:((n - i) < 4 ? (n - i) : 4)]) is inferred
#pragma hsched taskloop grainsize(1)
  for (int i = 0; i < n; ++i)
    for (std::size_t r = 0; r < std::min<std::size_t>(n - i, 4); ++r)
      a[i * 4 + r] = 1;
#pragma hsched taskwait
}
// If 1 - z wraps, such a loop runs and returns: what follows it is not certain.
// CHECK-DAG: task 'returnsInALoop': inout(y[b:1]) is inferred
#pragma hsched task
void returnsInALoop(int b, std::size_t z, int *y) {
  for (std::size_t i = 3; i < 1 - z; i++)
    if (i < 9)
      return;
  y[b] = 1;
}
// The rest of a negative number is negative, and half of it is large as a number without a sign.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript 'w / 2 * 4' is not affine
#pragma hsched task
void halfARest(int m, int *y) {
  for (int i = -2; i < m; ++i) {
    std::size_t w = i % 5;
    y[w / 2 * 4] += 1;
  }
}
// Such a number of bytes may be small where n is negative.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: how much of it '{{.*}}memset' touches is not known
#pragma hsched task
void bytes(int n, int *y) { __builtin_memset(y, 0, -(std::size_t(n) / 2) * sizeof(int)); }
// CHECK-DAG: task 'manyBytes': out([((unsigned long)n / 2)]y) is inferred
#pragma hsched task
void manyBytes(int n, int *y) { __builtin_memset(y, 0, std::size_t(n) / 2 * sizeof(int)); }
// A number that was negative is large, and small less a large constant.
// CHECK-DAG: error: the extent of 'y' cannot be inferred: subscript '(unsigned int)n - 4294967295L' is not affine
#pragma hsched task
void lessALargeConstant(int n, int *y) { y[(unsigned)n - 4294967295l] = 1; }
