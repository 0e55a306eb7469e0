// Pointers in arrays and containers: what the library does with them, and with objects of the program's classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <set>
#include <utility>
#include <vector>
// CHECK-DAG: task 'list': inout([n]x) is inferred
// CHECK-DAG: task 'list': inout([n]y) is inferred
#pragma hsched task
void list(int n, int *x, int *y) {
  std::array<int *, 2> a{x, y};
  std::swap(a[0], a[1]);
  for (int i = 0; i < n; ++i)
    a[0][i] = a[1][i];
}
struct Target {
  int *p;
};
// CHECK-DAG: task 'members': inout(*x) is inferred
// CHECK-DAG: task 'members': inout(*y) is inferred
#pragma hsched task
void members(int *x, int *y) {
  std::array<Target, 2> a = {Target{x}, Target{y}};
  for (Target &t : a)
    *t.p = 1;
}
// CHECK-DAG: error: the extent of 'filler' cannot be inferred
#pragma hsched task
void filled(int *filler) {
  std::array<int *, 2> a;
  a.fill(filler);
  *a[1] = 1;
}
// CHECK-DAG: warning: task 'byValue' writes 'a.{{.*}}', which no clause names
#pragma hsched task
void byValue(std::array<int *, 2> a) { *a[1] = 1; }
// CHECK-DAG: error: the extent of 'greatest' cannot be inferred: 'std::max' returns it
#pragma hsched task
void ofList(int *greatest, int *other) { *std::max({greatest, other}) = 1; }

