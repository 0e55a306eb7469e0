// What is called like something of the standard library is not that, and "::cfg.n" is not a member of a parameter cfg.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
namespace mystd {
int min(int a, int b) { return a + b; }
template <class T> struct vector {
  T *p;
  int n;
  int size() const { return 3; }
  T &operator[](int i) { return p[i]; }
};
void fill(double *b, double *, double v) { *b = v; }
void copy_n(const double *, int, double *to) { to[2] = 1; }
} // namespace mystd
// CHECK: task 'least': out([n + m]y) is inferred
#pragma hsched task
void least(double *y, int n, int m) {
  for (int i = 0; i < mystd::min(n, m); ++i)
    y[i] = 1;
}
// CHECK: task 'filled': out(*y) is inferred
#pragma hsched task
void filled(double *y, int n) { mystd::fill(y, y + n, 0); }
// CHECK: task 'copied': out(y[2:1]) is inferred
#pragma hsched task
void copied(const double *x, double *y, int n) { mystd::copy_n(x, n, y); }
// CHECK: task 'sized': out([3]y) is inferred
#pragma hsched task
void sized(double *y, mystd::vector<int> v) {
  for (int i = 0; i < v.size(); ++i)
    y[i] = 1;
}
namespace user {
namespace std {
int min(int a, int b) { return a * b; }
void fill(double *b, double *, double v) { *b = v; }
} // namespace std
// CHECK: task 'user::least': out([n * m]y) is inferred
#pragma hsched task
void least(double *y, int n, int m) {
  for (int i = 0; i < std::min(n, m); ++i)
    y[i] = 1;
}
// CHECK: task 'user::filled': out(*y) is inferred
#pragma hsched task
void filled(double *y, int n) { std::fill(y, y + n, 0); }
} // namespace user

struct Config {
  int n;
  void run(double *p) const {
    for (int i = 0; i < n; ++i)
      p[i] = 1;
  }
};
const Config cfg{64}, g{8};
// CHECK: task 'global': out([::cfg.n]p) is inferred
#pragma hsched task
void global(double *p, Config cfg) {
  for (int i = 0; i < ::cfg.n; ++i)
    p[i] = cfg.n;
}
// CHECK: task 'parameter': out([cfg.n]p) is inferred
#pragma hsched task
void parameter(double *p, Config cfg) {
  for (int i = 0; i < cfg.n; ++i)
    p[i] = ::cfg.n;
}
// CHECK: task 'called': out([::g.n]p) is inferred
#pragma hsched task
void called(double *p, Config g) { ::g.run(p); }
