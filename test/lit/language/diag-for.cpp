// What is wrong with loops that are shared out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
void use(int);
int global;
// CHECK-DAG: [[@LINE+1]]:16: error: 'for' must precede a for loop inside a function
#pragma hsched for
void outside();
void f(int n, int *a, int *b) {
  int range[2] = {1, 2}, sum = 0, other = 0, last = 0;
#pragma hsched for
  // CHECK-DAG: [[@LINE+1]]:3: error: 'for' must be followed by a for loop
  while (n) --n;
#pragma hsched for
  // CHECK-DAG: [[@LINE+1]]:16: error: 'for' divides a loop over a variable or a member
  for (int x : *&range) use(x);
#pragma hsched for
  for (int i = 0; i < n; ++i)
    // CHECK-DAG: [[@LINE+1]]:17: error: 'break' ends the loop of 'for', whose iterations are shared out before any of them is run
    if (a[i]) { break; }
#pragma hsched for
  for (int i = 0; i < n; ++i)
    // CHECK-DAG: [[@LINE+1]]:5: error: the variable 'i' of the loop cannot be changed in its body
    i += a[i];
#pragma hsched for
  for (int i = 0; i < n; ++i)
    // CHECK-DAG: [[@LINE+1]]:5: warning: every iteration changes 'sum', and threads do so at the same time: write reduction(+: sum) or the like, private(sum), or declare 'sum' in the loop; shared(sum) where the program sees to it [-Whsched-capture]
    sum += a[i];
#pragma hsched for shared(sum)
  for (int i = 0; i < n; ++i)
    sum = 1;
// CHECK-DAG: [[@LINE+1]]:29: error: clause 'priority' belongs to tasks, and this 'for' makes none: name its data, or write 'taskloop'
#pragma hsched for priority(2)
  for (int i = 0; i < n; ++i)
    use(i);
// CHECK-DAG: [[@LINE+1]]:25: error: clause 'nowait' does not belong to 'taskloop', which does not wait
#pragma hsched taskloop nowait
  for (int i = 0; i < n; ++i)
    use(i);
// CHECK-DAG: [[@LINE+1]]:28: error: unknown name 'nothing' in clause 'private'
#pragma hsched for private(nothing)
  for (int i = 0; i < n; ++i)
    use(i);
// CHECK-DAG: [[@LINE+1]]:33: error: 'global' is not a variable of this function, so that the task cannot have one of its own
#pragma hsched for firstprivate(global)
  for (int i = 0; i < n; ++i)
    use(global);
// CHECK-DAG: [[@LINE+1]]:45: error: 'other' is named in two clauses: one of them says how the task has it
#pragma hsched for private(other) shared(n, other)
  for (int i = 0; i < n; ++i)
    use(other = i);
// CHECK-DAG: [[@LINE+1]]:27: error: clause 'shared' takes names of variables
#pragma hsched for shared(a[0:n])
  for (int i = 0; i < n; ++i)
    use(i);
// CHECK-DAG: [[@LINE+1]]:34: error: clause 'firstprivate' takes names of variables: a section belongs to in, out or inout
#pragma hsched task firstprivate([n]a)
  use(a[0]);
// CHECK-DAG: [[@LINE+1]]:30: error: the grain of a for cannot depend on its variable
#pragma hsched for grainsize(i)
  for (int i = 0; i < n; ++i)
    use(i);
// CHECK-DAG: [[@LINE+1]]:20: error: collapse(2) takes 2 loops, each of them the only statement of the one around it
#pragma hsched for collapse(2)
  for (int i = 0; i < n; ++i) {
    use(i);
    for (int j = 0; j < n; ++j)
      use(j);
  }
#pragma hsched for collapse(2)
  for (int i = 0; i < n; ++i)
    // CHECK-DAG: [[@LINE+1]]:25: error: the loops of 'collapse' are a rectangle: where one begins and ends cannot depend on the variable 'i' of another
    for (int j = 0; j < i; ++j)
      use(j);
// CHECK-DAG: [[@LINE+1]]:25: error: clause 'collapse' belongs to a 'for' without data clauses: make chunks of the outer loop tasks, or one loop of the two
#pragma hsched taskloop collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      use(j);
// CHECK-DAG: [[@LINE+1]]:30: error: 'i' is the loop's variable, of which each task has its own
#pragma hsched for shared(n, i)
  for (int i = 0; i < n; ++i)
    use(i);
// CHECK-DAG: [[@LINE+1]]:16: error: 'taskgroup' must be followed by a block, whose tasks are waited for at its end
#pragma hsched taskgroup
  int declared = 0;
  use(declared + last + *b);
}
// CHECK-DAG: [[@LINE+1]]:29: error: clause 'private' belongs to a statement: a function's task has what its parameters are given
#pragma hsched task private(n) in([n]p)
void function(int n, const int *p);
// CHECK-DAG: [[@LINE+1]]:28: error: unknown name 'q' in clause 'unused'
#pragma hsched task unused(q) in([n]p)
void other(int n, const int *p);
#pragma hsched task in([n]p)
void versions(int n, const int *p) { use(p[n - 1]); }
// CHECK-DAG: [[@LINE+1]]:44: error: clause 'unused' belongs to the main version: tasks have it, versions do not
#pragma hsched implements(versions) unused(p)
void version(int n, const int *p) { use(p[n - 1]); }
