// printf follows pointers for texts alone: an address that it prints is no access.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -w --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=inferred
#include <cstdio>
#include <iostream>

#pragma hsched task
void address(int n, double *p) { std::printf("%d %p %5.2f%%\n", n, p, 1.0); }
#pragma hsched task
void after(int n, double *p) { std::fprintf(stderr, "%*.*f %-20p\n", n, n, 1.0, (void *)p); }
#pragma hsched task
void into(double *p) {
  char text[40];
  std::snprintf(text, sizeof text, "%zu %ld %p", sizeof p, 1l, (const void *)p);
}
#pragma hsched task
void stream(int *p) { std::cout << (void *)p << static_cast<const void *>(p) << '\n'; }

// CHECK: error: the extent of 'p' cannot be inferred: how much of it 'printf' touches is not known
#pragma hsched task
void stored(int *p) { std::printf("%s%n", "x", p); }
// CHECK: error: the extent of 'p' cannot be inferred: how much of it 'printf' touches is not known
#pragma hsched task
void unclear(int *p) { std::printf("%1$p", (void *)p); }
// CHECK: error: the extent of 'p' cannot be inferred: how much of it 'printf' touches is not known
#pragma hsched task
void chosen(const char *format, int *p) { std::printf(format, p); }

void statement(int *q) {
#pragma hsched task
  std::printf("%p\n", (void *)q);
#pragma hsched taskwait
}
