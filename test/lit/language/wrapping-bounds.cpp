// An unsigned bound that wraps is large: a loop with another exit goes on to that exit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s
#include <algorithm>
#include <cstddef>

// Where u is 0, y[0] and y[1] are written.
// CHECK-NOT: holds all of it
// CHECK: task 'two': inout([((u * u) > 2 ? (u * u) : 2)]y) is inferred
#pragma hsched task
void two(unsigned u, int *y) {
  for (unsigned i = 0; i < u - 2 && i < 2; ++i) {
    for (unsigned k = 2; k < u * u; ++k)
      y[k] = 1;
    y[i] = 1;
  }
}

// CHECK: task 'turned': inout([2 * u]y) is inferred
#pragma hsched task
void turned(unsigned u, int *y) {
  for (unsigned i = 0; i < 2 * u && u - 2 > i; ++i)
    y[i] = 1;
}

// CHECK: task 'last': inout([2 * u]y) is inferred
#pragma hsched task
void last(unsigned u, int *y) {
  for (unsigned i = 0; i <= u - 1 && i < 2 * u; ++i)
    y[i] = 1;
}

// The difference is unsigned also if n is not.
// CHECK: task 'mixed': inout([3]y) is inferred
// CHECK: task 'mixed': out([n]y) is inferred
#pragma hsched task
void mixed(int n, int *y) {
  for (unsigned i = 0; i < n - 2u && i < 3; ++i)
    y[i] = 1;
  for (int i = 0; i < n; ++i)
    y[i] = 1;
}

// Numbers narrower than int are compared as int.
// CHECK: task 'narrow': out([n]y) is inferred
#pragma hsched task
void narrow(unsigned short n, int *y) {
  for (int i = 0; i < n - 2 && i < 3; ++i)
    y[i] = 1;
  for (int i = 0; i < n; ++i)
    y[i] = 1;
}

// CHECK: task 'broken': the section that is inferred for 'y' holds all of it only where n - 1 >= 0
// CHECK: task 'broken': inout([n - 1]y) is inferred
#pragma hsched task
void broken(unsigned long n, int *y) {
  for (unsigned long i = 0; i < n - 1; ++i) {
    if (y[i])
      break;
    y[i] = 1;
  }
}

// What is known around the loop keeps the bound from wrapping.
// CHECK-NOT: holds all of it
// CHECK: task 'blocks': out([n]y) is inferred
#pragma hsched task
void blocks(unsigned n, int *y) {
  for (unsigned i = 0; i < n; i += 4)
    for (unsigned j = 0; j < 4 && j < n - i; ++j)
      y[i + j] = 1;
}

// With no other exit, a loop whose bound wraps leaves every array.
// CHECK: task 'plain': out([n - 1]y) is inferred
#pragma hsched task
void plain(unsigned n, int *y) {
  for (unsigned i = 0; i < n - 1; ++i)
    y[i] = 1;
}

// CHECK: task 'turns': inout([n]y) is inferred
#pragma hsched task
void turns(unsigned long n, unsigned long size, int *y) {
  for (unsigned long i = 0; i < n; i += size)
    for (unsigned long j = 0; j < size && j < n - i; ++j)
      y[i + j] = 1;
}

// CHECK: task 'negated': inout([2]y) is inferred
// CHECK: task 'negated': out([u]y) is inferred
#pragma hsched task
void negated(unsigned u, int *y) {
  for (unsigned i = 0; !(i >= u - 2) && i < 2; ++i)
    y[i] = 1;
  for (unsigned i = 0; i < u; ++i)
    y[i] = 1;
}

// In a plain condition such a number is large as well: here y[0] and y[1] are written where u is 0.
// CHECK: task 'guarded': inout([2]y) is inferred
#pragma hsched task
void guarded(unsigned u, int *y) {
  for (unsigned i = 0; i < 2; ++i)
    if (i < u - 2)
      y[i] = 1;
}

// CHECK: task 'leaves': inout([4]y) is inferred
#pragma hsched task
void leaves(unsigned u, int *y) {
  for (unsigned i = 0; i < 4; ++i) {
    y[i] += 1;
    if (i >= u - 2)
      break;
  }
}

