// Clauses that contradict the code are warnings, and errors on demand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: not %hsched-cc -Werror=hsched -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %hsched-cc -Wno-hsched-const -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=hsched-const
// RUN: %hsched-cc -w -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// OFF: [-Whsched-versions]
// SILENT-NOT: warning
// RUN: not %hsched-cc -Werror=hsched-const -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: 'x' cannot be 'out': {{.*}} [-Werror,-Whsched-const]{{$}}
// ONE: warning: this version says something else {{.*}} [-Whsched-versions]{{$}}
// RUN: not %hsched-cc -Whsched-cosnt -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: {{^}}hsched-cc: error: unknown warning option '-Whsched-cosnt'; did you mean '-Whsched-const'?
// RUN: %hsched-cc -Wno-hsched -Wno-hsched-of-tomorrow -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=TOMORROW
// TOMORROW-NOT: cpp
// TOMORROW: {{^}}hsched-cc: warning: unknown warning option '-Wno-hsched-of-tomorrow'; --hsched-help=warnings lists them
// TOMORROW-NOT: cpp
// RUN: %hsched-cc -Wno-hsched-kernel-range -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE-NOT: {{kernel-range|is here$}}
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
// CHECK: warning: {{.*}}16{{.*}} [-Whsched-kernel-range]
// CHECK: note: kernel 'fixed' is here{{$}}
