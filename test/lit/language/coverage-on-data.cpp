// An 'out' that is kept on a condition on data alone; what is no such thing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:

// CHECK: [[@LINE+1]]:34: warning: task 'positive' writes '[n]y' on a condition alone, but 'out' promises to overwrite it: where it does not, what was there is lost [-Whsched-coverage]
#pragma hsched task in([n]x) out([n]y)
void positive(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    if (x[i] > 0)
      y[i] = x[i]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is written here, if data that was read says so
}

// CHECK: [[@LINE+1]]:34: warning: task 'found' writes '*at' on a condition alone
#pragma hsched task in([n]x) out(*at)
void found(int n, const float *x, int *at) {
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) {
      *at = i;
      break;
    }
}
// CHECK: note: it is written here

// CHECK: [[@LINE+1]]:34: warning: task 'returns' writes '[n]y' on a condition alone
#pragma hsched task in([n]x) out([n]y)
void returns(int n, const float *x, float *y) {
  if (x[0] < 0)
    return;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
// CHECK: note: it is written here

// Both sides do.
#pragma hsched task in([n]x) out([n]y)
void both(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    if (x[i] > 0)
      y[i] = x[i];
    else
      y[i] = 0;
}

// Two conditions, of which one may always hold.
#pragma hsched task in([n]x) out([n]y)
void either(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i) {
    if (x[i] > 0)
      y[i] = x[i];
    if (x[i] <= 0)
      y[i] = 0;
  }
}

// What throws promises nothing; what is no data may always be so; a loop may go on until it is written.
#pragma hsched task in([n]x) out([n]y)
void throws(int n, const float *x, float *y) {
  if (x[0] < 0)
    throw 1;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
#pragma hsched task out([n]y)
void flag(int n, bool wanted, float *y) {
  if (!wanted || !y)
    return;
  for (int i = 0; i < n; ++i)
    y[i] = 1;
}
#pragma hsched task inout(*x) out(*y)
void until(float *x, float *y) {
  while (true) {
    *x *= 2;
    if (*x > 100) {
      *y = *x;
      return;
    }
  }
}
