// Versions with sections of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: %hsched-cc -DGOOD -Wall -Wextra -Werror --hsched-emit=source %s -o - | FileCheck --check-prefix=CODE %s
// RUN: %hsched-cc -DGOOD -Wall -Wextra -Werror -c %s -o %t.o
// RUN: %hsched-cc -DGOOD --hsched-emit=json %s -o - | FileCheck --check-prefix=JSON %s

#include <initializer_list>
#include <vector>

#pragma hsched task in(([m][ld]a)[0:m][0:n]) out([m * n]b)
void pack(int m, int n, int ld, const double *a, double *b) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      b[i * n + j] = a[i * ld + j];
}
// Saying the same in other words is not a section of its own.
// CODE-LABEL: struct hsched_version_pack_same_{{[0-9a-f]+}} {
// CODE-NOT: hsched_sections
// CODE: void pack_rows
#pragma hsched implements(pack) in(([p][w]from)[0 : p][0:q]) out(to[0:p*q])
void pack_same(int p, int q, int w, const double *from, double *to) { pack(p, q, w, from, to); }

#pragma hsched implements(pack) in([p * w]from)
void pack_rows(int p, int q, int w, const double *from, double *to) {
  for (int i = 0; i < p * w; ++i)
    if (i % w < q)
      to[i / w * q + i % w] = from[i];
}
// CODE: static void hsched_sections(const void *hsched_v,
// CODE: auto &from = hsched_a.hsched_p3;
// CODE: hsched_l.hsched_add(HSCHED_IN, 3u, ::hsched_gen_range(from, 0, ::hsched_gen_count(p * w), ::hsched_gen_first()));
// CODE-NOT: hsched_add
// CODE: hsched_l.hsched_hand(hsched_add, hsched_to);
// JSON: "name": "pack_same"
// JSON-NOT: "accesses"
// JSON: "name": "pack_rows"
// JSON: "accesses": [
// JSON-NEXT: {
// JSON-NEXT: "role": "in",
// JSON-NEXT: "param": 3,
// JSON-NEXT: "section": "[p * w]from"

// A name means what it means where it stands: this 'ld' is no parameter of its version, and 's.n' no parameter at all.
const int ld = 64;
#pragma hsched task in([ld]a) out(*to)
void first(int ld, const double *a, double *to) { *to = a[ld - 1] + a[0]; }
// CODE: void first_of_64
// CODE: hsched_l.hsched_add(HSCHED_IN, 1u, ::hsched_gen_range(a, 0, ::hsched_gen_count(ld), ::hsched_gen_first()));
#pragma hsched implements(first) in([ld]a) out(*to)
void first_of_64(int, const double *a, double *to) { *to = a[ld - 1] + a[0]; }
struct Sizes {
  int n, m;
};
#pragma hsched task in([s.n]a) out(*to)
void sized(int n, Sizes s, const double *a, double *to) { *to = a[s.n - 1] + a[0] + n; }
// CODE: void sized_otherwise
// CODE: hsched_l.hsched_add(HSCHED_IN, 2u, ::hsched_gen_range(a, 0, ::hsched_gen_count(s.m), ::hsched_gen_first()));
#pragma hsched implements(sized) in([s.m]a) out(*to)
void sized_otherwise(int m, Sizes s, const double *a, double *to) { *to = a[s.m - 1] + a[0] + m; }

// What the main version says of other parameters is not what it says of this one: it is inferred elsewhere.
#pragma hsched task in([n]x)
void later(int n, const double *x, double *y);
#pragma hsched implements(later) in([n]x) out([2 * n]y)
void later_all(int n, const double *x, double *y) { for (int i = 0; i < n; ++i) y[2 * i] = y[2 * i + 1] = x[i]; }
#pragma hsched task in([n]x)
template <class T> void never(int n, const T *x, T *y) { for (int i = 0; i < n; ++i) y[i] = x[i]; }
#pragma hsched implements(never) in([n]x) out([2 * n]y)
template <class T> void never_all(int n, const T *x, T *y) {
  for (int i = 0; i < n; ++i) y[2 * i] = y[2 * i + 1] = x[i];
}

