// A kernel that compiles for hsched-cc and on no device: its version is disabled, the program's result is right.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <vector>

#pragma hsched task inout([n]x)
void twice(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}

#pragma hsched implements(twice) device(opencl) kernel("unbuildable.cl") ndrange(n)
void twice_cl(int n, int *x);

int main() {
  std::vector<int> x(1000, 1);
  for (int r = 0; r < 20; ++r)
    twice(1000, x.data());
#pragma hsched taskwait
  for (int v : x)
    if (v != 1 << 20)
      return 1;
  std::puts("correct");
  return 0;
}
