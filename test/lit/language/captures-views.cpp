// What a task on a statement only reads through views and algorithms of a copy is not lost; what it writes is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -Wno-hsched -Whsched-capture -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <variant>
#include <vector>
struct P {
  double x, m;
};
double total(std::span<const double> s);
void change(std::span<double> s);
using V = std::vector<double>;

double reads(V v, std::vector<P> ps, std::pair<int, double> t, std::optional<P> opt, std::variant<int, double> var,
             double *s) {
  double arr[3] = {1, 2, 3};
#pragma hsched task out([1]s)
  {
    double a = 0;
    {
      for (double x : v | std::views::reverse) a += x;
    }
    {
      for (double x : v | std::views::take(3) | std::views::drop(1)) a += x;
    }
    {
      for (double x : std::views::reverse(v)) a += x;
    }
    {
      for (double x : v | std::views::transform([](double y) { return y * 2; }) | std::views::filter([](const double &y) { return y > 2; })) a += x;
    }
    {
      std::ranges::for_each(v, [&](double x) { a += x; });
    }
    {
      std::ranges::for_each(v, [&](const double &x) { a += x; });
    }
    {
      std::ranges::for_each(v, [&](auto &x) { a += x; });
    }
    {
      std::ranges::for_each(v | std::views::take(2), [&](double &x) { a += x; });
    }
    {
      auto w = v | std::views::drop(2); for (auto x : w) a += x;
    }
    {
      auto w = v | std::views::drop(2); for (const auto &x : w) a += x;
    }
    {
      auto w = v | std::views::drop(2); for (auto x : w | std::views::reverse) a += x;
    }
    {
      auto w = v | std::views::drop(2); for (size_t i = 0; i < w.size(); ++i) a += w[i];
    }
    {
      a += *std::ranges::max_element(v);
    }
    {
      a += *std::ranges::max_element(v | std::views::drop(1));
    }
    {
      auto [lo, hi] = std::ranges::minmax_element(v);
      a += *hi - *lo + (hi - lo);
    }
    {
      const auto &[lo, hi] = std::ranges::minmax_element(arr);
      a += *hi - *lo;
    }
    {
      auto ends = std::ranges::minmax_element(v);
      a += ends.min == ends.max ? 0 : *ends.max;
    }
    {
      a += *std::ranges::minmax_element(v).max;
    }
    {
      a += std::ranges::max(v);
    }
    {
      a += std::ranges::count_if(v, [](double x) { return x > 0; });
    }
    {
      a += std::ranges::count(v, 0.0);
    }
    {
      a += std::ranges::equal(v, v | std::views::reverse);
    }
    {
      a += std::accumulate(v.begin(), v.end(), 0.0);
    }
    {
      std::span<const double> sp(v); a += sp[0];
    }
    {
      std::span<const double> sp = v; a += sp[0];
    }
    {
      std::span<double> sp(v); a += sp[0] + sp.back();
    }
    {
      std::span<double> sp = v; for (double x : sp) a += x;
    }
    {
      std::span sp(v); for (double x : sp) a += x;
    }
    {
      a += total(v);
    }
    {
      a += total(std::span<const double>(v));
    }
    {
      for (const auto &x : std::views::all(v)) a += x;
    }
    {
      for (double x : std::ranges::subrange(v.begin(), v.end())) a += x;
    }
    {
      for (double x : std::ranges::reverse_view(v)) a += x;
    }
    {
      for (const auto &x : v | std::views::reverse) a += x;
    }
    {
      for (auto &&x : v | std::views::reverse) a += x;
    }
    {
      for (auto &x : v | std::views::reverse) a += x;
    }
    {
      for (auto &&x : v | std::views::transform([](double y) { return 2 * y; })) { x += 1; a += x; }
    }
    {
      auto sq = v | std::views::transform([](double y) { return 2 * y; }); a += std::accumulate(sq.begin(), sq.end(), 0.0);
    }
    {
      for (int i : std::views::iota(0, 4)) a += v[i];
    }
    {
      for (int i : std::views::iota(0, 4) | std::views::reverse) a += v[i];
    }
    {
      auto r = std::views::iota(size_t(0), v.size()); a += std::transform_reduce(r.begin(), r.end(), 0.0, std::plus<>(), [&](size_t i) { return v[i]; });
    }
    {
      for (double m : ps | std::views::transform(&P::m)) a += m;
    }
    {
      for (const P &p : ps | std::views::filter([](const P &q) { return q.m > 0; })) a += p.x;
    }
    {
      std::ranges::for_each(ps, [&](double m) { a += m; }, &P::m);
    }
    {
      auto it = std::ranges::max_element(v); a += *it;
    }
    {
      auto it = std::max_element(v.begin(), v.end()); a += *it;
    }
    {
      a += std::ranges::max_element(v) - v.begin();
    }
    {
      a += std::distance(v.begin(), std::ranges::max_element(v));
    }
    {
      a += std::ranges::find(v, 3.0) != v.end();
    }
    {
      const auto &cv = v; for (double x : cv | std::views::reverse) a += x;
    }
    {
      for (double x : std::as_const(v) | std::views::reverse) a += x;
    }
    {
      std::span<double, 3> sp(arr); a += sp[0];
    }
    {
      for (double x : std::span(arr)) a += x;
    }
    {
      for (double x : std::span(arr).subspan(1)) a += x;
    }
    {
      for (double x : std::span(v).first(2)) a += x;
    }
    {
      for (double x : arr | std::views::reverse) a += x;
    }
    {
      std::vector<double> c(v.size()); std::ranges::copy(v, c.begin()); a += c[0];
    }
    {
      std::vector<double> c(v.size()); std::ranges::transform(v, c.begin(), [](double x) { return x * x; }); a += c[0];
    }
    {
      std::vector<double> c(v); std::ranges::sort(c); a += c[0];
    }
    {
      auto [lo, hi] = std::ranges::minmax(v); a += hi - lo;
    }
    {
      a += std::ranges::distance(v);
    }
    {
      for (auto it = std::begin(v); it != std::end(v); ++it) a += *it;
    }
    {
      for (auto it = v.rbegin(); it != v.rend(); ++it) a += *it;
    }
    {
      std::vector<double> c; std::ranges::copy_if(v, std::back_inserter(c), [](double x) { return x > 0; }); a += c.size();
    }
    {
      const double *p = v.data(); a += p[0];
    }
    {
      const double *p = &v[0]; a += p[0];
    }
    {
      double &x = v[0]; a += x;
    }
    {
      auto &[m, x] = ps[0]; a += m + x;
    }
    {
      auto [m, x] = ps[0]; a += m + x;
    }
    {
      P &p = ps[1]; a += p.x;
    }
    {
      a += get<0>(t);
    }
    {
      a += std::get<0>(t) + std::get<1>(t);
    }
    {
      a += opt.value().x + (*opt).m + opt->x;
    }
    {
      a += std::visit([](auto x) { return double(x); }, var);
    }
    {
      a += std::get<double>(var);
    }
    *s = a;
  }
#pragma hsched taskwait
  return v[0] + ps[0].x + arr[0] + t.first + opt->x + std::get<double>(var);
}

