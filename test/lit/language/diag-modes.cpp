// Clauses of modes and control, misused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

// CHECK: [[@LINE+1]]:32: error: clause 'if' is given twice
#pragma hsched task if(n == 1) if(n)
void a1(int n);
// CHECK: [[@LINE+1]]:21: error: clause 'final' is empty
#pragma hsched task final()
void a2(int n);
// CHECK: [[@LINE+1]]:26: error: unknown name 'm' in clause 'cost': it is not a parameter of 'a3'
#pragma hsched task cost(m)
void a3(int n);
// CHECK: note: the parameters of 'a3' are 'n'
// CHECK: [[@LINE+1]]:26: error: unknown name 'm' in clause 'if': it is not a parameter of 'a4'
#pragma hsched task   if(m)
void a4(int n);
// CHECK: note: the parameters of 'a4' are 'n'
// CHECK: [[@LINE+1]]:27: error: unknown name 'm' in clause 'final': it is not a parameter of 'a5'
#pragma hsched task final(m)
void a5(int n);
// CHECK: note: the parameters of 'a5' are 'n'
#pragma hsched task concurrent([n]x) if(n)
void a6(int n, int *x);
// CHECK: [[@LINE+1]]:34: error: clause 'if' belongs to the main version: tasks have it, versions do not
#pragma hsched implements(a6) if(n)
void a6b(int n, int *x);
