// Clauses that bodies contradict, and data that no clause names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// RUN: not %hsched-cc -Werror=hsched-role -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: task 'r1' writes 'x', which its clause says is 'in': write 'inout' [-Werror,-Whsched-role]
// ERROR: warning: task 'e1' touches 'x' outside '[n]x'
// RUN: %hsched-cc -Wno-hsched-role -Wno-hsched-extent -Wno-hsched-coverage -Wno-hsched-unnamed -Wno-hsched-versions -std=c++20 -c %s -o %t.o 2>&1 | count 0

// CHECK: [[@LINE+4]]:24: warning: task 'r1' writes 'x', which its clause says is 'in': write 'inout' [-Whsched-role]
// CHECK-NEXT: #pragma
// CHECK-NEXT: | ~~ ^{{$}}
// CHECK-NEXT: | inout{{$}}
#pragma hsched task in([n]x)
void r1(int n, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1; // CHECK: [[@LINE]]:{{[0-9]+}}: note: 'r1' writes it here
}

// CHECK: [[@LINE+4]]:25: warning: task 'r2' reads 'y', which its clause says is 'out': write 'inout' [-Whsched-role]
// CHECK-NEXT: #pragma
// CHECK-NEXT: | ~~~ ^{{$}}
// CHECK-NEXT: | inout{{$}}
#pragma hsched task out([n]y)
void r2(int n, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] += 1; // CHECK: [[@LINE]]:{{[0-9]+}}: note: 'r2' reads it here
}

// CHECK: [[@LINE+4]]:25: warning: task 'r3' does not write 'y', which its clause says is 'out': write 'in' [-Whsched-role]
// CHECK-NEXT: #pragma
// CHECK-NEXT: | ~~~ ^{{$}}
// CHECK-NEXT: | in{{$}}
#pragma hsched task out([n]y) out(*s)
void r3(int n, float *y, float *s) {
  float t = 0;
  for (int i = 0; i < n; ++i)
    t += y[i];
  *s = t;
}

// CHECK: [[@LINE+4]]:25: warning: task 'c1' does not overwrite all of '[n]y', which 'out' promises: what it leaves is lost [-Whsched-coverage]
// CHECK-NEXT: #pragma
// CHECK-NEXT: | ~~~ ^{{$}}
// CHECK-NEXT: | inout{{$}}
#pragma hsched task out([n]y)
void c1(int n, float *y) {
  for (int i = 1; i < n; ++i)
    y[i] = 0; // CHECK: [[@LINE]]:5: note: this is all that is surely written
}

// CHECK: [[@LINE+4]]:24: warning: task 'e1' touches 'x' outside '[n]x', the section that 'in' names [-Whsched-extent]
// CHECK-NEXT: #pragma
// CHECK-NEXT: | ^~~~{{$}}
// CHECK-NEXT: | [n + 1]x{{$}}
#pragma hsched task in([n]x) out([n]y)
void e1(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + x[i + 1]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: this access is outside; all of them are in '[n + 1]x'
}

// CHECK: [[@LINE+1]]:24: warning: task 'e2' touches 'x' outside '[n]x', the section that 'in' names [-Whsched-extent]
#pragma hsched task in([n]x) in(*k) out(*y)
void e2(int n, const float *x, const int *k, float *y) {
  *y = x[n] + x[*k]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: this access is outside{{$}}
}

float table[16];
#pragma hsched task out(table)
void fill();
const float fixed[2] = {1, 2};
// CHECK: [[@LINE+4]]:16: warning: task 'u1' reads 'table', which no clause names: add in(table) [-Whsched-unnamed]
// CHECK-NEXT: #pragma
// CHECK-NEXT: | ^
// CHECK-NEXT: | in(table){{$}}
#pragma hsched task inout([n]x)
void u1(int n, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= table[i & 15] * fixed[0]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is read here
}

int calls;
// CHECK: [[@LINE+4]]:16: warning: task 'u2' writes 'calls', which no clause names: add inout(calls) [-Whsched-unnamed]
// CHECK-NEXT: #pragma
// CHECK-NEXT: | ^
// CHECK-NEXT: | inout(calls){{$}}
#pragma hsched task
void u2() { ++calls; }
// CHECK: note: it is written here

#pragma hsched task in([n]x) out([n]y)
void v(int n, float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
#pragma hsched implements(v)
// CHECK: [[@LINE+1]]:6: warning: version 'v2' writes 'x', which its task 'v' says is 'in' [-Whsched-versions]
void v2(int n, float *x, float *y) {
  // CHECK: note: the task's clause is here; 'inout' holds for both
  for (int i = 0; i < n; ++i) {
    y[i] = x[i];
    x[i] = 0; // CHECK: [[@LINE]]:{{[0-9]+}}: note: 'v2' writes it here
  }
}

// What is true, or cannot be known, is not warned of.
extern void opaque(float *);
#pragma hsched task in([n]x) out([n]y)
void quiet1(int n, float *x, float *y) {
  opaque(x);
  for (int i = 0; i < n; ++i)
    y[i] = x[n - 1 - i];
}
#pragma hsched task out([n]y) in([n]idx)
void quiet2(int n, const int *idx, float *y) {
  for (int i = 0; i < n; ++i)
    y[idx[i]] = 1;
}
