// What clauses name of objects that have their elements elsewhere: the object, and the elements that it has. Each task
// looks at what the one before it has left, whichever way the two name it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static void slowly() {
  volatile int sink = 0;
  for (int i = 0; i < 20000; ++i) sink = i;
}

#pragma hsched task
static void push(std::vector<int> &v, int k) {
  slowly();
  v.push_back(k);
}
#pragma hsched task
static void size(const std::vector<int> &v, std::size_t &n) { n = v.size(); }
#pragma hsched task
static void sizeBehind(const std::vector<int> *v, std::size_t &n) { n = v->size(); }
#pragma hsched task inout(*v)
static void pushBehind(std::vector<int> *v, int k) {
  slowly();
  v->push_back(k);
}

#pragma hsched task out(s)
static void set(std::string &s) {
  slowly();
  s = "a long string that is on the heap, not in the object itself";
}
#pragma hsched task in(s) out(n)
static void length(const std::string &s, std::size_t &n) { n = s.size(); }

#pragma hsched task
static void insert(std::map<int, int> &m, int k) {
  slowly();
  m[k] = k;
}
#pragma hsched task
static void entries(const std::map<int, int> &m, std::size_t &n) { n = m.size(); }

#pragma hsched task inout(*v)
static void fillBehind(std::vector<int> *v, int k) {
  slowly();
  for (int &x : *v) x = k;
}
#pragma hsched task inout([v.size()]v)
static void fillElements(std::vector<int> &v, int k) {
  slowly();
  for (int &x : v) x = k;
}
#pragma hsched task inout([n]p)
static void fillPointer(int n, int *p, int k) {
  slowly();
  for (int i = 0; i < n; ++i) p[i] = k;
}
#pragma hsched task in(v) out(s)
static void sum(const std::vector<int> &v, long &s) {
  s = 0;
  for (int x : v) s += x;
}
#pragma hsched task in(*v) out(s)
static void sumBehind(const std::vector<int> *v, long &s) {
  s = 0;
  for (int x : *v) s += x;
}

template <class C> static void append(C &c) {
#pragma hsched task inout(c)
  {
    slowly();
    c.push_back({});
  }
}

int main() {
  int bad = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<int> a, b, c, ten(10), more(10);
    std::string text;
    std::map<int, int> map;
    std::size_t na = 0, nb = 0, nc = 0, nt = 0, nm = 0;
    long sums[4] = {};
    push(a, 1);
    size(a, na);
    pushBehind(&b, 1);
    pushBehind(&b, 2);
    sizeBehind(&b, nb);
    append(c);
    append(c);
    size(c, nc);
    set(text);
    length(text, nt);
    insert(map, i);
    entries(map, nm);
    fillBehind(&ten, 1);
    sum(ten, sums[0]);
    fillElements(ten, 2);
    sumBehind(&ten, sums[1]);
    fillPointer(10, more.data(), 3);
    sumBehind(&more, sums[2]);
    fillPointer(10, more.data(), 4);
    sum(more, sums[3]);
    std::vector<int> waited;
    append(waited);
#pragma hsched taskwait on(waited)
    bad += waited.size() != 1;
#pragma hsched taskwait
    bad += na != 1 || nb != 2 || nc != 2 || nt != text.size() || nm != 1;
    bad += sums[0] != 10 || sums[1] != 20 || sums[2] != 30 || sums[3] != 40;
  }
  std::printf("%d wrong\n", bad);
  return bad != 0;
}
