// Data behind pointers that lie in memory is named by subscripts, by stars and by lists alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | grep -v note: \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#pragma hsched task inout({rows[k][0:n], k = 0; m})
void scale(double **rows, int m, int n) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++)
      rows[k][i] *= 2;
}
#pragma hsched task in([n]b, {[bs]b[k], k = 0; n}) out(*y)
void blocks(int n, int bs, double **b, double *y) {
  *y = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < bs; i++)
      *y += b[k][i];
}
#pragma hsched task inout(rows[k][0:n])
void renamed(double **rows, int k, int n) {
  double *r = rows[k];
  for (int i = 0; i < n; i++)
    r[i] *= 2;
}
#pragma hsched task inout([n](rows[k]))
void shaped(double **rows, int k, int n) {
  for (int i = 0; i < n; i++)
    rows[k][i] *= 2;
}
#pragma hsched task in(b[0][0:bs]) out(*y)
void first(double **b, int bs, double *y) {
  *y = 0;
  for (int i = 0; i < bs; i++)
    *y += b[0][i];
}
#pragma hsched task in(*(*b)) out(*y)
void stars(double **b, double *y) { *y = b[0][0]; }
#pragma hsched task in(b[0][0]) out(*y)
void element(double **b, double *y) { *y = **b; }
#pragma hsched task out({rows[k][0:n], k = 0; m})
void fill(double **rows, int m, int n) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++)
      rows[k][i] = 2;
}
struct List {
  double *v, **w;
};
#pragma hsched task inout({s->w[k][0:n], k = 0; 4})
void member(List *s, int n) {
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < n; i++)
      s->w[k][i] += 1;
}
#pragma hsched task inout({l[k].v[0:n], k = 0; m})
void ofStructures(List *l, int m, int n) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++)
      l[k].v[i] += 1;
}
struct Matrix {
  double **rows;
#pragma hsched task inout({rows[k][0:n], k = 0; 8})
  void add(int n) {
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < n; i++)
        rows[k][i] += 1;
  }
};
double *table[8];
#pragma hsched task inout({table[k][0:n], k = 0; 8})
void global(int n) {
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < n; i++)
      table[k][i] += 1;
}
void statements() {
  double a = 0, *bp[8];
  for (auto &p : bp)
    p = &a;
#pragma hsched task inout({*bp[i], i = 0; 8})
  for (int i = 0; i < 8; i++)
    *bp[i] += 1;
// CHECK: [[@LINE+1]]:16: warning: task 'statements:[[@LINE+1]]' writes 'bp[...]', which no clause names
#pragma hsched task inout(*bp[2])
  for (int i = 0; i < 8; i++)
    *bp[i] += 1;
#pragma hsched taskwait
}

// Not what the task touches.
// CHECK: [[@LINE+1]]:16: warning: task 'pointersAlone' writes 'rows[...]', which no clause names
#pragma hsched task in([m]rows)
void pointersAlone(double **rows, int m, int n) {
  for (int k = 0; k < m; k++)
    rows[k][n] = 1;
}
// CHECK: [[@LINE+1]]:16: warning: task 'tooFew' writes 'rows[...]', which no clause names
#pragma hsched task inout({rows[k][0:n], k = 0; 2})
void tooFew(double **rows, int m, int n) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++)
      rows[k][i] *= 2;
}
// CHECK: [[@LINE+1]]:16: warning: task 'another' writes 'rows[...]', which no clause names
#pragma hsched task inout(rows[j][0:n])
void another(double **rows, int j, int k, int n) {
  for (int i = 0; i < n; i++)
    rows[k][i] *= 2;
}
// CHECK: [[@LINE+1]]:16: warning: task 'second' writes 'b[1]', which no clause names: add inout([n]b[1])
#pragma hsched task inout(b[0][0:n])
void second(double **b, int n) {
  for (int i = 0; i < n; i++)
    b[1][i] += 1;
}
// CHECK: [[@LINE+1]]:16: warning: task 'otherMember' writes '*s->w', which no clause names
#pragma hsched task inout([n]s->v)
void otherMember(List *s, int n) {
  for (int i = 0; i < n; i++)
    s->w[0][i] += 1;
}
// CHECK: [[@LINE+1]]:25: warning: task 'onlyIn' writes 'rows[...]', which its clause says is 'in': write 'inout'
#pragma hsched task in({rows[k][0:n], k = 0; m})
void onlyIn(double **rows, int m, int n) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++)
      rows[k][i] *= 2;
}
// CHECK: [[@LINE+1]]:26: warning: task 'onlyOut' reads 'rows[...]', which its clause says is 'out': write 'inout'
#pragma hsched task out({rows[k][0:n], k = 0; m})
void onlyOut(double **rows, int m, int n) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++)
      rows[k][i] *= 2;
}
// CHECK: [[@LINE+1]]:26: warning: task 'notWritten' does not write 'rows[...]', which its clause says is 'out': write 'in'
#pragma hsched task out({rows[k][0:n], k = 0; m}, *y)
void notWritten(double **rows, int m, int n, double *y) {
  *y = 0;
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++)
      *y += rows[k][i];
}
