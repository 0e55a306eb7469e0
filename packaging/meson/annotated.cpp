// A program with a task: hsched-cc compiles it, or any C++ compiler as a serial program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#pragma hsched task
void scale(int n, double a, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= a;
}

int main() {
  static double x[1000];
  for (double &v : x)
    v = 2;
  scale(1000, 3, x);
  scale(1000, 5, x);
#pragma hsched taskwait
  std::puts(x[999] == 30 ? "correct" : "WRONG");
  return x[999] != 30;
}
