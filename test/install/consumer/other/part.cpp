// Has the name of another source. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception.
#include "../part.h"

void scaleTwice(int n, float *x) {
  scale(n, 2.0f, x);
  scale(n, 0.5f, x);
}
