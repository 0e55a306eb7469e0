// How the clauses of kernels are spelled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: [[@LINE+1]]:28: error: clause 'kernel' takes a string literal here
#pragma hsched task kernel(k.cl) ndrange(n)
void a1(int n);
// CHECK: [[@LINE+1]]:45: error: 'kernel' takes a file and the kernel's name
#pragma hsched task kernel("k.cl", "scale", 3) ndrange(n)
void a2(int n);
// CHECK: [[@LINE+1]]:45: error: 'ndrange' has 1 global but 2 local sizes
#pragma hsched task kernel("k.cl", "alone") ndrange(n; 8, 8)
void a3(int n);
// CHECK: [[@LINE+1]]:45: error: 'ndrange' takes 1 to 3 global sizes
#pragma hsched task kernel("k.cl", "alone") ndrange(n, n, n, n)
void a4(int n);
// CHECK: [[@LINE+1]]:45: error: 'ndrange' takes global sizes, then after a ';' local sizes, then after another one offsets
#pragma hsched task kernel("k.cl", "alone") ndrange(n; 1; 1; 1)
void a5(int n);
// CHECK: [[@LINE+1]]:45: error: 'ndrange' has an empty size
#pragma hsched task kernel("k.cl", "alone") ndrange(n, ; 1, 1)
void a6(int n);
// CHECK: [[@LINE+1]]:56: error: 'args' has an empty argument
#pragma hsched task kernel("k.cl", "alone") ndrange(n) args(n, )
void a7(int n);
// CHECK: [[@LINE+1]]:56: error: 'local' takes a number of bytes
#pragma hsched task kernel("k.cl", "alone") ndrange(n) args(local( ))
void a8(int n);
// CHECK: [[@LINE+1]]:16: error: clause 'kernel' takes a string literal here
#pragma hsched task kernel("k.cl", ) ndrange(n)
void a10(int n);
// CHECK: [[@LINE+1]]:64: error: clause 'options' takes a string literal here
#pragma hsched task kernel("k.cl", "alone") ndrange(n) options(n)
void a9(int n);
