// Sections that are out, and left on one side of a condition on the task's own numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// CHECK: [[@LINE+1]]:25: warning: task 'flag' does not overwrite all of '*p', which 'out' promises: what it leaves is lost [-Whsched-coverage]
#pragma hsched task out(*p)
void flag(int *p, bool c) {
  if (c)
    *p = 3; // CHECK: [[@LINE]]:5: note: this is all that is surely written
}
// CHECK: [[@LINE+1]]:25: warning: task 'inside' does not overwrite all of '[n]y'
#pragma hsched task out([n]y)
void inside(float *y, int n, bool c) {
  for (int i = 0; i < n; ++i)
    if (!c)
      y[i] = 1;
}
// CHECK: [[@LINE+1]]:25: warning: task 'modes' does not overwrite all of '[n]y'
#pragma hsched task out([n]y)
void modes(float *y, int n, int mode) {
  if (mode == 1)
    for (int i = 0; i < n; ++i)
      y[i] = 1;
  else if (mode == 2)
    for (int i = 0; i < n; ++i)
      y[i] = 2;
}
// CHECK: [[@LINE+1]]:25: warning: task 'cases' does not overwrite all of '[n]y'
#pragma hsched task out([n]y)
void cases(float *y, int n, int mode) {
  switch (mode) {
  case 0:
    for (int i = 0; i < n; ++i)
      y[i] = 1;
    break;
  case 1:
    for (int i = 0; i < n; ++i)
      y[i] = 2;
    break;
  }
}
// Right ones, and what may be meant.
#pragma hsched task out([n]y)
void both(float *y, int n, int mode) {
  if (mode == 1)
    for (int i = 0; i < n; ++i)
      y[i] = 1;
  if (mode != 1)
    for (int i = 0; i < n; ++i)
      y[i] = 2;
}
#pragma hsched task out([n]y)
void before(float *y, int n, bool c) {
  for (int i = 0; i < n; ++i) {
    y[i] = 0;
    if (c)
      y[i] = 1;
  }
}
#pragma hsched task out([n]y)
void throws(float *y, int n, int mode) {
  if (mode >= 0)
    for (int i = 0; i < n; ++i)
      y[i] = 1;
  else
    throw mode;
}
#pragma hsched task out(*p)
void null(int *p) {
  if (p)
    *p = 1;
}
#pragma hsched task out([1]s) in([n]x)
void some(float *s, const float *x, int n) {
  if (n > 0) {
    *s = 0;
    for (int i = 0; i < n; ++i)
      *s += x[i];
  }
}
#pragma hsched task out(y[k:1])
void bounded(float *y, int k, int n) {
  if (k < n)
    y[k] = 1;
}
enum class Kind { One, Two };
#pragma hsched task out([n]y)
void kinds(float *y, int n, Kind kind) {
  switch (kind) {
  case Kind::One:
    for (int i = 0; i < n; ++i)
      y[i] = 1;
    break;
  case Kind::Two:
    for (int i = 0; i < n; ++i)
      y[i] = 2;
    break;
  }
}
