// Loops, their counters and bounds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerLoops, Canonical) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) y[i] += x[2 * i];"), "loop i [0, n)\n"
                                                                   " read x[2 * i]\n"
                                                                   " update y[i]\n");
}

TEST(LowerLoops, Inclusive) {
  EXPECT_EQ(body("for (int i = 1; i <= n; i++) y[i] = 0;"), "loop i [1, n + 1)\n"
                                                            " write y[i]\n");
}

TEST(LowerLoops, NotEqual) {
  EXPECT_EQ(body("for (int i = 0; i != n; ++i) y[i] = 0;"), "loop i [0, n)\n"
                                                            " write y[i]\n");
}

TEST(LowerLoops, Stepped) {
  EXPECT_EQ(body("for (int i = 0; i < n; i += 4) y[i] = 0;"), "loop i [0, n) step 4\n"
                                                              " write y[i]\n");
}

TEST(LowerLoops, Down) {
  EXPECT_EQ(body("for (int i = n - 1; i >= 0; --i) y[i] = x[i];"), "loop i' [0, n)\n"
                                                                   " read x[n - i' - 1]\n"
                                                                   " write y[n - i' - 1]\n");
}

TEST(LowerLoops, DownByTwo) {
  EXPECT_EQ(body("for (int i = n - 1; i > m; i -= 2) y[i] = 0;"), "loop i' [0, n - m - 1) step 2\n"
                                                                  " write y[n - i' - 1]\n");
}

TEST(LowerLoops, UnsignedDown) {
  EXPECT_EQ(body("for (unsigned i = 8; i-- > 0;) y[i] = 0;"), "loop i' [0, 8)\n"
                                                              " write y[7 - i']\n");
}

TEST(LowerLoops, UnsignedWrapsAround) {
  EXPECT_EQ(body("for (unsigned i = 7; i < 8; --i) y[i] = 0;"), "loop i' [0, 8)\n"
                                                                " write y[7 - i']\n");
}

TEST(LowerLoops, SymbolicStep) {
  EXPECT_EQ(body("for (int i = 0; i < n; i += m) y[i] = 0;"), "loop i' [0, ((n + m - 1) / m))\n"
                                                              " write y[m * i']\n");
}

TEST(LowerLoops, TwoDimensions) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) y[i * m + j] = 0;"),
            "loop i [0, n)\n"
            " loop j [0, m)\n"
            "  write y[m * i + j]\n");
}

TEST(LowerLoops, Triangle) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) for (int j = 0; j <= i; ++j) y[i * n + j] = 0;"),
            "loop i [0, n)\n"
            " loop j [0, i + 1)\n"
            "  write y[n * i + j]\n");
}

TEST(LowerLoops, RowPointer) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { float *r = y + i * m; for (int j = 0; j < m; ++j) r[j] = 0; }"),
            "loop i [0, n)\n"
            " loop j [0, m)\n"
            "  write y[m * i + j]\n");
}

TEST(LowerLoops, PointerCounts) {
  EXPECT_EQ(body("for (float *p = y, *e = y + n; p != e; ++p) *p = 1;"), "loop p' [0, n)\n"
                                                                         " write y[p']\n");
}

TEST(LowerLoops, PointerWalks) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { *y++ = *x; x += 2; }"), "loop i [0, n)\n"
                                                                        " read x[2 * i]\n"
                                                                        " write y[i]\n");
}

TEST(LowerLoops, RowPointerAdvances) {
  EXPECT_EQ(body("float *r = y; for (int i = 0; i < n; ++i) { for (int j = 0; j < m; ++j) r[j] = 0; r += m; }"),
            "loop i [0, n)\n"
            " loop j [0, m)\n"
            "  write y[m * i + j]\n");
}

TEST(LowerLoops, While) {
  EXPECT_EQ(body("int i = 0; while (i < n) { y[i] = 0; ++i; }"), "loop i [0, n)\n"
                                                                 " write y[i]\n");
}

