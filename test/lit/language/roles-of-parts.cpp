// Clauses that name a part of an object, of a variable or of what a parameter leads to, are held to it as all others are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <atomic>
#include <mutex>
struct S {
  int a, b;
  float x[16], *y;
};
static S g;
// CHECK: [[@LINE+1]]:24: warning: task 'writes' writes 'g.a', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(g.a)
void writes() { g.a = 1; }
// CHECK: [[@LINE-1]]:19: note: 'writes' writes it here
// CHECK: [[@LINE+1]]:25: warning: task 'reads' reads 'g.a', which its clause says is 'out': write 'inout' [-Whsched-role]
#pragma hsched task out(g.a)
void reads() { g.a += 1; }
// CHECK: [[@LINE+1]]:25: warning: task 'half' does not overwrite all of 'g.x[0:16]', which 'out' promises: what it leaves is lost [-Whsched-coverage]
#pragma hsched task out(g.x[0:16])
void half() {
  for (int i = 0; i < 8; ++i)
    g.x[i] = 1; // CHECK: [[@LINE]]:5: note: this is all that is surely written
}
// CHECK: [[@LINE+1]]:24: warning: task 'one' writes 'g.x[0:16]', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(g.x[0:16]) out(g.a)
void one() { g.x[3] = 1, g.a = 2; }
// CHECK: [[@LINE+1]]:25: warning: task 'never' does not write 'g.a', which its clause says is 'out': write 'in' [-Whsched-role]
#pragma hsched task out(g.a) out([1]to)
void never(int *to) { *to = g.a; }
// CHECK: [[@LINE+1]]:25: warning: task 'sometimes' writes 'g.a' on a condition alone, but 'out' promises to overwrite it: where it does not, what was there is lost [-Whsched-coverage]
#pragma hsched task out(g.a) in([1]f)
void sometimes(const float *f) {
  if (*f > 0)
    g.a = 1; // CHECK: [[@LINE]]:7: note: it is written here, if data that was read says so
}

// What a parameter leads to.
// CHECK: [[@LINE+1]]:24: warning: task 'pointee' writes 'p->a', which its clause says is 'in': write 'inout' [-Whsched-role]
#pragma hsched task in(p->a)
void pointee(S *p) { p->a = 1; }
// CHECK: [[@LINE+1]]:25: warning: task 'pointeeReads' reads 'p->a', which its clause says is 'out': write 'inout' [-Whsched-role]
#pragma hsched task out(p->a)
void pointeeReads(S *p) { p->a += 1; }
// CHECK: [[@LINE+1]]:25: warning: task 'pointeeHalf' does not overwrite all of 'r.x[0:16]', which 'out' promises: what it leaves is lost [-Whsched-coverage]
#pragma hsched task out(r.x[0:16])
void pointeeHalf(S &r) {
  for (int i = 0; i < 8; ++i)
    r.x[i] = 1; // CHECK: [[@LINE]]:5: note: this is all that is surely written
}
// CHECK: [[@LINE+1]]:25: warning: task 'another' touches 'p' outside 'p->a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(p->a)
void another(S *p) { p->a = 1, p->b = 2; }
// CHECK: [[@LINE-1]]:35: note: this access is outside
// CHECK: [[@LINE+1]]:25: warning: task 'anotherAlone' touches 'r' outside 'r.a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(r.a)
void anotherAlone(S &r) { r.b = 1; }
// CHECK: [[@LINE+1]]:25: warning: task 'element' touches 'p' outside 'p[k].a', the section that 'out' names [-Whsched-extent]
#pragma hsched task out(p[k].a)
void element(S *p, int k) { p[k].a = 1, p[k + 1].a = 2; }
// CHECK: [[@LINE+1]]:16: warning: task 'beside' writes 'p', which no clause names: add inout(*p) [-Whsched-unnamed]
#pragma hsched task out(p->y[0:n])
void beside(S *p, int n) {
  for (int i = 0; i < n; ++i)
    p->y[i] = 1;
  p->a = 3; // CHECK: [[@LINE]]:6: note: it is written here
}
// CHECK: [[@LINE+1]]:16: warning: task 'unwritten' writes 'p', which no clause names: add inout(*p) [-Whsched-unnamed]
#pragma hsched task in(p->a)
void unwritten(S *p) { p->b = p->a; }
// CHECK: note: it is written here

// A version is held to them, too.
#pragma hsched task out(q->a)
void total(S *q, int n);
// CHECK: [[@LINE+2]]:6: warning: version 'version' reads 'q->a', which its task 'total' says is 'out' [-Whsched-versions]
#pragma hsched implements(total)
void version(S *p, int n) { p->a += n; }
// CHECK: [[@LINE-5]]:25: note: the task's clause is here; 'inout' holds for both

// Right ones, and what cannot be told.
#pragma hsched task in(p->a) inout(p->b)
void both(S *p) { p->b += p->a; }
#pragma hsched task out(p->a, p->x[0:16])
void several(S *p) {
  p->a = 1;
  for (int i = 0; i < 16; ++i)
    p->x[i] = 1;
}
#pragma hsched task in(p->a) out(p->b)
void either(S *p) {
  if (p->a)
    p->b = 1;
  else
    p->b = 2;
}
#pragma hsched task out(p->b)
void afterwards(S *p) {
  p->b = 1;
  p->b += 2;
}
#pragma hsched task out(p->y[0:p->a])
void extent(S *p) {
  for (int i = 0; i < p->a; ++i)
    p->y[i] = 1;
}
#pragma hsched task in(p[k + 1].a) out(p[k].a)
void neighbours(S *p, int k) { p[k].a = p[k + 1].a; }
#pragma hsched task inout({p[i].a, i = 0; n})
void all(S *p, int n) {
  for (int i = 0; i < n; ++i)
    p[i].a += 1;
}
void opaque(S *p);
#pragma hsched task out(p->a)
void handed(S *p) { opaque(p); }
// What synchronises is there to be shared.
struct Shared {
  std::mutex m;
  std::atomic<int> hits;
  int a;
};
static Shared shared;
#pragma hsched task out(p->a)
void locked(Shared *p) {
  std::lock_guard<std::mutex> guard(p->m);
  p->hits++;
  p->a = 1;
}
#pragma hsched task out(shared.a)
void lockedToo() {
  shared.m.lock();
  std::unique_lock<std::mutex> guard(shared.m, std::adopt_lock);
  shared.a = 1;
}
// A list that follows pointers on.
struct L {
  float *v;
};
#pragma hsched task in({l[k]->v[0:n], k = 0; m}) out([1]s)
void lists(L **l, int m, int n, float *s) {
  float sum = 0;
  for (int k = 0; k < m; ++k)
    for (int i = 0; i < n; ++i)
      sum += l[k]->v[i];
  *s = sum;
}
