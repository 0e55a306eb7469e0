// Directives that are no directives, and directives in the wrong place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CARET

// CHECK: [[@LINE+3]]:16: error: unknown hsched directive 'tsak'; expected 'task', 'implements', 'device', 'taskwait', 'taskloop', 'for', 'taskgroup' or 'declare reduction'
// CARET: #pragma hsched tsak
// CARET-NEXT: {{^ +\| +\^}}
#pragma hsched tsak in(x)
// CHECK: [[@LINE+1]]:1: error: expected an hsched directive: 'task', 'implements', 'device', 'taskwait', 'taskloop', 'for', 'taskgroup' or 'declare reduction'
#pragma hsched
// CHECK: [[@LINE+1]]:21: error: unknown clause 'inn' on 'task'; perhaps 'in' is meant
#pragma hsched task inn([n]x)
void a1(int n, int *x);
// CHECK: [[@LINE+1]]:23: error: this '(' of clause 'in' is not closed on this directive
#pragma hsched task in([n]x
void a2(int n, int *x);
// CHECK: [[@LINE+1]]:21: error: expected '(' after 'in'
#pragma hsched task in [n]x
void a3(int n, int *x);
// CHECK: [[@LINE+1]]:21: error: clause 'in' is empty
#pragma hsched task in()
void a4(int n, int *x);
// CHECK: [[@LINE+1]]:21: error: expected a clause, found '3'
#pragma hsched task 3
void a5(int n, int *x);
// CHECK: [[@LINE+1]]:33: error: clause 'priority' is given twice
#pragma hsched task priority(1) priority(2)
void a6(int n);
// CHECK: [[@LINE+1]]:21: error: clause 'noflush' does not belong to 'task'
#pragma hsched task noflush
void a7(int n);
// CHECK: [[@LINE+1]]:32: error: 'implements' makes a version of a task, 'task' a main version: use one of them
#pragma hsched task implements(a7)
void a8(int n);
// CHECK: [[@LINE+1]]:29: error: 'implements' takes the name of one function
#pragma hsched implements(a7(3))
void a9(int n);
#define INDIRECT _Pragma("hsched task")
// CHECK: error: an hsched directive must be written as '#pragma hsched': it cannot come from a macro
INDIRECT void a10(int n);
// Errors of parsing leave the other steps to do their work: this is told as well.
// CHECK: [[@LINE+1]]:16: error: 'task' must be followed by a function, but this is not one
#pragma hsched task
int global;
// CHECK: note: this follows
void g(int n) {
  // CHECK: [[@LINE+1]]:16: error: 'implements' inside the body of 'g': it belongs to a function
#pragma hsched implements(a7)
  { n++; }
}
// CHECK: [[@LINE+1]]:16: error: 'task' must be followed by a function, but this is not one
#pragma hsched task
;
// CHECK: [[@LINE+1]]:16: error: 'taskloop' must precede a for loop inside a function
#pragma hsched taskloop
void h();
// CHECK: [[@LINE+1]]:16: error: 'device' says where a version runs: add 'task' or 'implements(f)' to this function
#pragma hsched device(cpu)
void i(int n);
// CHECK: [[@LINE+1]]:16: error: 'task' must be followed by a function
#pragma hsched task
