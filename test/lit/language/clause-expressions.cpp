// Expressions in clauses are compared with bodies as what they are, not as text: calls, overloads, macros, conversions,
// quotients. A clause that lies is told of, and one that is true is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
#include <algorithm>
#include <array>
#include <cstddef>

#define FILL(count)                                                                                                    \
  for (long I = 0; I < long(count); ++I)                                                                               \
  p[I] = 1
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define LENGTH (2 * n)
struct Q {
  int n;
  int len() const { return n; }
  int twice() const { return 2 * n; }
};
static inline int half(int n) { return n / 2; }
inline int by(const int &n) { return 2 * n; }
inline int by(int &&) { return 3; }
constexpr int size(int n) { return n; }
enum class E { n = 8 };

namespace lies {
constexpr int size(int n) { return 2 * n; }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'called' touches 'p' outside '[half(n)]p'
#pragma hsched task out([half(n)]p)
void called(double *p, int n) { FILL(n / 2 + 1); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'overload' does not overwrite all of '[by(n) + 1]p'
#pragma hsched task out([by(n) + 1]p)
void overload(double *p, int n) { FILL(2 * n); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'temporary' touches 'p' outside '[by(n + 0)]p'
#pragma hsched task out([by(n + 0)]p)
void temporary(double *p, int n) { FILL(4); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'inner' does not overwrite all of '[size(n)]p'
#pragma hsched task out([size(n)]p)
void inner(double *p, int n) { FILL(n); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'quotient' touches 'p' outside '[(n + 3) / 4]p'
#pragma hsched task out([(n + 3) / 4]p)
void quotient(double *p, int n) { FILL((n + 3) / 4 + 1); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'mask' touches 'p' outside '[n & ~3]p'
#pragma hsched task out([n & ~3]p)
void mask(double *p, int n) { FILL((n & ~3) + 1); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'least' touches 'p' outside '[std::min(n, m)]p'
#pragma hsched task out([std::min(n, m)]p)
void least(double *p, int n, int m) { FILL((n < m ? n : m) + 1); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'macro' does not overwrite all of '[LENGTH]p'
#pragma hsched task out([LENGTH]p)
void macro(double *p, int n) { FILL(n); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'member' touches 'p' outside '[q.len()]p'
#pragma hsched task out([q.len()]p)
void member(double *p, Q q) { FILL(2 * q.n); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'sized' touches 'p' outside '[sizeof(Q)]p'
#pragma hsched task out([sizeof(Q)]p)
void sized(double *p) { FILL(5); }
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'enumerator' touches 'p' outside '[static_cast<int>(E::n)]p'
#pragma hsched task out([static_cast<int>(E::n)]p)
void enumerator(double *p) { FILL(9); }
template <class T, int N> struct Of {
  static constexpr int Half = N / 2;
// CHECK: :[[@LINE+1]]:{{.*}} warning: task 'instance' touches 'p' outside '[Half]p'
#pragma hsched task out([Half]p)
  static void instance(T *p) { FILL(N); }
};
void use(double *p) { Of<double, 8>::instance(p); }
} // namespace lies

namespace right {
#pragma hsched task out([half(n)]p)
void called(double *p, int n) { FILL(n / 2); }
#pragma hsched task out([by(n)]p)
void overload(double *p, int n) { FILL(2 * n); }
#pragma hsched task out([size(n)]p)
void inner(double *p, int n) { FILL(n); }
#pragma hsched task out([n < m ? n : m]p)
void least(double *p, int n, int m) { FILL(std::min(n, m)); }
#pragma hsched task out([MIN(n, m)]p)
void macro(double *p, int n, int m) { FILL(MIN(n, m)); }
#pragma hsched task out([q.twice()]p)
void member(double *p, Q q) { FILL(2 * q.n); }
#pragma hsched task out([(unsigned char)n]p)
void narrow(double *p, int n) { FILL((unsigned char)n); }
#pragma hsched task out([std::size_t(n) * 2]p)
void wide(double *p, int n) { FILL(n * 2); }
#pragma hsched task out([a.size()]p)
void array(double *p, std::array<double, 8> a) { FILL(8); }

// A macro is what it is where the directive stands.
const int hidden = 8;
#define hidden 64
#define again 64
#pragma hsched task out([hidden]p)
void variable(double *p) { FILL(64); }
#pragma hsched task out([again]p)
void redefined(double *p) { FILL(64); }
#undef hidden
#undef again
#define again 2

// What a definition calls its parameters means nothing in the clauses of a declaration.
const int m = 8;
#pragma hsched task out([m]p)
void declared(double *p, int a);
void declared(double *p, int m) {
  for (int i = 0; i <= m; ++i)
    p[i] = 1;
}
#pragma hsched task out([b]p)
void exchanged(double *p, int a, int b);
void exchanged(double *p, int b, int a) { FILL(a + b - b); }
} // namespace right

// Members of two classes that have one name are not the same data.
struct A {
  double *buf;
  int n;
} a;
struct B {
  double *buf;
} b;
#pragma hsched task out([a.n]a.buf)
void writes() {
  for (int i = 0; i < a.n; ++i)
    a.buf[i] = 0;
}
#pragma hsched task
void reads(double *p) { *p = b.buf[0]; }
