// The body of a task that says 'inline' and 'noinline', itself or by a macro, adds no warning of the host compiler's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++20 -Wall -Wextra -Wpedantic -c %s -o %t.o 2>&1 | FileCheck %s --allow-empty --implicit-check-not=warning
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
#define NOINLINE __attribute__((noinline))
#define NOINLINE_INLINE [[gnu::noinline]] inline
#define INLINE inline
#pragma hsched task
[[gnu::noinline]] constexpr void seventh(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
NOINLINE inline void eighth(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
NOINLINE_INLINE void ninth(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
[[gnu::noinline]] INLINE void tenth(int n, double *y) try {
  for (int i = 0; i < n; i++) y[i] = 1;
} catch (...) {}
#pragma hsched task
template <class T> NOINLINE_INLINE void eleventh(int n, T *y) { for (int i = 0; i < n; i++) y[i] = 1; }
#pragma hsched task
void twelfth(int n, double *y);
NOINLINE static INLINE void helper(double *y) { *y = 1; }
NOINLINE inline void twelfth(int n, double *y) { for (int i = 0; i < n; i++) helper(y + i); }
struct More {
#pragma hsched task
  NOINLINE constexpr void inside(int n, double *y) const { for (int i = 0; i < n; i++) y[i] = 1; }
};
#define noinline __attribute__((noinline))
#pragma hsched task
noinline constexpr void last(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }
void all(double *y, Members &m) {
  first(3, y), second(3, y), third(3, y), fourth(3, y), fifth(3, y), sixth(3, y);
  m.inside(3, y);
  seventh(3, y), eighth(3, y), ninth(3, y), tenth(3, y), eleventh(3, y), twelfth(3, y), last(3, y);
  More().inside(3, y);
}
