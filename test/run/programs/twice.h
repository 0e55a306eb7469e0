// What both units of the program see alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_TWICE_H
#define HSCHED_TEST_TWICE_H

#pragma hsched task inout([n]y)
inline void addOne(int n, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] += 1;
}

struct Tools {
#pragma hsched task inout([n]y)
  static void halve(int n, float *y) {
    for (int i = 0; i < n; ++i)
      y[i] /= 2;
  }
};

#pragma hsched task out([n]x)
template <class T> void fill(int n, T *x) {
  for (int i = 0; i < n; ++i)
    x[i] = T(7);
}

#pragma hsched implements(addOne) device(cpu)
inline void addOneBackwards(int n, float *y) {
  while (n-- > 0)
    y[n] += 1;
}

bool other(int n, float *y);
#endif
