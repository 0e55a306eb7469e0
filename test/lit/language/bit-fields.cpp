// A bit-field has fewer numbers than its type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
struct Bits {
  int s : 3;
  unsigned u : 3;
};
// CHECK-DAG: task 'up': out(x[6:1]) is inferred
#pragma hsched task
void up(int *x) {
  Bits b = {3, 0};
  ++b.s;
  x[b.s + 10] = 1;
}
// CHECK-DAG: task 'assigned': out(x[1:1]) is inferred
#pragma hsched task
void assigned(int *x) {
  Bits b = {0, 0};
  b.u = 9;
  x[b.u] = 1;
}
// CHECK-DAG: task 'twice': out(x[2:1]) is inferred
#pragma hsched task
void twice(int *x) {
  Bits b = {0, 5};
  b.u *= 2;
  x[b.u] = 1;
}
// CHECK-DAG: error: the extent of 'any' cannot be inferred
#pragma hsched task
void stored(unsigned n, int *any) {
  Bits b = {0, 0};
  b.u = n;
  any[b.u] = 1;
}
// CHECK-DAG: error: the extent of 'listed' cannot be inferred
#pragma hsched task
void list(unsigned n, int *listed) {
  Bits b = {0, n};
  listed[b.u] = 1;
}
struct Made {
  unsigned u : 3;
  explicit Made(unsigned n) : u(n) {}
};
// CHECK-DAG: error: the extent of 'made' cannot be inferred
#pragma hsched task
void make(unsigned n, int *made) {
  Made b(n);
  made[b.u] = 1;
}
// CHECK-DAG: task 'given': out(x[b.u:1]) is inferred
#pragma hsched task
void given(Bits b, int *x) { x[b.u] = 1; }
