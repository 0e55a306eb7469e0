// Heads of loops that cannot be divided.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
void use(int);
int global;
#define HEAD(i, n) (int i = 0; i < n; ++i)
#define FOR(i, n) for (int i = 0; i < n; ++i)
#define BOTH 0; i < n
#define REST n; ++i)
void heads(int n, int m, int *a) {
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:3: error: the head of a taskloop's loop must be written out: it cannot come from a macro
  FOR(i, n) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:3: error: the head of a taskloop's loop must be written out: it cannot come from a macro
  for HEAD(i, n) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:16: error: the head of a taskloop's loop must be written out: it cannot come from a macro
  for (int i = BOTH; ++i) use(i);
#pragma hsched taskloop
  for (int i = 0; i <
#include "Inputs/bound.h"
       ; ++i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:8: error: the loop of 'taskloop' begins with a value: 'for (int i = 0; ...'
  for (int i; i < n; ++i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:8: error: the loop of 'taskloop' begins with a value: 'for (int i = 0; ...'
  for (int i{0}; i < n; ++i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:7: error: the loop of 'taskloop' begins with a value: 'for (int i = 0; ...'
  for (; m < n; ++m) use(m);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:8: error: the loop of 'taskloop' begins with a value: 'for (int i = 0; ...'
  for (m += 2; m < n; ++m) use(m);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:8: error: the variable of a taskloop cannot be a reference, because each task has its own copy
  for (int &i = a[0]; i < n; ++i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:8: error: the variable of a taskloop must be a local variable, because each task has a copy: declare it in the loop's head
  for (global = 0; global < n; ++global) use(global);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:23: error: bound and step of a taskloop's loop cannot depend on its variable 'i'
  for (int i = 0; i < i + n; ++i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:31: error: bound and step of a taskloop's loop cannot depend on its variable 'i'
  for (int i = 1; i < n; i += i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+3]]:5: error: 'm' says how far the taskloop's loop goes and cannot be changed in its body
  // CHECK: [[@LINE+1]]:31: note: it is used here
  for (int i = 0; i < n; i += m)
    m = i;
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:26: error: this step leads away from the loop's end
  for (int i = 0; i < n; i += 0) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:26: error: this step leads away from the loop's end
  for (int i = 0; i < n; i -= 2) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:26: error: this step leads away from the loop's end
  for (int i = n; i > 0; i -= -1) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:26: error: the loop of 'taskloop' goes on by one step each time
  for (int i = n; i > 0; i = m - i) use(i);
#pragma hsched taskloop
  // CHECK: error: the loop of 'taskloop' goes on by one step each time
  for (int i = n; i > 0;) use(--i);
#pragma hsched taskloop
  // CHECK: error: the loop of 'taskloop' goes on while 'i' compares with one bound: 'i < n', with <, <=, >, >= or !=
  for (int i = n;; ++i) use(i);
}
void sections(int n, double *p, const int *k) {
  // CHECK: [[@LINE+1]]:29: error: section 'p[k[i] + j]' does not change evenly with the variable 'i' of the taskloop
#pragma hsched taskloop in({p[k[i] + j], j = 0; 2})
  for (int i = 0; i < n; ++i) use(i);
}
// What is wrong in other files comes behind.
// CHECK: bound.h:2:1: error: the head of a taskloop's loop must be written out
