// Operators and conversions of the program's classes that the library uses on objects with pointers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>
template <class V> struct Box {
  V *p;
};
template <class V> bool operator<(const Box<V> &a, const Box<V> &b) { return *a.p < *b.p; }
// CHECK-DAG: error: the extent of 'sorted' cannot be inferred: functions of 'Box<int>' may follow it
#pragma hsched task
void sort(int *sorted) {
  std::array<Box<int>, 2> a = {{{sorted}, {sorted + 1}}};
  std::sort(a.begin(), a.end());
}
struct Next {
  int *p;
  Next &operator++() {
    ++*p;
    return *this;
  }
};
// CHECK-DAG: error: the extent of 'counted' cannot be inferred: functions of 'Next' may follow it
#pragma hsched task
void count(int *counted) {
  std::vector<Next> v(3);
  std::iota(v.begin(), v.end(), Next{counted});
}
struct Factor {
  int *p;
};
int operator*(const Factor &a, const Factor &b) { return *a.p * *b.p; }
// CHECK-DAG: error: the extent of 'factor' cannot be inferred: functions of 'Factor' may follow it
#pragma hsched task
void product(int *factor, int *out) {
  Factor f[2] = {{factor}, {factor}};
  *out = std::inner_product(f, f + 2, f, 0);
}
struct Converted {
  int *p;
  operator int() const { return *p; }
};
// CHECK-DAG: error: the extent of 'converted' cannot be inferred: functions of 'Converted' may follow it
#pragma hsched task out([2]out)
void convert(int *converted, int *out) {
  Converted c[2] = {{converted}, {converted}};
  std::copy(c, c + 2, out);
}
template <class V> struct Plain {
  V *p;
};
// CHECK-DAG: task 'plain': out(*x) is inferred
#pragma hsched task
void plain(int *x) {
  Plain<int> a{x}, b{nullptr};
  std::swap(a, b);
  *b.p = 1;
}
struct Smart {
  int *p;
  explicit operator bool() const { return p; }
  int &operator*() const { return *p; }
};
// CHECK-DAG: task 'smart': out(*x) is inferred
#pragma hsched task
void smart(int *x) {
  std::vector<Smart> v;
  v.push_back({x});
  *v[0] = 1;
}
