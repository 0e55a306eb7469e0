// The clause names memory by one member and the body uses another one that points into it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++11 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error: --allow-empty
struct Grid {
  float *J_buf, *J;
  int n;
  void step() {
#pragma hsched task inout([n]J_buf)
    for (int i = 0; i < n - 1; ++i)
      J[i] += 1;
#pragma hsched taskwait
  }
};
void zero(Grid *g) {
  g->J = g->J_buf + 1;
#pragma hsched task out([g->n]g->J_buf)
  for (int i = 0; i < g->n; ++i)
    g->J_buf[i] = 0;
#pragma hsched task inout([g->n]g->J_buf)
  for (int i = 0; i < g->n - 1; ++i)
    g->J[i] += 1;
#pragma hsched taskwait
}
#pragma hsched task inout([g->n]g->J_buf)
void smooth(Grid *g) {
  float *const J = g->J;
  for (int i = 0; i < g->n - 1; ++i)
    J[i] += 1;
}
#pragma hsched task inout([n]J_buf)
void local(float *J_buf, int offset, int n) {
  float *J = J_buf + offset;
  for (int i = 0; i < n - offset; ++i)
    J[i] += 1;
}
