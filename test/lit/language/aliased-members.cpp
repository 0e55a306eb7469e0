// The clause names memory by one member and the body uses another one that points into it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++11 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <cstdlib>
#include <vector>
struct Grid {
  float *J_buf, *J;
  int n;
  void step() {
#pragma hsched task inout([n]J_buf)
    for (int i = 0; i < n - 1; ++i)
      J[i] += 1;
#pragma hsched taskwait
  }
};
void zero(Grid *g) {
  g->J = g->J_buf + 1;
#pragma hsched task out([g->n]g->J_buf)
  for (int i = 0; i < g->n; ++i)
    g->J_buf[i] = 0;
#pragma hsched task inout([g->n]g->J_buf)
  for (int i = 0; i < g->n - 1; ++i)
    g->J[i] += 1;
#pragma hsched taskwait
}
#pragma hsched task inout([g->n]g->J_buf)
void smooth(Grid *g) {
  float *const J = g->J;
  for (int i = 0; i < g->n - 1; ++i)
    J[i] += 1;
}
#pragma hsched task inout([n]J_buf)
void local(float *J_buf, int offset, int n) {
  float *J = J_buf + offset;
  for (int i = 0; i < n - offset; ++i)
    J[i] += 1;
}

// By way of another pointer, of a condition, of what a vector has; what the initialiser of the member says.
struct Chain {
  double *x, *y, *z, *either;
};
void link(Chain &of, bool b) {
  of.z = of.y + 1;
  of.either = b ? of.x : &of.x[3];
}
void begin(Chain &of) {
  double *second = of.x + 1;
  of.y = second;
}
#pragma hsched task inout([4](c.x))
void chained(Chain &c) {
  c.z[0] += 1;
  c.either[0] += 1;
}
struct Owner {
  std::vector<double> *v;
  double *inside;
  void place() { inside = v->data() + 2; }
};
#pragma hsched task inout(*o.v)
void owned(Owner &o) { o.inside[0] += 1; }
class Initialised {
  float *buffer = nullptr, *inside = buffer + 4;
  int n;

public:
  Initialised() : n(4) {}
  void step() {
#pragma hsched task inout([n]buffer)
    for (int i = 0; i < n - 4; ++i)
      inside[i] += 1;
#pragma hsched taskwait
  }
};
void initialised(Initialised &i) { i.step(); }

// A variable that is the same pointer as the member.
Grid whole;
void copies(Grid *g, int n) {
  float *buffer = g->J_buf, *const inside = g->J;
#pragma hsched task inout([n]buffer)
  for (int i = 0; i < n - 1; ++i)
    g->J[i] += 1;
#pragma hsched task inout([n]inside)
  for (int i = 0; i < n - 1; ++i)
    g->J[i] += 1;
#pragma hsched taskwait
}
void place(int n) { whole.J = whole.J_buf + n; }
#pragma hsched task inout([n](whole.J_buf))
void inGlobal(int n) {
  for (int i = 0; i < n - 1; ++i)
    whole.J[i] += 1;
}

// Two parts of one block; a parameter, which other files may call with any pointer; another array of the same object.
struct Parts {
  double *p, *q, *given, *first;
  void take(double *block, int n) {
    p = block;
    q = block + n;
  }
};
void give(Parts &a, double *p) { a.given = p; }
void give(Parts &a) { give(a, a.first); }
// CHECK: [[@LINE+1]]:16: warning: task 'other' writes 'a.q', which no clause names: add out(*a.q)
#pragma hsched task out(*a.p)
void other(Parts &a) { a.p[0] = a.q[0] = 1; }
// CHECK: [[@LINE+1]]:16: warning: task 'given' writes 'a.given', which no clause names: add out(*a.given)
#pragma hsched task out(*a.first)
void given(Parts &a) { a.first[0] = a.given[0] = 1; }

