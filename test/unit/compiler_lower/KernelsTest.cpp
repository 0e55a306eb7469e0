// Kernels of OpenCL C.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerKernels, GlobalId) {
  EXPECT_EQ(
      kernel("kernel void k(int n, global const float *x, global float *y) { int i = get_global_id(0); y[i] = x[i]; }",
             {"n"}),
      "parallel get_global_id(0) [0, n)\n"
      " read x[get_global_id(0)]\n"
      " write y[get_global_id(0)]\n");
}

TEST(LowerKernels, Guard) {
  EXPECT_EQ(kernel("kernel void k(int n, global float *y) { int i = get_global_id(0); if (i >= n) return; y[i] = 0; }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " if get_global_id(0) - n >= 0\n"
            "  stop\n"
            " write y[get_global_id(0)]\n");
}

TEST(LowerKernels, GuardIf) {
  EXPECT_EQ(
      kernel("kernel void k(int n, global float *y) { int i = get_global_id(0); if (i < n) y[i] = 0; }", {"n"}, {"64"}),
      "parallel get_global_id(0) [0, 64 * ((n + 63) / 64))\n"
      " if n - get_global_id(0) - 1 >= 0\n"
      "  write y[get_global_id(0)]\n");
}

TEST(LowerKernels, TwoDims) {
  EXPECT_EQ(kernel("kernel void k(int w, int h, global float *y) { y[get_global_id(1) * w + get_global_id(0)] = 0; }",
                   {"w", "h"}),
            "parallel get_global_id(1) [0, h)\n"
            " parallel get_global_id(0) [0, w)\n"
            "  write y[w * get_global_id(1) + get_global_id(0)]\n");
}

TEST(LowerKernels, GroupAndLocal) {
  EXPECT_EQ(kernel("kernel void k(global float *y) { y[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 0; }",
                   {"n"}, {"16"}),
            "parallel get_global_id(0) [0, 16 * ((n + 15) / 16))\n"
            " write y[get_global_id(0)]\n");
}

TEST(LowerKernels, OneForGroup) {
  EXPECT_EQ(
      kernel("kernel void k(global float *y) { if (get_local_id(0) == 0) y[get_group_id(0)] = 0; }", {"n"}, {"16"}),
      "parallel get_global_id(0) [0, 16 * ((n + 15) / 16))\n"
      " parallel get_local_id(0) [0, 16)\n"
      "  if -get_local_id(0) >= 0\n"
      "   parallel get_group_id(0) [0, ((n + 15) / 16))\n"
      "    write y[get_group_id(0)]\n");
}

TEST(LowerKernels, LocalMemory) {
  EXPECT_EQ(
      kernel(
          "kernel void k(global float *y, local float *t) { local float s[4]; t[0] = y[0]; s[1] = t[0]; y[1] = s[1]; }",
          {"n"}),
      "parallel get_global_id(0) [0, n)\n"
      " read y[0]\n"
      " write y[1]\n");
}

TEST(LowerKernels, Vload) {
  EXPECT_EQ(kernel("kernel void k(global const float *x, global float *y) { int i = get_global_id(0); "
                   "vstore4(vload4(i, x), i, y); }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " read x[4 * get_global_id(0) : 4]\n"
            " write y[4 * get_global_id(0) : 4]\n");
}

TEST(LowerKernels, Components) {
  EXPECT_EQ(kernel("kernel void k(global float4 *y) { int i = get_global_id(0); y[i].x = 0; y[i].xyz = (float3)(1); "
                   "y[i].w += 1; }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " write y[get_global_id(0)] partial\n"
            " write y[get_global_id(0)] partial\n"
            " update y[get_global_id(0)] partial\n");
}

TEST(LowerKernels, Atomics) {
  EXPECT_EQ(kernel("kernel void k(global int *y) { atomic_add(&y[2], 1); atomic_inc(y); }", {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " update y[2] atomic\n"
            " update y[0] atomic\n");
}

TEST(LowerKernels, AsyncCopy) {
  EXPECT_EQ(
      kernel("kernel void k(global const float *x, global float *y, local float *t) { event_t e = "
             "async_work_group_copy(t, x, 16, 0); wait_group_events(1, &e); e = async_work_group_copy(y, t, 16, 0); }",
             {"n"}),
      "parallel get_global_id(0) [0, n)\n"
      " read x[0 : 16]\n"
      " write y[0 : 16]\n");
}

TEST(LowerKernels, Images) {
  EXPECT_EQ(kernel("kernel void k(read_only image2d_t a, write_only image2d_t b) { int2 p = (int2)(get_global_id(0), "
                   "0); write_imagef(b, p, read_imagef(a, p)); }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " read a[?] maybe (how much of it 'read_imagef' touches is not known)\n"
            " write b[?] maybe (how much of it 'write_imagef' touches is not known)\n");
}

TEST(LowerKernels, Constant) {
  EXPECT_EQ(kernel("constant int table[4] = {1, 2, 3, 4}; kernel void k(constant float *c, global float *y) { y[0] = "
                   "c[table[1]]; }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " read table[1]\n"
            " read c[table[1]]\n"
            " write y[0]\n");
}

TEST(LowerKernels, Helper) {
  EXPECT_EQ(kernel("void put(global float *p, int i) { p[i] = 0; } kernel void k(global float *y) { put(y + 2, "
                   "get_global_id(0)); }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " write y[get_global_id(0) + 2]\n");
}

TEST(LowerKernels, Prefetch) {
  EXPECT_EQ(kernel("kernel void k(global const float *x, global float *y) { prefetch(x, 4); y[0] = 0; }", {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " write y[0]\n");
}

TEST(LowerKernels, GridStride) {
  EXPECT_EQ(kernel("kernel void k(int n, global float *y) { for (int i = get_global_id(0); i < n; i += "
                   "get_global_size(0)) y[i] = 0; }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " parallel i [0, n)\n"
            "  write y[i]\n");
  // What is behind the loop may come before others' parts of it.
  EXPECT_EQ(kernel("kernel void k(int n, global float *y) { for (int i = get_global_id(0); i < n; i += "
                   "get_global_size(0)) y[i] = 0; y[0] += 1; }",
                   {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " loop i [get_global_id(0), n) breaks\n"
            "  if ?\n"
            "   write y[i]\n"
            " update y[0]\n");
}

TEST(LowerKernels, Select) {
  EXPECT_EQ(
      kernel("kernel void k(int n, global float *y) { int i = min((int)get_global_id(0), n); y[clamp(i, 0, 3)] = 0; }",
             {"n"}),
      "parallel get_global_id(0) [0, n)\n"
      " write y[?] (subscript 'clamp(i, 0, 3)' is not affine)\n");
}

TEST(LowerKernels, Pipe) {
  EXPECT_EQ(kernel("kernel void k(read_only pipe int p, global int *y) { int v; read_pipe(p, &v); y[0] = v; }", {"n"}),
            "parallel get_global_id(0) [0, n)\n"
            " update p[?] maybe (it goes through a pipe)\n"
            " write y[0]\n"
            " update anything maybe (it goes through a pipe)\n");
}

TEST(LowerKernels, Barrier) {
  EXPECT_EQ(
      kernel("kernel void k(global float *y) { y[0] = 0; barrier(CLK_GLOBAL_MEM_FENCE); printf(\"%d\", 1); }", {"n"}),
      "parallel get_global_id(0) [0, n)\n"
      " write y[0]\n");
}

} // namespace
