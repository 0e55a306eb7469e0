// Versions and their main versions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma hsched task in([n]x)
void f(int n, float *x);
#pragma hsched implements(f)
void f_double(int n, double *x) {}
// CHECK: [[@LINE-1]]:30: error: parameter 2 of version 'f_double' is 'double *', but 'float *' in the task 'f' that it implements
// CHECK: diag-versions.cpp:5:22: note: the main version's parameter is here
#pragma hsched implements(f)
void f_short(int n) {}
// CHECK: [[@LINE-1]]:6: error: 'f_short' has 1 parameters, but the task 'f' that it implements has 2
// CHECK: diag-versions.cpp:5:6: note: the main version is here
#pragma hsched implements(missing)
void f_missing(int n, float *x) {}
// CHECK: [[@LINE-2]]:27: error: no function 'missing' is visible here: declare the main version, with its 'task' directive, before its versions
#pragma hsched implements(f)
void f_version(int n, float *x) {}
#pragma hsched implements(f_version)
void f_chain(int n, float *x) {}
// CHECK: [[@LINE-2]]:27: error: 'f_version' is itself a version of 'f', not a main version: write implements(f)
// CHECK: note: 'f_version' is declared here
void plain(int n, float *x);
#pragma hsched implements(plain)
void f_plain(int n, float *x) {}
// CHECK: [[@LINE-2]]:27: error: 'plain' is not a main version: put '#pragma hsched task' before it
// CHECK: note: 'plain' is declared here
#pragma hsched implements(f) priority(n)
void f_priority(int n, float *x) {}
// CHECK: [[@LINE-2]]:39: error: clause 'priority' belongs to the main version: tasks have it, versions do not
template <class T> void shape(int n, T *x);
#pragma hsched implements(f)
template <class T> void f_template(int n, T *x) {}
// CHECK: [[@LINE-1]]:46: error: parameter 2 of version 'f_template' is 'T *', but 'float *' in the task 'f'
// CHECK: note: the main version's parameter is here
