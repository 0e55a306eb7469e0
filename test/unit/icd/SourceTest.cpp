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

TEST(SourceTest, Printf) { EXPECT_TRUE(mayHaveSideEffects("kernel void f() { printf(\"x\"); }")); }

TEST(SourceTest, VariablesOfTheProgram) {
  EXPECT_TRUE(mayHaveSideEffects("global int Counter;\nkernel void f() { Counter++; }"));
  EXPECT_TRUE(mayHaveSideEffects("kernel void f() {}\nint Counter = 0;"));
  EXPECT_TRUE(mayHaveSideEffects("global int A[2] = {1, 2};"));
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
