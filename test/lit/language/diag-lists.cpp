// Lists over generators, and template parameters that are called differently.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: [[@LINE+1]]:24: error: a list has sections, then what counts them: {p[i], i = start; number}
#pragma hsched task in({p[0]})
void a1(int n, int *p);
// CHECK: [[@LINE+1]]:24: error: a list has sections, then what counts them
#pragma hsched task in({i = 0; n})
void a2(int n, int *p);
// CHECK: [[@LINE+1]]:37: error: a start and a number of values have ';' between them, because ':' is an upper bound in OmpSs: {p[i], i = start; number}
#pragma hsched task in({p[i], i = 0 : n})
void a3(int n, int *p);
// CHECK: [[@LINE+1]]:31: error: expected a start and a number of values for 'i': {p[i], i = start; number : step}
#pragma hsched task in({p[i], i = ; n})
void a4(int n, int *p);
// CHECK: [[@LINE+1]]:40: error: expected a step after this: {p[i], i = start; number : step}
#pragma hsched task in({p[i], i = 0; n : })
void a5(int n, int *p);
// CHECK: [[@LINE+1]]:24: error: this '{' is not closed where the section ends
#pragma hsched task in({p[i], i = 0; n}[2])
void a6(int n, int *p);
// CHECK: [[@LINE+1]]:27: error: unknown name 'j' in clause 'in'
#pragma hsched task in({p[j], i = 0; n})
void a7(int n, int *p);
// CHECK: [[@LINE+1]]:38: error: unknown name 'm' in clause 'in'
#pragma hsched task in({p[i], i = 0; m})
void a8(int n, int *p);
