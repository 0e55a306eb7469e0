// Clauses that name parts of a variable or of a member: rows, elements, members of structures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
struct S {
  int x, y, arr[8], m[4][4], *p;
};
static S s, ss[4];
namespace ns {
static double table[8][8][8];
static std::array<std::array<int, 4>, 4> board;
} // namespace ns
namespace alias = ns;
struct T {
  S s, ss[3];
  int &r;
#pragma hsched task out(s.x)
  void member() { s.x = 1; }
#pragma hsched task out(ss[i].x) in(this->s.arr[i:2])
  void element(int i) { ss[i].x = s.arr[i] + s.arr[i + 1]; }
#pragma hsched task out(r)
  void reference() { r = 1; }
  void statement() {
    for (int i = 0; i < 4; ++i) {
#pragma hsched task out(s.m[i])
      for (int j = 0; j < 4; ++j)
        s.m[i][j] = i;
    }
  }
};
template <class U> struct G {
  U cells[4][4];
  void fill(U v) {
    for (int i = 0; i < 4; ++i) {
#pragma hsched task out(cells[i])
      for (int j = 0; j < 4; ++j)
        cells[i][j] = v;
    }
  }
};
template struct G<int>;
#pragma hsched task out(s.x)
void field() { s.x = 1; }
#pragma hsched task out(ss[i].x)
void fieldOf(int i) { ss[i].x = 1; }
#pragma hsched task out(s.arr[i:2])
void some(int i) { s.arr[i] = s.arr[i + 1] = 1; }
#pragma hsched task out(ns::table[i])
void plane(int i) {
  for (int j = 0; j < 8; ++j)
    for (int k = 0; k < 8; ++k)
      ns::table[i][j][k] = 0;
}
#pragma hsched task out(alias::table[i][2:3])
void rows(int i) {
  for (int j = 2; j < 5; ++j)
    for (int k = 0; k < 8; ++k)
      ns::table[i][j][k] = 0;
}
#pragma hsched task out(ns::board[i])
void row(int i) { ns::board[i] = {}; }
static int &at(int i) { return s.arr[i]; }
void statements(int n) {
  for (int i = 0; i < n; ++i) {
#pragma hsched task inout(at(i))
    at(i) += 1;
#pragma hsched task inout((&ns::board[0][0] + i)[0:2])
    ns::board[0][i] = ns::board[0][i + 1]++;
  }
  for (int i = 0; i < n; ++i) {
    int &each = s.arr[i];
#pragma hsched task out(each)
    each = i;
  }
  auto &&[a, b] = std::tuple<int &, int &>(s.x, s.y);
#pragma hsched task out(a) in(b)
  a = b;
#pragma hsched task in(a)
  a = 1;
  // CHECK: [[@LINE-2]]:24: warning: task 'statements:[[@LINE-2]]' writes 'a', which its clause says is 'in': write 'inout' [-Whsched-role]
}
// What no part that is named allows.
#pragma hsched task in(s.x)
void other() { s.y = 1; }
// CHECK: [[@LINE-2]]:16: warning: task 'other' writes 's', which no clause names: add inout(s) [-Whsched-unnamed]
// What a pointer in it leads to is no part of it.
#pragma hsched task inout(s.p[0:n])
void through(int n) { s.x = n; }
// CHECK: [[@LINE-2]]:16: warning: task 'through' writes 's', which no clause names: add inout(s) [-Whsched-unnamed]
// Nor what a cast makes of another pointer.
#pragma hsched task inout([n](char *)p)
void converted(int n, int *p) { reinterpret_cast<char *>(p)[0] = 1, s.x = n; }
// CHECK: [[@LINE-2]]:16: warning: task 'converted' writes 's', which no clause names: add inout(s) [-Whsched-unnamed]
// What a task keeps for itself, handed over by value.
#pragma hsched task inout([n]p)
void apply(int n, int *p, std::function<int(int)> f, std::map<int, int> m, std::deque<int> d) {
  for (int i = 0; i < n; ++i)
    p[i] = f(p[i]) + m[i] + d[i]++;
}
