// The clause names one of several rows, and the body uses the row that a parameter chooses: a warning if it must be
// another one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
struct Fields {
  double **E, *inside[3];
};
#pragma hsched task inout([n]E[0])
void chosen(double **E, int n, int c) {
  for (int i = 0; i < n; ++i)
    E[c][i] += 1;
}
#pragma hsched task inout([n]g->E[0])
void chosen(Fields *g, int n, int c) {
  for (int i = 0; i < n; ++i)
    g->E[c][i] += 1;
}
#pragma hsched task in([n]g->E[0]) out([n]y)
void read(const Fields *g, int n, int c, double *y) {
  for (int i = 0; i < n; ++i)
    y[i] = g->E[c][i];
}
#pragma hsched task inout([n]g->E[c])
void same(Fields *g, int n, int c) {
  for (int i = 0; i < n; ++i)
    g->E[c][i] += 1;
}
#pragma hsched task inout([n]g->inside[0])
void inObject(Fields *g, int n, int c) {
  for (int i = 0; i < n; ++i)
    g->inside[c][i] += 1;
}
// CHECK: [[@LINE+1]]:16: warning: task 'all' writes 'g->E[...]', which no clause names [-Whsched-unnamed]
#pragma hsched task inout([n]g->E[0])
void all(Fields *g, int n) {
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < n; ++i)
      g->E[c][i] += 1;
}
// CHECK: [[@LINE+1]]:16: warning: task 'next' writes 'g->E[1]', which no clause names: add inout([n]g->E[1]) [-Whsched-unnamed]
#pragma hsched task inout([n]g->E[0])
void next(Fields *g, int n) {
  for (int i = 0; i < n; ++i)
    g->E[1][i] += 1;
}
// CHECK: [[@LINE+1]]:16: warning: task 'another' writes 'g->E[...]', which no clause names [-Whsched-unnamed]
#pragma hsched task inout([n]g->E[d])
void another(Fields *g, int n, int c, int d) {
  for (int i = 0; i < n; ++i)
    g->E[c][i] += 1;
}
