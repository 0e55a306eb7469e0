// Static members of class templates, named by an object: the clause and the body mean the same one. A remark about several
// instances of a template is printed once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: runtime
// RUN: %hsched-cc -Wall -Werror %s -o %t && env HSCHED_OPENCL=0 %t | FileCheck %s
// RUN: %hsched-cc --hsched-explain -fsyntax-only %s 2>&1 | FileCheck --check-prefix=EXPLAIN %s
#include <cstdio>

template <class T> struct Counts {
  static T n, all[3];
#pragma hsched task inout(p.n)
  static void f(Counts &p) { p.n += 1; }
#pragma hsched task inout(p->n)
  void g(Counts *p) { p->n += 1; }
#pragma hsched task inout(p.all[0:2])
  void h(Counts &p) { p.all[1] += 1; }
  void statements(Counts &p) {
#pragma hsched task inout(p.n)
    p.n += 3;
#pragma hsched task reduction(+ : n)
    n += 5;
#pragma hsched taskloop inout(p.all[i:1])
    for (int i = 0; i < 3; ++i)
      p.all[i] += 1;
#pragma hsched taskwait on(p.n)
#pragma hsched taskwait
  }
};
template <class T> T Counts<T>::n = 1;
template <class T> T Counts<T>::all[3];

template <class T> void fill(T *p, int n) {
  for (int i = 0; i < n; ++i) {
    // EXPLAIN: task 'fill:[[@LINE+2]]': out(p[i:1]) is inferred
    // EXPLAIN-NOT: task 'fill
#pragma hsched task
    p[i] = i;
  }
#pragma hsched taskwait
}

int main() {
  Counts<int> c;
  Counts<double> d;
  c.f(c);
  c.g(&c);
  c.h(c);
  d.f(d);
#pragma hsched taskwait
  c.statements(c);
  d.statements(d);
  int a[3];
  double b[3];
  fill(a, 3);
  fill(b, 3);
  // CHECK: 11 2 10 2
  std::printf("%d %d %g %d\n", Counts<int>::n, Counts<int>::all[1], Counts<double>::n, a[2]);
}
