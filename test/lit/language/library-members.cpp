// Members and functions of the library that find elements change nothing, though they are not const.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <list>
#include <map>
#include <ranges>
#include <span>
#include <variant>
#include <vector>
void print(std::span<const double> s);
// CHECK: remark: task 'first': in(m) is as written
#pragma hsched task in(m) out(*a)
void first(std::map<int, int> &m, int *a) { *a = m.begin() != m.end() ? m.begin()->second : 0; }
// CHECK: remark: task 'sum': in(m) is inferred
#pragma hsched task
void sum(std::map<int, int> &m, int *a) {
  for (auto &[k, x] : m)
    *a += x;
}
// CHECK: remark: task 'bound': in(m) is as written
#pragma hsched task in(m) out(*a)
void bound(std::map<int, int> &m, int *a) {
  auto at = m.lower_bound(3);
  *a = at == m.end() ? 0 : at->second;
}
// CHECK: remark: task 'changed': inout(m) is inferred
#pragma hsched task
void changed(std::map<int, int> &m) {
  auto at = m.find(3);
  at->second = 0;
}
// CHECK: remark: task 'inserted': inout(m) is inferred
#pragma hsched task
void inserted(std::map<int, int> &m, int *a) { *a = m[3]; }
// CHECK: remark: task 'tests': in(v) is inferred
#pragma hsched task
void tests(std::variant<int, double> &v, double *a) {
  if (auto *p = std::get_if<int>(&v))
    *a = *p;
}
// CHECK: remark: task 'gets': in(v) is inferred
#pragma hsched task
void gets(std::variant<int, double> &v, double *a) { *a = std::get<double>(v); }
// CHECK: remark: task 'sets': inout(v) is inferred
#pragma hsched task
void sets(std::variant<int, double> &v) { std::get<double>(v) = 1; }
// CHECK: remark: task 'visits': in(v) is inferred
#pragma hsched task
void visits(std::variant<int, double> &v, double *a) {
  *a = std::visit([](auto x) { return double(x); }, v);
}
// CHECK: remark: task 'doubles': inout(v) is inferred
#pragma hsched task
void doubles(std::variant<int, double> &v) {
  std::visit([](auto &x) { x *= 2; }, v);
}
