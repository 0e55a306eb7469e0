// The other. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception.
#include "numbers.h"
#include "tasks.h"

static void part(int n, float *y);

void second(int n, float *y) { part(n, y); }

#pragma hsched task inout([n]y)
static void part(int n, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] -= One;
}
