// What a captured variable owns is copied with it; what its pointers lead to is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <memory>
#include <string>
#include <vector>

struct Grid {
  std::vector<double> d;
  double *raw;
};
class Owner {
public:
  std::vector<double> &elements() { return d_; }

private:
  std::vector<double> d_{1, 2};
};
struct Names {
  std::vector<std::string> n;
  int k;
};

// What tasks write elsewhere: else reads would be no matter.
#pragma hsched task
template <class T> void change(T *p) {
  *p = T();
}
void changeAll(Grid &g, std::vector<double *> &raws, std::vector<Grid> &grids, std::vector<std::string> *ptr,
               std::shared_ptr<double> &shared) {
  change(g.raw);
  change(raws[0]);
  change(grids[0].raw);
  change((*ptr)[0].data());
  change(shared.get());
}

void f(double *p, std::vector<std::string> *ptr) {
  double r = 0;
  std::vector<std::string> names{"alpha"};
  Grid g{{1, 2, 3}, p};
  Owner h;
  Names a[2];
  auto one = std::make_shared<double>(1);
  std::vector<std::vector<double>> vv{{1}};
  std::vector<double *> raws{p};
  std::vector<Grid> grids{g};
  std::vector<std::shared_ptr<double>> shared;
  changeAll(g, raws, grids, ptr, shared[0]);
#pragma hsched task out(r)
  r = names[0][0];
#pragma hsched task out(r)
  r = g.d[1];
#pragma hsched task out(r)
  r = vv[0][0];
#pragma hsched task out(r)
  r = a[1].n[0][0];
#pragma hsched task out(r)
  r = grids[0].d[1];

// CHECK-DAG: warning: task 'f:[[@LINE+1]]' reads 'g.raw', which no clause names
#pragma hsched task out(r)
  r = g.raw[1];
// CHECK-DAG: warning: task 'f:[[@LINE+1]]' reads 'raws[0]', which no clause names
#pragma hsched task out(r)
  r = raws[0][1];
// CHECK-DAG: warning: task 'f:[[@LINE+1]]' reads 'grids[0].raw', which no clause names
#pragma hsched task out(r)
  r = grids[0].raw[1];
// CHECK-DAG: warning: task 'f:[[@LINE+1]]' reads '(*ptr)[0]', which no clause names
#pragma hsched task out(r)
  r = (*ptr)[0][0];
// CHECK-DAG: warning: task 'f:[[@LINE+1]]' reads 'shared[...]', which no clause names
#pragma hsched task out(r)
  r = *shared[0];
// CHECK-DAG: warning: task 'f:[[@LINE+1]]' writes 'vv[0]', which its clause says is 'in'
#pragma hsched task in(vv[0])
  vv[0][0] = 1;
// A change to what the copy owns is lost, where it is looked at later.
#pragma hsched task
  grids[0].d[1] = 1;
// CHECK-DAG: [[@LINE+2]]:3: warning: the task changes a copy of 'g' that is its own, and the change is lost: write 'inout(g)'
#pragma hsched task
  g.d[1] = 1;
// CHECK-DAG: [[@LINE+2]]:3: warning: the task changes a copy of 'h' that is its own, and the change is lost: write 'inout(h)'
#pragma hsched task
  h.elements()[1] = 1;
// No clause is proposed for what is behind a copy's pointer: it would have the task work on the variable itself.
// CHECK-DAG: warning: task 'f:[[@LINE+1]]' writes 'g.raw', which no clause names [-Whsched-unnamed]
#pragma hsched task
  g.raw[1] = 1;
// CHECK-DAG: warning: task 'f:[[@LINE+1]]' writes 'one[...]', which no clause names [-Whsched-unnamed]
#pragma hsched task
  *one = 1;
// What no clause can name has no edit.
// CHECK-DAG: [[@LINE+2]]:3: warning: the task changes a copy of 'p' that is its own, and the change is lost: declare 'p' inside the statement, or change it through a pointer to it
#pragma hsched task
  p = nullptr;
#pragma hsched taskwait
  *p = g.d[1] + h.elements()[0];
}
