// What cannot be a task, or a version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma hsched task in([n]x)
int a1(int n, int *x);
// CHECK: [[@LINE-1]]:5: error: a task returns void, for no one waits for its result; 'a1' returns 'int': hand the result out through a pointer or reference
struct S {
#pragma hsched task
  void member();
// CHECK: [[@LINE-1]]:8: error: a non-static member function cannot be a task: make 'member' static
#pragma hsched task
  void operator()(int n);
// CHECK: [[@LINE-1]]:8: error: 'operator()' cannot be a task: only functions with a plain name can
#pragma hsched task
  S();
// CHECK: [[@LINE-1]]:3: error: 'S' cannot be a task: only functions with a plain name can
};
#pragma hsched task
constexpr void a2(int) {}
// CHECK: [[@LINE-1]]:16: error: a constexpr function cannot be a task
#pragma hsched task
void a3(int n, ...);
// CHECK: [[@LINE-1]]:6: error: a function with '...' cannot be a task: its arguments cannot be kept
#pragma hsched task
void a4(int &&n);
// CHECK: [[@LINE-1]]:15: error: parameter 'n' is an rvalue reference, which may be gone when the task runs: take it by value
#pragma hsched task
template <class... T> void a5(T... t);
// CHECK: [[@LINE-1]]:20: error: a variadic template cannot be a task
#pragma hsched task
void a6(auto n);
// CHECK: [[@LINE-1]]:6: error: the template parameters of a task need names: write 'template <class T>' in place of 'auto'
#pragma hsched task
void a7() = delete;
// CHECK: [[@LINE-1]]:6: error: a deleted function cannot be a task
template <class T> void general(T t);
#pragma hsched task
template <> void general<int>(int t);
// CHECK: [[@LINE-1]]:18: error: an explicit specialization cannot be a task: put the directive on the template
#define NAMED(name) void name(int n)
#pragma hsched task
NAMED(a8);
// CHECK: [[@LINE-1]]:7: error: the name of a task must be written out: it cannot come from a macro
#pragma hsched task
int main() {}
// CHECK: [[@LINE-1]]:5: error: a task returns void
#pragma hsched task
#pragma hsched task
void a9(int n);
// CHECK: [[@LINE-2]]:16: error: a second 'task' on one function
// CHECK: note: the first directive is here
#pragma hsched task in([n]x)
void a10(int n, int *x);
#pragma hsched task inout([n]x)
void a10(int n, int *x) {}
// CHECK: [[@LINE-2]]:16: error: this says something else about 'a10' than an earlier declaration
// CHECK: note: the earlier directive is here; one declaration is enough
