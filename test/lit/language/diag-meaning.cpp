// An expression of a clause that has no meaning is an error at the clause, in ndrange and args too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && split-file %s %t
// RUN: not %hsched-cc -ferror-limit=0 -c %t/ours.cpp -o %t/a.o 2>&1 | FileCheck %t/ours.cpp --implicit-check-not=error:
// What only the host compiler knows to be wrong is in the clause's line too.
// RUN: not %hsched-cc -c %t/hosts.cpp -o %t/a.o 2>&1 | FileCheck %t/hosts.cpp --implicit-check-not='<hsched>'
// RUN: not %hsched-c -c %t/hosts.c -o %t/a.o 2>&1 | FileCheck %t/hosts.c --implicit-check-not='<hsched>:{{[0-9]+}}:{{[0-9]+}}: error'
// RUN: %hsched-cc -std=c++11 -w -c %t/good.cpp -o %t/a.o 2>&1 | count 0
//--- k.cl
kernel void f(int n, global float *x) { x[get_global_id(0)] = n; }
//--- ours.cpp
struct S {
  int a;
};
#pragma hsched task out([n]x)
void f(int n, float *x, S s) { x[n - 1] = s.a; }
// CHECK: ours.cpp:[[#@LINE+2]]:36: error: a number is needed here, and 'x' is of type 'float *'
#pragma hsched implements(f) kernel("k.cl") \
  args(n, x)            ndrange(n; x)
void f1(int n, float *x, S s);
// CHECK: ours.cpp:[[#@LINE+3]]:50: error: 'int' has no member 'a'
// CHECK: ours.cpp:[[#@LINE+2]]:66: error: 'int' has no member 'z'
// CHECK: ours.cpp:[[#@LINE+2]]:16: error: 'S' has no member 'b'
#pragma hsched implements(f) kernel("k.cl") args(n * 2 + n.a[1], n.z) \
       ndrange(s.b; 64; n)
void f2(int n, float *x, S s);
// CHECK: ours.cpp:[[#@LINE+1]]:50: error: operator '*' does not take 'int' and 'float *'
#pragma hsched implements(f) kernel("k.cl") args(n * x, x) ndrange(n)
void f3(int n, float *x, S s);
// CHECK: ours.cpp:[[#@LINE+1]]:50: error: 'int' cannot be called
#pragma hsched implements(f) kernel("k.cl") args(n(), x) ndrange(n)
void f4(int n, float *x, S s);
// CHECK: ours.cpp:[[#@LINE+1]]:50: error: 'int' has no elements ['int']
#pragma hsched implements(f) kernel("k.cl") args(n[3], x) ndrange(n)
void f5(int n, float *x, S s);
// CHECK: ours.cpp:[[#@LINE+3]]:28: error: a number is needed here, and 's' is of type 'S'
// CHECK: ours.cpp:[[#@LINE+2]]:50: error: a number is needed here, and 'x' is of type 'float *'
// CHECK: ours.cpp:[[#@LINE+1]]:56: error: operator '~' does not take 'float *'
#pragma hsched task inout([s]x) cost(1) priority(x) if(~x)
void g(int n, float *x, S s);
void statement(int n, float *x, S s) {
  // CHECK: ours.cpp:[[#@LINE+2]]:31: error: 'int' has no member 'size'
  // CHECK: ours.cpp:[[#@LINE+1]]:49: error: a number is needed here, and 's' is of type 'S'
#pragma hsched task inout(x[0:n.size]) priority(s)
  x[n - 1] = s.a;
}
//--- hosts.cpp
struct S {
  int a;
};
int half(int *);
#pragma hsched task out([n]x)
void f(int n, float *x, S s) { x[n - 1] = s.a; }
#pragma hsched implements(f) kernel("k.cl") \
  args((int)s, x) \
  ndrange(half(n))
void f1(int n, float *x, S s);
// CHECK-DAG: hosts.cpp:[[#@LINE-3]]:{{[0-9]+}}: error: invalid cast
// CHECK-DAG: hosts.cpp:[[#@LINE-3]]:{{[0-9]+}}: error: invalid conversion
//--- hosts.c
struct S {
  int a;
};
int half(struct S);
#pragma hsched task out([n]x)
void f(int n, float *x, struct S s) { x[n - 1] = s.a; }
#pragma hsched implements(f) kernel("k.cl") \
  args((int)s, x) \
  ndrange(half(n))
void f1(int n, float *x, struct S s);
// CHECK-DAG: hosts.c:[[#@LINE-3]]:{{[0-9]+}}: error: aggregate value
// CHECK-DAG: hosts.c:[[#@LINE-3]]:{{[0-9]+}}: error: incompatible type
//--- good.cpp
// Operators, conversions and calls of the user's are left to the host compiler.
struct N {
  int v;
  operator int() const { return v; }
  N operator+(int) const;
  struct Inner *operator->() const;
  int operator()() const;
};
struct Inner {
  int inside;
};
struct M : N {};
enum Size { Few = 3 };
int (*half)(int);
#pragma hsched task out([few + (n + 1) + n->inside]x) priority(m) cost(n() + 0.5) if(x)
void f(N n, M m, float *x, Size few, int (&table)[4]) { x[n + few - 1 + m + table[0]] = 0; }
#pragma hsched implements(f) kernel("k.cl") args(table[few] + half(n) + n->inside, x) ndrange(n, m; few, *table + true)
void g(N n, M m, float *x, Size few, int (&table)[4]);
template <class T> struct V {
  T *d;
  int size;
#pragma hsched task out([size]d)
  void fill() {
    for (int i = 0; i < size; ++i)
      d[i] = 0;
  }
};
#pragma hsched task inout([v.size]x)
template <class T> void h(V<T> v, float *x) {
  for (int i = 0; i < v.size; ++i)
    x[i] += v.size;
}
void run(V<float> v, float *x) {
  v.fill();
  h(v, x);
}
// Members of bases by their name, the object of a local class, and numbers of bytes.
namespace ns {
struct B2 {
  int m;
};
template <class T> struct B3 {
  int k;
};
} // namespace ns
struct S2 {
  int n;
};
using Alias = S2;
struct D : Alias, ns::B2, ns::B3<int> {};
#pragma hsched task in([d.Alias::n + d.ns::B2::m + d.B3<int>::k]x)
void qualified(const float *x, const D &d);
#pragma hsched task in([(v + n) != w ? 3 : 4]x)
void bytes(const float *x, int n, const void *v, const void *w);
struct Outer {
  int n;
  void f(float *p) {
    struct Local {
      int q;
      void g(float *p) {
#pragma hsched task inout([this->q]p)
        p[0] = 1;
#pragma hsched taskwait
      }
    };
    Local{n}.g(p);
  }
};
