// More of what cannot be a task, or a version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++23 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma hsched task priority(1)
#pragma hsched device(cpu) priority(2)
void twice(int n);
// CHECK: [[@LINE-2]]:16: error: clause 'priority' is given twice for one function
struct S {
#pragma hsched task
  void named(this S &self);
// CHECK: [[@LINE-1]]:8: error: 'named' names its object itself, so that it cannot be a task: leave 'this' out of its parameters
#pragma hsched task
  friend void ally(int n);
// CHECK: [[@LINE-1]]:15: error: a friend cannot be a task: put the directive before a declaration at namespace scope
  void member(int n);
};
#pragma hsched task
void grow(int &n);
struct Grower {
  friend void grow(int &n) { ++n; }
};
// CHECK: [[@LINE-2]]:15: error: the task 'grow' is defined as a friend, inside of a class: define it at namespace scope
#pragma hsched task
void S::member(int n) {}
// CHECK: [[@LINE-1]]:9: error: 'member' is a member: put the directive before its declaration in the class
#pragma hsched task in([n]x)
template <class T> void general(int n, T *x) {}
#pragma hsched implements(general)
template <class T, class U> void other(int n, T *x) {}
// CHECK: [[@LINE-1]]:34: error: version 'other' and the task 'general' are not templates of the same shape
// CHECK: note: the main version is here
#pragma hsched implements
void nothing(int n);
// CHECK: [[@LINE-2]]:16: error: expected '(' after 'implements'
#pragma hsched device(cpu) priority(1)
void nowhere(int n);
// CHECK: [[@LINE-2]]:16: error: 'device' says where a version runs: add 'task' or 'implements(f)' to this function
// Brackets close in the order in which they open.
// CHECK: [[@LINE+1]]:24: error: this '[' is not closed
#pragma hsched task in([n x)
void open(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: this '[' is not closed
#pragma hsched task in([n)x)
void crossed(int n, int *x);
// CHECK: [[@LINE+1]]:27: error: this ']' closes nothing that is open here
#pragma hsched task in(n x])
void close(int n, int *x);
// CHECK: [[@LINE+1]]:26: error: this '(' is not closed
#pragma hsched task in([f(n]x)
void inner(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: expected a pointer after '*'
#pragma hsched task in(*)
void star(int n, int *x);
