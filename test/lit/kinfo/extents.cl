// Extents of what kernels touch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
kernel void unguarded(global const float *x, global float *y) { y[get_global_id(0)] = x[get_global_id(0)]; }
// CHECK: kernel unguarded
// CHECK: 0 x {{.*}} in [get_global_size(0)]x
// CHECK-NEXT: 1 y {{.*}} out [get_global_size(0)]y
// CHECK-NEXT: launch 1 dimension, global size get_global_size(0)

kernel void matmul(int M, int N, int K, global const float *A, global const float *B, global float *C) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i < M && j < N) {
    float sum = 0;
    for (int k = 0; k < K; ++k)
      sum += A[i * K + k] * B[k * N + j];
    C[i * N + j] = sum;
  }
}
// CHECK: kernel matmul
// CHECK: 3 A {{.*}} in [M * K]A
// CHECK-NEXT: 4 B {{.*}} in [N * K]B
// CHECK-NEXT: 5 C {{.*}} out [M * N]C
// CHECK-NEXT: launch 2 dimensions, global size M x N

kernel void halo(int n, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = x[i] + x[i + 1] + x[i + 2];
}
// CHECK: kernel halo
// CHECK: 1 x {{.*}} in [n + 2]x
// CHECK-NEXT: 2 y {{.*}} out [n]y

kernel void shifted(int first, int n, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[first + i] = 0;
}
// CHECK: kernel shifted
// CHECK: 2 y {{.*}} out y[first:n]

kernel void one(global float *sum, global const float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  *sum = s;
}
// CHECK: kernel one
// CHECK: 0 sum {{.*}} out {{(\*sum|\[1\]sum)}}
// CHECK-NEXT: 1 x {{.*}} in [n]x

kernel void gather(int n, global const int *at, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = x[at[i]];
}
// CHECK: kernel gather
// CHECK: 1 at {{.*}} in [n]at
// CHECK-NEXT: 2 x {{.*}} in extent unknown: {{.*}} (line [[#@LINE-4]])
// CHECK-NEXT: 3 y {{.*}} out [n]y

kernel void wide(global const float *x, global float *y, ulong n) {
  y[0] = vload4(2305843009213693952UL * n, x).x;
}
// CHECK: kernel wide
// CHECK: 0 x {{.*}} in extent unknown: an argument of 'vload4' is not affine (line [[#@LINE-3]])
// CHECK-NEXT: 1 y {{.*}} out *y

// What is not seen to be touched may be what the address leads to.
kernel void anyone(ulong at, global float *x) {
  for (int i = 0; i < 0; ++i)
    x[i] = 1;
  *(global float *)at = 1;
}
// CHECK: kernel anyone
// CHECK: 1 x {{.*}} extent unknown: memory is touched that may be anyone's

// Elements between those that are touched are left as they are: a tile names them not; where there is none it is inout.
kernel void interior(int w, int h, global const float *x, global float *y) {
  int i = get_global_id(0) + 1, j = get_global_id(1) + 1;
  if (i >= w - 1 || j >= h - 1)
    return;
  y[j * w + i] = x[(j - 1) * w + i] + x[(j + 1) * w + i];
}
// CHECK: kernel interior
// CHECK: 2 x {{.*}} in ([h][w]x)[0:h][1:w - 2]
// CHECK-NEXT: 3 y {{.*}} out ([h - 1][w]y)[1:h - 2][1:w - 2]
// CHECK-NEXT: launch 2 dimensions, global size w - 2 x h - 2

kernel void columns(int w, int h, global float *y) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i < 1 || i >= w - 1 || j >= h)
    return;
  y[j * w + i] = 1;
}
// CHECK: kernel columns
// CHECK: 2 y {{.*}} out ([h][w]y)[0:h][1:w - 2]

kernel void even(global float *y) { y[2 * get_global_id(0)] = 0; }
// CHECK: kernel even
// CHECK: 0 y {{.*}} inout [2 * get_global_size(0) - 1]y

