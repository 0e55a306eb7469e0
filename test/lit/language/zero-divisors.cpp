// Sections are evaluated at the call, without the condition that keeps a divisor from being 0 in the body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -w --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=INFERRED
// RUN: %hsched-cc -w -O1 %s -o %t && %t | FileCheck %s
#include <cstddef>
#include <cstdio>

// INFERRED: task 'quotient': inout(y[(m / n):1]) is inferred
#pragma hsched task
void quotient(int m, int n, int *y) {
  if (n)
    y[m / n] += 1;
}
// INFERRED: task 'rest': inout(y[(m % n):1]) is inferred
#pragma hsched task
void rest(int m, int n, int *y) {
  if (n != 0)
    y[m % n] += 1;
}
// A constant by a name.
// INFERRED: task 'parts': inout(y[(12 / n):1]) is inferred
#pragma hsched task
void parts(int n, int *y) {
  if (n > 0)
    y[12 / n] += 1;
}
// The divisor is converted.
// INFERRED: task 'sizes': inout([(z / (unsigned long)n)]y) is inferred
#pragma hsched task
void sizes(std::size_t z, int n, int *y) {
  if (n)
    for (std::size_t i = 0; i < z / n; ++i)
      y[i] += 1;
}
// A divisor that is an expression.
// INFERRED: task 'between': inout([(m / (n - k))]y) is inferred
#pragma hsched task
void between(int m, int n, int k, int *y) {
  if (n > k)
    for (int i = 0; i < m / (n - k); ++i)
      y[i] += 1;
}

int main() {
  int y[16] = {};
  for (int n = 0; n < 4; ++n) {
    quotient(12, n, y);
    rest(14, n, y);
    parts(n, y);
    sizes(6, n, y);
    between(6, 2, n, y);
  }
#pragma hsched taskwait
  for (int v : y)
    std::printf("%d ", v);
  // CHECK: 7 5 5 2 4 2 2 0 0 0 0 0 2 0 0 0
  std::puts("");
}
