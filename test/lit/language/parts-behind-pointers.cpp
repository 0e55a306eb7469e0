// Clauses that name a part of what a pointer or reference that is no parameter leads to, or of a variable of a statement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
struct S {
  int a, b;
  float x[8], *v;
};
struct H {
  S *s;
};
static S object, *gp, &gr = object, *table[4];
// CHECK: [[@LINE+1]]:25: warning: task 'beside' touches 'gp' outside 'gp->a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(gp->a)
void beside() { gp->a = 1, gp->b = 2; }
// CHECK: [[@LINE+1]]:24: warning: task 'written' writes 'gp->a', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(gp->a)
void written() { gp->a = 1; }
// CHECK: [[@LINE+1]]:25: warning: task 'reference' touches 'gr' outside 'gr.a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(gr.a)
void reference() { gr.b = 2; }
// CHECK: [[@LINE+1]]:24: warning: task 'further' writes 'h->s->a', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(h->s->a)
void further(H *h) { h->s->a = 1; }
// CHECK: [[@LINE+1]]:25: warning: task 'element' touches 'table[2]' outside 'table[2]->a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(table[2]->a)
void element() { table[2]->b = 1; }
// CHECK: [[@LINE+1]]:27: warning: task 'twice' touches '*p' outside '(*p)->a', the section that 'inout' names [-Whsched-extent]
#pragma hsched task inout((*p)->a)
void twice(S **p) { (*p)->a += (*p)->b++; }
struct Owner {
  S *s, own, &ref;
// CHECK: [[@LINE+1]]:25: warning: task 'member' touches 's' outside 's->a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(s->a)
  void member() { s->a = s->b = 1; }
// CHECK: [[@LINE+1]]:24: warning: task 'memberReference' writes 'ref.a', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(ref.a)
  void memberReference() { ref.a = 1; }
#pragma hsched task out(this->s->a, ref.b, own.x[0:8])
  void right() {
    s->a = ref.b = 1;
    for (int i = 0; i < 8; ++i)
      own.x[i] = 0;
  }
};
void statements(S s, S *p, S &r) {
  S l;
  float array[4];
// CHECK: [[@LINE+1]]:25: warning: task 'statements:[[@LINE+1]]' touches 's' outside 's.a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(s.a)
  s.a = s.b = 1;
// CHECK: [[@LINE+1]]:25: warning: task 'statements:[[@LINE+1]]' touches 'p' outside 'p->a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(p->a)
  p->a = p->b = 1;
// CHECK: [[@LINE+1]]:24: warning: task 'statements:[[@LINE+1]]' writes 'r.a', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(r.a)
  r.a = 1;
// CHECK: [[@LINE+1]]:24: warning: task 'statements:[[@LINE+1]]' writes 'l.x[0:8]', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(l.x[0:8])
  l.x[2] = 2;
// CHECK: [[@LINE+1]]:24: warning: task 'statements:[[@LINE+1]]' writes 'array', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(array[0:4])
  array[2] = 2;
#pragma hsched task out(s.a, p->a, r.a, l.a)
  s.a = p->a = r.a = l.a = 1;
#pragma hsched task inout(array[0:4])
  array[2] += 2;
#pragma hsched taskwait
}
// What pointers in a variable lead to is no part of it.
struct Fields {
  float *from, *to, in[4];
  int n;
};
void fields() {
  Fields f{};
#pragma hsched task in(f.from[0:f.n]) out(f.to[0:f.n])
  for (int i = 0; i < f.n; ++i)
    f.to[i] = f.from[i];
#pragma hsched task in(f.in[0:4]) out(f.to[0:4])
  for (int i = 0; i < 4; ++i)
    f.to[i] = f.in[i];
#pragma hsched taskwait
}
// Right ones, and what cannot be told.
#pragma hsched task out(gp->a, gr.b)
void right() { gp->a = gr.b = 1; }
#pragma hsched task out(gp[1].a, (*gp).b)
void elements() { gp[1].a = gp->b = 1; }
#pragma hsched task out(gp->x[0:8])
void all() {
  for (int i = 0; i < 8; ++i)
    gp->x[i] = 1;
}
#pragma hsched task inout(gp->v[0:n]) in(gp->a)
void through(int n) {
  for (int i = 0; i < n; ++i)
    gp->v[i] += gp->a;
}
#pragma hsched task out(h->s->a)
void furtherRight(H *h) { h->s->a = 1; }
#pragma hsched task out(table[k]->a)
void one(int k) { table[k]->a = 1; }
#pragma hsched task inout({table[k]->a, k = 0; 4})
void list() {
  for (int k = 0; k < 4; ++k)
    table[k]->a++;
}
#pragma hsched task inout({p[k]->a, k = 0; 4})
void listOf(S **p) {
  for (int k = 0; k < 4; ++k)
    p[k]->a++;
}