kernel void cell(int nx, int ny, int nz, global float *v) {
  int i = get_global_id(0) + 1, j = get_global_id(1) + 1, k = get_global_id(2) + 1;
  if (i < nx - 1 && j < ny - 1 && k < nz - 1)
    v[(k * ny + j) * nx + i] = 0;
}
// CHECK: kernel cell
// CHECK: 3 v {{.*}} inout v[nx * ny + nx + 1:

kernel void padded(int nx, int ny, int nz, int ld, global float *v) {
  int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
  if (i < nx && j < ny && k < nz)
    v[(k * ny + j) * ld + i] = 0;
}
// CHECK: kernel padded
// CHECK: 4 v {{.*}} inout [ny * nz * ld + nx - ld]v

// The base in rows as long as a sum says: no tile.
kernel void sums(int w, int h, global float *y) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i < w && j < h)
    y[(j + 1) * (w + 2) + i + 1] = 0;
}
// CHECK: kernel sums
// CHECK: 2 y {{.*}} inout y[w + 3:

kernel void fields(int n, global float *y) {
  int i = get_global_id(0);
  if (i < n) {
    y[4 * i + 6] = 0;
    y[4 * i + 7] = 0;
  }
}
// CHECK: kernel fields
// CHECK: 1 y {{.*}} out ([n + 1][4]y)[1:n][2:2]

// An item's place in its group is no less than 0, whatever the group.
kernel void reversedGroups(global float *y) {
  int g = get_group_id(0), L = get_local_size(0), l = get_local_id(0);
  y[g * L + (L - 1 - l)] = 1;
}
// CHECK: kernel reversedGroups
// CHECK: 0 y {{.*}} out [get_local_size(0) * get_num_groups(0)]y

kernel void groupsReversed(global float *y) {
  int g = get_group_id(0), L = get_local_size(0), l = get_local_id(0);
  y[(get_num_groups(0) - 1 - g) * L + l] = 1;
}
// CHECK: kernel groupsReversed
// CHECK: 0 y {{.*}} out [get_local_size(0) * get_num_groups(0)]y

kernel void byGroup(global float *y, int n) {
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    y[i] = 1;
}
// CHECK: kernel byGroup
// CHECK: 0 y {{.*}} out [n]y

kernel void byAll(global float *y, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[i] = 1;
}
// CHECK: kernel byAll
// CHECK: 0 y {{.*}} out [n]y

kernel void transposedGroups(global float *y) { y[get_local_id(0) * get_num_groups(0) + get_group_id(0)] = 1; }
// CHECK: kernel transposedGroups
// CHECK: 0 y {{.*}} out [get_local_size(0) * get_num_groups(0)]y

// From the end.
kernel void upwards(global float *y, int n) {
  int i = get_global_id(0);
  y[i] += 1;
  y[2 * get_global_size(0) - 2 * i] = 1;
}
// CHECK: kernel upwards
// CHECK: 0 y {{.*}} inout [2 * get_global_size(0) + 1]y

// Whether n or m is more is anybody's guess.
kernel void eitherWay(global float *y, int n, int m) { y[get_global_id(0) * (n - m)] = 1; }
// CHECK: kernel eitherWay
// CHECK: 0 y {{.*}} extent unknown: {{.*}} (line [[#@LINE-2]])
kernel void eitherWayInSteps(global float *y, int n, int m) {
  for (int k = 0; k < 5; ++k)
    y[get_global_id(0) * (n - m) + 3 * k] = 1;
}
// CHECK: kernel eitherWayInSteps
// CHECK: 0 y {{.*}} extent unknown: which of the ends of what is touched comes first is not known (line [[#@LINE-3]])

// The guard clips the image at its borders. A filter ends where its loops end.
kernel void convolved(global const float *image, global const float *filter, global float *y, int n) {
  int at = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      if (at + i >= 1 && at + i <= n && row + j >= 1 && row + j <= n)
        sum += filter[3 * j + i] * image[(row + j - 1) * n + at + i - 1];
  y[row * n + at] = sum;
}
// CHECK: kernel convolved
// CHECK: 0 image {{.*}} in [n * n]image
// CHECK-NEXT: 1 filter {{.*}} in [9]filter
