// A member that is read beside one that a clause names: a warning if some task may write it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <vector>
struct Plain {
  double data[10], table[4];
  int k, n;
};
#pragma hsched task inout(p->data)
void scale(Plain *p) {
  for (int i = 0; i < 10; ++i)
    p->data[i] *= p->k;
}
Plain whole;
#pragma hsched task inout(whole.data[0:n])
void scaleGlobal(int n) {
  for (int i = 0; i < n; ++i)
    whole.data[i] *= whole.n;
}
#pragma hsched task inout(p[c].data)
void scaleOne(Plain *p, int c) {
  for (int i = 0; i < 10; ++i)
    p[c].data[i] *= p[c].k;
}

// A task writes it: k, but not n.
struct Written {
  double data[10];
  int k, n;
};
// CHECK: [[@LINE+2]]:27: warning: task 'scale' touches 'p' outside 'p->data', the section that 'inout' names [-Whsched-extent]
// CHECK: [[@LINE+4]]:22: note: this access is outside
#pragma hsched task inout(p->data)
void scale(Written *p) {
  for (int i = 0; i < 10; ++i)
    p->data[i] *= p->k;
}
#pragma hsched task inout(p->data)
void divide(Written *p) {
  for (int i = 0; i < 10; ++i)
    p->data[i] /= p->n;
}
#pragma hsched task
void set(Written *p, int k) { p->k = k; }

// A clause names it, or all of the object, for a task of another file; another task writes it by a pointer.
struct Named {
  double data[10];
  int k;
};
// CHECK: [[@LINE+1]]:27: warning: task 'scale' touches 'p' outside 'p->data', the section that 'inout' names [-Whsched-extent]
#pragma hsched task inout(p->data)
void scale(Named *p) { p->data[0] *= p->k; }
#pragma hsched task out(p->k)
void set(Named *p);
struct All {
  double data[10];
  int k;
};
// CHECK: [[@LINE+1]]:27: warning: task 'scale' touches 'p' outside 'p->data', the section that 'inout' names [-Whsched-extent]
#pragma hsched task inout(p->data)
void scale(All *p) { p->data[0] *= p->k; }
#pragma hsched task inout(*p)
void set(All *p);
struct Pointed {
  double data[10];
  int k;
};
// CHECK: [[@LINE+1]]:27: warning: task 'scale' touches 'p' outside 'p->data', the section that 'inout' names [-Whsched-extent]
#pragma hsched task inout(p->data)
void scale(Pointed *p) { p->data[0] *= p->k; }
#pragma hsched task out(*k)
void set(int *k) { *k = 1; }
void set(Pointed *p) { set(&p->k); }

// Written beside the section.
struct Both {
  double data[10];
  int k;
};
// CHECK: [[@LINE+1]]:27: warning: task 'count' touches 'p' outside 'p->data', the section that 'inout' names [-Whsched-extent]
#pragma hsched task inout(p->data)
void count(Both *p) { p->data[0] = p->k++; }

// A class is written as a member of another one, as its base, and as a container's element.
struct Inner {
  double mass, speed;
};
// CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: task 'weigh' touches 'c' outside 'c.mass'
#pragma hsched task inout(c.mass)
void weigh(Inner &c) { c.mass += c.speed; }
struct Around {
  Inner one[3];
  int n;
};
#pragma hsched task
void copyAround(Around *to, const Around *from) { *to = *from; }
struct Element {
  double mass, speed;
};
// CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: task 'weighElement' touches 'c' outside 'c.mass'
#pragma hsched task inout(c.mass)
void weighElement(Element &c) { c.mass += c.speed; }
void fillElements(std::vector<Element> &all) {
#pragma hsched task inout(all)
  for (Element &e : all)
    e.speed = 1;
#pragma hsched taskwait
}
