// What a task on a statement only reads in its copies is not lost; what it may change through another name is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -Wno-hsched-unnamed -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
struct Captured {
  int n = 1, d[4] = {};
  int size() { return n; }
  int sum() {
    int s = size();
    for (int x : d)
      s += x;
    return s;
  }
  int counted() { return ++n; }
  int &first() { return d[0]; }
  int again() { return deeper(); }
  int deeper() { return counted(); }
  virtual int unknown() { return n; }
};
static int first(int *a) { return a[0]; }
static int last(int *a, int n) { return a && n > 0 ? *(a + n - 1) + first(a) : 0; }
static int get(int &x) { return x; }
static int element(std::vector<int> &v) { return v[0] + v.back() + static_cast<int>(v.size()); }
static int down(int *a, int n) { return n == 0 ? a[0] : down(a, n - 1); }
static void set(int *a) { a[0] = 2; }
static void row(int (*a)[2]) { a[0][1] = 2; }
static int *leak(int *a) { return a + 1; }
static int *back(int *a) { return a - 1; }
static void castAway(const int &x) { const_cast<int &>(x) = 1; }
static int quiet(int &x) { return const_cast<int &>(static_cast<const int &>(x)) = 1; }
static int twice(int &x) { return quiet(x); }
static int add(std::map<int, int> &m) { return m[4]; }
static int kept(int &x) {
  static int *where;
  where = &x;
  return *where;
}
static int byName(int &x) {
  int &r = x;
  r = 1;
  return r;
}
int ranges() {
  int coef[3] = {1, 2, 3}, sum = 0;
  std::vector<int> v{1};
  std::string s = "s";
  std::map<int, int> m{{1, 2}};
#pragma hsched task out(sum)
  {
    sum = 0;
    for (int c : coef)
      sum += c;
    for (int c : v)
      sum += c;
    for (char c : s)
      sum += c;
    for (const auto &[k, x] : m)
      sum += k + x;
    for (auto [k, x] : m)
      sum += k + x;
  }
#pragma hsched task inout(sum)
  {
    for (int &c : coef)
      sum += c;
    for (auto &c : v)
      sum += c;
    for (auto &&c : s)
      sum += c;
    for (auto &[k, x] : m)
      sum += x;
  }
  // CHECK: [[@LINE+3]]:5: warning: the task changes a copy of 'coef'
#pragma hsched task
  for (int &c : coef)
    c = 0;
  // CHECK: [[@LINE+2]]:18: warning: the task changes a copy of 'v'
#pragma hsched task
  for (auto &c : v)
    set(&c);
  // CHECK: [[@LINE+3]]:7: warning: the task changes a copy of 's'
#pragma hsched task
  for (auto &&c : s)
    ++c;
  // CHECK: [[@LINE+3]]:5: warning: the task changes a copy of 'm'
#pragma hsched task
  for (auto &[k, x] : m)
    x = k;
#pragma hsched taskwait
  return sum + coef[0] + v[0] + s[0] + m[1];
}
template <class T> T dependent(const std::vector<T> &from) {
  std::vector<T> v = from;
  T sum{};
#pragma hsched task out(sum)
  {
    sum = T();
    for (T x : v)
      sum += x;
  }
#pragma hsched taskwait
  return sum + v[0];
}
template int dependent(const std::vector<int> &);
int calls() {
  Captured h;
  int a[4] = {}, b[2][2] = {}, x = 0, r = 0;
  std::vector<int> v{1};
  std::map<int, int> m;
  std::pair<int, int> pr;
  std::tuple<int, int> t;
#pragma hsched task out(r)
  {
    r = h.size() + h.sum() + first(a) + last(a, 4) + down(&a[1], 1) + get(x) + element(v);
    auto &[p, q] = pr;
    r += p + q;
    auto &[i, j] = t;
    r += i + j;
    int &same = x;
    r += same;
    r += [&] { return 1; }();
  }
  // CHECK: [[@LINE+2]]:7: warning: the task changes a copy of 'h'
#pragma hsched task out(r)
  r = h.counted();
#pragma hsched task out(r)
  r = h.first();
  // CHECK: [[@LINE+2]]:7: warning: the task changes a copy of 'h'
#pragma hsched task out(r)
  r = h.again();
#pragma hsched task out(r)
  r = h.unknown();
  // CHECK: [[@LINE+2]]:7: warning: the task changes a copy of 'a'
#pragma hsched task
  set(a);
  // CHECK: [[@LINE+2]]:7: warning: the task changes a copy of 'b'
#pragma hsched task
  row(b);
  // CHECK: [[@LINE+2]]:3: warning: the task changes a copy of 'a'
#pragma hsched task
  *leak(a) = 1;
  // CHECK: [[@LINE+2]]:3: warning: the task changes a copy of 'a'
#pragma hsched task
  *back(&a[1]) = 1;
  // CHECK: [[@LINE+2]]:13: warning: the task changes a copy of 'x'
#pragma hsched task out(r)
  r = twice(x);
  // CHECK: [[@LINE+2]]:11: warning: the task changes a copy of 'm'
#pragma hsched task out(r)
  r = add(m);
  // CHECK: [[@LINE+2]]:12: warning: the task changes a copy of 'x'
#pragma hsched task out(r)
  r = kept(x);
  // CHECK: [[@LINE+2]]:14: warning: the task changes a copy of 'x'
#pragma hsched task out(r)
  r = byName(x);
  // CHECK: [[@LINE+4]]:5: warning: the task changes a copy of 'pr'
#pragma hsched task
  {
    auto &[p, q] = pr;
    p = q;
  }
  // CHECK: [[@LINE+2]]:12: warning: the task changes a copy of 'x'
#pragma hsched task
  castAway(x);
#pragma hsched taskwait
  return r + a[0] + b[0][0] + x + v[0] + m[0] + pr.first + std::get<0>(t) + h.n;
}
void chunks(int n, double *p) {
#pragma hsched taskloop out(p[i:1])
  for (int i = 0; i < n; ++i)
    p[i] = get(i) + get(n);
}
