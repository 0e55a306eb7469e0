// Clauses of kernels without kernels, and kernels without what they need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma hsched task inout([n]x)
void f(int n, float *x);
// CHECK: [[@LINE+1]]:30: error: a version that is a kernel needs its geometry: add ndrange(global...; local...)
#pragma hsched implements(f) kernel("k.cl", "doubles")
void a1(int n, float *x);
// CHECK: [[@LINE+1]]:30: error: clause 'ndrange' belongs to a kernel: add kernel("file.cl")
#pragma hsched implements(f) ndrange(n)
void a2(int n, float *x);
// CHECK: [[@LINE+1]]:30: error: clause 'args' belongs to a kernel: add kernel("file.cl")
#pragma hsched implements(f) args(n)
void a3(int n, float *x);
// CHECK: [[@LINE+1]]:38: error: clause 'options' belongs to a kernel: add kernel("file.cl")
#pragma hsched implements(f) options("-DX")
void a4(int n, float *x);
// CHECK: [[@LINE+1]]:37: error: an OpenCL kernel cannot run on device 'cpu': use 'opencl'
#pragma hsched implements(f) device(cpu) kernel("k.cl", "doubles") ndrange(n)
void a5(int n, float *x);
#pragma hsched implements(f) kernel("k.cl", "doubles") ndrange(n)
void a6(int n, float *x) {}
// CHECK: [[@LINE-1]]:6: error: 'a6' is a kernel by its directive, but has a body here: leave the body out, or the clause 'kernel'