// Pointers into one block of malloc or new, at constant distances: what the clause names by one of them holds what is
// touched by the other.
struct Halo {
  double *buffer, *inside, *store;
  int n;
  explicit Halo(int n) : buffer(static_cast<double *>(std::malloc(n * 8))), inside(buffer + 1), n(n) {}
  void copies(int count) {
    double *block = new double[count];
    store = block;
    last = &block[2];
  }
  double *last;
#pragma hsched task inout(inside[-1:n])
  void fromInside() {
    for (int i = 0; i < n; ++i)
      buffer[i] += 1;
  }
#pragma hsched task inout([n]store)
  void fromStore() {
    for (int i = 0; i < n - 2; ++i)
      last[i] += 1;
  }
#pragma hsched task inout(last[-2:n])
  void fromLast() {
    for (int i = 0; i < n; ++i)
      store[i] += 1;
  }
  // CHECK: [[@LINE+1]]:16: warning: task 'tooFar' writes 'buffer', which no clause names: add inout([n]buffer)
#pragma hsched task inout(inside[0:n])
  void tooFar() {
    for (int i = 0; i < n; ++i)
      buffer[i] += 1;
  }
};
// One expression yields a block at each of its evaluations: pointers that receive it in other turns do not share it.
struct Turns {
  double *one, *two, *early, *late, *once, *again;
  int n;
  void either(bool first) {
    double *p = new double[n];
    if (first)
      one = p;
    else
      two = p;
  }
  // CHECK: [[@LINE+1]]:16: warning: task 'ofEither' writes 'two', which no clause names: add inout([n]two)
#pragma hsched task inout([n]one)
  void ofEither() {
    for (int i = 0; i < n; ++i)
      two[i] += 1;
  }
  void inLoop() {
    double *p = nullptr;
    for (int i = 0; i < 2; ++i) {
      early = p;
      p = new double[n];
      late = p;
    }
  }
  // CHECK: [[@LINE+1]]:16: warning: task 'ofLoop' writes 'late', which no clause names: add inout([n]late)
#pragma hsched task inout([n]early)
  void ofLoop() {
    for (int i = 0; i < n; ++i)
      late[i] += 1;
  }
  bool checked() {
    double *p = static_cast<double *>(std::malloc(n * 8));
    if (!p)
      return false;
    once = p;
    again = p;
    return true;
  }
#pragma hsched task inout([n]once)
  void ofChecked() {
    for (int i = 0; i < n; ++i)
      again[i] += 1;
  }
};
struct Two {
  double *mine, *others;
  int n;
  // CHECK: [[@LINE+1]]:16: warning: task 'ofTwo' writes 'others', which no clause names: add inout([n]others)
#pragma hsched task inout([n]mine)
  void ofTwo() {
    for (int i = 0; i < n; ++i)
      others[i] += 1;
  }
};
void share(Two &a, Two &b) {
  double *p = new double[a.n];
  a.mine = p;
  b.others = p;
}
typedef struct {
  double *buffer, *inside;
} Block;
Block allocate(int n) {
  double *block = static_cast<double *>(std::calloc(n, sizeof(double)));
  Block b;
  b.inside = block + 4;
  b.buffer = block;
  return b;
}
#pragma hsched task inout(b->inside[-4:n])
void inBlock(Block *b, int n) {
  for (int i = 0; i < n; ++i)
    b->buffer[i] += 1;
}
struct List {
  double *all, *rest;
};
#pragma hsched task inout([n]l->all)
void inList(List *l, int n) {
  for (int i = 0; i < n - 4; ++i)
    l->rest[i] += 1;
}
void listed(int n) {
  double *block = new double[n];
  List l = {block, block + 4};
  inList(&l, n);
#pragma hsched taskwait
}

// Not one block: pointers that are exchanged, that go on, and parts whose distance is a number.
struct Moving {
  double *now, *old, *next, *first, *second, *third;
  void exchange() {
    old = now;
    now = next;
  }
  void carve(double *block, int n) {
    first = block;
    block += n;
    second = block;
    third = first + n;
  }
};
// CHECK: [[@LINE+1]]:16: warning: task 'exchanged' writes 'm.now', which no clause names: add out(*m.now)
#pragma hsched task inout(*m.old)
void exchanged(Moving &m) { m.now[0] = 1; }
// CHECK: [[@LINE+1]]:16: warning: task 'carved' writes 'm.second', which no clause names: add out(*m.second)
#pragma hsched task inout(*m.first)
void carved(Moving &m) { m.second[0] = 1; }
// CHECK: [[@LINE+1]]:16: warning: task 'apart' writes 'm.first', which no clause names: add out(*m.first)
#pragma hsched task inout(*m.third)
void apart(Moving &m) { m.first[0] = 1; }
