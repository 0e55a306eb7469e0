// Extents that are counted by global numbers: such a number is constant unless a task may write it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -Wno-hsched -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %hsched-cc -Wno-hsched -DWRITTEN -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRITTEN --implicit-check-not=error:
// RUN: %hsched-cc -Werror -c %s -o %t.o
static int own = 4, blocks = 3;
int size = 5;
struct Settings {
  int n;
} settings;
// CHECK: task 'counted': out([own]x) is inferred
// CHECK: task 'counted': out([size]y) is inferred
// CHECK: task 'counted': out([settings.n]z) is inferred
#pragma hsched task
void counted(double *x, double *y, double *z) {
  for (int i = 0; i < own; ++i)
    x[i] = 1;
  for (int i = 0; i < size; ++i)
    y[i] = 1;
  for (int i = 0; i < settings.n; ++i)
    z[i] = 1;
}
// CHECK: task 'pieces:[[@LINE+2]]': inout(x[i * blocks + j:1]) is inferred
void pieces(double *x, int i, int j, int k) {
#pragma hsched task
  x[i * blocks + j] += x[k * blocks + j];
}
// The number that selects an argument is not what the argument leads to: no task writes 'blocks'.
static void solve(const float *diagonal, float *row) {
  for (int i = 0; i < own; ++i)
    row[i] -= diagonal[i];
}
void sparse(float **matrix, int k, int j) {
#pragma hsched task in([own]matrix[k * blocks + k]) inout([own]matrix[k * blocks + j])
  solve(matrix[k * blocks + k], matrix[k * blocks + j]);
#pragma hsched taskwait
}
#ifdef WRITTEN
// A task of another file may write it.
extern int foreign;
void elsewhere(double *x, int i, int j, int k) {
// WRITTEN: [[@LINE+1]]:16: error: the extent of 'x' cannot be inferred: 'foreign' may change before the task runs; write it, for example inout([<count>]x)
#pragma hsched task
  x[i * foreign + j] += x[k * foreign + j];
}
// A task before may write it, by a name or through a reference, or a clause names it.
static int set, raised, passed, named;
// WRITTEN: error: the extent of 'y' cannot be inferred: 'set' may change before the task runs; write it, for example out([set]y)
#pragma hsched task
void first(double *y) {
  for (int i = 0; i < set; ++i)
    y[i] = 1;
}
// WRITTEN: error: the extent of 'y' cannot be inferred: 'raised' may change before the task runs; write it, for example out([raised]y)
#pragma hsched task
void second(double *y) {
  for (int i = 0; i < raised; ++i)
    y[i] = 1;
}
// WRITTEN: error: the extent of 'y' cannot be inferred: 'passed' may change before the task runs; write it, for example out([passed]y)
#pragma hsched task
void third(double *y) {
  for (int i = 0; i < passed; ++i)
    y[i] = 1;
}
// WRITTEN: error: the extent of 'y' cannot be inferred: 'named' may change before the task runs; write it, for example out([named]y)
#pragma hsched task in(named)
void fourth(double *y) {
  for (int i = 0; i < named; ++i)
    y[i] = 1;
}
#pragma hsched task
void writer() { set = 5; }
#pragma hsched task
void raise(int &n) { ++n; }
#pragma hsched task
void through(int *p) { *p = 4; }
void use(int b) {
  int *q = &passed;
  raise(raised);
  if (b)
    through(q);
}
#endif
