// What cannot be a task on a statement, and what would be lost in one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: not %hsched-cc -std=c++17 -Wno-hsched-capture -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=hsched-capture
// OFF: error:
#include <memory>
#include <mutex>
#include <utility>
#include <vector>
struct Base {
  virtual ~Base();
  virtual void go();
};
void use(int);
void change(int &);
void control(int n) {
  for (int i = 0; i < n; ++i) {
#pragma hsched task
    // CHECK: [[@LINE+1]]:14: error: 'return' leaves the statement of the task
    { if (n) return; }
#pragma hsched task
    // CHECK: [[@LINE+1]]:14: error: 'continue' leaves the statement of the task: test the opposite
    { if (i) continue; }
#pragma hsched task
    // CHECK: [[@LINE+1]]:5: error: 'break' leaves the statement of the task: put the directive before the whole loop or switch
    break;
#pragma hsched task
    // CHECK: [[@LINE+1]]:7: error: 'goto' leaves the statement of the task
    { goto out; }
  }
out:
  // CHECK: [[@LINE+1]]:3: error: 'goto' jumps into the statement of a task: put the label in front of the directive
  goto in;
#pragma hsched task
  { in: use(n); }
  switch (n) {
#pragma hsched task
    {
      // CHECK: [[@LINE+1]]:5: error: this label belongs to a switch around the task
    case 1: use(n);
    }
  }
#pragma hsched task
  // CHECK: [[@LINE+1]]:3: error: a declaration cannot be a task: what it declares would be gone
  int x = n;
#pragma hsched task
  // CHECK: [[@LINE+1]]:1: error: a label cannot be between 'task' and its statement
label:
  use(x);
  // CHECK: [[@LINE+1]]:28: error: a task on a statement runs on the CPU, not on 'opencl': make it a function
#pragma hsched task device(opencl)
  use(x);
  // CHECK: [[@LINE+1]]:30: error: unknown name 'zz' in clause 'priority'
#pragma hsched task priority(zz)
  use(x);
  // CHECK: [[@LINE+1]]:16: error: 'task' inside a function must be followed by a statement
#pragma hsched task
}
void local() {
  struct Local {
    // CHECK: [[@LINE+1]]:16: error: 'task' cannot apply to a member of a local class: such a class has no name outside
#pragma hsched task
    static void f(int *p) { *p = 1; }
  };
}
struct Unsteady {
  Unsteady();
  Unsteady(Unsteady &);
  int i;
};
struct HoldsUnsteady {
  Unsteady u;
};
void captures(int n, Base &b, int *q) {
  auto p = std::make_unique<int>(3);
  std::vector<std::unique_ptr<int>> all(1);
  std::mutex m;
  int vla[n];
  auto [first, second] = std::pair(1, 2);
  Unsteady unsteady;
  HoldsUnsteady holds;
#pragma hsched task
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: 'unsteady' of type 'Unsteady' cannot be copied into the task
  unsteady.i = 1;
#pragma hsched task
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: 'holds' of type 'HoldsUnsteady' cannot be copied into the task
  holds.u.i = 1;
#pragma hsched task
  // CHECK: [[@LINE+1]]:4: error: 'p' of type '{{.*}}' cannot be copied into the task: name it in a data clause, as in 'inout(p)'
  *p = 1;
  // CHECK: note: 'p' is declared here
#pragma hsched task
  // CHECK: [[@LINE+1]]:3: error: 'all' of type
  all[0] = nullptr;
#pragma hsched task
  // CHECK: [[@LINE+1]]:3: error: 'm' of type 'std::mutex' cannot be copied into the task
  m.lock();
#pragma hsched task
  use(vla[0] + sizeof vla);
#pragma hsched task
  // CHECK: [[@LINE+1]]:7: error: structured binding 'second' cannot be used in a task on a statement before C++20
  use(second);
  // CHECK: [[@LINE+2]]:9: warning: 'b' refers to an object that may be of a class derived from 'Base'{{.*}} [-Whsched-capture]
#pragma hsched task
  (void)b;
  // CHECK: note: 'b' is declared here
  // CHECK: [[@LINE+1]]:24: error: the size of 'q' is unknown
#pragma hsched task in(q)
  use(*q);
  (void)first;
}
int lost(int n, int &ref) {
  int x = 0, y = 0, sum = 0, fine = 0, again, a[2] = {};
  // CHECK: [[@LINE+2]]:3: warning: the task changes a copy of 'x' that is its own, and the change is lost: write 'inout(x)'
#pragma hsched task
  x = n;
  // CHECK: [[@LINE+2]]:5: warning: the task changes a copy of 'a'
#pragma hsched task
  { a[1] = 2; fine = 3; use(fine); }
  // CHECK: [[@LINE+2]]:10: warning: the task changes a copy of 'y'
#pragma hsched task
  change(y);
  // CHECK: [[@LINE+2]]:3: warning: the task changes a copy of 'ref'
#pragma hsched task
  ref = 1;
  for (int i = 0; i < n; ++i) {
    // CHECK: [[@LINE+2]]:5: warning: the task changes a copy of 'sum'
#pragma hsched task
    sum += i;
#pragma hsched task
    for (again = 0; again < n; ++again)
      use(again);
  }
  return x + y + a[1];
}
