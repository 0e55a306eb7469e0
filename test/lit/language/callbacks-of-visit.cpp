// What std::visit and std::apply call changes what it has captured, and what elements refer to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not="is inferred"
#include <tuple>
#include <variant>
#include <vector>
// CHECK: remark: task 'captured': in(v) is inferred
// CHECK: remark: task 'captured': inout(*a) is inferred
#pragma hsched task
void captured(const std::variant<int, double> &v, double *a) { std::visit([&](auto x) { *a = x; }, v); }
// CHECK: warning: task 'pointers' writes 'v[...]', which no clause names
// CHECK: remark: task 'pointers': in(v) is inferred
#pragma hsched task
void pointers(std::variant<int *, double *> &v) { std::visit([](auto *p) { p[0] = 1; }, v); }
// CHECK: remark: task 'references': out(*a) is inferred
// CHECK: remark: task 'references': out(*b) is inferred
#pragma hsched task
void references(double *a, double *b) { std::apply([](double &x, double &y) { x = 1, y = 2; }, std::tie(*a, *b)); }
// CHECK: warning: task 'behind' writes 't[...]', which no clause names
// CHECK: remark: task 'behind': in(t) is inferred
#pragma hsched task
void behind(std::tuple<double *, int> &t) {
  std::apply([](double *p, int n) { p[n] = 0; }, t);
}
// CHECK: remark: task 'copies': out(*a) is inferred
// CHECK: remark: task 'copies': in(*b) is inferred
#pragma hsched task
void copies(double *a, double *b) {
  auto t = std::make_tuple(a, b);
  std::apply([](double *x, const double *y) { *x = *y; }, t);
}
static void one(double &x) { x = 1; }
// CHECK: remark: task 'function': inout(v) is inferred
#pragma hsched task
void function(std::variant<double, double> &v) { std::visit(one, v); }
struct Sum {
  double s = 0;
  void operator()(double x) { s += x; }
};
// CHECK: remark: task 'state': in(v) is inferred
// CHECK: remark: task 'state': inout(*sum) is inferred
#pragma hsched task
void state(std::variant<double, double> &v, Sum *sum) { std::visit(*sum, v); }
// CHECK: remark: task 'reads': in(t) is inferred
// CHECK: remark: task 'reads': out(*a) is inferred
#pragma hsched task
void reads(const std::tuple<int, double> &t, double *a) {
  *a = std::apply([](int x, double y) { return x * y; }, t);
}
struct Square {
  double s;
  double area() const { return s * s; }
};
// CHECK: remark: task 'elements': in(v) is inferred
// CHECK: remark: task 'elements': out([n]a) is inferred
#pragma hsched task
void elements(const std::vector<std::variant<Square, Square>> &v, double *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = std::visit([](const auto &s) { return s.area(); }, v[i]);
}
