// Extents that cannot be inferred: the clause to write, and what defeats the analysis.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <algorithm>
#include <map>
#include <vector>

// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: subscript 'idx[i]' is not affine; write it, for example inout([<count>]y)
#pragma hsched task
void f(int n, const int *idx, float *y) {
  for (int i = 0; i < n; ++i)
    y[idx[i]] += 1; // CHECK: [[@LINE]]:{{[0-9]+}}: note: subscript 'idx[i]' is not affine
}
// CHECK: note: parameter 'y' is declared here

void opaque(const float *);
// CHECK: [[@LINE+1]]:16: error: the extent of 'x' cannot be inferred: {{.*}}; write it, for example in([<count>]x)
#pragma hsched task
void g(const float *x) { opaque(x); }

// Strides that may be negative are rows (strides.test), but for more of them than clauses are written.
// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: how far subscript '{{.*}}inc * i' goes is not known; write it, for example inout([<count>]y)
#pragma hsched task
void either(int n, int inc, float *y) {
  for (int i = 0; i < n; ++i) {
    const int k = i * inc;
#define FIVE(j) y[(j) * k] = y[(j + 1) * k] = y[(j + 2) * k] = y[(j + 3) * k] = y[(j + 4) * k] = 0
    FIVE(1), FIVE(6), FIVE(11), FIVE(16), FIVE(21), FIVE(26), FIVE(31);
  }
}
#pragma hsched task
void forward(int n, unsigned long inc, float *y) {
  for (int i = 0; i < n; ++i)
    y[i * inc] = 0;
}
#pragma hsched task
void rows(int n, int ld, float *y) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      y[i * ld + j] = 0;
}

// Numbers in memory that a task before may still write: what holds at submission says nothing. Copies and constants,
// and the sizes of containers, do.
// CHECK: [[@LINE+1]]:16: error: the extent of 'y' cannot be inferred: 'n' may change before the task runs; write it, for example out([n]y)
#pragma hsched task
void referred(const int &n, int *y) {
  for (int i = 0; i < n; ++i)
    y[i] = 0;
}
// CHECK: error: the extent of 'y' cannot be inferred: '*n' may change before the task runs; write it, for example out([(*n)]y)
#pragma hsched task
void pointed(const int *n, int *y) {
  for (int i = 0; i < *n; ++i)
    y[i] = 0;
}
struct Shape {
  int n;
};
// CHECK: error: the extent of 'y' cannot be inferred: 's.n / 2' may change before the task runs; write it, for example out([(s.n / 2)]y)
#pragma hsched task
void halved(const Shape &s, int *y) {
  for (int i = 0; i < s.n / 2; ++i)
    y[i] = 0;
}
extern int count;
// CHECK: error: the extent of 'y' cannot be inferred: 'count' may change before the task runs; write it, for example in([count]y)
#pragma hsched task in(count)
void counted(const int *y, long &sum) {
  sum = 0;
  for (int i = 0; i < count; ++i)
    sum += y[i];
}
void inLoop(int *y) {
// CHECK: warning: task 'inLoop:[[@LINE+1]]' writes 'y', which no clause names: its extent cannot be inferred, 'count' may change before the task runs
#pragma hsched taskloop
  for (int i = 0; i < 8; ++i)
    y[i * count] = 0;
}
extern const int fixed;
#pragma hsched task
void copied(Shape s, const std::vector<int> &v, int *y, int *z, int *w) {
  for (int i = 0; i < s.n; ++i)
    y[i] = 0;
  for (unsigned i = 0; i < v.size(); ++i)
    z[i] = v[i];
  for (int i = 0; i < fixed; ++i)
    w[i] = 0;
}
void inStatement(int n, const Shape *s, int *y, int *z) {
#pragma hsched task
  for (int i = 0; i < n; ++i)
    y[i] = 0;
// CHECK: [[@LINE+1]]:16: error: the extent of 'z' cannot be inferred: 's->n' may change before the task runs; write it, for example out([s->n]z)
#pragma hsched task in(*s)
  for (int i = 0; i < s->n; ++i)
    z[i] = 0;
}

// CHECK: [[@LINE+1]]:16: error: the instances of template 't' touch different sections: write the clauses, over the template's parameters
#pragma hsched task
template <class T> void t(int n, T *x) {
  for (int i = 0; i < n + (int)sizeof(T); ++i)
    x[i] = 0;
}
void use(char *a, double *b) {
  t(1, a);
  t(1, b);
}

struct Place {
  float *At;
  Place(float *X) : At(X) {}
  Place(const Place &O) : At(O.At) {}
  bool operator<(const Place &O) const { return *At < *O.At; }
};
// CHECK: [[@LINE+1]]:16: error: the extent of 'x' cannot be inferred: it is compared; write it, for example inout([<count>]x)
#pragma hsched task
void greatest(float *x, float *y) {
  *y = *std::max(Place(x), Place(x)).At; // CHECK: [[@LINE]]:{{[0-9]+}}: note: it is compared
}
