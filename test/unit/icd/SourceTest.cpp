// What a program's source says about effects beside its kernels' arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Program.h"
#include "icd/Roles.h"

#include <gtest/gtest.h>

namespace hsched::icd {
namespace {

TEST(SourceTest, KernelsAlone) {
  EXPECT_FALSE(mayHaveSideEffects("kernel void f(global int *x) { int i = 1; x[0] = i; }\n"
                                  "#define N 3\nint twice(int x);\nint twice(int x) { return 2 * x; }\n"
                                  "typedef struct { int a; } pair; struct q { float x; };\n"
                                  "constant float Table[2] = {1, 2};\nkernel void g() { for (;;) { break; } }"));
}

TEST(SourceTest, CommentsDoNotCount) {
  EXPECT_FALSE(mayHaveSideEffects("// printf; int x;\n/* global int y; */ kernel void f() {}"));
}

TEST(SourceTest, Printf) {
  EXPECT_TRUE(mayHaveSideEffects("kernel void f() { printf(\"x\"); }"));
  EXPECT_TRUE(mayHaveSideEffects("kernel void f() { __builtin_printf(\"x\"); }"));
}

TEST(SourceTest, VariablesOfTheProgram) {
  EXPECT_TRUE(mayHaveSideEffects("global int Counter;\nkernel void f() { Counter++; }"));
  EXPECT_TRUE(mayHaveSideEffects("kernel void f() {}\nint Counter = 0;"));
  EXPECT_TRUE(mayHaveSideEffects("global int A[2] = {1, 2};"));
  for (const char *Source : {
           "global int C __attribute__((aligned(16)));\nkernel void f() { C++; }",
           "struct S { int a; } global V;\nkernel void f() { V.a++; }",
           "struct S { int a; }; struct S V;",
           "kernel void f() { static global int C; C++; }",
           "#define KEEP static global\nkernel void f() { KEEP int x; x++; }",
           "#define VAR(n) global int n\nVAR(x);\nkernel void f() { x++; }",
           "#define VAR global int x;\nVAR kernel void f() { x++; }",
           "constant int *P;\nkernel void f() {}",
           "global int constantly;\nkernel void f() {}",
           "global int (*P)[4];",
           "int x, f(int);\nkernel void g() { x++; }",
           "int f(int), x;\nkernel void g() { x++; }",
           "kernel void f() { pri\\\nntf(\"\"); }",
           "#define SAY printf\nkernel void f() { SAY(\"\"); }",
           "int f(char c) { return c == '\"'; }\nglobal int V;\nkernel void g() { V = '\"'; }",
       })
    EXPECT_TRUE(mayHaveSideEffects(Source)) << Source;
}

TEST(SourceTest, OptionsDefineMacros) {
  EXPECT_TRUE(mayHaveSideEffects("kernel void f() { SAY(\"x\"); }", "-DSAY=printf"));
  EXPECT_TRUE(mayHaveSideEffects("kernel void f() { SAY(\"x\"); }", "-cl-std=CL2.0 -D SAY=printf"));
  EXPECT_TRUE(mayHaveSideEffects("VAR(x);\nkernel void f() { x++; }", "-DVAR(n)=int"));
  EXPECT_TRUE(mayHaveSideEffects("VAR kernel void f() { x++; }", "-DVAR='global int x;'"));
  EXPECT_TRUE(mayHaveSideEffects("kernel void f() {}", "-include other.h"));
  EXPECT_FALSE(mayHaveSideEffects("kernel void f() { for (int i = 0; i < N; ++i) {} }", "-DN=8 -I \"/a b\""));
}

TEST(SourceTest, DeclarationsWithoutState) {
  for (const char *Source : {
           "constant sampler_t s = 1; const sampler_t t = 2; sampler_t u = 3;",
           "constant int T[2 * 4] = {1};\nkernel __attribute__((reqd_work_group_size(1, 1, 1))) void f() {}",
           "#define K(T) kernel void add_##T(global T *x) { x[0] += 1; }\nK(int) K(float)",
           "#define K(T) kernel void add_##T(global T *x) { x[0] += 1; }\nK(int);K(float);",
           "#define INLINE static inline\nINLINE int f(int x) { return x; }\nkernel void g() { f(1); }",
           "#define CONST __constant\nCONST int x[] = {1, 2};",
           "#define HEAD kernel void f(global int *x)\nHEAD { x[0] = 1; }",
           "enum { A, B }; enum C { D }; union U { int a; }; struct S;\nglobal int *f(global int *p);",
           "#define X 1 /* one\n int y; */\nkernel void f() {}",
       })
    EXPECT_FALSE(mayHaveSideEffects(Source)) << Source;
}

TEST(SourceTest, WhatCannotBeSeen) { EXPECT_TRUE(mayHaveSideEffects("#include \"other.cl\"\nkernel void f() {}")); }

// An analysis reads a source with another compiler's names.
TEST(SourceTest, ConditionsThatCompilersAnswerDifferently) {
  EXPECT_TRUE(isSameForAll("kernel void f() {}"));
  EXPECT_TRUE(isSameForAll("#ifndef BLOCK\n#define BLOCK 16\n#endif\nint x = __LINE__;"));
  EXPECT_TRUE(isSameForAll("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define __MY 1"));
  EXPECT_FALSE(isSameForAll("#ifdef cl_khr_fp64\n#endif"));
  EXPECT_FALSE(isSameForAll("  #  if A && defined(__CPU__)\n#endif"));
  EXPECT_FALSE(isSameForAll("#if A\n#elif __OPENCL_VERSION__ > 120\n#endif"));
  EXPECT_FALSE(isSameForAll("#if A || \\\n  _B\n#endif"));
  EXPECT_FALSE(isSameForAll("#include \"a.h\""));
}

} // namespace
} // namespace hsched::icd
