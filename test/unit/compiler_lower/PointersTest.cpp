// Pointers, references and what they alias.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerPointers, Deref) {
  EXPECT_EQ(body("*y = *x;"), "read x[0]\n"
                              "write y[0]\n");
}

TEST(LowerPointers, Alias) {
  EXPECT_EQ(body("float *p = y + n; p[1] = 0; *(p - 1) = 0;"), "write y[n + 1]\n"
                                                               "write y[n - 1]\n");
}

TEST(LowerPointers, AddressOf) {
  EXPECT_EQ(body("float *p = &y[n]; p[2] = x[0];"), "read x[0]\n"
                                                    "write y[n + 2]\n");
}

TEST(LowerPointers, Reference) { EXPECT_EQ(body("float &r = y[n]; r += 1;"), "update y[n]\n"); }

TEST(LowerPointers, ConstReference) {
  EXPECT_EQ(body("const float &r = x[n]; y[0] = r;"), "read x[n]\n"
                                                      "write y[0]\n");
}

TEST(LowerPointers, Conditional) {
  EXPECT_EQ(body("float *p = n > 3 ? x : y; *p = 1;"), "write x[0] maybe\n"
                                                       "write y[0] maybe\n");
}

TEST(LowerPointers, ConditionalLvalue) {
  EXPECT_EQ(body("(n > 3 ? *x : y[1]) = 1;"), "write x[0] maybe\n"
                                              "write y[1] maybe\n");
}

TEST(LowerPointers, AssignedInBranch) {
  EXPECT_EQ(body("float *p = x; if (n) p = y; p[0] = 1;"), "write x[0] maybe\n"
                                                           "write y[0] maybe\n");
}

TEST(LowerPointers, Increment) {
  EXPECT_EQ(body("*y++ = 1; *y = 2; ++*y;"), "write y[0]\n"
                                             "write y[1]\n"
                                             "update y[1]\n");
}

TEST(LowerPointers, PostIncrementElement) {
  EXPECT_EQ(body("y[0]++; --y[1]; x[n] -= 2;"), "update y[0]\n"
                                                "update y[1]\n"
                                                "update x[n]\n");
}

TEST(LowerPointers, BytesOfElements) {
  EXPECT_EQ(body("char *c = (char *)y; *(float *)(c + 4 * n) = 0;"), "write y[n]\n");
}

TEST(LowerPointers, OneByte) { EXPECT_EQ(body("char *c = (char *)y; c[5] = 0;"), "write y[1] partial\n"); }

TEST(LowerPointers, BytesNotWhole) {
  EXPECT_EQ(body("char *c = (char *)y; c[n] = 0;"), "write y[?] (the bytes accessed are not whole elements)\n");
}

TEST(LowerPointers, WiderElements) {
  EXPECT_EQ(body("double *d = (double *)y; for (int i = 0; i < n; ++i) d[i] = 0;"), "loop i [0, n)\n"
                                                                                    " write y[2 * i : 2]\n");
}

TEST(LowerPointers, Void) { EXPECT_EQ(body("void *v = y; ((float *)v)[n] = 1;"), "write y[n]\n"); }

TEST(LowerPointers, ToInteger) {
  EXPECT_EQ(body("unsigned long a = (unsigned long)y; *(float *)a = 1;"),
            "update y[?] maybe ('y' is cast to an integer)\n"
            "update anything maybe ('(float *)a' is a pointer made of an integer)\n");
}

TEST(LowerPointers, PointerToPointer) {
  EXPECT_EQ(body("float *p = x; float **pp = &p; *pp = y; p[0] = 1;"), "write y[0]\n");
}

TEST(LowerPointers, ArrayOfPointers) {
  EXPECT_EQ(body("float *t[2] = {x, y}; t[n][1] = 0;"), "write x[1] maybe\n"
                                                        "write y[1] maybe\n");
}

TEST(LowerPointers, LocalArray) {
  EXPECT_EQ(body("float t[4]; t[0] = x[0]; t[1] = t[0]; y[0] = t[1];"), "read x[0]\n"
                                                                        "write y[0]\n");
}

TEST(LowerPointers, Swapped) {
  EXPECT_EQ(body("float *a = x, *b = y, *t = a; a = b; b = t; a[0] = b[0];"), "read x[0]\n"
                                                                              "write y[0]\n");
}

TEST(LowerPointers, ChainedAssignment) {
  EXPECT_EQ(body("y[0] = y[1] = x[0];"), "read x[0]\n"
                                         "write y[1]\n"
                                         "write y[0]\n");
}

TEST(LowerPointers, Compare) {
  EXPECT_EQ(body("if (x == y) return; if (!x) return;"), "if ?\n"
                                                         " stop\n"
                                                         "if ?\n"
                                                         " stop\n");
}

TEST(LowerPointers, ShortCircuit) {
  EXPECT_EQ(body("if (n > 0 && x[n] > 0) y[0] = 1;"), "if n - 1 >= 0\n"
                                                      " read x[n]\n"
                                                      "if n - 1 >= 0 ?\n"
                                                      " write y[0]\n");
}

TEST(LowerPointers, OrCondition) {
  EXPECT_EQ(body("if (n < 0 || n >= m) return; y[n] = 0;"), "if n >= 0 && m - n - 1 >= 0\n"
                                                            "else\n"
                                                            " stop\n"
                                                            "write y[n]\n");
}

TEST(LowerPointers, Null) {
  EXPECT_EQ(body("float *p = nullptr; if (n) p = y; if (p) *p = 1;"), "if ?\n"
                                                                      " write y[0]\n");
}

} // namespace
