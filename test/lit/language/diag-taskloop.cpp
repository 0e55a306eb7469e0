// Loops that cannot be shared out, and sections that a chunk cannot have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <list>
void use(int);
struct Upto {};
struct Digits { // Its end is of another type than its begin.
  int *begin();
  Upto end();
};
bool operator!=(int *, Upto);
void digits(Digits d) {
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:16: error: the iterators of a taskloop's range have no distances; they have type 'Upto'
  for (int x : d) use(x);
}
template <class T> void counted(T *p, int n) {
  // CHECK: [[@LINE+1]]:14: error: the variable 'i' of a taskloop's loop is a static of a template: declare it in the loop's head
  static int i;
#pragma hsched taskloop
  for (i = 0; i < n; ++i) p[i] = T();
}
void loops(int n, double *p, int *k, double **rows, std::list<int> l) {
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:3: error: 'taskloop' must be followed by a for loop
  while (n--) use(n);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:16: error: the iterators of a taskloop's range have no distances; they have type '
  for (int x : l) use(x);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:16: error: 'taskloop' divides a loop over a variable or a member: write 'for (size_t i = 0; i < n; ++i)' in place of this range
  for (int x : {1, 2}) use(x);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:8: error: the loop of 'taskloop' declares one variable in its head
  for (int i = 0, e = n; i < e; ++i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:19: error: the loop of 'taskloop' goes on while 'i' compares with one bound
  for (int i = 0; i * i < n; ++i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:26: error: the loop of 'taskloop' goes on by one step each time
  for (int i = 1; i < n; i *= 2) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:26: error: this step leads away from the loop's end
  for (int i = 1; i < n; --i) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:27: error: a loop that ends with '!=' must go on by 1
  for (int i = 1; i != n; i += 2) use(i);
#pragma hsched taskloop
  // CHECK: [[@LINE+1]]:15: error: the variable of a taskloop is an integer, a pointer or an iterator
  for (double i = 0; i < n; ++i) use(i);
#pragma hsched taskloop
  for (int i = 0; i < n; ++i) {
    // CHECK: [[@LINE+1]]:5: error: the variable 'i' of a taskloop's loop cannot be changed in its body
    i += 1;
  }
#pragma hsched taskloop
  for (int i = 0; i < n; ++i) {
    // CHECK: [[@LINE+1]]:7: error: 'n' says how far the taskloop's loop goes and cannot be changed in its body
    --n;
  }
#pragma hsched taskloop
  for (int i = 0; i < n; ++i) {
    // CHECK: error: 'break' ends the loop of 'taskloop'
    if (i) break;
  }
  // CHECK: [[@LINE+1]]:35: error: the grain of a taskloop cannot depend on its variable
#pragma hsched taskloop grainsize(i)
  for (int i = 0; i < n; ++i) use(i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[k[i]:1]' does not change evenly with the variable 'i' of the taskloop: 'k[i]' must be affine in it
#pragma hsched taskloop in(p[k[i]:1])
  for (int i = 0; i < n; ++i) use(i);
  // CHECK: [[@LINE+1]]:28: error: section 'rows[i][0:n]' does not change evenly
#pragma hsched taskloop in(rows[i][0:n])
  for (int i = 0; i < n; ++i) use(i);
  // CHECK: [[@LINE+1]]:28: error: section 'p[i * i:1]' does not change evenly
#pragma hsched taskloop in(p[i * i:1])
  for (int i = 0; i < n; ++i) use(i);
  // CHECK: [[@LINE+1]]:21: error: clause 'grainsize' does not belong to 'task'
#pragma hsched task grainsize(2)
  use(n);
}