double writes(V v, std::vector<P> ps, std::pair<int, double> t, std::optional<P> opt, std::variant<int, double> var) {
  double a = 0, c[3] = {1, 2, 3};
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 't'
#pragma hsched task
  { std::get<0>(t) = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 't'
#pragma hsched task
  { auto &x = std::get<1>(t); x = 2; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'opt'
#pragma hsched task
  { opt->x = 2; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'opt'
#pragma hsched task
  { (*opt).x = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'var'
#pragma hsched task
  { std::visit([](auto &x) { x = 1; }, var); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { for (double &x : v | std::views::reverse) x = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { for (auto &&x : v | std::views::reverse) x = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::ranges::for_each(v, [](double &x) { x = 1; }); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::ranges::for_each(v | std::views::take(1), [](auto &x) { x = 1; }); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto w = v | std::views::drop(2); w[0] = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto w = v | std::views::drop(2); for (auto &x : w) x = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto w = v | std::views::drop(2); std::ranges::fill(w, 1); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::ranges::sort(v); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::ranges::fill(v | std::views::take(2), 1.0); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::span<double> sp(v); sp[0] = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::span sp(v); change(sp); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { change(v); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { for (double &x : std::span(v)) x = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { for (double &x : std::span(v).first(2)) x = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto &&w = v | std::views::drop(2); w[0] = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { *std::ranges::max_element(v) = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { for (double x : v | std::views::transform([](double &y) { y = 3; return y; })) ; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'ps'
#pragma hsched task
  { for (double &m : ps | std::views::transform(&P::m)) m = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { for (double x : v | std::views::filter([](double &y) { y = 3; return true; })) ; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { (v | std::views::take(2))[0] = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { (v | std::views::take(2)).front() = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto it = std::ranges::max_element(v); *it = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto f = [](double &x) { x = 2; }; std::ranges::for_each(v, f); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'ps'
#pragma hsched task
  { std::ranges::for_each(ps, [](double &m) { m = 3; }, &P::m); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::ranges::swap(v[0], v[1]); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { for (auto inner : v | std::views::split(1.0)) for (double &x : inner) x = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { *(std::ranges::max_element(v)) += 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto [lo, hi] = std::ranges::minmax_element(v); *hi = *lo; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto &&[lo, hi] = std::ranges::minmax_element(v); *hi += *lo; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto ends = std::ranges::minmax_element(v); *ends.max = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { auto ends = std::ranges::minmax_element(v); auto hi = ends.max; *hi = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { *std::ranges::minmax_element(v).min = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'c'
#pragma hsched task
  { auto [lo, hi] = std::ranges::minmax_element(c); *hi = *lo; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'c'
#pragma hsched task
  { auto [lo, hi] = std::ranges::minmax_element(c); std::swap(*hi, *lo); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'v'
#pragma hsched task
  { std::ranges::copy(ps | std::views::transform(&P::x), v.begin()); }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'var'
#pragma hsched task
  { if (auto *p = std::get_if<int>(&var)) *p = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 't'
#pragma hsched task
  { std::apply([](auto &x, auto &y) { x = 1, y = 2; }, t); }
#pragma hsched taskwait
  return a + v[0] + ps[0].x + t.first + opt->x + std::get<double>(var) + c[0];
}

// Iterators and pointers into what is copied, and strings that are printed.
int others(std::map<int, double> m, std::variant<int, double> var, std::pair<int, double> t, char *to) {
  char name[8] = "name";
  double a = 0;
#pragma hsched task out(a) inout([8]to)
  {
    a = 0;
    auto at = m.lower_bound(3);
    if (at != m.end()) a += at->second;
    if (auto *p = std::get_if<int>(&var)) a += *p;
    std::apply([&](auto &x, auto &y) { a += x + y; }, t);
    std::snprintf(to, 8, "%s", name);
  }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'm'
#pragma hsched task
  { auto at = m.lower_bound(3); at->second = 1; }
// CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the task changes a copy of 'name'
#pragma hsched task
  { std::snprintf(name, 8, "%d", 2); }
#pragma hsched taskwait
  return int(a) + m[3] + int(var.index()) + t.first + name[0];
}

// In a template a name is changed where that of a number would be, or where an instance changes it.
template <class T> struct Sum {
  T s{};
  template <class U> Sum &operator+=(U &u) {
    u = 3;
    return *this;
  }
};
template <class T> void never(std::vector<T> v, T *s) {
#pragma hsched task out([1]s)
  {
    T a{};
    for (auto &x : v)
      a += x;
    for (T &x : v) {
      T y = x * 2;
      a += y;
    }
    T &first = v[0];
    a += first;
    *s = a;
  }
#pragma hsched task
  for (auto &x : v)
    x = T();
#pragma hsched taskwait
  *s += v[0];
}
template <class A> void instances(V v, A *s) {
// CHECK: [[@LINE+4]]:20: warning: the task changes a copy of 'v'
#pragma hsched task out([1]s)
  {
    A a{};
    for (auto &x : v)
      a += x;
    *s = a;
  }
#pragma hsched taskwait
  (void)v.size();
}
template void instances(V, double *);
template void instances(V, Sum<double> *);
