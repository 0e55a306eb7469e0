// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that are arrays, of structs in arrays: whichever of their elements is meant, it lies in the struct.
// RUN: %hsched-cc -std=c++20 -c %s --hsched-explain -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %hsched-cc -std=c++20 -DBAD -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD
struct Cell { float f[4]; int used; };
struct Rows { double d; float m[3][5]; }; // ends with an array
struct Inner { int k[2]; };
struct Outer { char c; Inner in[3]; int end; };

// CHECK-DAG: task 'written': inout([n]l) is inferred
#pragma hsched task
void written(int n, Cell *l) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k)
      l[i].f[k] = 0;
}
// CHECK-DAG: task 'read': in(l[1:n - 1]) is inferred
#pragma hsched task
void read(int n, const Cell *l, float &sum) {
  for (int i = 1; i < n; ++i)
    for (int k = 4; k > 0; --k)
      sum += l[i].f[k - 1];
}
// CHECK-DAG: task 'anywhere': in([n]l) is inferred
// CHECK-DAG: task 'anywhere': in([n]at) is inferred
#pragma hsched task
void anywhere(int n, const Cell *l, const int *at, float &sum) {
  for (int i = 0; i < n; ++i)
    sum += l[i].f[at[i]];
}
// CHECK-DAG: task 'parameter': inout(*l) is inferred
#pragma hsched task
void parameter(int k, Cell *l) { l->f[k] += 1; }
// CHECK-DAG: task 'rows': inout(l[n:n]) is inferred
#pragma hsched task
void rows(int n, int r, Rows *l) {
  for (int i = n; i < 2 * n; ++i)
    for (int k = 0; k < 5; ++k)
      l[i].m[r][k] *= 2;
}
// What is behind the last member may belong to it, but not as far as these loops go.
// CHECK-DAG: task 'last': inout(*l) is inferred
#pragma hsched task
void last(Rows *l) {
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 5; ++k)
      l->m[r][k] = 1;
}
// CHECK-DAG: task 'nested': inout([n]l) is inferred
#pragma hsched task
void nested(int n, int a, int b, Outer *l) {
  for (int i = 0; i < n; ++i)
    l[i].in[a].k[b] = i;
}
// Of pointers to arrays rows that are touched in part are named whole, and are not overwritten then.
// CHECK-DAG: task 'halo': in([n]a) is inferred
// CHECK-DAG: task 'halo': inout(b[1:n - 2]) is inferred
#pragma hsched task
void halo(int n, const double (*a)[64], double (*b)[64]) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < 63; ++j)
      b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
}
// CHECK-DAG: task 'columns': inout([n]a) is inferred
#pragma hsched task
void columns(int n, double (*a)[4]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j)
      a[i][j] = 1;
}
// CHECK-DAG: task 'all': out([n]a) is inferred
#pragma hsched task
void all(int n, double (*a)[4]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j)
      a[i][j] = 1;
}
// Bytes of the one before and of the one behind.
// CHECK-DAG: task 'shifted': inout(l[1:n]) is inferred
#pragma hsched task
void shifted(int n, Inner *l) {
  for (int i = 0; i < n; ++i)
    for (int k = 2; k < 4; ++k)
      (&l[i].k[0])[k] = 0;
}

#ifdef BAD
// BAD: [[@LINE+1]]:16: error: the extent of 'l' cannot be inferred: the bytes accessed are not whole elements
#pragma hsched task
void beyond(int k, Rows *l) { l->m[0][k] = 1; }
// BAD: [[@LINE+1]]:16: error: the extent of 'l' cannot be inferred: the bytes accessed are not whole elements
#pragma hsched task
void across(Inner *l) {
  for (int k = 1; k < 4; ++k)
    (&l->k[0])[k] = 0;
}
#endif
