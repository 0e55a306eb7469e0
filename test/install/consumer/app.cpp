// Scales a vector twice, once here and once in another translation unit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "part.h"

#include <hsched/hsched.h>

#include <cstdio>
#include <vector>

#pragma hsched implements(scale) device(opencl) kernel("scale.cl") ndrange(n; 32)
void scale_cl(int n, float a, float *x);

int main() {
  std::vector<float> x(1000, 2.0f);
  for (int i = 0; i < 8; ++i)
    scale(125, 2.0f, &x[i * 125]);
  scaleAll(1000, x.data());
  scaleTwice(1000, x.data());
  hsched::taskwait();
  for (float v : x)
    if (v != 12.0f) {
      std::printf("consumer: WRONG: %g, not 12\n", v);
      return 1;
    }
  std::puts("consumer: correct");
  return 0;
}
