// What cannot be a task, or a version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma hsched task in([n]x)
int a1(int n, int *x);
// CHECK: [[@LINE-1]]:5: error: a task returns void, because its caller does not wait for it; 'a1' returns 'int': pass the result through a pointer or reference
struct S {
#pragma hsched task
  void member() &&;
// CHECK: [[@LINE-1]]:8: error: 'member' is called on temporary objects, which are gone when the task runs: leave the '&&' behind its parameters out
#pragma hsched task
  virtual void pure() = 0;
// CHECK: [[@LINE-1]]:16: error: 'pure' is pure virtual and has nothing to run: put the directive before what overrides it
#pragma hsched task
  void operator()(int n);
// CHECK: [[@LINE-1]]:8: error: 'operator()' cannot be a task: only functions with a plain name can
#pragma hsched task
  S();
// CHECK: [[@LINE-1]]:3: error: 'S' cannot be a task: only functions with a plain name can
};
struct {
#pragma hsched task
  void member();
// CHECK: [[@LINE-1]]:8: error: 'member' is a member of a class without a name, so that it cannot be a task: name the class
} nameless;
struct P {
  int *data;
  const int fixed[4] = {};
  int plain;
#pragma hsched task inout(data)
  void f(int n);
// CHECK: [[@LINE-2]]:27: error: the size of 'data' is unknown, because it is a pointer: write '[n]data'
// CHECK: note: member 'data' is declared here
#pragma hsched task in(plain[0:4])
  void g(int n);
// CHECK: [[@LINE-2]]:24: error: 'plain' is not a pointer or array that a section could be taken of
#pragma hsched task in(nothing)
  void h(int n);
// CHECK: [[@LINE-2]]:24: error: unknown name 'nothing' in clause 'in'
#pragma hsched task inout(plain)
  void main(int n) const;
#pragma hsched task inout(plain)
  static void apart(int n, int &plain);
#pragma hsched implements(main)
  void version1(int n);
// CHECK: [[@LINE-1]]:8: error: the task 'P::main' is called on an object: its versions are non-static members of 'P' that are const like it, declared in the class, or functions with a body that take the object as one parameter more, a reference, in front
// CHECK: note: the main version is here
#pragma hsched implements(apart)
  void version2(int n, int &plain);
// CHECK: [[@LINE-1]]:8: error: version 'version2' is called on an object, but the task 'P::apart' is not: make it static
};
#pragma hsched implements(P::main)
void outside(int n);
// CHECK: [[@LINE-1]]:6: error: the task 'P::main' is called on an object: its versions are non-static members of 'P' that are const like it
#pragma hsched task
consteval void a2(int) {}
// CHECK: [[@LINE-1]]:16: error: a consteval function cannot be a task: it never runs in the program; write constexpr
#pragma hsched task
void a3(int n, ...);
// CHECK: [[@LINE-1]]:6: error: a function with '...' cannot be a task, because its arguments cannot be copied: take a pointer and a number, or write a template, 'template <class... T> void a3(T... values)'
#pragma hsched task
void a4(int &&n);
// CHECK: [[@LINE-1]]:15: error: parameter 'n' is an rvalue reference, which may be gone when the task runs: take it by value
#pragma hsched task in(t)
template <class... T> void a5(T *...t);
// CHECK: [[@LINE-2]]:24: error: 't' is a parameter pack: write 't...' for a section of each of its elements
#pragma hsched task
template <class... T> void a5b(T... t, int n);
// CHECK: [[@LINE-1]]:37: error: the parameter pack of a task is its last parameter
#pragma hsched task
template <class... T> void a5c(T &&...t);
// CHECK: [[@LINE-1]]:39: error: parameter 't' is an rvalue reference
#pragma hsched task in(...)
void a5d(int n);
// CHECK: [[@LINE-2]]:24: error: expected a section before '...'
#pragma hsched task device(opencl) kernel("k.cl") ndrange(1)
template <class... T> void a5e(T... t);
// CHECK: [[@LINE-1]]:37: error: a kernel has a fixed number of arguments: 't' cannot be a parameter pack
#pragma hsched task
void a6(auto n);
// CHECK: [[@LINE-1]]:6: error: the template parameters of a task need names: write 'template <class T>' in place of 'auto'
#pragma hsched task
void a7() = delete;
// CHECK: [[@LINE-1]]:6: error: a deleted function cannot be a task
#pragma hsched task
template <class T> void general(T t);
template <> void general<int>(int t);
// CHECK: [[@LINE-1]]:18: error: an explicit specialization of task 'general' would be called like any function, not as a task: put 'task' before it, with the clauses that hold there
// CHECK: note: the task is here
struct M {
  template <class T> void special(T t);
};
#pragma hsched task
template <> void M::special<int>(int t);
// CHECK: [[@LINE-1]]:21: error: an explicit specialization of a member cannot be a task: put the directive before the template, or call a function of another name
template <class T> void kernels(T *t);
#pragma hsched task device(opencl) kernel("k.cl") ndrange(1) inout(*t)
template <> void kernels<int>(int *t);
// CHECK: [[@LINE-1]]:18: error: an explicit specialization has a body, and a kernel has none: put the directive before an overload
#define NAMED(name) void name(int n)
#pragma hsched task
NAMED(a8);
// CHECK: [[@LINE-1]]:7: error: the name of a task must be written out: it cannot come from a macro
#pragma hsched task
int main() {}
// CHECK: [[@LINE-1]]:5: error: main cannot be a task
#pragma hsched task
#pragma hsched task
void a9(int n);
// CHECK: [[@LINE-2]]:16: error: a second 'task' for one function
// CHECK: note: the first directive is here
#pragma hsched task in([n]x)
void a10(int n, int *x);
#pragma hsched task inout([n]x)
void a10(int n, int *x) {}
// CHECK: [[@LINE-2]]:16: error: this says something else about 'a10' than an earlier declaration
// CHECK: note: the earlier directive is here; one declaration is enough