// A device gets the elements of a container.
// CODE: void table_on_device
// CODE: hsched_l.hsched_add(HSCHED_IN, 1u, ::hsched_gen_object(table, ::hsched_gen_first()));
#pragma hsched task out([n]y)
void table(int n, const std::vector<float> &table, double *y) {
  (void)table;
  for (int i = 0; i < n; ++i) y[i] = i;
}
#pragma hsched implements(table) device(opencl) in(table) out([n]y)
void table_on_device(int n, const std::vector<float> &table, double *y) { (void)n, (void)table, (void)y; }

// A static member needs no object.
struct Fixed {
  static constexpr int Length = 4;
#pragma hsched task inout([4]x)
  void f(int *x) { for (int i = 0; i < 4; ++i) ++x[i]; }
#pragma hsched implements(f) inout([2 * Length]x)
  void g(int *x) { for (int i = 0; i < 2 * Length; ++i) ++x[i]; }
};

template <class T> struct Field {
  int size;
#pragma hsched task inout([n]x)
  void twice(int n, T *x) {
    for (int i = 0; i < n; ++i)
      x[i] *= 2;
  }
};
template struct Field<float>;

#ifndef GOOD
// CHECK: [[@LINE+1]]:33: warning: this version says something else about its data than the main version 'pack', whose clauses hold
#pragma hsched implements(pack) in([m * n]b)
void pack_reads(int m, int n, int ld, double const *a, double *b) { pack(m, n, ld, a, b); }
// CHECK: note: the main version's clauses are here

// CHECK: [[@LINE+1]]:{{[0-9]+}}: warning: version 'pack_writes' writes 'from', which its clause says is 'in' [-Whsched-versions]
#pragma hsched implements(pack) in([p * w]from)
void pack_writes(int p, int q, int w, const double *from, double *to) {
  for (int i = 0; i < p * q; ++i)
    to[i] = from[i / q * w + i % q];
  const_cast<double *>(from)[0] = 0;
}
// CHECK: note: 'pack_writes' writes it here

#pragma hsched task in([n]x) concurrent(*sum)
void add(int n, const int *x, int *sum) { __atomic_fetch_add(sum, x[n - 1] + x[0], 0); }
// CHECK: [[@LINE+1]]:38: error: version 'add_all' cannot have a section of its own for 'sum', because that is 'concurrent': such data are shared by tasks, whichever versions run; write the clause of the task 'add' again, or none
#pragma hsched implements(add) inout(*sum)
void add_all(int n, const int *x, int *sum) { *sum += x[n - 1] + x[0]; }
// CHECK: note: the main version's clauses are here

struct S {
  int length = 4;
#pragma hsched task inout([4]x)
  void f(int *x) { for (int i = 0; i < 4; ++i) ++x[i]; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: error: a version's own section names parameters, but 'length' is a member: make it a parameter of the task 'S::f', or write the section in the main version's clauses
#pragma hsched implements(f) inout([length]x)
  void g(int *x) { for (int i = 0; i < length; ++i) ++x[i]; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: error: a version's own section names parameters, but 'this' is a member
#pragma hsched implements(f) inout([this->length]x)
  void h(int *x) { for (int i = 0; i < length; ++i) ++x[i]; }
  int size() const { return length; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: error: a version's own section names parameters, but 'size' is a member
#pragma hsched implements(f) inout([size()]x)
  void k(int *x) { for (int i = 0; i < length; ++i) ++x[i]; }
};
struct Inherits : S {
#pragma hsched task inout([4]x)
  void m(int *x) { for (int i = 0; i < 4; ++i) ++x[i]; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: error: a version's own section names parameters, but 'size' is a member
#pragma hsched implements(m) inout([size()]x)
  void q(int *x) { for (int i = 0; i < length; ++i) ++x[i]; }
};
// CHECK: [[@LINE+1]]:{{[0-9]+}}: error: a version's own section names parameters, but 's' is a member
#pragma hsched implements(S::f) inout([s.length]x)
void outside(S &s, int *x) { for (int i = 0; i < s.length; ++i) ++x[i]; }

#pragma hsched task in([n]x) out(*to...)
template <class... T> void spread(int n, const float *x, T *...to) {
  (void)std::initializer_list<int>{(*to = x[n - 1] + x[0], 0)...};
}
// CHECK: [[@LINE+1]]:38: error: version 'spread_all' takes a parameter pack, so that it has the sections of the task 'spread': leave the clause out
#pragma hsched implements(spread) in([2 * n]x)
template <class... T> void spread_all(int n, const float *x, T *...to) {
  spread(n, x, to...);
}
#endif
