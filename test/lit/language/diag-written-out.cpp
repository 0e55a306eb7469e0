// What hsched-cc edits must stand in the file: it cannot come from a macro, or be shared with another declaration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -I %S/Inputs -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#define BEGIN {
#define NUMBER(name) int name
#pragma hsched task inout([n]x)
void body(int n, float *x) BEGIN
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
// CHECK: [[@LINE-4]]:6: error: 'body' is a task or a version, so that its name and braces must be written out: they cannot come from a macro
#pragma hsched task inout([n]x)
void named(int n, float *x);
void named(NUMBER(m), float *x) { x[m - 1] += 1; }
// CHECK: [[@LINE-1]]:19: error: this parameter is called 'n' at the directive: call it so here
#pragma hsched task device(opencl) kernel("inference.cl", "unguarded") ndrange(n)
void shared(int n, float *y), *alone(int n);
// CHECK: [[@LINE-1]]:6: error: the declaration of kernel 'shared' must end with ';' of its own
