// Where control goes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerControl, IfElse) {
  EXPECT_EQ(body("if (n > 0) y[0] = 1; else y[1] = 1;"), "if n - 1 >= 0\n"
                                                         " write y[0]\n"
                                                         "else\n"
                                                         " write y[1]\n");
}

TEST(LowerControl, Equal) {
  EXPECT_EQ(body("if (n == 3) y[n] = 1; else y[0] = 1;"), "if n - 3 >= 0 && 3 - n >= 0\n"
                                                          " write y[n]\n"
                                                          "else\n"
                                                          " write y[0]\n");
}

TEST(LowerControl, NotEqual) {
  EXPECT_EQ(body("if (n != 3) y[n] = 1;"), "if n - 3 >= 0 && 3 - n >= 0\n"
                                           "else\n"
                                           " write y[n]\n");
}

TEST(LowerControl, Negated) {
  EXPECT_EQ(body("if (!(n < m)) y[0] = 1;"), "if n - m >= 0\n"
                                             " write y[0]\n");
}

TEST(LowerControl, EarlyReturn) {
  EXPECT_EQ(body("if (n < 0) return; y[0] = 1;"), "if -n - 1 >= 0\n"
                                                  " stop\n"
                                                  "write y[0]\n");
}

TEST(LowerControl, Throw) {
  EXPECT_EQ(body("if (n < 0) throw 1; y[0] = 1;"), "if -n - 1 >= 0\n"
                                                   " throw\n"
                                                   "write y[0]\n");
}

TEST(LowerControl, UnknownCondition) {
  EXPECT_EQ(body("if (x[0] > 0) y[0] = 1; else y[1] = 1;"), "read x[0]\n"
                                                            "if ?\n"
                                                            " write y[0]\n"
                                                            "else\n"
                                                            " write y[1]\n");
}

TEST(LowerControl, Switch) {
  EXPECT_EQ(body("switch (n) { case 0: y[0] = 1; break; case 1: y[1] = 1; break; default: y[2] = 1; }"),
            "if n >= 0 && -n >= 0\n"
            " write y[0]\n"
            "else\n"
            " if n - 1 >= 0 && 1 - n >= 0\n"
            "  write y[1]\n"
            " else\n"
            "  write y[2]\n");
}

TEST(LowerControl, SwitchFalls) {
  EXPECT_EQ(body("switch (n) { case 0: y[0] = 1; case 1: y[1] = 1; }"), "if ?\n"
                                                                        " write y[0]\n"
                                                                        "if ?\n"
                                                                        " write y[1]\n");
}

TEST(LowerControl, Duff) {
  EXPECT_EQ(body("switch (n) { case 0: do { y[0] = 1; case 1: y[1] = 1; } while (--m > 0); }"), "loop ? any breaks\n"
                                                                                                " if ?\n"
                                                                                                "  if ?\n"
                                                                                                "   if ?\n"
                                                                                                "    if ?\n"
                                                                                                "     write y[0]\n"
                                                                                                "    if ?\n"
                                                                                                "     if ?\n"
                                                                                                "      write y[1]\n");
}

TEST(LowerControl, Goto) {
  EXPECT_EQ(body("int i = 0; again: y[i] = 0; if (++i < n) goto again;"),
            "loop ? any breaks\n"
            " if ?\n"
            "  if ?\n"
            "   write y[?] (subscript 'i' is not affine)\n");
}

TEST(LowerControl, GotoForward) {
  EXPECT_EQ(body("float *p = x; if (n) goto out; p = y; out: *p = 1;"), "loop ? any breaks\n"
                                                                        " if ?\n"
                                                                        "  if ?\n"
                                                                        "   write x[0] maybe\n"
                                                                        "   write y[0] maybe\n");
}

TEST(LowerControl, Try) {
  EXPECT_EQ(body("try { y[0] = 1; if (n) throw 1; y[1] = 1; } catch (...) { x[0] = 1; } x[1] = 1;"),
            "if ?\n"
            " write y[0]\n"
            " if n >= 0 && -n >= 0\n"
            "  write y[1]\n"
            "if ?\n"
            " write x[0]\n"
            "write x[1]\n");
}

// What differs from the end of its range is inside of it. With an else, that is known and decides nothing.
TEST(LowerControl, Differs) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) if (i != 0 && i != n - 1) y[i] = 0;"), "loop i [0, n)\n"
                                                                                     " if n - i - 2 >= 0\n"
                                                                                     "  if i - 1 >= 0\n"
                                                                                     "   write y[i]\n");
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) if (i == 0 || i == n - 1) y[i] = 0; else y[i - 1] = 1;"),
            "loop i [0, n)\n"
            " if ?\n"
            "  write y[i]\n"
            " else\n"
            "  if i - 1 >= 0 && n - i - 2 >= 0 given\n"
            "   write y[i - 1]\n");
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) { if (i == 0 || i >= m) return; y[i] = 0; }"), "loop i [0, n)\n"
                                                                                             " if -i >= 0\n"
                                                                                             "  stop\n"
                                                                                             " else\n"
                                                                                             "  if i - m >= 0\n"
                                                                                             "   stop\n"
                                                                                             " write y[i]\n");
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) if (i != m && x[i] > 0) y[i] = 0;"), "loop i [0, n)\n"
                                                                                   " if i - m >= 0 && m - i >= 0\n"
                                                                                   " else\n"
                                                                                   "  read x[i]\n"
                                                                                   " if ?\n"
                                                                                   "  write y[i]\n");
}

TEST(LowerControl, ConstantIf) {
  EXPECT_EQ(body("if constexpr (sizeof(int) == 4) y[0] = 1; else y[1] = 1;"), "write y[0]\n");
}

TEST(LowerControl, Asm) {
  EXPECT_EQ(body("asm volatile(\"\" : : \"r\"(y) : \"memory\");"), "update y[?] maybe (it is handed to asm)\n"
                                                                   "update anything maybe (asm)\n");
}

TEST(LowerControl, StatementExpression) { EXPECT_EQ(body("y[({ int k = n; k + 1; })] = 0;"), "write y[n + 1]\n"); }

TEST(LowerControl, IfInit) {
  EXPECT_EQ(body("if (int k = n - 1; k > 0) y[k] = 0;"), "if n - 2 >= 0\n"
                                                         " write y[n - 1]\n");
}

} // namespace
