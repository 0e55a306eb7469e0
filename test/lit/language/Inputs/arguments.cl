// Kernels for diag-kernel-arguments.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void scale(int n, float a, global float *x) { x[get_global_id(0)] = a * n; }
kernel void staged(global float *x, local float *t) { x[0] = t[0]; }
kernel void shaded(global float *x, read_only image2d_t from) { x[0] = get_image_width(from); }
kernel void rows(global float *x, int n) { x[get_global_id(1) * n + get_global_id(0)] = n; }
kernel __attribute__((reqd_work_group_size(16, 4, 1))) void grouped(global float *x) {
  x[get_global_id(1) * 16 + get_global_id(0)] = 0;
}
// A definition whose braces come from a macro, and that has local memory.
#ifdef FRAMED
#define KERNEL(name) kernel void name(global float *x) {
#define END }
KERNEL(framed) local float t[16]; t[0] = x[0]; x[0] = t[0]; END
#endif
