// A directive may be said again on another declaration, with the same clauses; each clause counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t && cp %S/Inputs/k.cl %t
// RUN: %hsched-cc -std=c++20 -c %t/same.cpp -o %t/same.o 2>&1 | count 0
// RUN: not %hsched-cc -std=c++20 -ferror-limit=0 -c %t/other.cpp -o %t/other.o 2>&1 | FileCheck %t/other.cpp --implicit-check-not='says something else'
//--- same.cpp
#pragma hsched task in([n]x, y[0:n]) inout(*z) priority(n) label("a") if(n > 1) final(n > 2) cost(n) device(cpu)
void f(int n, const int *x, const int *y, int *z);
#pragma hsched task in([n]x, y[0:n]) inout(*z) priority(n) label("a") if(n > 1) final(n > 2) cost(n) device(cpu)
void f(int n, const int *x, const int *y, int *z) {
  for (int i = 0; i < n; ++i)
    *z += x[i] + y[i];
}
#pragma hsched task reduction(+: s) in({x[i:1], i = 0; n}, ([n][n]x)[0:1][0:n])
void r(int n, const int *x, int &s);
#pragma hsched task reduction(+: s) in({x[i:1], i = 0; n}, ([n][n]x)[0:1][0:n])
void r(int n, const int *x, int &s) { s += x[0]; }
#pragma hsched task inout([n]x)
void h(int n, float *x) {
  for (int i = 0; i < n; ++i)
    ++x[i];
}
#pragma hsched implements(h) device(opencl) kernel("k.cl", "tile") ndrange(n, 1; 16, 1) args(x, local(4 * n), n) options("-DA")
void g(int n, float *x);
#pragma hsched implements(h) device(opencl) kernel("k.cl", "tile") ndrange(n, 1; 16, 1) args(x, local(4 * n), n) options("-DA")
void g(int n, float *x);
//--- other.cpp
#pragma hsched task inout([n]x)
void h(int n, float *x);
#pragma hsched task inout([n]x)
void a0(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a0' than an earlier declaration
#pragma hsched task inout(x[0:n])
void a0(int n, float *x, float *y);
#pragma hsched task inout([n]x)
void a1(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a1' than an earlier declaration
#pragma hsched task inout([n]x) in([n]y)
void a1(int n, float *x, float *y);
#pragma hsched task reduction(+: [n]x)
void a2(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a2' than an earlier declaration
#pragma hsched task reduction(*: [n]x)
void a2(int n, float *x, float *y);
#pragma hsched task in({x[i:1], i = 0; n})
void a3(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a3' than an earlier declaration
#pragma hsched task in({x[i:1], i = 0; n : 2})
void a3(int n, float *x, float *y);
#pragma hsched task in({x[i:1], i = 0; n})
void a4(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a4' than an earlier declaration
#pragma hsched task in({x[i:1], i = 1; n})
void a4(int n, float *x, float *y);
#pragma hsched task in(([n][n]x)[0:1][0:n])
void a5(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a5' than an earlier declaration
#pragma hsched task in(([n][n]x)[0:n][0:1])
void a5(int n, float *x, float *y);
#pragma hsched task in(*x)
void a6(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a6' than an earlier declaration
#pragma hsched task in(x[n:1])
void a6(int n, float *x, float *y);
#pragma hsched task priority(1)
void a7(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a7' than an earlier declaration
#pragma hsched task priority(2)
void a7(int n, float *x, float *y);
#pragma hsched task label("a")
void a8(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a8' than an earlier declaration
#pragma hsched task label("b")
void a8(int n, float *x, float *y);
#pragma hsched task if(n)
void a9(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a9' than an earlier declaration
#pragma hsched task if(n > 1)
void a9(int n, float *x, float *y);
#pragma hsched task final(n)
void a10(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a10' than an earlier declaration
#pragma hsched task final(n > 1)
void a10(int n, float *x, float *y);
#pragma hsched task cost(n)
void a11(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a11' than an earlier declaration
#pragma hsched task cost(2 * n)
void a11(int n, float *x, float *y);
#pragma hsched task device(cpu)
void a12(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a12' than an earlier declaration
#pragma hsched task device(opencl)
void a12(int n, float *x, float *y);
#pragma hsched implements(h) kernel("k.cl") ndrange(n)
void a13(int n, float *x);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a13' than an earlier declaration
#pragma hsched implements(h) kernel("l.cl") ndrange(n)
void a13(int n, float *x);
#pragma hsched implements(h) kernel("k.cl", "tile") ndrange(n)
void a14(int n, float *x);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a14' than an earlier declaration
#pragma hsched implements(h) kernel("k.cl", "alone") ndrange(n)
void a14(int n, float *x);
#pragma hsched implements(h) kernel("k.cl") ndrange(n, 1)
void a15(int n, float *x);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a15' than an earlier declaration
#pragma hsched implements(h) kernel("k.cl") ndrange(n)
void a15(int n, float *x);
#pragma hsched implements(h) kernel("k.cl") ndrange(n; 16)
void a16(int n, float *x);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a16' than an earlier declaration
#pragma hsched implements(h) kernel("k.cl") ndrange(n; 32)
void a16(int n, float *x);
#pragma hsched implements(h) kernel("k.cl") ndrange(n) args(x, n)
void a17(int n, float *x);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a17' than an earlier declaration
#pragma hsched implements(h) kernel("k.cl") ndrange(n) args(x, local(n))
void a17(int n, float *x);
#pragma hsched implements(h) kernel("k.cl") ndrange(n) options("-DA")
void a18(int n, float *x);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a18' than an earlier declaration
#pragma hsched implements(h) kernel("k.cl") ndrange(n) options("-DB")
void a18(int n, float *x);
#pragma hsched implements(h)
void a19(int n, float *x);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a19' than an earlier declaration
#pragma hsched implements(g)
void a19(int n, float *x);
#pragma hsched task
void a20(int n, float *x, float *y);
// CHECK: [[@LINE+1]]:16: error: this says something else about 'a20' than an earlier declaration
#pragma hsched implements(h)
void a20(int n, float *x, float *y);
