// What kernels are found to read and write.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadKernels.h"

using namespace hsched::cc;

namespace {

// "r", "w", "rw" or "" for each pointer of `kernel void k(global float *x, global float *y, PARAMS) { Body }`.
std::string uses(const std::string &Body, const std::string &Before = "") {
  const Loaded L = loadText("#pragma clang diagnostic ignored \"-Wall\"\n" + Before +
                            "\nkernel void k(global float *x, global float *y, int n) {\n" + Body + "\n}\n");
  EXPECT_TRUE(L.Ok) << L.messages();
  std::string Out;
  for (const KernelParam &P : L.kernel("k").Params)
    if (P.Pointer)
      Out += (Out.empty() ? "" : " ") + P.Name + ":" + (P.Read ? "r" : "") + (P.Written ? "w" : "");
  return Out;
}

TEST(KernelUses, DirectAccess) {
  EXPECT_EQ(uses("y[n] = x[n];"), "x:r y:w");
  EXPECT_EQ(uses("y[n] += x[n];"), "x:r y:rw");
  EXPECT_EQ(uses("*(y + n) = *x;"), "x:r y:w");
  EXPECT_EQ(uses("y[n]++; --x[n];"), "x:rw y:rw");
  EXPECT_EQ(uses("y[(int)x[0]] = 1;"), "x:r y:w");
  EXPECT_EQ(uses(""), "x: y:");
  EXPECT_EQ(uses("if (x == y) return;"), "x: y:");
  EXPECT_EQ(uses("int s = sizeof(x[0]);"), "x: y:");
}

TEST(KernelUses, ThroughLocalPointers) {
  EXPECT_EQ(uses("global float *p = x + n; *p = y[0];"), "x:w y:r");
  EXPECT_EQ(uses("global float *p; p = n ? x : y; p[0] = 1;"), "x:w y:w");
  EXPECT_EQ(uses("global float *p = x, *q; for (int i = 0; i < n; ++i) { q[0] = 1; q = p; p = y; }"), "x:w y:w");
  EXPECT_EQ(uses("global float4 *v = (global float4 *)x; v[0].x = v[1].y; *y++ = 2;"), "x:rw y:w");
  EXPECT_EQ(uses("const global float *p = &x[4]; y[0] = p[1];"), "x:r y:w");
}

TEST(KernelUses, StructsAndArrays) {
  const std::string Pair = "typedef struct { float a[4]; int b; } Pair;";
  EXPECT_EQ(uses("global Pair *p = (global Pair *)x; p->a[1] = 1; y[0] = p[2].b;", Pair), "x:rw y:w");
  EXPECT_EQ(uses("global Pair *p = (global Pair *)x, *q = (global Pair *)y; *p = *q;", Pair), "x:w y:r");
  EXPECT_EQ(uses("float own[4]; own[0] = x[0]; own[1] = own[0];"), "x:r y:");
}

TEST(KernelUses, Builtins) {
  EXPECT_EQ(uses("vstore4(vload4(0, x), 0, y);"), "x:r y:w");
  EXPECT_EQ(uses("atomic_xchg(x, 1.0f); prefetch(y, 4);"), "x:rw y:");
  EXPECT_EQ(uses("float i; y[0] = fract(x[0], &i);"), "x:r y:w");
  EXPECT_EQ(uses("local float t[4]; async_work_group_copy(t, x, 4, 0); async_work_group_copy(y, t, 4, 0);"), "x:r y:w");
}

TEST(KernelUses, CalledFunctions) {
  EXPECT_EQ(uses("put(y, get(x));", "float get(global float *p) { return p[1]; }"
                                    "void put(global float *p, float v) { p[get_global_id(0)] = v; }"),
            "x:r y:w");
  EXPECT_EQ(uses("unknown(x); known(y);", "void unknown(global float *); void known(const global float *);"),
            "x:rw y:r");
  EXPECT_EQ(uses("*at(x, n) = y[0];", "global float *at(global float *p, int i) { return p + i; }"), "x:w y:r");
  EXPECT_EQ(uses("a(x, 3);", "void b(global float *p, int n); void a(global float *p, int n) { b(p, n); }"
                             "void b(global float *p, int n) { p[n] = 1; }"),
            "x:w y:");
}

TEST(KernelUses, PointersInMemory) {
  EXPECT_EQ(uses("global float *both[2] = {x, y}; both[n][0] = 1;"), "x:w y:w");
  EXPECT_EQ(uses("ulong a = (ulong)x; *(global float *)a = y[0];"), "x:rw y:r");
  EXPECT_EQ(uses("f(&x);", "void f(global float **p) { **p = 1; }"), "x:w y:");
  EXPECT_EQ(uses("f(&x);", "void f(global float **p);"), "x:rw y:");
}

} // namespace
