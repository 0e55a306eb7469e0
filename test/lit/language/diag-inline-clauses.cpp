// Clauses that tasks on statements cannot have, and statements that cannot be taken out of their place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
void use(int);
void clauses(int n, int *p) {
  // CHECK: [[@LINE+1]]:21: error: clause 'kernel' belongs to a function: a task on a statement runs on the CPU
#pragma hsched task kernel("k.cl")
  use(n);
  // CHECK: [[@LINE+1]]:21: error: clause 'ndrange' belongs to a function: a task on a statement runs on the CPU
#pragma hsched task ndrange(n; 64)
  use(n);
  // CHECK: [[@LINE+1]]:21: error: clause 'args' belongs to a function: a task on a statement runs on the CPU
#pragma hsched task args(n)
  use(n);
  // CHECK: [[@LINE+1]]:29: error: clause 'options' belongs to a function: a task on a statement runs on the CPU
#pragma hsched task options("-DX")
  use(n);
  // CHECK: [[@LINE+1]]:25: error: clause 'kernel' belongs to a function: a task on a loop runs on the CPU
#pragma hsched taskloop kernel("k.cl")
  for (int i = 0; i < n; ++i) use(i);
}
constexpr int early(int n) {
  // CHECK: [[@LINE+1]]:16: error: a constexpr function cannot submit tasks
#pragma hsched task
  ++n;
  return n;
}
void inLambda(int n) {
  auto f = [](int m) {
#pragma hsched task
    use(m);
  };
  f(n);
}
#define STOP use(1); }
void macros(int n) {
  if (n) {
#pragma hsched task
    // CHECK: [[@LINE+1]]:5: error: the end of this statement is in a macro: put braces around the statement
    use(n), STOP
}
void jumps(int n) {
  void *where = &&out;
#pragma hsched task
  // CHECK: [[@LINE+1]]:5: error: a computed 'goto' is not allowed in a task
  { goto *where; }
out:
  use(n);
}
void members(int n) {
  union {
    int a;
    float b;
  };
  a = n;
#pragma hsched task
  // CHECK: [[@LINE+1]]:7: error: a member of an anonymous union cannot be used in a task on a statement: give the union a name
  use(a);
}
int fixed() {
  const int x = 3;
  // CHECK: [[@LINE+1]]:25: warning: 'x' cannot be 'out': it is const, so that only 'in' is possible [-Whsched-const]
#pragma hsched task out(x)
  use(x);
  // CHECK: note: 'x' is declared here
  return x;
}
