// Kernels are bodies: roles and extents are inferred from them and the ndrange, and versions are checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -I %S/Inputs -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// CHECK: remark: task 'scale': in([n]x) is inferred
// CHECK: remark: task 'scale': out([n]y) is inferred
// CHECK: remark: task 'exact': out([n]y) is inferred
#pragma hsched task device(opencl) kernel("inference.cl", "scale") ndrange(n; 64)
void scale(int n, float a, const float *x, float *y);
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(n)
void exact(int n, float *y);
// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: 'n' may change before the task runs; write it, for example out([n]y)
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(n) args(n + 0, y)
void late(const int &n, float *y);
// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: the global size is rounded up to the local one, and the kernel does not test its index against it; write it, for example out([<count>]y)
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(n; 64)
void rounded(int n, float *y);
#pragma hsched task device(opencl) kernel("inference.cl", "twod") ndrange(n, m; 8, 8)
void twod(int m, int n, const float *x, float *y);
// CHECK: remark: task 'twod': in([4 * m * n]x) is inferred
// CHECK: remark: task 'twod': out([4 * m * n]y) is inferred
// CHECK: [[@LINE+1]]:16: error: the extent of 'x' cannot be inferred: the argument '&x[off]' is not 'x + n', a parameter plus a number; write it, for example in([<count>]x)
#pragma hsched task device(opencl) kernel("inference.cl", "scale") ndrange(n; 64) args(n, a, &x[off], y)
void elsewhere(int n, int off, float a, float *x, float *y);
#pragma hsched task in([n]x) inout([n]y)
void acc(int n, float *y, float *x) { for (int i = 0; i < n; ++i) y[i] += x[i]; }
#pragma hsched implements(acc) kernel("inference.cl", "acc") ndrange(n; 64)
// CHECK: [[@LINE+1]]:6: warning: version 'acc_cl' writes 'x', which its task 'acc' says is 'in' [-Whsched-versions]
void acc_cl(int n, float *y, float *x);
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(n; 64) out([n]y)
void lies(int n, float *y);
#pragma hsched task device(opencl) kernel("inference.cl", "scale") ndrange(n; 64) args(n, a, x + off, y)
void offset(int n, int off, float a, float *x, float *y);
// CHECK: inference.cl:16:{{[0-9]+}}: note: 'acc_cl' writes it here
// CHECK: remark: task 'lies': out([n]y) is as written
// CHECK: remark: task 'offset': in(x[off:n]) is inferred
// CHECK: remark: task 'offset': out([n]y) is inferred
// Numbers, and whole groups, are rounded up here.
// CHECK: remark: task 'wholeGroups': out([64 * n]y) is inferred
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(64 * n; 32)
void wholeGroups(int n, float *y);
// CHECK: remark: task 'numbers': out([128]y) is inferred
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(100; 32)
void numbers(int n, float *y);
// CHECK: remark: task 'numbersHold': out([96]y) is as written
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(96; 32) out([96]y)
void numbersHold(int n, float *y);
// CHECK: remark: task 'least': out([(n < (m + 1) ? n : (m + 1))]y) is inferred
#pragma hsched task device(opencl) kernel("inference.cl", "least") ndrange(1) args(n, m + 1, y)
void least(int n, int m, float *y);
// CHECK: remark: task 'guards': out([(n < m ? n : m)]y) is inferred
#pragma hsched task device(opencl) kernel("inference.cl", "guards") ndrange(n; 64)
void guards(int n, int m, float *y);
// CHECK: [[@LINE+2]]:16: error: the extent of 'y' cannot be inferred: its bounds are no sums and products; write it, for example out([<count>]y)
// CHECK: inference.cl:{{[0-9]+}}:{{[0-9]+}}: note: its bounds are no sums and products
#pragma hsched task device(opencl) kernel("inference.cl", "masked") ndrange(1)
void masked(int n, int m, float *y);
// An item that is not the last one is in front of it.
// CHECK: remark: task 'stencil': in([w * h]in) is inferred
// CHECK: remark: task 'stencil': out([w * h]out) is inferred
#pragma hsched task device(opencl) kernel("inference.cl", "stencil") ndrange(w, h)
void stencil(const float *in, float *out, int w, int h);
// CHECK: remark: task 'last': out(a[1:n - 1]) is inferred
// CHECK: remark: task 'more': inout(a[1:n + 1]) is inferred
#pragma hsched task device(opencl) kernel("inference.cl", "last") ndrange(n)
void last(int *a, int n);
#pragma hsched task device(opencl) kernel("inference.cl", "last") ndrange(n + 1)
void more(int *a, int n);
