// Clauses that contradict the code are warnings, and errors on demand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: not %hsched-cc -Werror=hsched -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %hsched-cc -Wno-hsched-const -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=hsched-const
// RUN: %hsched-cc -w -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// OFF: [-Whsched-versions]
// SILENT-NOT: warning
// CHECK: [[@LINE+2]]:25: warning: 'x' cannot be 'out': what it refers to is const, so that only 'in' is possible [-Whsched-const]
// ERROR: error: 'x' cannot be 'out'
#pragma hsched task out([n]x)
void a1(int n, const int *x) {}
// CHECK: note: parameter 'x' is declared here
#pragma hsched task inout([n]x)
void f(int n, float *x) {}
// CHECK: [[@LINE+2]]:30: warning: this version says something else about its data than the main version 'f', whose clauses hold [-Whsched-versions]
// ERROR: error: this version says something else
#pragma hsched implements(f) in([n]x)
void f2(int n, float *x) {}
// CHECK: note: the main version's clauses are here
// Saying the same again is fine, with other names too.
#pragma hsched implements(f) inout([count]data)
void f3(int count, float *data) {}
#pragma hsched implements(f) kernel("k.cl", "fixed") ndrange(n; 32)
void f4(int n, float *x);
// CHECK: warning: {{.*}}16
// CHECK: note: kernel 'fixed' is here
