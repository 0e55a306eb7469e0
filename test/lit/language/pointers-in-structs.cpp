// Clauses that name what pointers in an array in a structure lead to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
struct R {
  double *rows[4];
  int n;
  double *grid[2][3];
};
struct Q {
  int k;
  R r[2];
};
#pragma hsched task in(r) inout([r.n](r.rows[0]), [r.n](r.rows[1]))
void byReference(R &r) {
  for (int i = 0; i < r.n; ++i)
    r.rows[0][i] = r.rows[1][i]++;
}
#pragma hsched task in(r->rows[0][0:n]) inout(r->rows[1][0:n], r->grid[1][2][0:n])
void byPointer(R *r, int n) {
  for (int i = 0; i < n; ++i)
    r->rows[1][i] += r->grid[1][2][i] = r->rows[0][i];
}
#pragma hsched task in([n](r.rows[0])) inout(r.rows[k][0:n])
void byValue(R r, int k, int n) {
  for (int i = 0; i < n; ++i)
    r.rows[k][i] += r.rows[0][i];
}
#pragma hsched task inout(q->r[1].rows[2][0:n])
void inner(Q *q, int n) {
  for (int i = 0; i < n; ++i)
    q->r[1].rows[2][i] += 1;
}
struct M {
  double *of[2], *grid[2][2];
  int now, n;
#pragma hsched task in(of[now][0:n]) inout(of[1 - now][0:n])
  void step() {
    for (int i = 0; i < n; ++i)
      of[1 - now][i] += of[now][i];
  }
#pragma hsched task in(grid[0][1][0:n]) out(grid[1][0][0:n])
  void rows() {
    for (int i = 0; i < n; ++i)
      grid[1][0][i] = grid[0][1][i];
  }
};
void statements(const R &r, int n, int k) {
  R own = r, *p = &own;
#pragma hsched task in(own.rows[0][0:n]) inout(own.rows[1][0:n])
  for (int i = 0; i < n; ++i)
    own.rows[1][i] += own.rows[0][i];
#pragma hsched task in(own.rows[k][0:n]) inout(own.rows[1 - k][0:n])
  for (int i = 0; i < n; ++i)
    own.rows[1 - k][i] += own.rows[k][i];
#pragma hsched task in(p->rows[0][0:n]) inout(p->rows[1][0:n])
  for (int i = 0; i < n; ++i)
    p->rows[1][i] += p->rows[0][i];
#pragma hsched taskwait
}
// What clauses do not name, and how it is called.
// CHECK: [[@LINE+1]]:16: warning: task 'other' writes 'r->rows[1]', which no clause names: add inout([n]r->rows[1])
#pragma hsched task in(r->rows[0][0:n])
void other(R *r, int n) {
  for (int i = 0; i < n; ++i)
    r->rows[1][i] += r->rows[0][i];
}
// CHECK: [[@LINE+1]]:16: warning: task 'unnamed' writes 'r.rows[...]', which no clause names: 'r.rows[...]' is one of several arrays
#pragma hsched task
void unnamed(R r, int n) {
  for (int i = 0; i < n; ++i)
    r.rows[1][i] += 1;
}
// CHECK: [[@LINE+1]]:24: warning: task 'lies' writes 'r->grid[1][2]', which its clause says is 'in': write 'inout'
#pragma hsched task in(r->grid[1][2][0:n])
void lies(R *r, int n) {
  for (int i = 0; i < n; ++i)
    r->grid[1][2][i] += 1;
}
// A loop follows more of the pointers than the clause names.
#pragma hsched task inout({r.rows[k][0:n], k = 1; 3})
void named(R &r, int n) {
  for (int k = 1; k < 4; ++k)
    r.rows[k][0] += n;
}
#pragma hsched task inout(r.rows[1][0:n])
void guarded(R &r, int n) {
  for (int k = 0; k < 4; ++k)
    if (k == 1)
      r.rows[k][0] += r.n;
}
// CHECK: [[@LINE+1]]:16: warning: task 'further' writes 'r[...]', which no clause names [
#pragma hsched task inout({r.rows[k][0:n], k = 0; 3})
void further(R &r, int n) {
  for (int k = 0; k < 4; ++k)
    r.rows[k][0] += 1;
}
// CHECK: [[@LINE+1]]:16: warning: task 'one' writes 'r[...]', which no clause names [
#pragma hsched task inout(r.rows[0][0:n])
void one(R &r, int n) {
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < n; ++i)
      r.rows[k][i] += 1;
}
