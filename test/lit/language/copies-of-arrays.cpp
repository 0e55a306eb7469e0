// An array of variable length whose elements can be copied and not assigned: the task has copies of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=gnu++11 -c %s -o %t.o 2>&1 | FileCheck %s --allow-empty --implicit-check-not=error: --implicit-check-not=warning:
struct alignas(64) Fixed {
  const int value = 7;
  Fixed() = default;
  explicit Fixed(int v) : value(v) {}
  Fixed(const Fixed &) = default;
  Fixed &operator=(const Fixed &) = delete;
};
void go(int n, int *sum) {
  Fixed all[n];
#pragma hsched task inout(*sum)
  for (int i = 0; i < n; ++i)
    *sum += all[i].value;
#pragma hsched taskwait
}
