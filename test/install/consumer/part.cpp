// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "part.h"

void scale(int n, float a, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= a;
}

void scaleAll(int n, float *x) { scale(n, 3.0f, x); }
