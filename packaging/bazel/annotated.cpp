// A program with a task and a version of it for OpenCL devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#pragma hsched task
void scale(int n, float a, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= a;
}

#pragma hsched implements(scale) device(opencl) kernel("scale.cl", "scale_cl") ndrange(n)
void scale_cl(int n, float a, float *x);

int main() {
  const int n = 1 << 12;
  static float x[n];
  for (float &v : x)
    v = 1;
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < n; i += n / 4)
      scale(n / 4, 2, x + i);
#pragma hsched taskwait
  double sum = 0;
  for (float v : x)
    sum += v;
  std::puts(sum == 8.0 * n ? "correct" : "WRONG");
  return sum != 8.0 * n;
}
