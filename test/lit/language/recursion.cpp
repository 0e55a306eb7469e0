// What a function that calls itself touches, where its numbers tell: supposed of the calls inside, it follows for the call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc --hsched-explain -Wno-hsched -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="is inferred"
// CHECK: :[[@LINE+1]]:16: remark: task 'halves': inout([n]a) is inferred
#pragma hsched task
void halves(double *a, int n) {
  if (n < 8) {
    for (int i = 0; i < n; ++i)
      a[i] = 1;
    return;
  }
  halves(a, n / 2);
  halves(a + n / 2, n - n / 2);
}
static void between(double *a, const double *b, int low, int high) {
  if (high - low < 8) {
    for (int i = low; i < high; ++i)
      a[i] += b[i];
    return;
  }
  int middle = (low + high) / 2;
  between(a, b, low, middle);
  between(a, b, middle, high);
}
// CHECK: :[[@LINE+2]]:16: remark: task 'called': inout([n]a) is inferred
// CHECK: :[[@LINE+1]]:16: remark: task 'called': in([n]b) is inferred
#pragma hsched task
void called(double *a, const double *b, int n) { between(a, b, 0, n); }
// CHECK: :[[@LINE+2]]:16: remark: task 'sorted': inout([n]a) is inferred
// CHECK: :[[@LINE+1]]:16: remark: task 'sorted': inout([n]t) is inferred
#pragma hsched task
void sorted(double *a, double *t, int n) {
  if (n < 2)
    return;
  int h = n / 2;
  sorted(a, t, h);
  sorted(a + h, t + h, n - h);
  for (int i = 0; i < n; ++i)
    t[i] = a[i];
  for (int i = 0; i < n; ++i)
    a[i] = t[n - 1 - i];
}
// It does not follow where a call inside reaches further than the one around it.
// CHECK: :[[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'backwards' calls itself; write it, for example inout([<count>]a)
#pragma hsched task
void backwards(double *a, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = 1;
  if (n > 0)
    backwards(a - 1, n - 1);
}
// CHECK: :[[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'grows' calls itself; write it, for example inout([<count>]a)
#pragma hsched task
void grows(double *a, int n, int k) {
  for (int i = 0; i < n; ++i)
    a[i] = 1;
  if (k > 0)
    grows(a, n + 1, k - 1);
}
// Nor where it would for sizes that are not negative alone.
// CHECK: :[[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'negative' calls itself; write it, for example inout([<count>]a)
#pragma hsched task
void negative(double *a, int m) {
  for (int i = 0; i < m; ++i)
    a[i] = 1;
  for (int i = m; i < 0; ++i)
    a[i] = 2;
  if (m > -5)
    negative(a, m - 1);
}
// Quadrants of a tile lie in the tile, although their ranges are not equal.
// CHECK: :[[@LINE+2]]:16: remark: task 'squares': inout(([n][ld]c)[0:n][0:n]) is inferred
// CHECK: :[[@LINE+1]]:16: remark: task 'squares': in(([n][ld]a)[0:n][0:n]) is inferred
#pragma hsched task
void squares(double *c, const double *a, unsigned n, unsigned ld) {
  if (n <= 16) {
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j)
        c[i * ld + j] += a[j * ld + i];
    return;
  }
  const unsigned h = n >> 1;
  squares(c, a, h, ld);
  squares(c + h, a + ld * h, h, ld);
  squares(c + ld * h, a + h, h, ld);
  squares(c + ld * h + h, a + ld * h + h, h, ld);
}
// The end of a recursion that touches one element.
// CHECK: :[[@LINE+1]]:16: remark: task 'singles': inout(a[low:high - low]) is inferred
#pragma hsched task
void singles(double *a, int low, int high) {
  if (low == high - 1) {
    a[low] += 1;
  } else if (low < high) {
    const int middle = (low + high) / 2;
    singles(a, low, middle);
    singles(a, middle, high);
  }
}
// CHECK: :[[@LINE+1]]:16: remark: task 'rest': inout([n]a) is inferred
#pragma hsched task
void rest(double *a, int n) {
  if (n > 0) {
    *a += 1;
    rest(a + 1, n - 1);
  }
}
// A quadrant too far.
// CHECK: :[[@LINE+1]]:16: error: the extent of 'c' cannot be inferred: 'beside' calls itself; write it, for example inout([<count>]c)
#pragma hsched task
void beside(double *c, unsigned n, unsigned ld) {
  if (n <= 16) {
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j)
        c[i * ld + j] += 1;
    return;
  }
  const unsigned h = n >> 1;
  beside(c, h, ld);
  beside(c + h + h, h, ld);
}
// Every second element: the last may lie behind the end.
// CHECK: :[[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'seconds' calls itself; write it, for example inout([<count>]a)
#pragma hsched task
void seconds(double *a, int n) {
  if (n > -1) {
    *a += 1;
    seconds(a + 2, n - 2);
  }
}
// Two arguments are one array: what is written through one decides what is read through the other.
// CHECK: :[[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'shares' calls itself; write it, for example inout([<count>]a)
#pragma hsched task
void shares(int *a, int *l, int n) {
  if (*l < n && *l > 0) {
    for (int i = 0; i < n; ++i)
      a[i] = 1000;
    shares(a, a, *l);
  }
}
// A node that leads to itself is returned.
struct node {
  node *next;
  int value;
};
static node *circle(node *given, int n) {
  if (n == 1)
    return given;
  node *made = new node;
  made->next = made;
  made->value = circle(made, n - 1)->value;
  return made;
}
// CHECK: :[[@LINE+1]]:16: remark: task 'circles': out(*to) is inferred
#pragma hsched task
void circles(int *to) {
  node first;
  *to = circle(&first, 3)->value;
}
// The member is no parameter, though both are called n.
struct hiding {
  const int n;
  void again(int n, int depth, double *a) const {
    if (depth > 0) {
      again(n, depth - 1, a);
      return;
    }
    for (int i = 0; i < this->n; ++i)
      a[i] += 1;
  }
  // CHECK: :[[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'again' calls itself
#pragma hsched task
  void go(int k, double *a) const { again(k, 3, a); }
};