struct Less {
  int *p;
  bool operator<(const Less &o) const { return *p < *o.p; }
};
// CHECK-DAG: error: the extent of 'sorted' cannot be inferred: functions of 'Less' may follow it
#pragma hsched task
void sort(int *sorted) {
  Less v[2] = {{sorted}, {sorted}};
  std::sort(v, v + 2);
}
// CHECK-DAG: error: the extent of 'inList' cannot be inferred: functions of 'Less' may follow it
#pragma hsched task
void sortList(int *inList) {
  std::list<Less> v{{inList}, {inList}};
  v.sort();
}
// CHECK-DAG: error: the extent of 'inSet' cannot be inferred: {{.*}}functions of
#pragma hsched task
void insert(int *inSet) {
  std::set<Less> v;
  v.insert(Less{inSet});
}
// CHECK-DAG: error: the extent of 'inVectors' cannot be inferred: {{.*}}functions of
#pragma hsched task
void equal(int *inVectors, bool *r) {
  std::vector<Less> a{{inVectors}}, b{{inVectors}};
  *r = a < b;
}
struct Writes {
  int *p;
  bool operator<(const Writes &o) const {
    *p = 1;
    return p < o.p;
  }
};
// CHECK-DAG: error: the extent of 'least' cannot be inferred: it is compared
#pragma hsched task
void leastOf(int *least, int *r) {
  Writes a{least}, b{least};
  *r = std::min(a, b).p == least;
}
// CHECK-DAG: error: the extent of 'greatestOf' cannot be inferred: it is compared
#pragma hsched task
void greatest(int *greatestOf) {
  Writes a{greatestOf}, b{greatestOf};
  std::max(a, b);
}
struct Counted {
  int *p;
  Counted(int *q) : p(q) {}
  Counted(const Counted &o) : p(o.p) { ++*p; }
  Counted &operator=(const Counted &o) {
    ++*o.p;
    return *this;
  }
};
// CHECK-DAG: error: the extent of 'pushed' cannot be inferred: functions of 'Counted' may follow it
#pragma hsched task
void push(int *pushed) {
  Counted a(pushed);
  std::vector<Counted> v;
  v.push_back(a);
}
// CHECK-DAG: error: the extent of 'swapped' cannot be inferred: functions of 'Counted' may follow it
#pragma hsched task
void swap(int *swapped) {
  Counted a(swapped), b(swapped);
  std::swap(a, b);
}
// CHECK-DAG: error: the extent of 'shared' cannot be inferred: functions of 'Counted' may follow it
#pragma hsched task
void share(int *shared) {
  Counted a(shared);
  auto b = std::make_shared<Counted>(a);
}
// Nothing of the program runs.
// CHECK-DAG: task 'plain': inout(*x) is inferred
// CHECK-DAG: task 'plain': inout(*y) is inferred
#pragma hsched task
void plain(int *x, int *y) {
  std::vector<Target> v;
  v.push_back({x});
  v.push_back({y});
  *v[1].p = 1;
}
// --- Unions of a pointer and a number ---
union Both {
  int *p;
  unsigned long n;
};
// CHECK-DAG: error: the extent of 'added' cannot be inferred: it is read as an integer
#pragma hsched task
void add(int *added) {
  Both b;
  b.p = added;
  b.n += 8;
  *b.p = 1;
}
// CHECK-DAG: note: 'b.n' is an integer that may be a pointer
// CHECK-DAG: error: the extent of 'masked' cannot be inferred: it is read as an integer
#pragma hsched task
void mask(int *masked) {
  Both b{masked};
  b.n &= ~3ul;
  *b.p = 1;
}
// CHECK-DAG: error: the extent of 'counted' cannot be inferred: it is read as an integer
#pragma hsched task
void count(int *counted) {
  Both b{counted};
  ++b.n;
  *b.p = 1;
}
// CHECK-DAG: task 'moves': of 'stored[...]' it is not known which part is touched
// CHECK-DAG: task 'moves': of 'other memory' it is not known which part is touched
#pragma hsched task
void moves(Both *stored) {
  Both b;
  b.n = stored->n;
  *b.p = 1;
}
// --- Pointers in arrays of pointers ---
// CHECK-DAG: warning: task 'row' writes 'rows[2][1]', which no clause names: add out(*rows[2][1])
#pragma hsched task
void row(std::array<int *, 2> *rows) { *rows[2][1] = 1; }
// CHECK-DAG: warning: task 'first' writes 'pair[0][0]', which no clause names: add out(*pair[0][0])
// CHECK-DAG: warning: task 'first' writes 'pair[0][1]', which no clause names: add out([n]pair[0][1])
#pragma hsched task
void first(std::array<int *, 2> *pair, int n) {
  *(*pair)[0] = 1;
  for (int i = 0; i < n; ++i)
    (*pair)[1][i] = 1;
}
// CHECK-DAG: warning: task 'inC' writes 'old[1][1]', which no clause names: add out(*old[1][1])
#pragma hsched task
void inC(int *(*old)[2]) { *old[1][1] = 1; }
struct Rows {
  int *(*rows)[3];
};
struct Sized {
  int n, *p;
};
// CHECK-DAG: warning: task 'inMember' writes 'from.rows[1][2]', which no clause names: add out(*from.rows[1][2])
#pragma hsched task
void inMember(Rows &from) { *from.rows[1][2] = 1; }
// CHECK-DAG: warning: task 'sized' writes 'sized[0][0].p', which no clause names: add out([sized[0][0].n]sized[0][0].p)
#pragma hsched task
void sized(Sized (*sized)[4]) {
  for (int i = 0; i < sized[0]->n; ++i)
    sized[0]->p[i] = 1;
}
// CHECK-DAG: warning: task 'chosen' writes 'choice[...]', which no clause names
#pragma hsched task
void chosen(std::array<int *, 2> &choice, int i) { choice[i][0] = 1; }
// CHECK-DAG: warning: task 'inVector' writes 'many[...]', which no clause names
#pragma hsched task
void inVector(std::vector<int *> &many, int i) { many[i][0] = 1; }
// --- Pointers that the library moves about ---
// CHECK-DAG: task 'sortPointers': inout([n]pointers) is inferred
#pragma hsched task
void sortPointers(int **pointers, int n) { std::sort(pointers, pointers + n); }
// CHECK-DAG: task 'turn': inout([n]turned) is inferred
// CHECK-DAG: warning: task 'turn' writes 'turned[...]', which no clause names
#pragma hsched task
void turn(int **turned, int n, int i) {
  std::reverse(turned, turned + n);
  turned[i][0] = 1;
}
// CHECK-DAG: error: the extent of 'filled' cannot be inferred: 'std::fill' puts it into memory
#pragma hsched task
void fillWith(int **all, int n, int *filled) { std::fill(all, all + n, filled); }
