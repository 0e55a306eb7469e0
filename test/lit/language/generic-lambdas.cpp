// Statements in generic lambdas are inferred about by the lambda's instances.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++14 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
extern const int n;
void host(int *p, int n, double *q) {
  auto f = [&](auto *r, auto m) {
    // CHECK: task 'host:[[@LINE+1]]': inout([n]r) is inferred
#pragma hsched task
    for (int i = 0; i < n; ++i)
      r[i] += 1;
    // CHECK: task 'host:[[@LINE+1]]': inout(r[::n:m]) is inferred
#pragma hsched task
    for (int i = 0; i < m; ++i)
      r[i + ::n] += 1;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: task 'host:[[@LINE+1]]' touches 'r' outside '[m - 1]r'
#pragma hsched task inout([m - 1]r)
    for (int i = 0; i < m; ++i)
      r[i] += 1;
    // CHECK: task 'host:[[@LINE+1]]': inout(r[i:1]) is inferred
#pragma hsched taskloop
    for (int i = 0; i < n; ++i)
      r[i] += 1;
#pragma hsched taskwait
  };
  f(p, 4);
  f(q, 5L);
  auto outer = [=](auto m) {
    return [=](auto *r) {
      // CHECK: task 'host:[[@LINE+1]]': inout([m]r) is inferred
#pragma hsched task
      for (int i = 0; i < m; ++i)
        r[i] += 1;
#pragma hsched taskwait
    };
  };
  outer(3)(p);
}
template <class T> void of(T *p, int m) {
  auto f = [&](auto *r) {
    // CHECK: task 'of:[[@LINE+1]]': out([m]r) is inferred
#pragma hsched task
    for (int i = 0; i < m; ++i)
      r[i] = 1;
#pragma hsched taskwait
  };
  f(p);
}
template void of(int *, int);
template <class... A> void each(A *...a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: task 'each:[[@LINE+1]]' uses pointers of the parameter pack 'a', and no clause names what they lead to: write, for example, inout(*a...) [-Whsched-unnamed]
#pragma hsched task
  {
    const int all[] = {(*a += 1, 0)...};
    (void)all;
  }
#pragma hsched task inout(*a...)
  {
    const int all[] = {(*a += 1, 0)...};
    (void)all;
  }
#pragma hsched taskwait
}
template void each(int *, double *);
