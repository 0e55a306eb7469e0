// Visitors and holders without a name, in each standard: before C++20 the library's functions are no constants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not="not known"
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not="not known"
#include <algorithm>
#include <functional>
#include <tuple>
#include <variant>
using Either = std::variant<int, double>;
template <class... F> struct Each : F... {
  using F::operator()...;
};
template <class... F> Each(F...) -> Each<F...>;
struct Add {
  int *q;
  void operator()(int x) const { q[0] += x; }
  void operator()(double x) const { q[1] += int(x); }
};
// CHECK: task 'object': in([n]v) is inferred
// CHECK: task 'object': inout([2]q) is inferred
#pragma hsched task
void object(const Either *v, int n, int *q) {
  for (int i = 0; i < n; ++i)
    std::visit(Add{q}, v[i]);
}
// CHECK: task 'lambdas': in([n]v) is inferred
// CHECK: task 'lambdas': inout([2]q) is inferred
#pragma hsched task
void lambdas(const Either *v, int n, int *q) {
  for (int i = 0; i < n; ++i)
    std::visit(Each{[q](int x) { q[0] += x; }, [q](double x) { q[1] += int(x); }}, v[i]);
}
// CHECK: task 'changes': inout([n]v) is inferred
#pragma hsched task
void changes(Either *v, int n) {
  for (int i = 0; i < n; ++i)
    std::visit([](auto &x) { x += 1; }, v[i]);
}
// CHECK: task 'two': in([n + 1]v) is inferred
// CHECK: task 'two': out([n]q) is inferred
#pragma hsched task
void two(const Either *v, int n, int *q) {
  for (int i = 0; i < n; ++i)
    q[i] = std::visit([](auto a, auto b) { return int(a + b); }, v[i], v[i + 1]);
}
// CHECK: task 'alternatives': inout([n]v) is inferred
// CHECK: task 'alternatives': inout(*q) is inferred
#pragma hsched task
void alternatives(Either *v, int n, int *q) {
  for (int i = 0; i < n; ++i)
    if (int *p = std::get_if<int>(&v[i]))
      *p += 1;
    else
      *q += int(std::get<double>(v[i]));
}
// CHECK: task 'asks': in([n]v) is inferred
// CHECK: task 'asks': out([n]q) is inferred
#pragma hsched task
void asks(const Either *v, int n, int *q) {
  for (int i = 0; i < n; ++i)
    q[i] = std::get_if<int>(&v[i]) ? 1 : 0;
}
// CHECK: task 'each': inout([n]p) is inferred
#pragma hsched task
void each(int *p, int n) {
  std::for_each(p, p + n, [](int &x) { x += 1; });
}
// CHECK: task 'all': in([n]p) is inferred
// CHECK: task 'all': out(*q) is inferred
#pragma hsched task
void all(const int *p, int n, bool *q) {
  *q = std::all_of(p, p + n, [](const int &x) { return x > 0; });
}
// CHECK: task 'invoked': inout(p[2:1]) is inferred
#pragma hsched task
void invoked(int *p) {
  std::invoke([&] { p[2] += 1; });
}
// CHECK: task 'referred': inout(p[3:1]) is inferred
#pragma hsched task
void referred(int *p) {
  std::ref(p[3]).get() += 7;
}
// CHECK: task 'tied': inout(*p) is inferred
// CHECK: task 'tied': inout(*q) is inferred
#pragma hsched task
void tied(int *p, int *q) {
  std::tie(*p, *q) = std::make_tuple(*p + 3, *q + 4);
}
