// Arguments that are not what the kernel takes, and ranges that it cannot run over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#pragma hsched task device(opencl) kernel("arguments.cl", "scale") ndrange(n)
void a1(int n, int a, float x);
// CHECK: [[@LINE-1]]:20: error: argument 2 does not match kernel 'scale': it is 'int' but the kernel's parameter is 'float'
// CHECK: arguments.cl:3:32: note: the kernel's parameter is here
// CHECK: [[@LINE-3]]:29: error: argument 3 does not match kernel 'scale': it is a value of type 'float' but the kernel's parameter is a __global pointer
// CHECK: arguments.cl:3:49: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "scale") ndrange(4)
void a2(const int *n, float a, float *x);
// CHECK: [[@LINE-1]]:20: error: argument 1 does not match kernel 'scale': it is a pointer but the kernel's parameter is a value of type 'int'
// CHECK: arguments.cl:3:23: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "scale") ndrange(n) in([n]x)
void a3(int n, float a, const float *x);
// CHECK: [[@LINE-1]]:38: error: argument 3 does not match kernel 'scale': it points to const data but the kernel writes through its parameter
// CHECK: arguments.cl:3:49: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "scale") ndrange(n) args(n, local(4), x)
void a4(int n, float *x);
// CHECK: [[@LINE-2]]:93: error: argument 2 does not match kernel 'scale': it is local memory but the kernel's parameter is a value of type 'float'
// CHECK: arguments.cl:3:32: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "scale") ndrange(n) args(n, 1, local(4))
void a5(int n);
// CHECK: [[@LINE-2]]:96: error: argument 3 does not match kernel 'scale': it is local memory but the kernel's parameter is a __global pointer
// CHECK: arguments.cl:3:49: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "scale") ndrange(n) in([n]x) args(n, 1, n + 1)
void a9(int n, float *x);
// CHECK: [[@LINE-2]]:99: error: argument 3 does not match kernel 'scale': it is a value but the kernel's parameter is a __global pointer
// CHECK: arguments.cl:3:49: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "staged") ndrange(1)
void a6(float *x, float *t);
// CHECK: [[@LINE-1]]:26: error: argument 2 does not match kernel 'staged': the kernel's parameter is a __local pointer: it takes local(bytes) in args()
// CHECK: arguments.cl:4:50: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "shaded") ndrange(1)
void a7(float *x, float *from);
// CHECK: [[@LINE-1]]:26: error: argument 2 does not match kernel 'shaded': the kernel's parameter is of type '__read_only image2d_t', which cannot be passed
// CHECK: arguments.cl:5:57: note: the kernel's parameter is here
#pragma hsched task device(opencl) kernel("arguments.cl", "scale") ndrange(n)
void a8(int n, float a, void *x);
// CHECK: [[@LINE-2]]:16: error: the extent of 'x' cannot be inferred: the kernel's elements are not those of the host's parameter; write it, for example inout([<count>](char *)x)
// CHECK: arguments.cl:3:54: note: the kernel's elements are not those of the host's parameter

#pragma hsched task device(opencl) kernel("arguments.cl", "rows") ndrange(n) inout([n]x)
void r1(float *x, int n);
// CHECK: [[@LINE-2]]:67: warning: kernel 'rows' asks for dimension 1 but ndrange has 1 dimension [-Whsched-kernel-range]
// CHECK: arguments.cl:6:13: note: kernel 'rows' is here
#pragma hsched task device(opencl) kernel("arguments.cl", "grouped") ndrange(16, 16) inout([256]x)
void r2(float *x);
// CHECK: [[@LINE-2]]:70: warning: kernel 'grouped' requires work groups of (16, 4, 1) but ndrange names no local sizes [-Whsched-kernel-range]
// CHECK: arguments.cl:7:61: note: kernel 'grouped' is here
#pragma hsched task device(opencl) kernel("arguments.cl", "grouped") ndrange(16, 16; 16, 8) inout([256]x)
void r3(float *x);
// CHECK: [[@LINE-2]]:70: warning: kernel 'grouped' requires a work-group size of 4 in dimension 1 but ndrange says 8 [-Whsched-kernel-range]
// CHECK: arguments.cl:7:61: note: kernel 'grouped' is here
// What fits.
#pragma hsched task device(opencl) kernel("arguments.cl", "grouped") ndrange(16, 16; 16, 4) inout([256]x)
void r4(float *x);

#pragma hsched task device(opencl) kernel("arguments.cl", "framed") ndrange(1) options("-DFRAMED")
void k1(float *x);
// CHECK: [[@LINE-2]]:43: error: kernel file 'arguments.cl' does not compile
// CHECK: arguments.cl:14:8: error: kernel 'framed' declares __local variables, so its name, parameter list and braces must not come from a macro