TEST(LowerLoops, WhileDown) {
  EXPECT_EQ(body("while (n--) *y++ = *x++;"), "loop n' [0, n)\n"
                                              " read x[n']\n"
                                              " write y[n']\n");
}

TEST(LowerLoops, SecondVariable) {
  EXPECT_EQ(body("int k = 3; for (int i = 0; i < n; ++i) { y[k] = 0; k += 2; }"), "loop i [0, n)\n"
                                                                                  " write y[2 * i + 3]\n");
}

TEST(LowerLoops, CountsAcross) {
  EXPECT_EQ(body("int k = 0; for (int i = 0; i < n; ++i) for (int j = 0; j < 4; ++j) y[k++] = x[i];"),
            "loop i [0, n)\n"
            " loop j [0, 4)\n"
            "  read x[i]\n"
            "  write y[j + 4 * i]\n");
}

TEST(LowerLoops, Irregular) {
  EXPECT_EQ(body("int k = 0; for (int i = 0; i < n; ++i) { if (x[i] > 0) ++k; y[k] = 0; }"),
            "loop i [0, n)\n"
            " read x[i]\n"
            " write y[?] (subscript 'k' is not affine)\n");
}

TEST(LowerLoops, Continue) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { if (i == m) continue; y[i] = 0; }"), "loop i [0, n)\n"
                                                                                     " if i - m >= 0 && m - i >= 0\n"
                                                                                     " else\n"
                                                                                     "  write y[i]\n");
}

TEST(LowerLoops, Break) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { if (x[i] < 0) break; y[i] = 0; }"), "loop i [0, n) breaks\n"
                                                                                    " read x[i]\n"
                                                                                    " if ?\n"
                                                                                    " else\n"
                                                                                    "  write y[i]\n");
}

TEST(LowerLoops, ReturnInside) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { if (i > m) return; y[i] = 0; }"), "loop i [0, n)\n"
                                                                                  " if i - m - 1 >= 0\n"
                                                                                  "  stop\n"
                                                                                  " write y[i]\n");
}

TEST(LowerLoops, TwoConditions) {
  EXPECT_EQ(body("for (int i = 0; i < n && i < m; ++i) y[i] = 0;"),
            "loop i [0, n)\n"
            " if (n < m ? n : m) - i - 1 >= 0 && m - i - 1 >= 0\n"
            "  write y[i]\n");
}

TEST(LowerLoops, ConditionReads) {
  EXPECT_EQ(body("for (int i = 0; i < n && x[i] > 0; ++i) y[i] = 0;"), "if ?\n"
                                                                       " if n - 1 >= 0\n"
                                                                       "  read x[0]\n"
                                                                       "loop i [0, n) breaks\n"
                                                                       " if n - i - 1 >= 0\n"
                                                                       "  read x[i]\n"
                                                                       " if ?\n"
                                                                       "  write y[i]\n");
}

TEST(LowerLoops, MinBound) {
  EXPECT_EQ(
      body(
          "for (int b = 0; b < n; b += 16) { int e = b + 16 < n ? b + 16 : n; for (int i = b; i < e; ++i) y[i] = 0; }"),
      "loop b [0, n) step 16\n"
      " loop i [b, b + 16)\n"
      "  if n - i - 1 >= 0\n"
      "   write y[i]\n");
}

TEST(LowerLoops, UnrolledThenRest) {
  EXPECT_EQ(body("int i = 0; for (; i + 4 <= n; i += 4) y[i] = 0; for (; i < n; ++i) y[i] = 0;"),
            "loop i [0, n - 3) step 4\n"
            " write y[i]\n"
            "if ?\n"
            " loop i [0, n)\n"
            "  write y[i]\n"
            "loop i [0, n + 1)\n"
            " if ?\n"
            "  loop i [i, n)\n"
            "   write y[i]\n");
}

TEST(LowerLoops, AfterConstantLoop) {
  EXPECT_EQ(body("int i; for (i = 0; i < 8; ++i) y[i] = 0; y[i] = 1;"), "loop i [0, 8)\n"
                                                                        " write y[i]\n"
                                                                        "write y[8]\n");
}

