// Bytes taken for elements: 'out' of which a part is left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <algorithm>
#include <cstring>

// CHECK: [[@LINE+1]]:25: warning: task 'cleared' does not overwrite all of '[n]a', which 'out' promises: what it leaves is lost [-Whsched-coverage]
#pragma hsched task out([n]a)
void cleared(int n, float *a) { memset(a, 0, n); }
// CHECK: [[@LINE-1]]:33: note: this is all that is surely written

// CHECK: [[@LINE+1]]:34: warning: task 'copied' does not overwrite all of '[n]a'
#pragma hsched task in([n]b) out([n]a)
void copied(int n, float *a, const float *b) { memcpy(a, b, n); }
// CHECK: [[@LINE-1]]:48: note: this is all that is surely written

// CHECK: [[@LINE+1]]:25: warning: task 'of_float' does not overwrite all of '[n]a'
#pragma hsched task out([n]a)
void of_float(int n, double *a) { memset(a, 0, n * sizeof(float)); }
// CHECK: [[@LINE-1]]:35: note: this is all that is surely written

// All of it, or who knows.
#pragma hsched task out([n]a)
void whole(int n, float *a) { memset(a, 0, n * sizeof *a); }
#pragma hsched task out([n]a)
void chars(int n, char *a) { memset(a, 0, n); }
#pragma hsched task out([n]a)
void given(int n, float *a, int bytes) { memset(a, 0, bytes); }
#pragma hsched task out([n / 4]a)
void divided(int n, float *a) { memset(a, 0, n); }
#pragma hsched task out([n]a)
void rest(int n, float *a) {
  memset(a, 0, n);
  for (int i = n / 4; i < n; ++i)
    a[i] = 0;
}
#pragma hsched task out([n]a)
void twice(int n, float *a) {
  memset(a, 0, n);
  memset(a, 0, n * sizeof *a);
}
