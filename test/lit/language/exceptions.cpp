// Exceptions: destructors run, and a handler sees what objects held at any call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
void may(); // It may throw.
struct Last {
  int *p;
  ~Last() { *p = 1; }
};
// CHECK-DAG: task 'leaves': out(*x) is inferred
#pragma hsched task
void leaves(int *x) {
  Last a{x};
  throw 1;
}
// CHECK-DAG: task 'caught': inout(*x) is inferred
#pragma hsched task
void caught(int *x) {
  try {
    Last a{x};
    throw 1;
  } catch (int) {
  }
}
// CHECK-DAG: task 'between': inout(*x) is inferred
// CHECK-DAG: task 'between': inout(*y) is inferred
#pragma hsched task
void between(int *x, int *y) {
  int *p = x;
  try {
    p = y;
    may();
    p = x;
  } catch (...) {
    *p = 1;
  }
}
// CHECK-DAG: error: the extent of 'number' cannot be inferred: subscript 'k' is not affine
#pragma hsched task
void number(int *number) {
  int k = 0;
  try {
    k = 1;
    may();
    k = 0;
  } catch (...) {
  }
  number[k] = 1;
}
// CHECK-DAG: task 'nested': inout(*x) is inferred
// CHECK-DAG: task 'nested': inout(*y) is inferred
#pragma hsched task
void nested(int *x, int *y) {
  int *p = x;
  try {
    try {
      p = y;
      may();
      p = x;
    } catch (int) {
    }
  } catch (...) {
    *p = 1;
  }
}
struct Throws {
  int k;
  ~Throws() noexcept(false);
};
struct Member {
  Throws t;
};
// A loop that ends at i != n has another exit.
// CHECK-DAG: task 'destroyed': the section that is inferred for 'y' holds all of it only where n >= 0
#pragma hsched task
void destroyed(int n, int *y) {
  try {
    for (int i = 0; i != n; ++i) {
      y[i] = 2;
      Member m{{i}};
    }
  } catch (...) {
  }
}
// CHECK-DAG: task 'deleted': the section that is inferred for 'y' holds all of it only where n >= 0
#pragma hsched task
void deleted(int n, int *y) {
  try {
    for (int i = 0; i != n; ++i) {
      y[i] = 2;
      delete new Throws{i};
    }
  } catch (...) {
  }
}
static void again(int n, int *y, int depth) {
  if (depth == 0) {
    for (int i = 0; i != n; ++i) {
      may();
      y[i] = 2;
    }
    return;
  }
  again(n, y, depth - 1);
}
// The handler is a caller's.
// CHECK-DAG: error: the extent of 'recursive' cannot be inferred: 'again' calls itself
#pragma hsched task
void fromTry(int n, int *recursive) {
  try {
    again(n, recursive, 2);
  } catch (...) {
  }
}
