// Stencils that treat their edges apart by == or !=: what an index is not at the end of its range, it is inside of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -fsyntax-only --hsched-explain %s 2>&1 | FileCheck %s

// CHECK: task 'either': out([n]u) is inferred
// CHECK: task 'either': in([n]f) is inferred
#pragma hsched task
void either(int n, double *u, const double *f) {
  for (int i = 0; i < n; ++i)
    if (i == 0 || i == n - 1)
      u[i] = 0;
    else
      u[i] = f[i - 1] + f[i + 1];
}

// CHECK: task 'neither': out(u[1:n - 2]) is inferred
// CHECK: task 'neither': in([n]f) is inferred
#pragma hsched task
void neither(int n, double *u, const double *f) {
  for (int i = 0; i < n; ++i)
    if (i != 0 && i != n - 1)
      u[i] = f[i - 1] + f[i + 1];
}

// CHECK: task 'skipped': out(u[1:n - 1]) is inferred
// CHECK: task 'skipped': in([n - 1]f) is inferred
#pragma hsched task
void skipped(int n, double *u, const double *f) {
  for (int i = 0; i < n; ++i) {
    if (i == 0)
      continue;
    u[i] = f[i - 1];
  }
}

// CHECK: task 'grid': out([nx * ny]u) is inferred
// CHECK: task 'grid': in([nx * ny]f) is inferred
#pragma hsched task
void grid(int nx, int ny, double *u, const double *f) {
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1)
        u[x * ny + y] = 0;
      else
        u[x * ny + y] = f[(x - 1) * ny + y] + f[(x + 1) * ny + y] + f[x * ny + y - 1] + f[x * ny + y + 1];
}

// What an index differs from in the middle of its range says nothing.
// CHECK: task 'middle': in(f[-1:n]) is inferred
#pragma hsched task
void middle(int n, int k, double *u, const double *f) {
  for (int i = 0; i < n; ++i)
    if (i != k)
      u[i] = f[i - 1];
}

// Of what is read from memory as well.
// CHECK: task 'masked': in([n]f) is inferred
#pragma hsched task
void masked(int n, double *u, const double *f, const int *mask) {
  for (int i = 0; i < n; ++i)
    if (i != 0 && mask[i])
      u[i] = f[i - 1] + f[i];
}
