// Clauses that are true of a part alone: of some members of the elements, of one of several sections.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <complex>
#include <string>

struct Point {
  float x, y;
};
struct Derived : Point {
  float z;
};

// CHECK: [[@LINE+1]]:25: warning: task 'onlyX' does not overwrite all of '[n]a', which 'out' promises: what it leaves is lost [-Whsched-coverage]
#pragma hsched task out([n]a)
void onlyX(int n, Point *a) {
  for (int i = 0; i < n; ++i)
    a[i].x = 0; // CHECK: [[@LINE]]:{{[0-9]+}}: note: this is all that is surely written
}
// CHECK: [[@LINE+1]]:25: warning: task 'inherited' does not overwrite all of 'd'
#pragma hsched task out(d)
void inherited(Derived &d) {
  d.x = 0;
  d.z = 1;
}
// CHECK: note: this is all that is surely written
// CHECK: [[@LINE+1]]:25: warning: task 'real' does not overwrite all of 'c'
#pragma hsched task out(c)
void real(std::complex<float> &c) { c.real(1); }
// CHECK: note: this is all that is surely written

// All that means something is written, or what is not is not known.
#pragma hsched task out([n]a)
void inTurn(int n, Point *a) {
  for (int i = 0; i < n; ++i)
    a[i].x = 0;
  for (int i = 0; i < n; ++i)
    a[i].y = 0;
}
struct Padded {
  int v;
  char padding[60];
};
#pragma hsched task out(p)
void padded(Padded &p) { p.v = 1; }
struct Gap {
  char c;
  int i;
};
#pragma hsched task out([n]a)
void gap(int n, Gap *a) {
  for (int i = 0; i < n; ++i) {
    a[i].c = 0;
    a[i].i = 0;
  }
}
struct Row {
  float d[3];
};
#pragma hsched task out(r)
void byIndex(Row &r) {
  for (int i = 0; i < 3; ++i)
    r.d[i] = 0;
}
union Either {
  int i;
  float f;
  double d;
};
#pragma hsched task out(e)
void either(Either &e) { e.f = 1; }
struct Named {
  std::string name;
  int k;
};
#pragma hsched task out(n)
void named(Named &n) { n.k = 0, n.name = "x"; }

// CHECK: [[@LINE+1]]:24: warning: task 'writesHalo' writes 'a[0:1]', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(a[0:1]) inout(a[1:n])
void writesHalo(int n, float *a) {
  for (int i = 1; i <= n; ++i)
    a[i] += a[i - 1];
  a[0] = 1; // CHECK: [[@LINE]]:{{[0-9]+}}: note: 'writesHalo' writes it here
}
// CHECK: [[@LINE+1]]:36: warning: task 'readsHalf' reads 'a[n:n]', which its clause says is 'out': write 'inout' [-Whsched-role]
#pragma hsched task in(a[0:n]) out(a[n:n])
void readsHalf(int n, float *a) {
  for (int i = 0; i < n; ++i)
    a[n + i] = a[i] + a[n + i]; // CHECK: [[@LINE]]:{{[0-9]+}}: note: 'readsHalf' reads it here
}
// CHECK: [[@LINE+1]]:36: warning: task 'leavesSome' does not overwrite all of 'a[n:n]'
#pragma hsched task in(a[0:n]) out(a[n:n])
void leavesSome(int n, float *a) {
  for (int i = 1; i < n; ++i)
    a[n + i] = a[i];
}
// CHECK: note: this is all that is surely written

#pragma hsched task in(a[0:n]) out(a[n:n])
void halves(int n, float *a) {
  for (int i = 0; i < n; ++i)
    a[n + i] = a[i];
}
// What overlaps is one section.
#pragma hsched task in(a[0:n]) out(a[1:n])
void overlap(int n, float *a) {
  for (int i = 1; i <= n; ++i)
    a[i] = a[i - 1];
}