TEST(LowerLoops, Forever) {
  EXPECT_EQ(body("for (;;) { if (x[0] > 0) break; y[0] = 0; }"), "loop ? any breaks\n"
                                                                 " read x[0]\n"
                                                                 " if ?\n"
                                                                 " else\n"
                                                                 "  write y[0]\n");
}

TEST(LowerLoops, TestedInside) {
  EXPECT_EQ(body("int i = 0; for (;;) { if (i >= n) break; y[i] = 0; ++i; }"), "loop i [0, n)\n"
                                                                               " write y[i]\n");
}

TEST(LowerLoops, TestedLast) {
  EXPECT_EQ(body("int i = 2; do { y[i] = 0; } while (++i < 9);"), "loop i [2, 9)\n"
                                                                  " write y[i]\n");
}

TEST(LowerLoops, OnceAtLeast) {
  EXPECT_EQ(body("int i = 0; do { y[i] = 0; ++i; } while (i < n);"), "loop i [0, (n > 1 ? n : 1))\n"
                                                                     " write y[i]\n");
  EXPECT_EQ(body("for (int k = 0; k < m; ++k) { int i = k; do y[i] = 0; while (++i < n); }"), "loop k [0, m)\n"
                                                                                              " write y[k]\n"
                                                                                              " loop i [k, n)\n"
                                                                                              "  write y[i]\n");
}

TEST(LowerLoops, FromTheGreatest) {
  EXPECT_EQ(body("for (int k = 0; k < n; ++k) for (int i = k > 3 ? k : 3; i < m; ++i) y[i] = 0;"), "loop k [0, n)\n"
                                                                                                   " loop i [k, m)\n"
                                                                                                   "  if i - 3 >= 0\n"
                                                                                                   "   write y[i]\n");
}

TEST(LowerLoops, DoOnce) {
  EXPECT_EQ(body("do { y[0] = 0; if (n) break; y[1] = 0; } while (0);"), "write y[0]\n"
                                                                         "if n >= 0 && -n >= 0\n"
                                                                         " write y[1]\n");
}

TEST(LowerLoops, NeverRuns) {
  EXPECT_EQ(body("for (int i = 0; i < 0; ++i) y[i] = 0;"), "loop i [0, 0)\n"
                                                           " write y[i]\n");
}

TEST(LowerLoops, BoundAssignedInside) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { y[i] = 0; n -= 1; }"),
            "loop n' [0, n) step 2\n"
            " write y[?] ('i' changes in a way that is not affine)\n");
}

TEST(LowerLoops, CounterAssignedInside) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { y[i] = 0; if (x[i] > 0) i += 2; }"),
            "loop i any breaks\n"
            " if ?\n"
            "  write y[?] ('i' changes in a way that is not affine)\n"
            "  read x[?] ('i' changes in a way that is not affine)\n");
}

TEST(LowerLoops, Halved) {
  EXPECT_EQ(body("for (int s = n; s > 0; s /= 2) y[s] = 0;"),
            "loop s any breaks\n"
            " if ?\n"
            "  write y[?] ('s' changes in a way that is not affine)\n");
}

TEST(LowerLoops, PointerSwap) {
  EXPECT_EQ(body("float *a = x, *b = y; for (int i = 0; i < n; ++i) { b[0] = a[0]; float *t = a; a = b; b = t; }"),
            "loop i [0, n)\n"
            " read x[?] maybe ('a' changes in a way that is not affine)\n"
            " read y[?] maybe ('a' changes in a way that is not affine)\n"
            " write x[?] maybe ('b' changes in a way that is not affine)\n"
            " write y[?] maybe ('b' changes in a way that is not affine)\n");
}

TEST(LowerLoops, RangeForArray) {
  EXPECT_EQ(body("int t[4] = {1, 2, 3, 4}; for (int v : t) y[v] = 0;"), "loop ? any breaks\n"
                                                                        " if ?\n"
                                                                        "  write y[?] (subscript 'v' is not affine)\n");
}

} // namespace
