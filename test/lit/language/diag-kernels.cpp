// Versions that are kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma hsched task inout([n]x)
void f(int n, float *x);
#pragma hsched task
void g(int n, float *x) {}
#pragma hsched task inout([n]x)
void s(int n, float a, float *x);

#pragma hsched implements(f) kernel("nope.cl") ndrange(n)
void k1(int n, float *x);
// CHECK: [[@LINE-2]]:37: error: kernel file 'nope.cl' is neither beside this source file nor in a folder given with -I
#pragma hsched implements(f) kernel("k.cl", "nope") ndrange(n)
void k2(int n, float *x);
// CHECK: [[@LINE-2]]:45: error: there is no kernel 'nope' in 'k.cl'; it has 'scale', 'doubles', 'alone', 'tile', 'fixed'
#pragma hsched implements(f) kernel("k.cl") ndrange(n)
void k3(int n, float *x);
// CHECK: [[@LINE-2]]:37: error: which kernel of 'k.cl' is meant? It has 'scale', 'doubles', 'alone', 'tile', 'fixed', none of them called like the function
#pragma hsched implements(f) kernel("k.cl", "doubles") ndrange(n)
void k4(int n, float *x);
// CHECK: [[@LINE-1]]:23: error: argument 2 does not match kernel 'doubles': it points to 'float' (4 bytes) but the kernel's parameter points to 'double' (8 bytes)
// CHECK: k.cl:7:{{[0-9]+}}: note: the kernel's parameter is here
#pragma hsched implements(f) kernel("k.cl", "alone") ndrange(n)
void k5(int n, float *x);
// CHECK: [[@LINE-1]]:6: error: kernel 'alone' takes 1 argument but 2 are passed
// CHECK: k.cl:8:{{[0-9]+}}: note: kernel 'alone' is here; args(...) gives its arguments where they are not the parameters in order
#pragma hsched implements(g) kernel("k.cl", "doubles") ndrange(n) args(n, x)
void k6(int n, float *x);
// CHECK: [[@LINE-2]]:75: error: argument 2 does not match kernel 'doubles'
// CHECK: note: the kernel's parameter is here
#pragma hsched implements(g) kernel("k.cl", "fixed") ndrange(n; 16)
void k7(int n, float *x);
// CHECK: [[@LINE-1]]:23: error: the kernel reads or writes what 'x' points to, but no data clause of task 'g' names it
// CHECK: note: the task's clauses are here; add for example inout([n]x)
#pragma hsched implements(f) kernel("broken.cl", "broken") ndrange(n)
void k8(int n, float *x);
// CHECK: [[@LINE-2]]:37: error: kernel file 'broken.cl' does not compile
#pragma hsched implements(f) kernel("k.cl", "tile") ndrange(n) args(x, n, n)
void k9(int n, float *x);
// CHECK: [[@LINE-2]]:72: error: argument 2 does not match kernel 'tile'
// CHECK: note: the kernel's parameter is here
// What is wrong inside kernel files comes behind.
// CHECK: broken.cl:2:{{[0-9]+}}: error: use of undeclared identifier 'undeclared'
