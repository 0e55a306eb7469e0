// packed(p: ld), used well, and as it cannot be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -I %S/Inputs -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %hsched-cc -DGOOD --hsched-emit=source %s -I %S/Inputs -o - | FileCheck %s --check-prefix=CODE
#include <hsched/hsched.h>

#pragma hsched task inout(([8][ld]x)[0:8][0:8])
void f(float *x, int ld);
void f(float *x, int ld) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      x[i * ld + j] = x[i * ld + j] + 1;
}
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x: ld)
void good(float *x, int ld);
// The address with the host's, the number with the device's leading dimension.
// CODE: static void hsched{{_}}fill_packed(const void *hsched_v, const unsigned long long *hsched_h,
// CODE: hsched{{_}}gen_buffer(hsched_o[0], 0u, x)
// CODE: const auto ld = ::hsched{{_}}gen_leading(hsched_a.hsched_p1, hsched_h[0]);
// CODE: hsched{{_}}gen_computed(hsched_o[1], ld)
// Two tiles, told of by one.
#pragma hsched task inout(([8][ld]x)[0:8][0:8], ([8][ld]y)[0:8][0:8])
void two(float *x, float *y, int ld, float scale);
void two(float *x, float *y, int, float) { x[0] = y[0] + 1; }
#pragma hsched implements(two) kernel("packed_two.cl") ndrange(8, 8) args(x, y, ld) packed(x, y: ld)
void goodTwo(float *x, float *y, int ld, float scale);
// A body is given the device's leading dimension, and a pointer to go with it.
#pragma hsched implements(f) device(opencl) packed(x: ld)
void goodBody(float *x, int ld) { (void)x, (void)ld; }
// CODE: static void hsched{{_}}run_packed(void *hsched_v, const ::hsched_packed_place *hsched_h) {
// CODE: goodBody(::hsched{{_}}gen_seen<decltype(hsched_a.hsched_p0)>::hsched_get(hsched_a.hsched_p0, hsched_h[0]), ::hsched{{_}}gen_leading(hsched_a.hsched_p1, hsched_h[0].leading));
// CODE: hsched{{_}}packed hsched_k0_0_packed[] = {{[{][{]}}0u, ::hsched{{_}}gen_leaf<decltype({{.*}}::hsched_args::hsched_p0)>::hsched_bytes()}, };
// CODE: HSCHED{{_}}KERNEL_OFFSETS, &{{.*}}::hsched_fill, 1u, hsched_k0_0_packed, &{{.*}}::hsched_fill_packed, nullptr};
// CODE: const unsigned hsched_k1_0_leading[] = {2u, 2u, };
// CODE: hsched{{_}}kernel_desc hsched_k1_0 = {{.*}}, 2u, hsched_k1_0_packed, {{.*}}, hsched_k1_0_leading};
// CODE: hsched{{_}}packed_body hsched_k2_0 = {sizeof(::hsched_packed_body), 1u, hsched_k2_0_packed, nullptr, &{{.*}}::hsched_run_packed};
// CODE: "goodBody", {{.*}}::hsched_run, nullptr, &hsched_k2_0, nullptr}
#ifndef GOOD

// CHECK: [[@LINE+1]]:71: error: 'packed' takes parameters that lead to tiles, and the one that is their leading dimension, as in packed(p: ld) or packed(p, q: ld)
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x)
void a0(float *x, int ld);
// CHECK: [[@LINE+1]]:71: error: 'packed' takes parameters
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x: 8)
void a1(float *x, int ld);
// CHECK: [[@LINE+1]]:78: error: 'packed' takes parameters
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x: ld, x)
void a3(float *x, int ld);
// CHECK: [[@LINE+1]]:74: error: 'packed' takes parameters
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x, : ld)
void a4(float *x, int ld);
// CHECK: [[@LINE+1]]:64: error: clause 'packed' is empty
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed()
void a2(float *x, int ld);

// On the CPU.
// CHECK: [[@LINE+1]]:37: error: clause 'packed' has an effect only on a device: add kernel("file.cl"), or device(opencl) where a body enqueues the work itself
#pragma hsched implements(f) packed(x: ld)
void b0(float *x, int ld);
void statement(float *x) {
// CHECK: [[@LINE+1]]:55: error: clause 'packed' belongs to a function: a task on a statement runs on the CPU
#pragma hsched task inout(([8][8]x)[0:4][0:4]) packed(x: ld)
  x[0] = 1;
}

