// In a template, too, a taskloop's bound is not changed by what its body calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <utility>
#include <vector>
void shrink(int *n);
void look(const int *n);
void lower(int &n);
void show(const int &n);
static int twice(int &n) { return n + n; }
template <class T> void pointers(T *p, int n) {
#pragma hsched taskloop out(p[i:1])
  for (int i = 0; i < n; ++i) {
    p[i] = 0;
    // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: 'n' says how far the taskloop's loop goes and cannot be changed in its body
    shrink(&n);
  }
}
template <class T> void swaps(T *p, int n, int m) {
#pragma hsched taskloop out(p[i:1])
  for (int i = 0; i < n; ++i) {
    p[i] = 0;
    // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: 'n' says how far the taskloop's loop goes and cannot be changed in its body
    std::swap(n, m);
  }
}
template <class T> void references(T *p, int n) {
#pragma hsched taskloop out(p[i:1])
  for (int i = 0; i < n; ++i) {
    p[i] = 0;
    // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: 'n' says how far the taskloop's loop goes and cannot be changed in its body
    lower(n);
  }
}
template <class T> void reads(T *p, int n) {
#pragma hsched taskloop out(p[i:1])
  for (int i = 0; i < n; ++i) {
    look(&n);
    show(n);
    std::vector<int> v;
    v.push_back(n);
    v.emplace_back(n);
    p[i] = twice(n) + std::make_pair(n, i).first;
  }
}
template void reads(double *, int);
