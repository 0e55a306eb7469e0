// Tasks that several targets use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#pragma hsched task inout([n]y)
void scale(int n, float factor, float *y);

#pragma hsched task inout([n]y)
void shift(int n, float by, float *y);

#pragma hsched task in([n]x) out(sum[0:1])
inline void add(int n, const float *x, float *sum) {
  *sum = 0;
  for (int i = 0; i < n; ++i)
    *sum += x[i];
}

void first(int n, float *y);  // A task in each adds one,
void second(int n, float *y); // And takes it away.
