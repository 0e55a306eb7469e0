// What a task writes behind a pointer is no change of the pointer: tasks that only read it need no clause for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
double *kept, *moved, *first;
double *&alias = first;
void statements() {
  // CHECK: :[[@LINE+1]]:16: warning: task 'statements:[[@LINE+1]]' writes 'kept', which no clause names: add inout(kept[1:1])
#pragma hsched task
  kept[1] += 1;
  // CHECK: :[[@LINE+1]]:16: warning: task 'statements:[[@LINE+1]]' writes 'alias', which no clause names: add inout(alias[1:2])
#pragma hsched task
  {
    alias[1] += 1;
    alias[2] += 1;
  }
#pragma hsched task inout(alias[1:1])
  alias[1] += 1;
  // CHECK: :[[@LINE+2]]:16: warning: task 'statements:[[@LINE+2]]' writes 'moved', which no clause names: add inout(moved[1:1])
  // CHECK: :[[@LINE+1]]:16: warning: task 'statements:[[@LINE+1]]' reads 'moved', which no clause names: add in(*&moved)
#pragma hsched task
  moved[1] += 1;
#pragma hsched task inout(*&moved)
  ++moved;
#pragma hsched taskwait
}
// A nested loop of threads has counters of its own.
void nested(int n, int *a) {
  int i, j, k;
#pragma hsched for
  for (i = 0; i < n; i++) {
#pragma hsched for
    for (j = 0; j < n; j++)
      a[i * n + j] = 0;
    // CHECK: :[[@LINE+1]]:10: warning: every iteration changes 'k'
    for (k = 0; k < n; k++) {
    }
  }
}
// Tasks whose bodies stand elsewhere say by their clauses that they write pointers.
double *elsewhere, *table[4], *behind;
#pragma hsched task inout(*&elsewhere)
void advance();
#pragma hsched task inout(table[0:4])
void turn();
#pragma hsched task inout(behind[0:4])
void fill();
// CHECK: :[[@LINE+1]]:16: warning: task 'reads_pointers' reads 'elsewhere', which no clause names
#pragma hsched task out(*to)
void reads_pointers(double *to) { *to = elsewhere ? 1 : 0; }
// CHECK: :[[@LINE+1]]:16: warning: task 'reads_table' reads 'table', which no clause names
#pragma hsched task out(*to)
void reads_table(double *to) { *to = table[1] ? 1 : 0; }
#pragma hsched task out(*to)
void reads_behind(double *to) { *to = behind ? 1 : 0; }
// Whatever the type of the pointer is called.
typedef double *Vector;
Vector renamed;
double (*rows)[8];
#pragma hsched task inout(renamed[1:1])
void fill_renamed() { renamed[1] = 2 * renamed[1]; }
#pragma hsched task out(*to)
void reads_renamed(double *to) { *to = renamed ? 1 : 0; }
#pragma hsched task inout(rows[1:1])
void fill_row() {
  for (int i = 0; i < 8; ++i)
    rows[1][i] += 1;
}
#pragma hsched task out(*to)
void reads_rows(double *to) { *to = rows ? 1 : 0; }
