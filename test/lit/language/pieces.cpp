// Elements of which nobody knows which comes first: a section each, in place of one that holds them all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not="is inferred"
// CHECK-DAG: [[@LINE+5]]:16: remark: task 'scatter': out(p[i:1]) is inferred
// CHECK-DAG: [[@LINE+4]]:16: remark: task 'scatter': out(p[k:1]) is inferred
// CHECK-DAG: [[@LINE+3]]:16: remark: task 'scatter': in(q[j:1]) is inferred
// CHECK-DAG: [[@LINE+2]]:16: remark: task 'scatter': in(q[k:1]) is inferred
// CHECK-DAG: [[@LINE+1]]:16: remark: task 'scatter': inout(q[2 * i:n]) is inferred
#pragma hsched task
void scatter(double *p, double *q, int i, int j, int k, int n) {
  p[i] = q[j] + q[k];
  p[k] = 0;
  for (int l = 0; l < n; ++l)
    q[2 * i + l] += 1;
}
// An array of pointers to blocks: the pointers are read.
void add(const double *a, double *b) {
  for (int i = 0; i < 8; ++i)
    b[i] += a[i];
}
void blocks(double **B, int n, int k) {
  for (int j = 0; j < n; ++j)
// CHECK-DAG: [[@LINE+2]]:16: remark: task 'blocks:[[@LINE+2]]': in(B[k * n + k:1]) is inferred
// CHECK-DAG: [[@LINE+1]]:16: remark: task 'blocks:[[@LINE+1]]': in(B[k * n + j:1]) is inferred
#pragma hsched task
    add(B[k * n + k], B[k * n + j]);
}
