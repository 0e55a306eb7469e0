// A change of a structured binding is lost like that of any other variable, and only of that one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -Wno-hsched-unnamed -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
struct Place {
  int found, where;
};
struct Room {
  double d[4];
  int n;
};
int search(const double *x, int n) {
  auto [found, where] = Place{};
#pragma hsched for
  for (int i = 0; i < n; ++i)
    if (x[i] == 0)
      // CHECK: [[@LINE+1]]:7: warning: every iteration changes 'found', and threads do so at the same time
      found = 1;
  return found + where;
}
int reference() {
  Place r{};
  auto &[a, b] = r;
  // CHECK: [[@LINE+2]]:3: warning: the task changes a copy of 'a' that is its own, and the change is lost
#pragma hsched task
  a = 4;
#pragma hsched taskwait
  return r.found + b;
}
double array(Room r) {
  auto [d, n] = r;
  // CHECK: [[@LINE+2]]:3: warning: the task changes a copy of 'd' that is its own, and the change is lost
#pragma hsched task
  d[n] = 4;
#pragma hsched taskwait
  return d[0] + n;
}
void reads(double *x, Place p) {
  auto [a, b] = p;
#pragma hsched task out(*x)
  x[0] = a + b;
#pragma hsched taskwait
  x[1] = a;
}
void bound(double *x, Place p) {
  auto [m, n] = p;
#pragma hsched taskloop out(x[i:1])
  for (int i = 0; i < n; ++i) {
    // CHECK: [[@LINE+1]]:5: error: 'n' says how far the taskloop's loop goes and cannot be changed in its body
    n = m;
    x[i] = 0;
  }
#pragma hsched taskwait
}
