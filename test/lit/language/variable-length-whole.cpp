// An array of variable length that a clause of a statement names whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc %s -o %t && env HSCHED_OPENCL=0 %t | FileCheck %s
#include <cstdio>

struct Cell {
  double heat;
  int seen;
};

static void cool(int cells) {
  Cell row[cells + 1];
#pragma hsched task out(row)
  for (int k = 0; k <= cells; ++k)
    row[k] = {0.5 * k, 0};
#pragma hsched task inout(row)
  {
    for (int k = 0; k <= cells; ++k)
      row[k].seen += k;
  }
#pragma hsched taskwait
  std::printf("%g %d\n", row[cells].heat, row[cells].seen);
}

int main() {
  int n = 4;
  double sums[n];
#pragma hsched task out(sums)
  for (int i = 0; i < n; ++i)
    sums[i] = i;
#pragma hsched task in(sums)inout(n)
  n += static_cast<int>(sums[n - 1]);
#pragma hsched taskwait
  std::printf("%d\n", n);
  // CHECK: 7
  cool(6);
  // CHECK: 3 6
}
