// Generated code in a class with a size_t of its own: 300 sections are not 44.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++11 --hsched-emit=source %s -o - | FileCheck %s
// RUN: %hsched-cc -std=c++11 -c %s -o %t.o
struct Box {
  typedef unsigned char size_t;
  int n;
  double *d[300];
// CHECK: for (::size_t hsched_k0 = 0, hsched_n0 = ::hsched_gen_count(n)
#pragma hsched task inout({[4](d[i]), i = 0; n})
  void rows() {
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 4; ++k)
        d[i][k] += i;
  }
#pragma hsched task inout([4]p)
  template <class... T> static void pack(double *p, T... x) {
    const double s[] = {double(x)...};
    for (int i = 0; i < 4; ++i)
      p[i] += s[0];
  }
};
void use(Box &b, double *p) {
  b.rows();
  Box::pack(p, 1, 2.5);
}
