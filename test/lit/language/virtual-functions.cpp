// Virtual functions of objects whose class is known, and what a std::function calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 --hsched-explain -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
#include <functional>
#include <new>
struct Visitor {
  virtual void see(int) = 0;
};
struct Set : Visitor {
  int *p;
  Set(int *q) : p(q) {}
  void see(int i) override { p[i] = 1; }
};
struct Twice : Set {
  using Set::Set;
  void see(int i) override { p[2 * i] = 2; }
};
static void each(Visitor &v, int n) {
  for (int i = 0; i < n; ++i)
    v.see(i);
}
// CHECK-DAG: task 'visit': out([n]x) is inferred
#pragma hsched task
void visit(int *x, int n) {
  Set s(x);
  each(s, n);
}
// CHECK-DAG: task 'visitTwice': inout([2 * n - 1]x) is inferred
#pragma hsched task
void visitTwice(int *x, int n) {
  Twice s(x);
  each(s, n);
}
// CHECK-DAG: task 'either': inout(*x) is inferred
// CHECK-DAG: task 'either': inout(*y) is inferred
#pragma hsched task
void either(int *x, int *y, bool b) {
  Set s(x);
  Twice t(y);
  Visitor *v = &s;
  if (b)
    v = &t;
  v->see(0);
}
// CHECK-DAG: task 'made': out(*x) is inferred
#pragma hsched task
void made(int *x) {
  Visitor *v = new Set(x);
  v->see(0);
}
// CHECK-DAG: error: the extent of 'replaced' cannot be inferred: the object is handed to the virtual function 'see'
#pragma hsched task
void replace(int *replaced) {
  Set s(replaced);
  Visitor *v = new (&s) Twice(replaced);
  v->see(0);
}
// CHECK-DAG: error: the extent of 'inConstructor' cannot be inferred: the object is handed to the virtual function 'see'
struct Early : Set {
  Early(int *q) : Set(q) { static_cast<Visitor *>(this)->see(0); }
};
#pragma hsched task
void early(int *inConstructor) { Early e(inConstructor); }
// CHECK-DAG: error: the extent of 'given' cannot be inferred
#pragma hsched task
void give(Visitor &v, int *given) {
  v.see(0);
  Set s(given);
  Visitor &w = *given ? v : s;
  w.see(1);
}

// --- std::function ---
// CHECK-DAG: task 'called': out([n]x) is inferred
#pragma hsched task
void called(int *x, int n) {
  const std::function<void(long)> f = [=](int i) { x[i] = 1; };
  for (int i = 0; i < n; ++i)
    f(i);
}
static void apply(const std::function<int(int &)> &f, int &k) { f(k); }
// CHECK-DAG: task 'passed': inout(*y) is inferred
// CHECK-DAG: task 'passed': out(x[3:1]) is inferred
#pragma hsched task
void passed(int *x, int *y) {
  apply([&](int &k) { return k += x[3] = 1; }, *y);
}
static void write(int *p, int i) { p[i] = i; }
// CHECK-DAG: task 'pointed': out(x[2:1]) is inferred
#pragma hsched task
void pointed(int *x) {
  std::function<void(int *, int)> f = write;
  auto g = f;
  g(x, 2);
}
// CHECK-DAG: error: the extent of 'changed' cannot be inferred: it is called through 'function'
#pragma hsched task
void change(int *changed) {
  std::function<void()> f = [=] { changed[0] = 1; };
  f = [=] { changed[1] = 1; };
  f();
}
// CHECK-DAG: task 'qualified': in(*x) is inferred
#pragma hsched task
void qualified(int *x, int *y) {
  std::function<const int *()> f = [=] { return x; };
  *y = *f();
}
struct Part {
  int a;
};
struct Whole : Part {
  int b;
};
// CHECK-DAG: error: the extent of 'whole' cannot be inferred: it is returned through 'function'
#pragma hsched task
void base(Whole *whole) {
  std::function<Part *()> f = [=] { return whole; };
  f()->a = 1;
}
