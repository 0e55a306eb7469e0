// Why the part of memory that a body touches cannot be told, though each access is understood.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -ferror-limit=0 --hsched-explain -Wno-hsched -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cstring>

#pragma hsched task
void bytes(int n, float *x) { std::memset(x, 0, n); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: the bytes accessed are not whole elements; write it, for example inout([<count>]x)
// CHECK: [[@LINE-2]]:31: note: the bytes accessed are not whole elements
#pragma hsched task
void product(int n, float *x) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x[i * j] = 0;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: subscript 'j * i' is not affine; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:7: note: subscript 'j * i' is not affine
#pragma hsched task
void endChanges(float *x, int &k) {
  for (int i = 0; i < k; ++i)
    x[i] = 0;
  k = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: the loop's bound 'k' is not a sum or product of numbers that are known before the call; write it, for example inout([<count>]x)
// CHECK: [[@LINE-5]]:23: note: the loop's bound 'k' is not a sum or product of numbers that are known before the call
#pragma hsched task
void overflows(long long n, char *x) {
  for (long long i = 0; i < n; i += 4000000)
    x[i * 4000000000000] = 1;
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: subscript '4000000000000 * i' is not known before the call; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:5: note: subscript '4000000000000 * i' is not known before the call
#pragma hsched task
void twoEnds(int n, int m, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] = 1;
  for (int i = 0; i < m; ++i)
    x[i] += 1;
}
// CHECK: [[@LINE-7]]:16: remark: task 'twoEnds': out([n]x) is inferred
// CHECK: [[@LINE-8]]:16: remark: task 'twoEnds': inout([m]x) is inferred
#pragma hsched task
void manyStarts(int a, int b, int c, int d, int e, int f, int g, int h, int i, float *x) {
  x[a] = 1;
  x[b] += 1;
#define FOUR(k) x[k * c] = x[k * d] = x[k * e] = x[k * f] = 0
  FOUR(a), FOUR(b), FOUR(g), FOUR(h), FOUR(i), FOUR(11 * a), FOUR(13 * b), FOUR(17 * g);
}
// CHECK: [[@LINE-7]]:16: error: the extent of 'x' cannot be inferred: of 'a' and 'b' it is not known which is less; write it, for example inout([<count>]x)
// CHECK: [[@LINE-5]]:3: note: of 'a' and 'b' it is not known which is less
#pragma hsched task
void twoGuards(int n, int m, int k, float *x) {
  for (int i = 0; i < n; ++i)
    if (i >= m && i >= k)
      x[i] = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: of 'm' and 'k' it is not known which is greater; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:7: note: of 'm' and 'k' it is not known which is greater
// The loop's end, which both are below, may be more than there is.
#pragma hsched task
void oneLoop(int n, int m, int k, float *x) {
  for (int i = 0; i < n; ++i) {
    if (i < m)
      x[i] = 1;
    if (i < k)
      x[i] += 1;
  }
}
// CHECK: [[@LINE-9]]:16: remark: task 'oneLoop': out([(n < m ? n : m)]x) is inferred
// CHECK: [[@LINE-10]]:16: remark: task 'oneLoop': inout([(n < k ? n : k)]x) is inferred
#pragma hsched task
void pastTheEnd(int n, float *x) {
  for (int i = 0; i < n; i += 4)
    x[i] = x[i + 3];
}
// CHECK: [[@LINE-5]]:16: remark: task 'pastTheEnd': inout([4 * ((n + 3) / 4)]x) is inferred

// More than is worth the time.
#define X(a) x[n + a * a] = a;
#define TEN(a) X(a##0) X(a##1) X(a##2) X(a##3) X(a##4) X(a##5) X(a##6) X(a##7) X(a##8) X(a##9)
#pragma hsched task
void tooMany(int n, float *x) {
  TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
  TEN(10) TEN(11)
}
// CHECK: [[@LINE-5]]:16: error: the extent of 'x' cannot be inferred: there are too many accesses; write it, for example inout([<count>]x)
// CHECK: [[@LINE-3]]:11: note: there are too many accesses
// CHECK: [[@LINE-8]]:16: note: expanded from macro 'TEN'
// CHECK: [[@LINE-10]]:14: note: expanded from macro 'X'

template <int N> void add(float *p) {
  p[0] += 1, p[1] += 1, p[2] += 1, p[3] += 1;
  add<N - 1>(p), add<N - 1>(p), add<N - 1>(p), add<N - 1>(p);
}
template <> void add<0>(float *) {}
#pragma hsched task
void tooMuch(float *x) { add<7>(x); }
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: there is too much to analyse; write it, for example inout([<count>]x)

void statement(int n, float *x) {
#pragma hsched task inout([n]x)
  add<20>(x);
}
// CHECK: [[@LINE-3]]:16: remark: task 'statement:[[@LINE-3]]': of 'x' it is not known which part is touched
// CHECK: [[@LINE-3]]:3: note: the pointer 'x' changes
// CHECK: [[@LINE-5]]:16: remark: task 'statement:[[@LINE-5]]': of 'x[...]' it is not known which part is touched
// CHECK: [[@LINE-5]]:3: note: 'x[...]' is one of several arrays
// CHECK: [[@LINE-7]]:16: remark: task 'statement:[[@LINE-7]]': of 'other memory' it is not known which part is touched
// CHECK: [[@LINE-7]]:3: note: a part of it is not understood
// The last element of a single access is known as well.
#pragma hsched task
void steps(int n, float *x) {
  for (int i = 0; i < n; i += 4)
    x[i + 3] = 1;
}
// CHECK: [[@LINE-5]]:16: remark: task 'steps': inout(x[3:4 * ((n + 3) / 4) - 3]) is inferred
// The same where the section begins.
#pragma hsched task
void stepsBack(int n, float *x) {
  for (int i = 0; i < n; i += 2)
    x[n - 1 - i] = x[n - 2 - i];
}
// CHECK: [[@LINE-5]]:16: remark: task 'stepsBack': inout(x[n - 2 * ((n + 1) / 2):2 * ((n + 1) / 2)]) is inferred
// It is not if the start is another counter.
#pragma hsched task
void innerSteps(int n, float *x) {
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; j += 4)
      x[j + 3] = 1;
}
// CHECK: [[@LINE-6]]:16: error: the extent of 'x' cannot be inferred: whether the loop's step divides its length is not known, so where 'j + 3' ends is not; write it, for example inout([<count>]x)
