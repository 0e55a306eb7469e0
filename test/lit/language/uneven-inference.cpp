// Sections of taskloops that only rise or only fall are inferred.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 -O1 --hsched-explain %s -o %t 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: %host-cxx -std=c++17 -w %s -o %t.elided && %t.elided > %t.serial
// RUN: env HSCHED_OPENCL=0 HSCHED_NCPU=3 %t > %t.tasks && diff %t.tasks %t.serial
// RUN: %hsched-cc -std=c++17 -O1 -g --hsched-check %s -o %t.checked && env HSCHED_OPENCL=0 %t.checked > %t.seen && diff %t.seen %t.serial
#include <cstdio>

unsigned x[512];

void halves(unsigned *p, unsigned *q, int n, int m) {
  // CHECK: task 'halves:[[@LINE+1]]': inout(p[(i / 2):1]) is inferred
#pragma hsched taskloop grainsize(3)
  for (int i = 0; i < n; ++i)
    p[i / 2] = p[i / 2] * 3 + i;
  // CHECK: task 'halves:[[@LINE+1]]': inout(q[(i >> 2):m]) is inferred
#pragma hsched taskloop grainsize(5)
  for (int i = n - 1; i >= 0; --i)
    for (int k = i >> 2; k < (i >> 2) + m; ++k)
      q[k] = q[k] * 3 + i;
}
int main() {
  for (int round = 0; round < 4; ++round) {
    halves(x, x + 20, 90, 3);
  }
#pragma hsched taskwait
  for (unsigned v : x)
    std::printf("%u\n", v);
}
