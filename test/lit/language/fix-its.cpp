// What warnings offer as edits, where one edit is certain: the line below the caret.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --strict-whitespace --implicit-check-not=warning:

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
