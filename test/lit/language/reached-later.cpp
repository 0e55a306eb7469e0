// Data that somebody else finds through a variable whose address he has: in every iteration, among variadic arguments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cstdarg>
#include <functional>

void opaque(float **);

// CHECK: [[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: it is called through 'function'; write it, for example inout([<count>]a)
#pragma hsched task
void called(int n, float *a) {
  std::function<void(int)> set;
  set = [&](int i) { a[i] = 0; };
  for (int i = 0; i < n; ++i)
    set(i);
}

static void repeat(const std::function<void(int)> &f, int n) {
  for (int i = 0; i < n; ++i)
    f(i);
}
// CHECK: [[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: it is called through 'function'; write it, for example inout([<count>]a)
#pragma hsched task
void handedOn(int n, float *a) {
  std::function<void(int)> set;
  set = [&](int i) { a[i] = 0; };
  repeat(set, n);
}

// CHECK: [[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: '&p' is handed to 'opaque', whose body is not visible; write it, for example inout([<count>]a)
#pragma hsched task
void inLoop(int n, float *a) {
  float *p = a;
  for (int i = 0; i < n; ++i)
    opaque(&p);
}

// The first call is never made, the second one is.
// CHECK: [[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: '&p' is handed to 'opaque', whose body is not visible; write it, for example inout([<count>]a)
#pragma hsched task
void secondCall(int n, float *a) {
  float *p = a;
  if (n > 5)
    if (n < 3)
      opaque(&p);
  opaque(&p);
}

static void variadic(int k, ...) {
  va_list l;
  va_start(l, k);
  va_arg(l, float *)[0] = 1;
  va_end(l);
}
// CHECK: [[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'variadic' finds it among its variadic arguments; write it, for example inout([<count>]a)
#pragma hsched task
void amongMore(int n, float *a) {
  variadic(n, a);
}

// Another definition may take its place.
__attribute__((weak)) void replaceable(float *p) { p[0] = 1; }
// CHECK: [[@LINE+1]]:16: error: the extent of 'a' cannot be inferred: 'a' is handed to 'replaceable', which may be replaced; write it, for example inout([<count>]a)
#pragma hsched task
void weak(int n, float *a) { replaceable(a); }
