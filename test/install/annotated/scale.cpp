// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tasks.h"

extern "C" int answer(void);

void scale(int n, float factor, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] *= factor * static_cast<float>(answer()) / 42;
}

#pragma hsched implements(scale) device(opencl) kernel("scale.cl") ndrange(n; 64)
void scale_cl(int n, float factor, float *y);
