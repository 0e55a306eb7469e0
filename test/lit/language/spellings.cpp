// Names beyond ASCII, with '$', by number and in part like others; tokens by another spelling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++11 --hsched-explain -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: %hsched-cc -std=c++98 -c %s -o %t.o 2>&1 | count 0
int number();
namespace a {
extern const int gr, n, größe, größer, $n, n$;
const int gr = number(), n = number(), größe = number(), größer = number(), $n = number(), n$ = number();
struct ö {
  int é, e;
  double *ü;
};
} // namespace a
static struct {
  int größe;
} ä = {number()};
namespace b {
const int gr = 3;
// CHECK: task 'b::utf8': inout([a::größe]p) is inferred
#pragma hsched task
void utf8(double *p, int größe) {
  for (int i = 0; i < a::größe; ++i)
    p[i] += größe;
}
// CHECK: task 'b::dollar': inout([a::$n + a::n$]p) is inferred
#pragma hsched task
void dollar(double *p, int n$, int n) {
  for (int i = 0; i < a::$n + a::n$; ++i)
    p[i] += n$ + n;
}
// CHECK: task 'b::member': inout([ä.é]ä.ü) is inferred
#pragma hsched task
void member(a::ö ä) {
  for (int i = 0; i < ä.é; ++i)
    ä.ü[i] += ä.e;
}
// CHECK: task 'b::object': inout([::ä.größe]p) is inferred
#pragma hsched task
void object(double *p, int ä) {
  for (int i = 0; i < ::ä.größe; ++i)
    p[i] += ä;
}
// CHECK: task 'b::numbered': inout([a::größe]p) is as written
#pragma hsched task inout([a::gr\u00f6\u00dfe]p)
void numbered(double *p) {
  for (int i = 0; i < a::gr\u00f6\u00dfe; ++i)
    p[i] += 1;
}
// CHECK: task 'b::digraphs': inout(p[n:m & 7]) is as written
%:pragma hsched task inout(p<:n:m bitand 7:>) if(n > 3 and not(m == 2))
void digraphs(double *p, int n, int m) {
  for (int i = 0; i < (m & 7); ++i)
    p[n + i] += 1;
}
} // namespace b
struct é {
  double s;
};
#pragma hsched declare reduction(größte : é : omp_out.s = omp_in.s > omp_out.s ? omp_in.s : omp_out.s)
// CHECK: task 'reduced': reduction(*x) is as written
#pragma hsched task in([n]p) reduction(größte : *x)
void reduced(int n, const double *p, é *x) {
  for (int i = 0; i < n; ++i)
    if (p[i] > x->s)
      x->s = p[i];
}
