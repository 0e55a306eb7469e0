// Numbers with a sign that may be negative where they are converted to a type without one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -w --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s
#include <algorithm>
#include <cstddef>

// The lesser is chosen as in the body: of a negative n it is 4.
// CHECK: task 'lesser': out([((unsigned long)n < 4 ? n : 4)]y) is inferred
#pragma hsched task
void lesser(int n, int *y) {
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 4); ++i)
    y[i] = 1;
}
// CHECK: task 'lesserOf32': out([((unsigned int)n < u ? n : u)]y) is inferred
#pragma hsched task
void lesserOf32(int n, unsigned u, int *y) {
  for (unsigned i = 0; i < std::min<unsigned>(n, u); ++i)
    y[i] = 1;
}
// The number that is chosen is written as it was before. It is right modulo 2^64, as the subscript is.
// CHECK: task 'greater': out(y[n + ((unsigned long)n > 8 ? n : 8):1]) is inferred
#pragma hsched task
void greater(int n, int *y) { y[std::max<std::size_t>(n, 8) + n] = 1; }
// CHECK: task 'both': out(y[((unsigned long)n < (unsigned long)m ? n : m):1]) is inferred
#pragma hsched task
void both(int n, long m, int *y) { y[std::min<std::size_t>(n, m)] = 1; }
// A comparison that chooses a number.
// CHECK: task 'chosen': out(y[((unsigned long)n < z ? n : z):1]) is inferred
#pragma hsched task
void chosen(int n, std::size_t z, int *y) { y[n < z ? n : z] = 1; }
// CHECK: task 'chosenElse': out(y[(z < (unsigned long)n ? z : n):1]) is inferred
#pragma hsched task
void chosenElse(int n, std::size_t z, int *y) { y[z < n ? z : n] = 1; }
// CHECK: task 'other': out(y[((unsigned long)m >= z ? n : 2 * n):1]) is inferred
#pragma hsched task
void other(int n, int m, std::size_t z, int *y) { y[m >= z ? n : 2 * n] = 1; }
// Quotients.
// CHECK: task 'remainder': out(y[(z % (unsigned long)n):1]) is inferred
#pragma hsched task
void remainder(int n, std::size_t z, int *y) { y[z % n] = 1; }
// CHECK: task 'quotient': out(y[(z / (unsigned long)n):1]) is inferred
#pragma hsched task
void quotient(int n, std::size_t z, int *y) { y[z / n] = 1; }
// CHECK: task 'divided': out(y[(((unsigned long)(2 * n) / 2) % 4):1]) is inferred
#pragma hsched task
void divided(int n, int *y) { y[2 * (std::size_t)n / 2 % 4] = 1; }
// The bits of both types are the same.
// CHECK: task 'bits': out(y[((n | z) & 7):1]) is inferred
#pragma hsched task
void bits(long n, std::size_t z, int *y) { y[(n | z) & 7] = 1; }
// Loops that end at one of two numbers.
// CHECK: task 'two': out([((unsigned long)n < z ? n : z)]y) is inferred
#pragma hsched task
void two(int n, std::size_t z, int *y) {
  for (std::size_t i = 0; i < n && i < z; ++i)
    y[i] = 1;
}
// CHECK: task 'twoOf': out([((unsigned long)n < (unsigned long)m ? n : m)]y) is inferred
#pragma hsched task
void twoOf(int n, int m, int *y) {
  for (std::size_t i = 0; i < n && i < m; ++i)
    y[i] = 1;
}
// Where the loop ends otherwise, it is told that n is taken not to be negative.
// CHECK: task 'ends': the section that is inferred for 'y' holds all of it only where n >= 0
// CHECK: task 'ends': inout([n]y) is inferred
#pragma hsched task
void ends(int n, int *y) {
  for (std::size_t i = 0; i < n; ++i) {
    if (y[i] == 7)
      break;
    y[i] = 1;
  }
}
// Conditions.
// CHECK: task 'guarded': inout(y[z:1]) is inferred
#pragma hsched task
void guarded(int n, std::size_t z, int *y) {
  if (z < n)
    y[z] = 1;
}
// CHECK: task 'branch': out([((unsigned long)n < z ? n : z)]y) is inferred
#pragma hsched task
void branch(int n, std::size_t z, int *y) {
  for (std::size_t i = 0; i < z; ++i)
    if (i < n)
      y[i] = 1;
}
// A loop that has no other end leaves the array if n is negative. That is not provided for.
// CHECK: task 'sizes': out([n]y) is inferred
#pragma hsched task
void sizes(int n, int *y) {
  for (std::size_t i = 0; i < n; ++i)
    y[i] = 1;
}
// CHECK: task 'from': inout(y[m:n - m]) is inferred
#pragma hsched task
void from(int m, int n, int *y) {
  for (std::size_t i = m; i < n; ++i)
    y[i] = 1;
}
// CHECK: task 'down': out([n]y) is inferred
#pragma hsched task
void down(int n, int *y) {
  for (std::size_t i = n; i-- > 0;)
    y[i] = 1;
}
// What is known around it.
// CHECK: task 'proved': out([(n < 4 ? n : 4)]y) is inferred
#pragma hsched task
void proved(int n, int *y) {
  if (n <= 0)
    return;
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 4); ++i)
    y[i] = 1;
}
// CHECK: task 'blocks': out([n]y) is inferred
#pragma hsched task
void blocks(int n, int *y) {
  for (std::size_t b = 0; b < n; b += 8)
    for (std::size_t j = b; j < std::min<std::size_t>(b + 8, n); ++j)
      y[j] = 1;
}
// CHECK: task 'cases': inout([4]y) is inferred
#pragma hsched task
void cases(long n, int *y) {
  switch ((std::size_t)n) {
  case 0:
    y[0] = 1;
    break;
  case 3:
    y[3] = 1;
    break;
  default:
    y[1] = 1;
  }
}
// Both numbers are large.
// CHECK: task 'belowDifference': inout(y[-2:(h > 0 ? h : 0) + 1]) is inferred
#pragma hsched task
void belowDifference(int h, int *y) {
  for (int i = -2; i <= (h > 0 ? h : 0) - 2u; ++i)
    y[i] = 1;
}
// Numbers that are converted to types of different lengths are different if they are negative.
// CHECK: task 'lengths': inout([4]y) is inferred
#pragma hsched task
void lengths(int h, int *y) {
  if ((std::size_t)h != (unsigned)h)
    y[3] = 1;
  else
    y[0] = 1;
}
// A number that does not fit in int is negative there.
// CHECK: task 'back': inout(y[(int)(4 * ((unsigned int)(3 - u) / 4)):1]) is inferred
#pragma hsched task
void back(unsigned u, int *y) {
  int v = (3 - u) / 4 * 4;
  y[v] += 1;
}
// A mask of 32 bits.
// CHECK: task 'mask': inout(y[4 * ((3 * u) >> 2):1]) is inferred
#pragma hsched task
void mask(unsigned u, int *y) { y[3 * u & ~3] += 1; }
// Of a negative start there is no iteration.
// CHECK: task 'fromUnsigned': inout([l]y) is inferred
#pragma hsched task
void fromUnsigned(int m, long l, int *y) {
  for (unsigned i = m; i < l; ++i)
    y[i] = 1;
}
// A counter of few bits comes to the end of such a loop.
// CHECK: task 'fewBits': inout(y[((unsigned long)m < 4 ? m : 4):1]) is inferred
#pragma hsched task
void fewBits(int m, int *y) {
  for (signed char i = 1; i < (std::size_t)m; ++i)
    y[std::min<std::size_t>(m, 4)] += 1;
}
// Bits that leave an int are lost.
// CHECK: task 'shifted': inout(y[(int)(2 * (int)((unsigned int)(m - 1) / 2)):1]) is inferred
#pragma hsched task
void shifted(int m, int *y) {
  unsigned u = m;
  int v = (u - 1) / 2;
  y[v << 1] += 1;
}
// A number that is divided by 1 may be greater than any with a sign. So may one that is divided by n.
// CHECK: task 'byOne': inout([z]y) is inferred
#pragma hsched task
void byOne(std::size_t z, int *y) {
  for (std::size_t i = 0; i < z; ++i)
    if ((0 - z) / 1 >= i)
      y[i] += 1;
}
// CHECK: task 'byNumber': inout([z]y) is inferred
#pragma hsched task
void byNumber(std::size_t z, std::size_t n, int *y) {
  for (std::size_t i = 0; i < z; ++i)
    if ((0 - z) / n >= i)
      y[i] += 1;
}
// A number that is chosen under an assumption may be negative all the same.
// CHECK: task 'chosenEnd': the section that is inferred for 'y' holds all of it only where m >= 0
// CHECK: task 'chosenEnd': the section that is inferred for 'y' holds all of it only where ((m > l ? -m : 0)) >= 0
#pragma hsched task
void chosenEnd(int m, long l, int *y) {
  for (signed char i = 0; i < (l < (unsigned)m ? -m : 0u); ++i)
    y[i] += 1;
}
// A constant that is greater than any number with a sign.
// CHECK: task 'largest': out(a[-2:1]) is inferred
#pragma hsched task
void largest(unsigned char n, int *a) { a[std::max<std::size_t>(n, (1ul - 3) | 4)] = 1; }
// CHECK: task 'notLargest': out(a[n:1]) is inferred
#pragma hsched task
void notLargest(unsigned char n, int *a) { a[std::min<std::size_t>((1ul - 3) | 4, n)] = 1; }
// Not less than a number without a sign: so n may be negative, or not less.
// CHECK: task 'notLess': inout(y[n - 1:2]) is inferred
#pragma hsched task
void notLess(signed char n, int *y) {
  for (signed char i = 0; i < 2; ++i)
    if (!(n < static_cast<unsigned>(i > 0 ? i : 0)))
      y[n - i] += 1;
}
// A number with a sign that is compared with a large one without may be negative.
// CHECK: task 'belowLarge': inout(y[(int)(2 * ((unsigned int)m / 2)):2 * ((unsigned int)m / 2) + 1 - (int)(2 * ((unsigned int)m / 2))])
#pragma hsched task
void belowLarge(int m, int *y) {
  unsigned v = m;
  v = v / 2 * 2;
  for (int i = v; i <= v; i++)
    y[i] = 1;
}
// What holds in one branch is no fact about the lesser of two numbers.
// CHECK: task 'branches': in(x[h:1 - h]) is inferred
#pragma hsched task
void branches(int h, const int *x, int *y) {
  if (h <= 0) {
    if (h >= 0)
      y[std::min<std::size_t>(h, h / 5)] = x[0];
    y[3] = x[h];
  }
}
// A loop that starts at a large number meets a large end.
// CHECK: task 'largeStart': inout(y[(2 > (unsigned long)m ? 2 : m):1]) is inferred
#pragma hsched task
void largeStart(int h, int m, int *y) {
  for (unsigned i = h; i <= m; i++)
    y[std::max<std::size_t>(2, m)] += 1;
}
// CHECK: task 'smallStart': inout(y[(2 > m ? 2 : m):m]) is inferred
#pragma hsched task
void smallStart(int m, int *y) {
  for (unsigned i = 0; i < m; i++)
    y[i + std::max<std::size_t>(2, m)] += 1;
}
// A number of 64 bits that does not fit in int.
// CHECK: task 'cutOff': out(y[(int)(l > 4294967295 ? l : 4294967295) + 9:1]) is inferred
#pragma hsched task
void cutOff(long l, int *y) { y[int(l > 4294967295 ? l : 4294967295) + 9] = 1; }
// Of a negative m the sum exceeds 32 bits.
// CHECK: task 'evenSum': out(y[(unsigned int)(u + 2 * ((unsigned int)m / 2)):1]) is inferred
#pragma hsched task
void evenSum(int m, unsigned u, int *y) {
  unsigned v = m;
  v /= 2;
  y[v * 2 + u] = 1;
}
// CHECK: task 'halfSum': out(y[u + ((unsigned int)m / 2):1]) is inferred
#pragma hsched task
void halfSum(int m, unsigned u, int *y) { y[m / 2u + u] = 1; }
