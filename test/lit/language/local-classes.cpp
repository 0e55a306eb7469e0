// A statement in a member function of a local class: names mean what they mean there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
double sum(int n, double *p) {
  double s = n; // Not the member's.
  struct Sum {
    double s = 0;
    const int k = 4;
    void add(double *p, int n) {
      // CHECK: task '{{.*}}add:[[@LINE+2]]': inout(s) is as written
      // CHECK: task '{{.*}}add:[[@LINE+1]]': in(p[0:n]) is as written
#pragma hsched task inout(s) in(p[0:n])
      for (int i = 0; i < n; ++i)
        s += p[i];
      // CHECK: task '{{.*}}add:[[@LINE+2]]': inout(s) is as written
      // CHECK: task '{{.*}}add:[[@LINE+1]]': in([k]p) is inferred
#pragma hsched task inout(s)
      for (int i = 0; i < k; ++i)
        s += p[i];
#pragma hsched taskwait
    }
  } all;
  const auto lambda = [&] {
    struct Twice {
      double t = 0;
      void add(double x) {
        // CHECK: task '{{.*}}add:[[@LINE+1]]': inout(t) is as written
#pragma hsched task inout(t)
        t += 2 * x;
#pragma hsched taskwait
      }
    } two;
    two.add(s);
    s += two.t;
  };
  all.add(p, n);
  lambda();
// CHECK: task 'sum:[[@LINE+1]]': inout(s) is as written
#pragma hsched task inout(s)
  s += 1;
#pragma hsched taskwait
  return s + all.s;
}
