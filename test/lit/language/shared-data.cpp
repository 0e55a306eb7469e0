// Of data that no clause names, a read is told of only where some task may write them; and a pointer that is assigned what
// another one leads to, and nothing else, is named by that one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
static double table[64], matrix[8][8], tuned[8], cleared[8], passed[8];
double *global, *moving;
void start() {
  for (int i = 0; i < 64; ++i)
    table[i] = i;
  global = new double[64];
  matrix[1][1] = 2;
}
#pragma hsched task out([n]y)
void onlyRead(double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = table[i & 63] * matrix[i & 7][1] + global[i];
}
void statement(double *y, int n) {
#pragma hsched task out([n]y)
  for (int i = 0; i < n; ++i)
    y[i] = table[i & 63] * matrix[i & 7][1];
#pragma hsched taskwait
}

// Another task writes it: by its name, as an argument, through a pointer.
#pragma hsched task inout(tuned)
void tune() { tuned[0] += 1; }
// CHECK: [[@LINE+1]]:16: warning: task 'reads' reads 'tuned', which no clause names: add in(tuned)
#pragma hsched task out(*y)
void reads(double *y) { *y = tuned[0]; }
#pragma hsched task out([n]x)
void clear(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = 0;
}
void callAll() {
  clear(cleared, 8);
  moving = passed;
  double *there = moving + 1;
  clear(there, 2);
}
// CHECK: [[@LINE+1]]:16: warning: task 'readsCleared' reads 'cleared', which no clause names: add in(cleared)
#pragma hsched task out(*y)
void readsCleared(double *y) { *y = cleared[0]; }
// CHECK: [[@LINE+1]]:16: warning: task 'readsPassed' reads 'passed', which no clause names: add in(passed)
#pragma hsched task out(*y)
void readsPassed(double *y) { *y = passed[0]; }

// A function returns it, and the task gets what it returns.
double first[8], second[8];
double *one(int k) { return k ? first : &second[2]; }
void callOne(int k) { clear(one(k), 2); }
// CHECK: [[@LINE+1]]:16: warning: task 'readsFirst' reads 'first', which no clause names: add in(first)
#pragma hsched task out(*y)
void readsFirst(double *y) { *y = first[0]; }
// CHECK: [[@LINE+1]]:16: warning: task 'readsSecond' reads 'second', which no clause names: add in(second)
#pragma hsched task out(*y)
void readsSecond(double *y) { *y = second[0]; }

struct Solver {
  double *J_buf, *J, *K, *other;
  const double *coefficients;
  long off;
  int n;
  void place() {
    J = J_buf + off;
    K = nullptr;
    K = &J_buf[2];
    other = J_buf;
  }
  void away(double *p) { other = p; }
  void run() {
#pragma hsched task out([n]J_buf)
    for (int i = 0; i < n; ++i)
      J[i] = K[i] = coefficients[i];
// CHECK: [[@LINE+1]]:16: warning: task 'Solver::run:[[@LINE+1]]' writes 'J', which no clause names: add out([n]J)
#pragma hsched task in([n]J_buf)
    for (int i = 0; i < n; ++i)
      J[i] = 1;
// CHECK: [[@LINE+1]]:16: warning: task 'Solver::run:[[@LINE+1]]' writes 'other', which no clause names: add out([n]other)
#pragma hsched task inout([n]J_buf)
    for (int i = 0; i < n; ++i)
      other[i] = 1;
#pragma hsched taskwait
  }
};
void solve(Solver &s) { s.run(); }

// A function that calls itself reads the pointers that it follows. It does not change them.
struct Vertex {
  int n;
  int *edges;
};
Vertex *vertices;
int *visited;
void walk(int i, int c) {
  if (visited[i])
    return;
  visited[i] = c;
  for (int j = 0; j < vertices[i].n; ++j)
    walk(vertices[i].edges[j], c);
}
// CHECK: :[[@LINE+1]]:16: warning: task 'walked' writes 'visited', which no clause names [
#pragma hsched task
void walked(int i, int c) { walk(i, c); }

// A number says how much memory there is. The memory is not the number.
int size_of_all;
int *all;
void allocate() {
  all = static_cast<int *>(__builtin_malloc(size_of_all * sizeof(int)));
#pragma hsched taskwait
}
#pragma hsched task inout([4]all)
void fill_all() {
  for (int i = 0; i < 4; ++i)
    all[i] += 1;
}
#pragma hsched task out(*to)
void reads_size(int *to) { *to = size_of_all; }

// What it writes behind a pointer of what it follows is written, of each element of a list.
struct Link {
  Link *next;
  int *own, *other;
};
void follow(Link *l) {
  if (!l)
    return;
  *l->own = *l->other;
  follow(l->next);
}
// CHECK: :[[@LINE+2]]:16: warning: task 'followed' writes 'l->next->own', which no clause names [
// CHECK: :[[@LINE+1]]:16: warning: task 'followed' reads 'l->next', which no clause names [
#pragma hsched task inout(*l, *l->own) in(*l->other)
void followed(Link *l) { follow(l); }
