// What tasks touch without a word in their clauses, and need not say: streams, statics that nothing changes, what each
// thread has for itself; and what clauses do say, in another spelling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <cstdio>
#include <iostream>
#pragma hsched task in([n]x)
void print(const double *x, int n) {
  for (int i = 0; i < n; ++i)
    std::cout << "x" << x[i] << std::endl;
  std::fprintf(stderr, "%g\n", x[0]);
}
// A stream does not refer to the strings that it has printed.
#pragma hsched task in([9]text, [9]file, n)
void report(const char *text, const char *file, const int &n) {
  std::cerr << text << ": " << n << std::endl << file << std::endl;
  if (std::clog << text)
    std::clog << std::hex << n;
}

int table(int i) {
  static const int fixed[3] = {1, 2, 3};
  static int never[3] = {1, 2, 3};
  return fixed[i] + never[i];
}
#pragma hsched task
void statics(double *y, int n) {
  static int once = 4;
  for (int i = 0; i < n; ++i)
    y[i] = once + table(i % 3);
}
thread_local int calls;
static thread_local double buffer[64], *room;
#pragma hsched task
void ofThread(double *y, int n) {
  ++calls;
  for (int i = 0; i < 64; ++i)
    buffer[i] = room[i] = i;
  for (int i = 0; i < n; ++i)
    y[i] = buffer[i % 64] + room[i % 64];
}

struct S {
  static int count;
  static double weights[16];
  int k;
#pragma hsched task in(count, weights) out([n]y)
  static void plain(double *y, int n) {
    for (int i = 0; i < n; ++i)
      y[i] = count + weights[i];
  }
#pragma hsched task in(S::count, ::S::weights[0:n], k) out([n]y)
  void qualified(double *y, int n) {
    for (int i = 0; i < n; ++i)
      y[i] = count + weights[i] + k;
  }
// CHECK: [[@LINE+1]]:16: warning: task 'written' writes 'S::count', which no clause names: add inout(S::count)
#pragma hsched task
  static void written() { ++count; }
};
int S::count;
double S::weights[16];
void statement(double *y, int n) {
  extern int outside;
#pragma hsched task in(outside) out([n]y)
  for (int i = 0; i < n; ++i)
    y[i] = outside;
#pragma hsched taskwait
}
int outside;

// A static member by way of an object, or of a class that is derived; externs of other scopes, which are defined later.
struct T : S {
  static T one;
  int own;
};
#pragma hsched task inout(t.count, t.own)
void byReference(T &t) {
  ++S::count;
  ++t.own;
}
#pragma hsched task inout(t->weights[0:n])
void byPointer(T *t, int n) {
  for (int i = 0; i < n; ++i)
    ++S::weights[i];
}
namespace far {
extern long total;
extern double grid[];
namespace {
extern int hidden[4];
}
struct Deep {
  template <int K> struct In {
    static int of[K];
  };
};
#pragma hsched task inout(total, grid[0:2], hidden, Deep::In<3>::of)
void all() {
  ++far::total;
  ::far::grid[0] = grid[1]++;
  ++hidden[0];
  ++Deep::In<3>::of[1];
}
} // namespace far
// CHECK: [[@LINE+1]]:16: warning: task 'another' writes 'far::Deep::In<4>::of', which no clause names: add inout(far::Deep::In<4>::of)
#pragma hsched task inout(far::Deep::In<3>::of)
void another() {
  ++far::Deep::In<3>::of[0];
  ++far::Deep::In<4>::of[0];
}
void readOnly(T &t) {
// CHECK: [[@LINE+1]]:24: warning: task 'readOnly:[[@LINE+1]]' writes 'S::count', which its clause says is 'in': write 'inout'
#pragma hsched task in(t.count)
  ++S::count;
#pragma hsched taskwait
}
long far::total;
double far::grid[2];
namespace far {
namespace {
int hidden[4];
}
} // namespace far
template <int K> int far::Deep::In<K>::of[K];
