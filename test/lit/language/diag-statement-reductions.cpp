// Reductions of statements and loops that cannot be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <span>
#include <vector>
struct Vec {
  int x;
};
static int everywhere;
struct Holder {
  int sum = 0;
  void run(int n, int *p, std::vector<int> &v, std::span<int> s, Vec w) {
    const int fixed = 0;
    // CHECK: [[@LINE+1]]:36: error: 'v' cannot be reduced: a task cannot be given a private copy of what a 'std::vector<int>' refers to; take a pointer and a length
#pragma hsched task reduction(+ :  v)
    v[0] += 1;
    // CHECK: note: variable 'v' is declared here
    // CHECK: [[@LINE+1]]:36: error: 's' cannot be reduced: a task cannot be given a private copy of what a 'std::span<int>' refers to
#pragma hsched task reduction(+ :  s)
    s[0] += 1;
    // CHECK: [[@LINE+1]]:36: error: 'w.x' cannot be reduced: name a variable, through which the task reaches its private copy
#pragma hsched task reduction(+ :  w.x)
    w.x += 1;
    // CHECK: [[@LINE+1]]:31: error: reduction '+' is not known for elements of type 'Vec'
#pragma hsched task reduction(+ :  w)
    w.x += 1;
    // CHECK: [[@LINE+1]]:36: error: 'fixed' cannot be reduced: what it refers to is const
#pragma hsched task reduction(+ :  fixed)
    n += fixed;
    // CHECK: [[@LINE+1]]:36: error: the size of 'p' is unknown, because it is a pointer: write '[n]p' or 'p[start:length]'
#pragma hsched task reduction(+ :  p)
    p[0] += 1;
    // CHECK: [[@LINE+1]]:31: error: unknown reduction 'gcd'
#pragma hsched task reduction(gcd: n)
    n += 1;
    // CHECK: [[@LINE+1]]:48: error: 'p' is reduced, so that the task has a private copy of it: name it in no other clause
#pragma hsched task reduction(+ :  [n]p) inout(p[n:1])
    p[0] += p[n];
    // CHECK: [[@LINE+3]]:5: error: this is not the task's private copy of 'sum', but the variable that is reduced: write 'sum'
#pragma hsched task reduction(+ :  sum)
    // What it says.
    this->sum += 1;
    // CHECK: [[@LINE+2]]:5: error: this is not the task's private copy of 'everywhere', but the variable that is reduced: write 'everywhere'
#pragma hsched task reduction(+ :  everywhere)
    ::everywhere += 1;
    // CHECK: [[@LINE+1]]:40: error: 'i' cannot be reduced: each task has one of its own
#pragma hsched taskloop reduction(+ :  i)
    for (int i = 0; i < n; ++i)
      p[i] += 1;
    // CHECK: [[@LINE+1]]:37: error: 'p[i:1]' cannot be reduced: name one section of at most two dimensions
#pragma hsched task reduction(+ :  {p[i:1], i = 0; n})
    p[0] += 1;
  }
};
// In a task within, a global would name the private copy, too.
int nested(Holder *h) {
#pragma hsched for reduction(+ : everywhere)
  for (int i = 0; i < 10; ++i) {
#pragma hsched task
    // CHECK: [[@LINE+1]]:5: error: 'everywhere' is the private copy of the reduction around this task, which the task may outlive: reduce 'everywhere' in this task, too
    everywhere += h->sum;
  }
#pragma hsched task reduction(+ : everywhere)
  {
#pragma hsched task reduction(+ : everywhere)
    everywhere += 2;
#pragma hsched taskwait
  }
  return everywhere;
}
