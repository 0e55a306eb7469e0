// What --hsched-explain and errors say of data that is not followed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <cstring>
#include <string_view>

struct Hidden;
void use(Hidden *);
// CHECK: [[@LINE+2]]:16: remark: 'h' leads to a type that is not complete here and is not tracked
// CHECK: remark: task 'hidden': of 'h' it is not known which part is touched
#pragma hsched task
void hidden(Hidden *h) { use(h); } // CHECK: [[@LINE]]:26: note: 'h' is handed to 'use', whose body is not visible

struct Owner {
  float *p;
  Owner(const Owner &);
};
// CHECK: [[@LINE+1]]:16: remark: 'o.p' is handed over with the task and not tracked
#pragma hsched task
void owner(int n, Owner o) { o.p[n] = 1; }

class Closed {
  float *p;

public:
  void set() const { p[0] = 1; } // CHECK-DAG: [[@LINE]]:22: note: it is written here
};
// CHECK-DAG: [[@LINE+1]]:16: warning: task 'closed' writes 'c.p', which no clause names: it is not a public member [-Whsched-unnamed]
#pragma hsched task
void closed(Closed c) { c.set(); }

// CHECK: [[@LINE+1]]:16: remark: task 'scatter': of 'x' it is not known which part is touched
#pragma hsched task inout([n]x)
void scatter(int n, float *x, const int *k) {
  for (int i = 0; i < n; ++i)
    x[k[i]] = 0; // CHECK: [[@LINE]]:5: note: subscript 'k[i]' is not affine
}
// CHECK: remark: task 'scatter': inout([n]x) is as written
// CHECK: remark: task 'scatter': in([n]k) is inferred

// Of two ends, neither of which is known to be greater, the greater one counts, also where of what is read or written
// alone nothing is known.
// CHECK: remark: task 'condition': inout([(n > 3 ? n : 3)]y) is inferred
#pragma hsched task
void condition(int n, float *y) {
  for (int i = 2; i < n && i < n - 2; ++i)
    for (int k = 0; k < n + n && k < i + 1; ++k)
      y[k] = y[n - 1];
  y[2] = 1;
}

// A loop that may run no times, and be the one that writes: what is out is written on every path.
// CHECK: remark: task 'downward': inout([3]y) is inferred
#pragma hsched task
void downward(int n, float *y) {
  for (int i = n; i > -1; --i)
    y[0] = 0, y[1] = 0, y[2] = 0;
  y[1] += 1;
}
// CHECK: remark: task 'longer': inout([m + 2]y) is inferred
#pragma hsched task
void longer(int m, float *y) {
  for (int i = 0; i <= 2 * m; ++i)
    std::memset(y, 0, (m + 2) * sizeof(float));
}
// Rows from the last to the first, of which only one element is written.
// CHECK: remark: task 'rows': the section that is inferred for 'y' holds all of it only where n >= 0
// CHECK: remark: task 'rows': inout(y[(1 < (2 * n) ? 1 : (2 * n)):((n * m * m) > (2 * n - 1) ? (n * m * m) : (2 * n - 1)) + 1 - (1 < (2 * n) ? 1 : (2 * n))]) is inferred
#pragma hsched task
void rows(int n, int m, float *y) {
  for (int i = 0; i < 2 * n; i += 2)
    y[i + 1] = 1;
  for (int i = m * m; i > 1; --i)
    y[i * n] = 1;
}

// CHECK: [[@LINE+1]]:16: error: the extent of 'p' cannot be inferred: the size of its elements is not known; write it, for example out([n](char *)p)
#pragma hsched task
void raw(int n, void *p) { std::memset(p, 0, n); }
// CHECK: error: the extent of 'q' cannot be inferred: the size of its elements is not known; write it, for example in([n](const char *)q)
#pragma hsched task
void rawRead(int n, const void *q, char (&to)[8]) { std::memcpy(to, q, n); }
// What the message shows is right.
#pragma hsched task out([n](char *)p)
void rawSaid(int n, void *p) { std::memset(p, 0, n); }

// CHECK: remark: task 'shorter': out([(n < m ? n : m)]y) is inferred
#pragma hsched task
void shorter(int n, int m, float *y) {
  for (int i = 0; i < (n < m ? n : m); ++i)
    y[i] = 0;
}

// Rows may go either way.
// CHECK: remark: task 'lead': out(([n][ld]y)[0:n][0:n]) is inferred
#pragma hsched task
void lead(int n, int ld, float *y) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      y[i * ld + j] = 0;
}

// CHECK: error: the extent of 't' cannot be inferred: how much 'find' touches is not known; write it, for example in([<count>]t)
#pragma hsched task
void searched(const char *t, int n, unsigned long (&at)[1]) {
  std::string_view v(t);
  at[0] = v.find('a');
}
// CHECK: error: the extent of 'x' cannot be inferred: the pointer differs from one iteration or branch to another
#pragma hsched task
void many(int n, int a, int b, int c, int d, int e, int f, int g, float *x) {
  float *p = x;
  switch (n) {
  case 0: p = x + a; break;
  case 1: p = x + b; break;
  case 2: p = x + c; break;
  case 3: p = x + d; break;
  case 4: p = x + e; break;
  case 5: p = x + f; break;
  case 6: p = x + g; break;
  }
  *p = 1;
}
