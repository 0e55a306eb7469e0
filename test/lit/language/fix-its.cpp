// What warnings offer as edits, where one edit is certain: the line below the caret.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --strict-whitespace --implicit-check-not=warning:
// RUN: %hsched-cc -std=c++20 -fdiagnostics-parseable-fixits -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --check-prefix=PARSEABLE

// CHECK: [[@LINE+4]]:24: warning: task 'first' writes 'x'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^~~~~{{$}}
// CHECK-NEXT: |{{( {21})}}inout([n]x){{ *$}}
#pragma hsched task in([n]x, [n]y)
void first(int n, float *x, const float *y) {
  for (int i = 0; i < n; ++i)
    x[i] += y[i];
}
// CHECK: [[@LINE+4]]:44: warning: task 'last' reads 'z'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}~~^~~~{{$}}
// CHECK-NEXT: |{{( {33})}}inout([n]z){{ *$}}
#pragma hsched task inout([n]x) out([n]y , [n]z)
void last(int n, float *x, float *y, float *z) {
  for (int i = 0; i < n; ++i)
    x[i] += 1, y[i] = 0, z[i] += 1;
}
// What is counted goes with what counts it; where it counts others, too, nothing is offered.
// CHECK: [[@LINE+5]]:30: warning: task 'list' writes 'p{{.*}}', which its clause says is 'in'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}~~^~~~~~~~~~~~~~~{{$}}
// CHECK-NEXT: |{{( {21})}}inout({p[i], i = 0; n}){{ *$}}
// PARSEABLE: fix-it:"{{.*}}fix-its.cpp":{[[@LINE+1]]:21-[[@LINE+1]]:21}:"inout({p[i], i = 0; n}) "
#pragma hsched task in([n]q,{p[i], i = 0; n})
void list(int n, float *p, float *q) {
  for (int i = 0; i < n; ++i)
    p[i] = q[i];
}
// CHECK: [[@LINE+3]]:25: warning: task 'lists' writes 'p{{.*}}', which its clause says is 'in'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^{{ *$}}
#pragma hsched task in({p[i], q[i], i = 0; n})
void lists(int n, float *p, float *q) {
  for (int i = 0; i < n; ++i)
    p[i] = q[i];
}
// CHECK: [[@LINE+4]]:38: warning: task 'covered' does not overwrite all of '[n]z'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}~~^~~~{{$}}
// CHECK-NEXT: |{{( {28})}}inout([n]z){{ *$}}
#pragma hsched task in(*x) out([n]y, [n]z)
void covered(int n, const float *x, float *y, float *z) {
  for (int i = 0; i < n; ++i)
    y[i] = *x;
  for (int i = 1; i < n; ++i)
    z[i] = *x;
}
// CHECK: [[@LINE+4]]:25: warning: 'x' cannot be 'out'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}~~~ ^{{$}}
// CHECK-NEXT: |{{( {21})}}in{{$}}
#pragma hsched task out([n]x)
void constant(int n, const float *x);
// CHECK: warning: version 'writes' writes 'x'
// CHECK: [[@LINE+4]]:24: note: the task's clause is here; 'inout' holds for both
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}~~ ^{{$}}
// CHECK-NEXT: |{{( {21})}}inout{{$}}
#pragma hsched task in([n]x) out([n]y)
void task(int n, float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
#pragma hsched implements(task)
void writes(int n, float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i], x[i] = 0;
}
// CHECK: [[@LINE+3]]:45: warning: this version says something else about its data
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^~~~~~~~~~~~~~~~~~~~~{{$}}
#pragma hsched implements(task) device(cpu) inout([n]x) out([n]y)
void differs(int n, float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
// Which of two edits it is to be, notes leave to the reader.
// CHECK: [[@LINE+9]]:30: warning: 'n - 1' looks like an upper bound
// CHECK: [[@LINE+8]]:30: note: if it is a bound, the length is 'n'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^~~~~{{$}}
// CHECK-NEXT: |{{( {30})}}n{{ *$}}
// CHECK: [[@LINE+4]]:28: note: if it is the length, ';' says so here as well as in OmpSs
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^{{ *$}}
// CHECK-NEXT: |{{( {28})}};{{ *$}}
#pragma hsched task in(p[0 : n - 1])
void bound(int n, int *p);
// CHECK: warning: 'n * sizeof(unsigned long) - 1' looks like an upper bound
// CHECK: note: if it is a bound, the length is 'n*sizeof(unsigned long)'
#pragma hsched task in(p[0:n * sizeof(unsigned long) - 1])
void words(int n, char *p);
struct Base {
  virtual ~Base();
  int v;
};
int captures(int n, const Base &b, int *p) {
  int a = 0, i;
  // CHECK: warning: 'b' refers to an object
  // CHECK-NEXT: #pragma hsched task
  // CHECK-NEXT: | {{ *$}}
  // CHECK-NEXT: |{{( {21})}}inout(b){{$}}
  // CHECK: note: 'b' is declared here
#pragma hsched task
  *p = b.v;
  // CHECK: warning: the task changes a copy of 'a'
  // CHECK-NEXT: #pragma hsched task
  // CHECK-NEXT: | {{ *$}}
  // CHECK-NEXT: |{{( {30})}}inout(a){{$}}
  // CHECK: note: 'a' is declared here
#pragma hsched task in([n]p)
  for (int k = 0; k < n; ++k)
    a += p[k];
  // Behind what is said, before what is said about it.
  // CHECK: warning: the task changes a copy of 'a'
  // CHECK-NEXT: #pragma hsched task in([n]p) /* all */
  // CHECK-NEXT: |{{( {30})}}inout(a){{ *$}}
  // CHECK: note: 'a' is declared here
#pragma hsched task in([n]p) /* all */ // of it
  for (int k = 0; k < n; ++k)
    a -= p[k];
  // CHECK: [[@LINE+3]]:3: warning: each task of the loop counts by a 'i' of its own, and what it ends with is lost
  // CHECK: note: 'i' is declared here
#pragma hsched taskloop inout(p[i])
  for (i = 0; i < n; ++i)
    p[i] += 1;
#pragma hsched taskwait
  return a + i;
}
#pragma hsched task inout([n]x)
void scaled(int n, float *x) {
  for (int k = 0; k < n; ++k)
    x[k] *= 2;
}
// One word in place of another would not make this right.
// CHECK: [[@LINE+4]]:32: warning: task 'depends' writes 'x', which its clause says is 'in': write 'inout'
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^{{ *$}}
// CHECK-NEXT: fix-its.cpp:[[@LINE+2]]:{{[0-9]+}}: note: 'depends' writes it here
#pragma hsched task depend(in: [n]x)
void depends(int n, float *x) { for (int i = 0; i < n; ++i) x[i] = 1; }
// CHECK: [[@LINE+4]]:59: warning: kernel 'fixed' requires a work-group size of 16 in dimension 0 but ndrange says 32
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^ {{ +}}~~{{$}}
// CHECK-NEXT: |{{( {70})}}16{{$}}
#pragma hsched implements(scaled) kernel("k.cl", "fixed") ndrange(n; 32)
void other(int n, float *x);
// CHECK: warning: kernel 'fixed' requires work groups of (16, 1, 1) but ndrange names no local sizes
// CHECK-NEXT: #pragma hsched
// CHECK-NEXT: | {{ +}}^ {{ *$}}
// CHECK-NEXT: |{{( {68})}}; 16{{$}}
#pragma hsched implements(scaled) kernel("k.cl", "fixed") ndrange(n)
void none(int n, float *x);
// CHECK: loose.cl:4:9: warning: using the result of an assignment as a condition without parentheses
// CHECK: fix-its.cpp:[[@LINE+5]]:42: note: the kernel file is named here
// CHECK: loose.cl:4:9: note: use '==' to turn this assignment into an equality comparison
// CHECK-NEXT: if (n = 3)
// CHECK-NEXT: | {{ +}}^{{$}}
// CHECK-NEXT: | {{ +}}=={{$}}
#pragma hsched implements(scaled) kernel("loose.cl") ndrange(n)
void loose(int n, float *x);
