// Counters of types that are narrower than int go on from their greatest number to their least.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK-DAG: task 'beside': the section that is inferred for 'y' holds all of it only where 6 - n >= 0
#pragma hsched task
void beside(int n, int *y) {
  unsigned char c = 250;
  for (int i = 0; i < n; ++i)
    y[c++] = 1;
}
// CHECK-DAG: task 'shorts': the section that is inferred for 'y' holds all of it only where 32768 - n >= 0
// CHECK-DAG: task 'shorts': inout([n]y) is inferred
#pragma hsched task
void shorts(int n, int *y) {
  short s = 0;
  for (int i = 0; i < n; ++i)
    y[s++] = i;
}
// CHECK-DAG: error: the extent of 'down' cannot be inferred: 'c' changes in a way that is not affine
#pragma hsched task
void downwards(int n, int *down) {
  unsigned char c = 3;
  for (int i = 0; i < n; ++i)
    down[c--] = 1;
}
// Its loop ends before it wraps.
// CHECK-NOT: task 'counts': the section
// CHECK-DAG: task 'counts': out([n]y) is inferred
#pragma hsched task
void counts(int n, int *y) {
  for (short i = 0; i < n; ++i)
    y[i] = i;
}
// CHECK-DAG: task 'known': out([4]y) is inferred
#pragma hsched task
void known(int *y) {
  for (short i = 0, k = 0; i < 4; ++i)
    y[k++] = i;
}
// CHECK-DAG: task 'once': out(*y) is inferred
#pragma hsched task
void once(int *y) {
  unsigned char c = 255;
  ++c;
  y[c] = 1;
}

// If it wraps, it goes on to the other end.
// CHECK-DAG: task 'twoEnds': the section that is inferred for 'y' holds all of it only where 128 - b >= 0
#pragma hsched task
void twoEnds(unsigned char b, int n, int *y) {
  for (signed char i = 0; i < b && i != n; ++i)
    y[i] = 1;
}
// Where it has wrapped, it is a large number.
// CHECK-DAG: task 'large': inout([z]y) is inferred
#pragma hsched task
void large(unsigned long z, int *y) {
  for (signed char i = 0; i < z; ++i)
    y[i] = 1;
}
// A conversion has all numbers of its type only if the counter goes beyond them.
// CHECK-DAG: error: the extent of 'some' cannot be inferred: subscript '(unsigned char)i' is not affine
#pragma hsched task
void converted(int n, int *some) {
  for (int i = 0; i < n; ++i)
    some[(unsigned char)i] = 1;
}
// CHECK-DAG: task 'all': inout([256]y) is inferred
#pragma hsched task
void all(int *y) {
  for (int i = 0; i < 300; ++i)
    y[(unsigned char)i] = 1;
}
// The first iteration is certain, and the counter may wrap at its end.
// CHECK: task 'fromAnywhere': the section that is inferred for 'y' holds all of it only where 254 - b >= 0
// CHECK: task 'fromAnywhere': inout(y[b:(z > (b + 1) ? z : (b + 1)) - b]) is inferred
#pragma hsched task
void fromAnywhere(unsigned char b, unsigned long z, int *y) {
  unsigned char i = b;
  do {
    y[i] = 1;
    i++;
  } while (i < z);
}
// CHECK: task 'fromZero': out([(z > 1 ? z : 1)]y) is inferred
#pragma hsched task
void fromZero(unsigned long z, int *y) {
  unsigned char i = 0;
  do {
    y[i] = 1;
    i++;
  } while (i < z);
}
