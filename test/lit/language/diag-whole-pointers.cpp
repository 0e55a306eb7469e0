// A pointer named whole, in templates too: its type is a pointer, whatever it points to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -fsyntax-only %s 2>&1 | FileCheck %s
template <class T> struct Holder {
  T *p;
  void change(T *u) {
// CHECK: [[@LINE+1]]:27: error: the size of 'p' is unknown, because it is a pointer: write '[n]p' or 'p[start:length]'; '*&p' is the pointer itself
#pragma hsched task inout(p)
    *p += 1;
// CHECK: [[@LINE+1]]:27: error: the size of 'u' is unknown, because it is a pointer: write '[n]u' or 'u[start:length]'
#pragma hsched task inout(u)
    *u += 1;
  }
};
// CHECK: [[@LINE+1]]:27: error: the size of 'u' is unknown, because it is a pointer: write '[n]u' or 'u[start:length]'
#pragma hsched task inout(u)
template <class T> void set(T *u) { *u = 1; }
int main() {
  int q = 0;
  Holder<int>{&q}.change(&q);
  set(&q);
}
