// Integers: what subscripts are made of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerValues, Affine) { EXPECT_EQ(body("int j = 2 * n + m - 1; y[j] = 0;"), "write y[2 * n + m - 1]\n"); }

TEST(LowerValues, OpaqueQuotient) { EXPECT_EQ(body("y[n / 2] = 0;"), "write y[(n / 2)]\n"); }

TEST(LowerValues, ExactQuotient) { EXPECT_EQ(body("int k = 4 * n; y[k / 4] = 0;"), "write y[n]\n"); }

TEST(LowerValues, Remainder) { EXPECT_EQ(body("y[n % 8] = 0;"), "write y[(n % 8)]\n"); }

TEST(LowerValues, RemainderOfCounter) {
  EXPECT_EQ(body("for (unsigned i = 0; i < 100; ++i) y[i % 8] = 0;"), "loop i [0, 100)\n"
                                                                      " loop % [0, 8)\n"
                                                                      "  if ?\n"
                                                                      "   write y[(%)]\n");
}

TEST(LowerValues, Masked) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) y[i & 7] = 0;"), "loop i [0, n)\n"
                                                               " loop & [0, 8)\n"
                                                               "  if ?\n"
                                                               "   write y[(&)]\n");
}

TEST(LowerValues, Shifted) {
  EXPECT_EQ(body("y[n << 2] = 0; y[n >> 1] = 0;"), "write y[4 * n]\n"
                                                   "write y[(n >> 1)]\n");
}

TEST(LowerValues, Ternary) { EXPECT_EQ(body("int k = n < m ? n : m; y[k] = 0;"), "write y[(n < m ? n : m)]\n"); }

TEST(LowerValues, TernaryOfConstant) { EXPECT_EQ(body("y[sizeof(float) == 4 ? 1 : 2] = 0;"), "write y[1]\n"); }

TEST(LowerValues, AssignedParameter) {
  EXPECT_EQ(body("y[n] = 0; n = n + 1; y[n] = 0;"), "write y[n]\n"
                                                    "write y[n + 1]\n");
}

TEST(LowerValues, AssignedInBranch) { EXPECT_EQ(body("if (m > 0) n = 3; y[n] = 0;"), "write y[(m > 0 ? 3 : n)]\n"); }

TEST(LowerValues, Constants) {
  EXPECT_EQ(body("y[K] = 0; y[N] = 0; y[M] = 0;", "enum { K = 3 }; constexpr int N = 5; static const int M = 7;"),
            "write y[3]\n"
            "write y[5]\n"
            "write y[7]\n");
}

TEST(LowerValues, Narrowed) {
  EXPECT_EQ(body("y[(unsigned char)n] = 0; y[(char)3] = 0;"), "write y[(unsigned char)n]\n"
                                                              "write y[3]\n");
}

TEST(LowerValues, Negative) {
  EXPECT_EQ(body("y[-n] = 0; y[~n] = 0;"), "write y[-n]\n"
                                           "write y[-n - 1]\n");
}

TEST(LowerValues, Comma) { EXPECT_EQ(body("int k = (m++, m); y[k] = 0;"), "write y[m + 1]\n"); }

TEST(LowerValues, FromMemory) {
  EXPECT_EQ(body("int *q = (int *)x; int k = q[0]; y[k] = 0;"), "read x[0]\n"
                                                                "write y[?] (subscript 'k' is not affine)\n");
}

TEST(LowerValues, FromWrittenMemory) {
  EXPECT_EQ(body("int *q = (int *)x; q[0] = 1; int k = q[0]; y[k] = 0;"), "write x[0]\n"
                                                                          "read x[0]\n"
                                                                          "write y[?] (subscript 'k' is not affine)\n");
}

TEST(LowerValues, ConstantsOfEnumerations) {
  EXPECT_EQ(body("y[First] = 0; y[Last] = 0;", "enum E : unsigned long { First = 3, Last = ~0ul };"),
            "write y[3]\n"
            "write y[?] (subscript 'Last' is not affine)\n"); // No 64-bit signed number.
}

TEST(LowerValues, Subscripted) {
  EXPECT_EQ(body("int *q = (int *)x; for (int i = 0; i < n; ++i) y[q[i]] = 0;"),
            "loop i [0, n)\n"
            " read x[i]\n"
            " write y[?] (subscript 'q[i]' is not affine)\n");
}

TEST(LowerValues, CountDifference) { EXPECT_EQ(body("float *p = x + n; y[p - x] = 0;"), "write y[n]\n"); }

// 4294967295 * n is -n: both are the same number of 32 bits.
TEST(LowerValues, NegativeFactorsOfUnsignedNumbers) {
  EXPECT_EQ(body("unsigned u = n; int k = -1; y[2 * u + k * u] = 0;"), "write y[n]\n");
  EXPECT_EQ(body("unsigned u = n; int k = -2; y[u + k] = 0;"), "write y[n - 2]\n");
  EXPECT_EQ(body("unsigned u = n; int k = -1; y[u - 1 - k] = 0;"), "write y[n]\n");
  EXPECT_EQ(body("unsigned u = n; y[u + 3000000000u] = 0;"), "write y[n + 3000000000]\n");
}

TEST(LowerValues, SizeofNotEvaluated) { EXPECT_EQ(body("int k = sizeof(y[n++]); y[n] = k;"), "write y[n]\n"); }

} // namespace