// Names and types.
// CHECK: [[@LINE+3]]:71: error: unknown name 'y' in clause 'packed': it is not a parameter of 'c0'
// CHECK: note: the parameters of 'c0' are 'x', 'ld'
int y;
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(y: ld)
void c0(float *x, int ld);
// CHECK: [[@LINE+1]]:74: error: unknown name 'lda' in clause 'packed'
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x: lda)
void c1(float *x, int ld);
// CHECK: [[@LINE+1]]:74: error: 'x' cannot be its own leading dimension
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x: x)
void c2(float *x, int ld);
// CHECK: [[@LINE+1]]:85: error: 'x' is packed twice
#pragma hsched implements(f) kernel("packed.cl") ndrange(8, 8) packed(x: ld) packed(x: ld)
void c3(float *x, int ld);

#pragma hsched task inout(([8][8]x)[0:8][0:8], ([8][8]y)[0:8][0:8])
void g(float *x, float *y, int ld, float scale);
void g(float *x, float *y, int, float) { x[0] = y[0]; }
// CHECK: [[@LINE+1]]:86: error: a leading dimension is an integer, but 'scale' is 'float'
#pragma hsched implements(g) kernel("packed.cl") ndrange(8, 8) args(x, ld) packed(x: scale)
void d1(float *x, float *y, int ld, float scale);
// CHECK: [[@LINE+2]]:83: error: 'y' is not among the kernel's arguments
// CHECK: note: the kernel's arguments are here
#pragma hsched implements(g) kernel("packed.cl") ndrange(8, 8) args(x, ld) packed(y: ld)
void d2(float *x, float *y, int ld, float scale);
// CHECK: [[@LINE+1]]:85: error: 'ld' is not among the kernel's arguments, so that it would not know where the tile's rows are
#pragma hsched implements(g) kernel("packed.cl") ndrange(8, 8) args(x, 8) packed(x: ld)
void d3(float *x, float *y, int ld, float scale);

// What is not a tile.
// CHECK: [[@LINE+5]]:71: error: 'x' is not a tile: section '[64]x' of task 'h' lies in one piece: a tile is written ([m][n]x)[i:rows][j:columns]
#pragma hsched task inout([64]x)
void h(float *x, int ld);
// CHECK: [[@LINE-2]]:27: note: the section is named here
void h(float *x, int ld) { x[0] = x[1] + ld; }
#pragma hsched implements(h) kernel("packed.cl") ndrange(8, 8) packed(x: ld)
void e0(float *x, int ld);
#pragma hsched task inout(([8][8][8]x)[0:4][0:4][0:4])
void cube(float *x, int ld);
void cube(float *x, int ld) { x[0] = x[1] + ld; }
// CHECK: [[@LINE+1]]:74: error: 'x' is not a tile: section '([8][8][8]x)[0:4][0:4][0:4]' of task 'cube' has more dimensions than rows and columns
#pragma hsched implements(cube) kernel("packed.cl") ndrange(8, 8) packed(x: ld)
void e1(float *x, int ld);
#pragma hsched task inout({([8][8]x)[0:2][4 * i:2], i = 0; 2})
void list(float *x, int ld);
void list(float *x, int ld) { x[0] = x[1] + ld; }
// CHECK: [[@LINE+1]]:74: error: 'x' is not a tile: section '{{.*}}' of task 'list' is a list, and the tiles of a list have no leading dimension in common
#pragma hsched implements(list) kernel("packed.cl") ndrange(8, 8) packed(x: ld)
void e2(float *x, int ld);
#pragma hsched task inout(([8][8]y)[0:8][0:8])
void other(float *x, float *y, int ld);
void other(float *, float *y, int) { y[0] = y[1]; }
// CHECK: [[@LINE+1]]:87: error: 'x' is not a tile: no data clause of task 'other' names it
#pragma hsched implements(other) kernel("packed.cl") ndrange(8, 8) args(y, ld) packed(x: ld)
void e3(float *x, float *y, int ld);

// With a body: the same checks, and what it is given has to be its own.
// CHECK: [[@LINE+1]]:61: error: unknown name 'lda' in clause 'packed': it is not a parameter of 'g0'
#pragma hsched implements(f) device(opencl) packed(x, size: lda)
void g0(float *x, int size) {}
// CHECK: [[@LINE+1]]:56: error: a leading dimension is an integer, but 'x' is 'float *'
#pragma hsched implements(f) device(opencl) packed(ld: x)
void g1(float *x, int ld) {}
// CHECK: [[@LINE+1]]:73: error: 'ld' is a reference that the body may write through, so that it cannot be given the device's leading dimension: take it by value
#pragma hsched task device(opencl) inout(([8][8]x)[0:4][0:4]) packed(x: ld)
void g2(float *x, int &ld) {}
// CHECK: [[@LINE+1]]:73: error: a leading dimension is an integer, but 'lds' is 'T...'
#pragma hsched task device(opencl) inout(([8][8]x)[0:4][0:4]) packed(x: lds)
template <class... T> void g3(float *x, T... lds) {}
#endif
