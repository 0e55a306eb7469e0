// Sections: how they are spelled, what they name, how large it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <vector>

// CHECK: [[@LINE+1]]:24: error: expected an extent between '[' and ']'
#pragma hsched task in([]x)
void a1(int n, int *x);
// What the error about an extent that cannot be inferred shows, as it is.
// CHECK: [[@LINE+1]]:25: error: replace '<count>' by the number of elements
#pragma hsched task in([<count>]x)
void a1b(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: the extent of 'x' is unknown, because it is a pointer: write the length, x[start:length], or the shape, ([n]x)[...]
#pragma hsched task in(x[1:])
void a2(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: a range follows what it is taken from: write p[start:length], or [n]p for a shape
#pragma hsched task in([0:n]x)
void a3(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: expected a pointer after the shape: [n]p
#pragma hsched task in([n])
void a4(int n, int *x);
// CHECK: [[@LINE+1]]:28: error: a section has a shape or a range, not both; of a tile of a shaped pointer the shape is in parentheses: ([m][n]p)[i:bm][j:bn]
#pragma hsched task in([n]x[0:n])
void a5(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: 'x' has one dimension of data that lie in one piece, but this section has 2 subscripts: a matrix behind a pointer is written ([rows][columns]p)[i:bm][j:bn], and rows that are allocated one by one are {p[i][start:length], i = 0; rows}
#pragma hsched task in(x[0:n][0:n])
void a6(int n, int **x);
// CHECK: [[@LINE+1]]:25: error: unknown name 'm' in clause 'in': it is not a parameter of 'b1' and nothing of that name is in scope here
#pragma hsched task in([m]x)
void b1(int n, int *x);
// CHECK: note: the parameters of 'b1' are 'n', 'x'
// CHECK: [[@LINE+1]]:24: error: the size of 'x' is unknown, because it is a pointer: write '[n]x' or 'x[start:length]'
#pragma hsched task in(x)
void b2(int n, int *x);
// CHECK: note: parameter 'x' is declared here
// CHECK: [[@LINE+1]]:27: error: 'n' is passed by value, so that every task has a copy of its own: leave it out
#pragma hsched task inout(n)
void b3(int n);
struct Unknown;
// CHECK: [[@LINE+1]]:27: error: what 'm' refers to has no known size here
#pragma hsched task inout(m)
void b4(Unknown &m);
// CHECK: [[@LINE+1]]:27: error: 'v' is passed by value
#pragma hsched task inout(v)
void b5(std::vector<int> v);
// CHECK: [[@LINE+1]]:27: error: 'x' points to void, which has no size: write the section of a cast, as in '[n](char *)x'
#pragma hsched task inout([n]x)
void b6(int n, void *x);
// CHECK: [[@LINE+1]]:27: error: 'n' is not a pointer or array that a section could be taken of
#pragma hsched task inout([n]n)
void b7(int n);
struct Hidden;
// CHECK: [[@LINE+1]]:27: error: what 'x' points to has no known size here
#pragma hsched task inout([n]x)
void b8(int n, Hidden *x);
// CHECK: [[@LINE+1]]:27: error: expected a section here
#pragma hsched task inout([n]x,)
void b9(int n, int *x);
// CHECK: [[@LINE+1]]:25: error: expected a subscript between '[' and ']'
#pragma hsched task in(x[][0:n])
void c1(int n, int (*x)[4]);
// CHECK: [[@LINE+1]]:33: error: this tile has more subscripts than its shape has extents
#pragma hsched task in(([n][n]x)[0:1][0:2][0:3])
void c2(int n, int *x);
// CHECK: [[@LINE+1]]:25: error: expected an extent between '[' and ']'
#pragma hsched task in(([][n]x)[0:1][0:2])
void c3(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: 'x' has 2 dimensions of data that lie in one piece, but this section has 3 subscripts
#pragma hsched task in(x[:][:][0:2])
void c4(int (&x)[4][4]);
// CHECK: [[@LINE+1]]:24: error: 'x' has one dimension of data that lie in one piece, but this section has 2 subscripts
#pragma hsched task in(x[:][:])
void c5(std::vector<std::vector<int>> &x);
// CHECK: [[@LINE+1]]:25: error: expected a pointer after the shape: [n]p
#pragma hsched task in(([n][n])[0:1][0:2])
void c6(int n, int *x);
// CHECK: [[@LINE+1]]:24: error: 'x' points to void, which has no size
#pragma hsched task in(([n][n]x)[0:1][0:2])
void c7(int n, void *x);
double *buffer;
// CHECK: [[@LINE+1]]:27: error: the size of 'buffer' is unknown, because it is a pointer: write '[n]buffer' or 'buffer[start:length]'; '*&buffer' is the pointer itself
#pragma hsched task inout(buffer)
void global() { ++buffer; }
void globals() {
// CHECK: [[@LINE+1]]:27: error: the size of 'buffer' is unknown, {{.*}}; '*&buffer' is the pointer itself
#pragma hsched task inout(buffer)
  ++buffer;
#pragma hsched task inout(*&buffer)
  ++buffer;
#pragma hsched taskwait
}

// An expression that is not complete, even if the task is only declared.
// CHECK: [[@LINE+1]]:27: error: something is missing behind '+' here
#pragma hsched task in([n +]x)
void u1(int n, const int *x);
// CHECK: [[@LINE+1]]:25: error: something is missing behind 'sizeof' here
#pragma hsched task in([sizeof]x)
void u2(int n, const int *x);
// CHECK: [[@LINE+1]]:25: error: something is missing behind 'n' here
#pragma hsched task in([n 2]x)
void u3(int n, const int *x);
// CHECK: [[@LINE+1]]:27: error: something is missing behind '*' here
#pragma hsched task in(x[n*:2])
void u4(int n, const int *x);
// CHECK: [[@LINE+1]]:42: error: something is missing behind '/' here
#pragma hsched task in([n]x) priority(n  /)
void u5(int n, const int *x);
// CHECK: [[@LINE+1]]:29: error: something is missing behind '2' here
#pragma hsched task in([n * 2(n)]x)
void u6(int n, const int *x);
// CHECK: [[@LINE+1]]:35: error: something is missing behind '.' here
#pragma hsched task depend(in: x[n.:1])
void u7(int n, const int *x);
// CHECK: [[@LINE+1]]:29: error: something is missing in front of '/' here
#pragma hsched task in([n + / 2]x)
void u8(int n, const int *x);
// CHECK: [[@LINE+1]]:27: error: '@' is not allowed in an expression
#pragma hsched task in([n @ 2]x)
void u9(int n, const int *x);
// These are complete.
struct Pair {
  int a, b;
};
int first(Pair p);
#pragma hsched task in([n]x) priority(first(Pair{.a = n, .b = 2}))
void u10(int n, const int *x);
#define TWICE(n) 2 * n
#define NOTHING
#pragma hsched task in([(int)n * sizeof(int *)]x, y[:n]) inout(*z) priority(n NOTHING) if(n > 2 ? n : 1)
void u8(int n, const int *x, const int *y, int *z);
#pragma hsched task in([TWICE (n)]x, x[-1:~n], *&y[0]) reduction(+: [n]z)
void u9(int n, const int *x, const int *y, int *z);
#pragma hsched task in([n]x) inout(*z) priority([&] { return n; }())
void u10(int n, const int *x, int *z);
