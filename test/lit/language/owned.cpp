// What an object of the standard library has for itself is part of it: a clause that names the object names that too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 --hsched-explain -c %s -o %t.o 2>&1 | grep -v 'remark: task .* is not known\|note:' \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#pragma hsched task in(*text) out(*to)
void assign(const std::string *text, std::string *to) { *to = *text; }
#pragma hsched task out(*to)
void literal(std::string *to) { *to = "text"; }
#pragma hsched task in([1]text) out(to[0:1])
void sections(const std::string *text, std::string *to) { to->assign(*text); }
#pragma hsched task in([n]p) out(*to)
void fromPointers(int n, const int *p, std::vector<int> *to) { *to = std::vector<int>(p, p + n); }
#pragma hsched task inout(*to)
void append(std::string *to) { *to += "more"; }
#pragma hsched task inout(*to)
void push(int k, std::vector<int> *to) { to->push_back(k); }
#pragma hsched task inout(*to)
void elements(int i, std::vector<int> *to) { (*to)[i] += (*to)[0]; }
#pragma hsched task inout(*to) in(*from)
void map(int k, std::map<std::string, int> *to, const std::map<int, std::string> *from) { (*to)[from->at(k)] = k; }
#pragma hsched task inout(*to)
void deque(int k, std::deque<int> *to) {
  to->push_back(k);
  (*to)[2] = k;
}
#pragma hsched task inout(*to)
void nested(std::vector<std::vector<std::string>> *to) { (*to)[0][1] = "x"; }
#pragma hsched task in([n]v) out([n]to)
void each(int n, const std::string *v, std::string *to) {
  for (int i = 0; i < n; ++i)
    to[i] = v[i];
}
#pragma hsched task in([n]v) out(to[i:1])
void joined(int n, int i, const std::string *v, std::string *to) { to[i] = v[0] + v[n - 1]; }

struct Record {
  std::string name;
  std::vector<double> data;
  int *raw;
};
#pragma hsched task inout(*r)
void members(Record *r, int i) {
  r->name = "x";
  r->data[i] = 3;
}
struct Object {
  std::string name;
#pragma hsched task inout(*this)
  void whole() { name += "x"; }
};

// The same by reference.
#pragma hsched task inout(to)
void appendReference(std::string &to) { to += "more"; }
#pragma hsched task out(to)
void assignReference(std::string &to) { to = "text"; }
#pragma hsched task inout(p) out(t)
void pieces(std::pair<int, int> &p, std::tuple<int, float> &t) {
  ++p.first;
  t = {1, 2.0f};
}
#pragma hsched task inout(r)
void membersReference(Record &r, int i) {
  r.name = "x";
  r.data[i] = 3;
}
#pragma hsched task inout(to)
void mapReference(int k, std::map<std::string, int> &to) { to["x"] = k; }

// Roles and sections that nobody wrote.
// CHECK: remark: task 'inferredMap': in(from) is inferred
// CHECK: remark: task 'inferredMap': inout(to) is inferred
#pragma hsched task
void inferredMap(const std::map<int, int> &from, std::map<std::string, int> &to) { to["x"] = from.at(1); }
// CHECK: remark: task 'inferred': in(*text) is inferred
// CHECK: remark: task 'inferred': out(*to) is inferred
#pragma hsched task
void inferred(const std::string *text, std::string *to) { *to = *text; }
// CHECK: remark: task 'inferredElements': inout(v) is inferred
#pragma hsched task
void inferredElements(std::vector<double> &v) {
  for (double &e : v)
    e *= 2;
}

// What an object does not own it does not name.
// CHECK: warning: task 'pointers' writes '(*v)[0]', which no clause names
#pragma hsched task inout(*v)
void pointers(std::vector<int *> *v) { *(*v)[0] = 1; }
// CHECK: warning: task 'raw' writes 'r->raw', which no clause names
#pragma hsched task inout(*r)
void raw(Record *r) { r->raw[0] = 1; }
// CHECK: warning: task 'neighbour' writes '*b', which no clause names
#pragma hsched task inout(*a)
void neighbour(std::vector<int> *a, std::vector<int> *b) {
  (*a)[0] = 1;
  (*b)[0] = 1;
}
// Elements of their own section.
// CHECK: warning: task 'two' writes '{{.*}}v', which its clause says is 'in': write 'inout'
#pragma hsched task in(*v)
void two(std::vector<int> *v) { (*v)[0] = 1; }
// CHECK: warning: task 'assigned' writes 'v', which its clause says is 'in': write 'inout'
#pragma hsched task in(*v)
void assigned(std::string *v) { *v = "x"; }
// CHECK: warning: task 'moved' writes 'from', which its clause says is 'in': write 'inout'
#pragma hsched task in(*from) out(*to)
void moved(std::string *from, std::string *to) { *to = std::move(*from); }
// CHECK: warning: task 'movedReference' writes 'from', which its clause says is 'in': write 'inout'
#pragma hsched task in(from) out(*to)
void movedReference(std::vector<int> &from, std::vector<int> *to) { *to = std::move(from); }
// CHECK: warning: task 'outside' touches 'to' outside 'to[0:1]', the section that 'out' names
#pragma hsched task out(to[0:1])
void outside(std::string *to) {
  to[0] = "x";
  to[1] = "y";
}
// CHECK: warning: 'v' cannot be 'inout': what it refers to is const
#pragma hsched task inout(v)
void constant(const std::vector<int> &v, int *) {}
// What is proposed is C++, and names what is meant.
// CHECK: warning: task 'sized' writes '*v', which no clause names: add out([(*v).size()](*v))
#pragma hsched task
void sized(std::vector<int> *v) {
  for (int &x : *v)
    x = 1;
}
// CHECK: warning: task 'inner' writes '(*v)[0]', which no clause names: add inout((*v)[0][1:1])
#pragma hsched task
void inner(std::vector<std::vector<int>> *v) { (*v)[0][1] = 1; }
#pragma hsched task out([(*v).size()](*v)) inout((*w)[0][1:1])
void asProposed(std::vector<int> *v, std::vector<std::vector<int>> *w) {
  for (int &x : *v)
    x = 1;
  (*w)[0][1] = 1;
}
