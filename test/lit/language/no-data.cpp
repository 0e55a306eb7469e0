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
