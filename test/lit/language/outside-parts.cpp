// What is touched of a variable outside of all its parts that clauses name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
struct B {
  int base;
};
struct S : B {
  int x, y, arr[8], *p, n;
  union {
    int whole;
    float real;
  };
};
static S s, ss[4];
static int G[16];
static double M[4][8];
// CHECK: [[@LINE+1]]:25: warning: task 'next' touches 'G' outside 'G[i+1]', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(G[i+1])
void next(int i) { G[i] = 1; }
// CHECK: [[@LINE-1]]:20: note: this access is outside
// CHECK: [[@LINE+1]]:25: warning: task 'member' touches 's' outside 's.x', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(s.x)
void member() { s.y = 1; }
// CHECK: [[@LINE+1]]:24: warning: task 'neighbour' touches 'ss' outside 'ss[i].x', the section that 'in' names [-Whsched-extent]
#pragma hsched task in(ss[i].x) out(*q)
void neighbour(int i, int *q) { *q = ss[i + 1].x; }
// Members of any two elements are apart.
// CHECK: [[@LINE+1]]:25: warning: task 'any' touches 'ss' outside 'ss[i].x', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(ss[i].x)
void any(int i, int k) { ss[i].x = ss[k].y = 1; }
// CHECK: [[@LINE+1]]:25: warning: task 'longer' touches 'M' outside 'M[i][0:4]', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(M[i][0:4])
void longer(int i) {
  for (int j = 0; j < 5; ++j)
    M[i][j] = 1;
}
// CHECK: [[@LINE+1]]:34: warning: task 'several' touches 'G' outside of all the parts that clauses name [-Whsched-extent]
#pragma hsched task out(G[0]) in(G[1])
void several() { G[0] = G[2]; }
// CHECK: [[@LINE+1]]:25: warning: task 'swapped' reads 's.y', which its clause says is 'out': write 'inout' [-Whsched-role]
#pragma hsched task out(s.y) in(s.x)
void swapped() { s.x = s.y; }
// Right ones, and what cannot be told.
#pragma hsched task out(s.base, s.whole)
void inherited() { s.base = s.whole = 1; }
#pragma hsched task out(s.real)
void same() { s.whole = 1; }
#pragma hsched task out((*M)[0:8])
void first() {
  for (int i = 0; i < 8; ++i)
    M[0][i] = 1;
}
#pragma hsched task out(ss->x)
void arrow() { ss[0].x = 1; }
#pragma hsched task out(G[0:4]) in(G[5])
void mixed() {
  for (int i = 0; i < 4; ++i)
    G[i] = G[5];
}
#pragma hsched task in(G[0:4]) out(G[5])
void mixedToo() { G[5] = G[0] + G[1] + G[2] + G[3]; }
#pragma hsched task out(G[i])
void unknown(int i, int k) { G[k] = i; }
#pragma hsched task in([s.n]p) out(s.x)
void size(int *p) {
  s.x = 0;
  for (int i = 0; i < s.n; ++i)
    s.x += p[i];
}
#pragma hsched task inout(s.p[0:n]) out(s.x)
void pointer(int n) {
  s.x = 1;
  for (int i = 0; i < n; ++i)
    s.p[i] = 0;
}
