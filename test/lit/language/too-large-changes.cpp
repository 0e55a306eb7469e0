// What is too large to be followed changes what it mentions other than to read it, of any type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -Wno-hsched-unnamed -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <algorithm>
#include <vector>
#define TEN(X) X X X X X X X X X X
#define LARGE(X) (X TEN(TEN(TEN(+X))))
struct S {
  int m, d[3];
  int get() const { return m; }
};
int arrays(int k) {
  int a[4] = {};
  // CHECK: [[@LINE+2]]:3: warning: the task changes a copy of 'a' that is its own, and the change is lost
#pragma hsched task
  a[3] = LARGE(k);
#pragma hsched taskwait
  return a[3];
}
int objects(int k) {
  S s{};
  std::vector<int> v, w(3);
  // CHECK: [[@LINE+4]]:5: warning: the task changes a copy of 'v' that is its own, and the change is lost
  // CHECK: [[@LINE+4]]:5: warning: the task changes a copy of 's' that is its own, and the change is lost
#pragma hsched task
  {
    v.push_back(LARGE(k));
    s.m = int(w.size());
  }
#pragma hsched taskwait
  return s.m + int(v.size() + w.size());
}
int reads(int k) {
  S s{}, t{};
  int a[4] = {};
#pragma hsched task
  {
    volatile int x = LARGE(k);
    x = s.m + s.get() + t.d[1] + a[2];
    S other = s;
  }
#pragma hsched taskwait
  return s.m + t.m + a[1];
}
void bounds(double *x, int n, int k) {
#pragma hsched taskloop out(x[i:1])
  for (int i = 0; i < n; ++i) {
    const int &r = n;
    auto use = [&] { return n; };
    x[i] = LARGE(k) + std::min(n, i) + int(sizeof n) + r + use();
  }
#pragma hsched taskwait
}
void changed(double *x, int n, int k) {
#pragma hsched taskloop out(x[i:1])
  for (int i = 0; i < n; ++i) {
    // CHECK: [[@LINE+2]]:14: error: 'n' says how far the taskloop's loop goes and cannot be changed in its body
    x[i] = 0;
    int &r = n;
    x[i] = LARGE(k) + r;
  }
#pragma hsched taskwait
}