// The first loop is the longer one only where u is at least 2.
// CHECK: task 'longer': inout([u * u]y) is inferred
// CHECK: task 'longer': inout([2]y) is inferred
#pragma hsched task
void longer(unsigned u, int *y) {
  if (1 < u - 2) {
    for (unsigned k = 0; k < u * u; ++k)
      y[k] = 1;
    for (unsigned k = 0; k < 2; ++k)
      y[k] += 1;
  }
}

// CHECK: task 'never': inout(*y) is inferred
#pragma hsched task
void never(unsigned u, int *y) {
  if (u < u - 2)
    *y = 1;
}

// CHECK: task 'least': the section that is inferred for 'y' holds all of it only where u - 2 >= 0
// CHECK: task 'least': inout([((u - 2) < 2 ? (u - 2) : 2)]y) is inferred
#pragma hsched task
void least(unsigned u, int *y) {
  const unsigned m = std::min(u - 2, 2u);
  for (unsigned i = 0; i < m; ++i)
    y[i] = 1;
}

// CHECK: task 'cut': the section that is inferred for 'y' holds all of it only where u - 2 >= 0
// CHECK: task 'cut': inout([(2 < (u - 2) ? 2 : (u - 2))]y) is inferred
#pragma hsched task
void cut(unsigned u, int *y) {
  unsigned m = u - 2;
  if (m > 2)
    m = 2;
  for (unsigned i = 0; i < m; ++i)
    y[i] = 1;
}

// CHECK: task 'clamped': the section that is inferred for 'y' holds all of it only where u - 2 >= 0
#pragma hsched task
void clamped(unsigned u, int *y) {
  for (unsigned i = 0; i < std::clamp(u - 2, 0u, 3u); ++i)
    y[i] = 1;
}

// What is known there keeps it from wrapping.
// CHECK-NOT: holds all of it
// CHECK: task 'known': out([((u - 2) < 2 ? (u - 2) : 2)]y) is inferred
#pragma hsched task
void known(unsigned u, int *y) {
  if (u < 2)
    return;
  const unsigned m = std::min(u - 2, 2u);
  for (unsigned i = 0; i < m; ++i)
    y[i] = 1;
}

// CHECK: task 'neighbours': in(x[1:n - 1]) is inferred
#pragma hsched task
void neighbours(std::size_t n, const int *x, int *y) {
  for (std::size_t i = 0; i < n; ++i)
    if (i < n - 1)
      y[i] += x[i + 1];
}

// CHECK: task 'tiles': out([n]y) is inferred
#pragma hsched task
void tiles(std::size_t n, std::size_t b, int *y) {
  for (std::size_t i = 0; i < n; i += 16)
    for (std::size_t k = 0; k < std::min<std::size_t>(16, n - i); ++k)
      y[i + k] = 1;
}

// From u to u - 1 there is no number, but where u is 0 the bound wraps, and y[0] and y[3] are written.
// CHECK: task 'empty': inout(y) is inferred
#pragma hsched task
void empty(unsigned u, int (&y)[4]) {
  for (unsigned i = u; i < u - 1; i += 3) {
    if (i > 3)
      throw 1;
    y[i] = 1;
  }
}

// CHECK: task 'thrown': the section that is inferred for 'y' holds all of it only where u - 1 >= 0
// CHECK: task 'thrown': inout([u - 1]y) is inferred
#pragma hsched task
void thrown(unsigned u, int *y) {
  for (unsigned i = 0; i < u - 1; ++i) {
    if (y[i])
      throw 1;
    y[i] = 1;
  }
}

// The lesser one of them may wrap, but not u itself.
// CHECK: task 'itself': the section that is inferred for 'y' holds all of it only where u - 2 >= 0
// CHECK: task 'itself': inout([(u - 2)]y) is inferred
// CHECK: task 'itself': out(z[u:1]) is inferred
#pragma hsched task
void itself(unsigned u, int *y, int *z) {
  const unsigned m = std::min(u - 2, u);
  z[u] = 1;
  for (unsigned i = 0; i < m; ++i)
    y[i] = 1;
}
