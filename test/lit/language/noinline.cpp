// The body of a task that says 'inline' and 'noinline' adds no warning of the host compiler's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -Wall -Wextra -c %s -o %t.o 2>&1 | FileCheck %s --allow-empty --implicit-check-not=warning
#pragma hsched task
[[gnu::noinline]] inline void first(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
__attribute__((noinline)) static inline void second(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
[[gnu::noinline, gnu::cold]] inline void third(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
template <class T> [[gnu::noinline]] inline void fourth(int n, T *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
inline __attribute__((noinline, cold)) void fifth(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
namespace {
#pragma hsched task
[[gnu::noinline]] void sixth(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
}
struct Members {
  double d;
#pragma hsched task in(d)
  [[gnu::noinline]] inline void inside(int n, double *y) { for (int i = 0; i < n; i++) y[i] = d; }
};
void all(double *y, Members &m) {
  first(3, y), second(3, y), third(3, y), fourth(3, y), fifth(3, y), sixth(3, y);
  m.inside(3, y);
}
