// Functions whose text is the same in both units, and whose meaning is not: macros make the difference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_ALIKE_H
#define HSCHED_TEST_ALIKE_H

#ifdef ALIKE_OTHER
#define ALIKE_STEP(e) e += 10
#else
#define ALIKE_STEP(e) e = 5
#endif

#pragma hsched task
inline void plain(int n, long *y) {
  for (int i = 0; i < n; ++i)
    ALIKE_STEP(y[i]);
}

#pragma hsched task
template <class T> void general(int n, T *y) {
  for (int i = 0; i < n; ++i)
    ALIKE_STEP(y[i]);
}

template <class T> struct Holder {
#pragma hsched task
  static void member(int n, T *y) {
    for (int i = 0; i < n; ++i)
      ALIKE_STEP(y[i]);
  }
};

// The same in both.
#pragma hsched task
template <class T> void same(int n, T *y) {
  for (int i = 0; i < n; ++i)
    y[i] += 1;
}

void other(long *y);
#endif
