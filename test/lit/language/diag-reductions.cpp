// Reductions that cannot be: of what, by what, and how they are declared.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <span>
#include <vector>
struct Vec {
  int x;
};

// CHECK: [[@LINE+1]]:21: error: 'reduction' takes an operation and what is reduced with it: reduction(+: x)
#pragma hsched task reduction(x)
void a1(int &x);
// CHECK: [[@LINE+1]]:31: error: unknown reduction '/'; expected one of + * & | ^ && || min max, or a name from 'declare reduction'{{$}}
#pragma hsched task reduction(/: x)
void a2(int &x);
// CHECK: [[@LINE+1]]:31: error: unknown reduction '<<'; expected one of
#pragma hsched task reduction(<<: x)
void a3(int &x);
// CHECK: [[@LINE+1]]:32: error: expected what is reduced after the ':'
#pragma hsched task reduction(+:)
void a4(int &x);
// CHECK: [[@LINE+1]]:31: error: unknown reduction 'sum': it is none of + * & | ^ && || min max, and no '#pragma hsched declare reduction(sum : type : omp_out ...)' is visible here
#pragma hsched task reduction(sum: x)
void a5(int &x);
// CHECK: [[@LINE+1]]:31: error: reduction '+' is not known for elements of type 'Vec': declare it, #pragma hsched declare reduction(+ : Vec : omp_out = ...)
#pragma hsched task reduction(+: [n]x)
void a6(int n, Vec *x);
// CHECK: [[@LINE+1]]:31: error: reduction '|' works on integers, and elements of 'x' are of type 'float'
#pragma hsched task reduction(|: x)
void a7(float &x);

// CHECK: [[@LINE+1]]:34: error: 'v' cannot be reduced: a task cannot be given a private copy of what a 'std::vector<int>' refers to; take a pointer and a length
#pragma hsched task reduction(+: v)
void b1(std::vector<int> &v);
// CHECK: note: parameter 'v' is declared here
// CHECK: [[@LINE+1]]:34: error: 's' cannot be reduced: a task cannot be given a private copy of what a 'std::span<int>' refers to
#pragma hsched task reduction(+: s)
void b2(std::span<int> s);
// CHECK: note: parameter 's' is declared here
// CHECK: [[@LINE+1]]:34: error: 'v.x' cannot be reduced: name a parameter, through which the task reaches its private copy
#pragma hsched task reduction(+: v.x)
void b3(Vec &v);
int global;
// CHECK: [[@LINE+1]]:34: error: 'global' cannot be reduced: name a parameter
#pragma hsched task reduction(+: global)
void b4();
// CHECK: [[@LINE+1]]:34: error: 'p' cannot be reduced through a reference to a pointer: take the pointer by value
#pragma hsched task reduction(+: [n]p)
void b5(int n, int *&p);
// CHECK: [[@LINE+1]]:34: error: 'p' cannot be reduced: what it refers to is const
#pragma hsched task reduction(+: [n]p)
void b6(int n, const int *p);
// CHECK: [[@LINE+1]]:34: error: 't[0:2][0:2][0:2]' cannot be reduced: name one section of at most two dimensions
#pragma hsched task reduction(+: t[0:2][0:2][0:2])
void b7(int (*t)[4][4]);
// CHECK: [[@LINE+1]]:45: error: 'p' is reduced, so that the task has a private copy of it: name it in no other clause
#pragma hsched task reduction(+: p[0:2]) in(p[2:2])
void b8(int *p);

// CHECK: [[@LINE+1]]:16: error: expected 'reduction' after 'declare'
#pragma hsched declare something
// CHECK: [[@LINE+1]]:24: error: expected '(' after 'declare reduction'
#pragma hsched declare reduction
// CHECK: [[@LINE+1]]:24: error: 'declare reduction' takes three things: (name : type : omp_out = ... omp_in ...)
#pragma hsched declare reduction(one : int)
// CHECK: [[@LINE+1]]:34: error: the name of a reduction is one identifier, or one of + * & | ^ && ||, not 'a::b'
#pragma hsched declare reduction(a::b : int : omp_out += omp_in)
// CHECK: [[@LINE+1]]:24: error: 'declare reduction' has an empty type
#pragma hsched declare reduction(two : int, : omp_out += omp_in)
// CHECK: [[@LINE+1]]:48: error: the combiner says what becomes of omp_out, and does not name it
#pragma hsched declare reduction(three : int : omp_in)
// CHECK: [[@LINE+1]]:66: error: 'initializer' takes omp_priv = value, omp_priv(arguments), or a call such as init(&omp_priv)
#pragma hsched declare reduction(four : int : omp_out += omp_in) initializer(0)
// CHECK: [[@LINE+1]]:66: error: unknown clause 'nowait' on 'declare reduction'
#pragma hsched declare reduction(five : int : omp_out += omp_in) nowait
// CHECK: [[@LINE+1]]:56: error: unknown name 'other' in 'declare reduction': its expressions see omp_out and omp_in, and what is in scope here
#pragma hsched declare reduction(six : int : omp_out = other)
// CHECK: [[@LINE+1]]:90: error: unknown name 'omp_in' in 'declare reduction': its expressions see omp_priv and omp_orig, and what is in scope here
#pragma hsched declare reduction(seven : int : omp_out += omp_in) initializer(omp_priv = omp_in)
void inside() {
  // CHECK: [[@LINE+1]]:16: error: 'declare reduction' must be at namespace scope: put it outside the function
#pragma hsched declare reduction(eight : int : omp_out += omp_in)
}
struct Class {
  // CHECK: [[@LINE+1]]:16: error: 'declare reduction' must be at namespace scope: put it outside the class
#pragma hsched declare reduction(nine : int : omp_out += omp_in)
};
namespace hidden {
#pragma hsched declare reduction(ten : int : omp_out += omp_in)
}
// CHECK: [[@LINE+1]]:31: error: unknown reduction 'ten'
#pragma hsched task reduction(ten: x)
void c1(int &x);
// CHECK: [[@LINE+1]]:31: error: unknown reduction 'late'
#pragma hsched task reduction(late: x)
void c2(int &x);
#pragma hsched declare reduction(late : int : omp_out += omp_in)
#pragma hsched task reduction(hidden::ten: x) reduction(::late: y)
void c3(int &x, int &y);
