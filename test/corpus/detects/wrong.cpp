// Expectations that are false on purpose: hsched-corpus must say so of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Said to be updated, is not written.
// expect: inout([n]x) out([n]y)
void copies(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}

// Said to be read, is written: wrong, and an alarm if it were declared.
// expect: in([n]x)
void writes(int n, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

// Said to touch less than it does.
// expect: out([n]x)
void leaves(int n, float *x) {
  for (int i = 0; i <= n; ++i)
    x[i] = 0;
}

// Said not to be touched.
// expect: none(x)
void touches(int n, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] = 0;
}

// Something is touched that is not said.
// expect: out([n]x)
void more(int n, float *x, float *y) {
  for (int i = 0; i < n; ++i)
    x[i] = y[i] = 0;
}
