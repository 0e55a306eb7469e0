// Sections that look like OmpSs's bounds are told of; those that are likely lengths are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %hsched-cc -std=c++20 -Wno-hsched-ompss-bound -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty
// OFF-NOT: looks like an upper bound
// RUN: not %hsched-cc -std=c++20 -Werror=hsched-ompss-bound -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: 'n - 1' looks like an upper bound
int *v;
// CHECK: [[@LINE+1]]:28: warning: 'n - 1' looks like an upper bound, as in OmpSs, but what follows ':' is a length here: write '0:n', or '0;n - 1' if it is the length [-Whsched-ompss-bound]
#pragma hsched task in(p[0:n - 1])
void a1(int n, int *p) { (void)n, (void)p; }
// CHECK: [[@LINE+2]]:28: warning: 'i+bs-1' looks like an upper bound{{.*}} write 'i:bs', or 'i;i+bs-1'
// CHECK: [[@LINE+1]]:49: warning: 'i + bs' looks like an upper bound{{.*}} write 'i:bs + 1', or 'i;i + bs'
#pragma hsched task in(p[i:i+bs-1]) inout(q[i : i + bs])
void a2(int i, int bs, int *p, int *q) { (void)i, (void)bs, (void)p, (void)q; }
// CHECK: [[@LINE+2]]:38: warning: 'm-1' looks like an upper bound
// CHECK: [[@LINE+1]]:47: warning: 'j*b+b-1' looks like an upper bound{{.*}} write 'j*b:b', or 'j*b;j*b+b-1'
#pragma hsched task in(([m][m]p)[0 : m-1][j*b:j*b+b-1])
void a3(int m, int j, int b, int *p) { (void)m, (void)j, (void)b, (void)p; }
void a4(int n) {
// CHECK: [[@LINE+1]]:32: warning: 'n - 1' looks like an upper bound
#pragma hsched taskwait on(v[0:n - 1])
  (void)n;
}
// Not these.
#pragma hsched task in(p[1:n - 1], p[0;n - 1], p[0:n], p[i:n - i], p[i:n], p[lo:7]) in([n - 1]p, p[n - 1], p[i;i + n])
void b1(int n, int i, int lo, int *p) { (void)n, (void)i, (void)lo, (void)p; }
#pragma hsched task in(p[0 : n > 3 ? 3 : n - 1], p[2:2 + n], p[0:2 - 1], p[i:in + 1])
void b2(int n, int i, int in, int *p) { (void)n, (void)i, (void)in, (void)p; }
// A body that touches that very part says that it is a length, whatever it looks like; one that touches more does not.
#pragma hsched task out(p[0:n - 1])
void b3(int n, int *p) {
  for (int i = 0; i < n - 1; ++i)
    p[i] = 0;
}
#pragma hsched task in(p[i:i + bs])
void b4(int i, int bs, const int *p) {
  int sum = 0;
  for (int j = i; j < i + i + bs; ++j)
    sum += p[j];
}
// CHECK: [[@LINE+2]]:24: warning: task 'a5' touches 'p' outside 'p[0 : n - 1]'
// CHECK: [[@LINE+1]]:30: warning: 'n - 1' looks like an upper bound
#pragma hsched task in(p[0 : n - 1])
void a5(int n, const int *p) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p[i];
}
// What a body elsewhere does nobody knows.
// CHECK: [[@LINE+1]]:29: warning: 'n - 1' looks like an upper bound
#pragma hsched task out(p[0:n - 1])
void a6(int n, int *p);
// So it is on statements and loops.
int sum;
void statements(int n, int bs, int *p) {
// CHECK: [[@LINE+1]]:33: warning: 'n - 1' looks like an upper bound
#pragma hsched task inout(p[0 : n - 1])
  p[0] += n;
// CHECK: [[@LINE+1]]:36: warning: 'i+bs-1' looks like an upper bound{{.*}} write 'i:bs'
#pragma hsched taskloop inout(p[i: i+bs-1])
  for (int i = 0; i < n; i += bs)
    p[i] += n;
#pragma hsched task inout(p[0:n - 1])
  for (int i = 0; i < n - 1; ++i)
    p[i] += n;
#pragma hsched taskloop inout(p[i:i + bs])
  for (int i = 0; i < n; ++i)
    for (int j = i; j < i + i + bs; ++j)
      p[j] += n;
#pragma hsched taskwait
}
// What would be inferred is no bound.
#pragma hsched task inout(p[n:n + 3])
void asInferred(int n, int *p) {
  for (int i = 0; i < 2 * n; ++i)
    switch (i) {
    case 2:
      p[i * n + i] = 1;
      break;
    default:
      p[n] = 1;
    }
}
