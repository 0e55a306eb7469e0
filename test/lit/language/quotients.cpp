// What is known of a quotient keeps clauses from being called wrong, and tells more of those that are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=warning:

// The loop ends at m / 2, and never at m: 2 * i + 1 is at most m - 1.
#pragma hsched task inout(y[1:m])
void half(int m, int *y) {
  for (int i = 1; i < m && i < m / 2; i++)
    y[2 * i + 1] = 1;
}
#pragma hsched task inout([m]y)
void twoEnds(int m, int *y) {
  for (int i = 0; i < m / 2; i++) {
    y[i] = 1;
    y[m - 1 - i] = 1;
  }
}
// CHECK: [[@LINE+1]]:27: warning: task 'beyond' touches 'y' outside '[m]y', the section that 'inout' names
#pragma hsched task inout([m]y)
void beyond(int m, int *y) {
  for (int i = 0; i <= m && i <= 3 * m / 2; i++)
    y[2 * i + 1] = 1;
}
// Without a sign u - 5 is never less than 0: nothing is known of it.
#pragma hsched task inout([u]y)
void wraps(unsigned u, int *y) {
  for (unsigned i = 0; i < u && i < (u - 5) / 2; i++)
    y[i] = 1;
}
