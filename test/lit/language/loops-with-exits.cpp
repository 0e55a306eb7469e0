// Loops without a condition: an if with a break, or a return, in the body is their test, wherever it stands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK-DAG: task 'middle': out([n]x) is inferred
#pragma hsched task
void middle(int n, int *x) {
  int i = 0;
  for (;;) {
    int twice = 2 * i;
    if (i >= n)
      break;
    x[i] = twice;
    i++;
  }
}
// CHECK-DAG: task 'downwards': out([n]x) is inferred
#pragma hsched task
void downwards(int n, int *x) {
  int i = n;
  while (true) {
    if (--i < 0)
      break;
    x[i] = 1;
  }
}
// CHECK-DAG: task 'byThree': inout([n]x) is inferred
#pragma hsched task
void byThree(int n, int *x) {
  int i = 0;
  do {
    if (i >= n)
      break;
    x[i] = 1;
    i += 3;
  } while (1);
}
// The first part of the body runs once more than the second one.
// CHECK-DAG: task 'parts': inout([n]y) is inferred
// CHECK-DAG: task 'parts': inout([n + 1]x) is inferred
#pragma hsched task
void parts(int n, int *x, int *y) {
  for (int i = 0;; ++i) {
    x[i] += 1;
    if (i == n)
      break;
    y[i] += 1;
  }
}
// CHECK-DAG: task 'partsByTwo': inout([n + 1]x) is inferred
#pragma hsched task
void partsByTwo(int n, int *x) {
  for (int i = 0;; i += 2) {
    x[i] = 1;
    if (i >= n - 1)
      break;
  }
}
// CHECK-DAG: task 'atEnd': out([(n > 1 ? n : 1)]x) is inferred
#pragma hsched task
void atEnd(int n, int *x) {
  int i = 0;
  for (;;) {
    for (int k = 0; k < 1; ++k)
      x[i + k] = 1;
    if (++i >= n)
      break;
  }
}
// CHECK-DAG: task 'returns': out([n]x) is inferred
// CHECK-DAG: task 'returns': out(*y) is inferred
#pragma hsched task
void returns(int n, int *x, int *y) {
  for (int i = 0;; ++i) {
    if (i >= n) {
      *y = 1;
      return;
    }
    x[i] = 1;
  }
}
// CHECK-DAG: task 'eitherBranch': out([n]x) is inferred
#pragma hsched task
void eitherBranch(int n, int *x) {
  int i = 0;
  for (;;)
    if (i < n)
      x[i++] = 1;
    else
      break;
}
// CHECK-DAG: task 'stopped': inout([n]x) is inferred
// CHECK-DAG: task 'stopped': in([n]stop) is inferred
#pragma hsched task
void stopped(int n, int *x, const int *stop) {
  int i = 0;
  for (;;) {
    if (i >= n || stop[i])
      break;
    x[i++] = 1;
  }
}
// CHECK-DAG: task 'stoppedFirst': inout([n]x) is inferred
// CHECK-DAG: task 'stoppedFirst': in([n + 1]stop) is inferred
#pragma hsched task
void stoppedFirst(int n, int *x, const int *stop) {
  int i = 0;
  for (;;) {
    if (stop[i])
      break;
    if (i >= n)
      break;
    x[i++] = 1;
  }
}
// Another break: what follows the return's if does not run behind the loop alone.
// CHECK-DAG: error: the extent of 'x' cannot be inferred: it is not known where the loop ends that changes 'i'
// CHECK-DAG: task 'bothExits': of 'x' it is not known which part is touched
#pragma hsched task
void bothExits(int n, int *x, int *y) {
  for (int i = 0;; ++i) {
    if (i >= n)
      return;
    if (x[i] > 3)
      break;
  }
  *y = 3;
}
// CHECK-DAG: error: the extent of 'p' cannot be inferred: 'k' changes in a way that is not affine
#pragma hsched task
void doubled(int n, int *p) {
  int k = 1;
  for (;;) {
    if (k >= n)
      break;
    p[k] = 1;
    k *= 2;
  }
}
// CHECK-DAG: error: the extent of 'text' cannot be inferred: it is not known where the loop ends that changes 'e'
#pragma hsched task
void toZero(char *text) {
  int e = 0;
  while (text[e])
    text[e++] = 'a';
}
