// Loops whose counter has a sign and whose bound has none, and the other way round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -w --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cstddef>

// CHECK: task 'fromOne': out(y[1:n]) is inferred
#pragma hsched task
void fromOne(int n, int *y) {
  for (std::size_t i = 1; i <= n; ++i)
    y[i] = 1;
}
// CHECK: task 'turned': out([n + 1]y) is inferred
#pragma hsched task
void turned(int n, int *y) {
  for (unsigned i = 0; n >= i; ++i)
    y[i] = 1;
}
// CHECK: task 'fromNone': out([u + 1]y) is inferred
#pragma hsched task
void fromNone(unsigned u, int *y) {
  for (int i = 0; i <= u; ++i)
    y[i] = 1;
}
// -1 is a great number where it is compared with what has no sign: the loop does not run.
// CHECK: task 'below': inout([u]y) is inferred
#pragma hsched task
void below(unsigned u, int k, int *y) {
  for (int i = k; i < u; ++i)
    y[i] = 1;
}
// CHECK: task 'notAbove': inout([u + 1]y) is inferred
#pragma hsched task
void notAbove(unsigned u, int k, int *y) {
  for (int i = k; i <= u; ++i)
    y[i] = 1;
}
// CHECK: task 'atLeast': inout([u + 1]y) is inferred
#pragma hsched task
void atLeast(unsigned u, int k, int *y) {
  for (int i = k; u >= i; ++i)
    y[i] = 1;
}
// What is not below 0 and not below u: a guard that lets through what is.
// CHECK: task 'guarded': inout([(m < u ? m : u)]y) is inferred
#pragma hsched task
void guarded(unsigned u, int k, int m, int *y) {
  for (int i = k; i < m; ++i) {
    if (i >= u)
      continue;
    y[i] = 1;
  }
}
// A quotient of a difference that is negative as an int, and large without a sign.
// CHECK: task 'shifted': out(y[((unsigned int)(i - 5) >> 28):1]) is inferred
#pragma hsched task
void shifted(int i, int *y) { y[(i - 5u) >> 28] = 1; }
// CHECK: task 'halved': out(y[((unsigned long)(n - i) / 2):1]) is inferred
#pragma hsched task
void halved(int i, std::size_t n, int *y) { y[(n - i) / 2] = 1; }
// CHECK: task 'rest': out(y[((unsigned int)(i - 5) % 8):1]) is inferred
#pragma hsched task
void rest(int i, int *y) { y[(i - 5u) % 8] = 1; }
// Terms that cancel each other leave a constant, which is one without a sign as well.
// CHECK: task 'wrapped': out(y[3:1]) is inferred
#pragma hsched task
void wrapped(int i, int *y) { y[(i + 2 - i) * 2654435761u >> 28] = 1; }
// CHECK: task 'wrappedRest': out(y[3:1]) is inferred
#pragma hsched task
void wrappedRest(unsigned u, int *y) { y[(u - 1 - u) % 7] = 1; }
// CHECK: task 'wrappedTop': out(y[3:1]) is inferred
#pragma hsched task
void wrappedTop(unsigned u, int *y) {
  const unsigned last = u - 1 - u;
  y[last >> 30] = 1;
}
// CHECK: task 'wrappedDivisor': out(*y) is inferred
#pragma hsched task
void wrappedDivisor(unsigned u, int *y) { y[5 / (u - 1 - u)] = 1; }
// A negative number of a small signed type is another one without a sign, and a great one without a sign is negative.
// CHECK: task 'bytes': out(y[(unsigned char)c:1]) is inferred
#pragma hsched task
void bytes(signed char c, int *y) { y[(unsigned char)c] = 1; }
// CHECK: task 'signedBytes': out(y[(signed char)c:1]) is inferred
#pragma hsched task
void signedBytes(unsigned char c, int *y) { y[(signed char)c] = 1; }
// CHECK: task 'widerBytes': out(y[c:1]) is inferred
#pragma hsched task
void widerBytes(unsigned char c, int *y) { y[(short)c] = 1; }
