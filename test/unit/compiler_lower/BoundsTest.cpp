// That lowering ends soon whatever the source: work is counted in steps, not in time, and what is too much is judged by
// its prototype.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

#include "analysis/lower/Value.h"

namespace hsched::cc {
namespace {

struct Worked {
  AccessTree Tree;
  std::size_t Steps = 0;
};

Worked work(const std::string &Code, const std::string &Name = "f") {
  const Parsed P(Code);
  Lowering L(P.Unit->getASTContext());
  Worked W;
  W.Tree = L.lower(P.function(Name));
  W.Steps = L.steps();
  return W;
}

// Each function calls the one before it twice.
std::string doubling(unsigned Levels) {
  std::string Code = "static void g0(float *p) { p[0] += 1; }\n";
  for (unsigned I = 1; I <= Levels; ++I) {
    const std::string Below = "g" + std::to_string(I - 1);
    Code += "static void g" + std::to_string(I) + "(float *p) { " + Below + "(p); " + Below + "(p + 1); }\n";
  }
  return Code + "void f(float *x, const float *y) { g" + std::to_string(Levels) + "(x); x[0] = y[0]; }\n";
}

TEST(Bounds, WhatCallsSaysInFewSteps) {
  const Worked W = work(doubling(6));
  EXPECT_TRUE(W.Tree.Complete);
  EXPECT_LT(W.Steps, 5000u);
}

TEST(Bounds, CallsThatDouble) {
  const Worked W = work(doubling(30));
  EXPECT_LT(W.Steps, 2u * Lowering::MostSteps);
  EXPECT_FALSE(W.Tree.Complete);
  const std::string Text = print(W.Tree);
  EXPECT_NE(Text.find("'f' is too large to be looked into"), std::string::npos) << Text;
  // Anything may have happened to x; y is const.
  bool Updated = false;
  std::function<void(const Node &)> Look = [&](const Node &N) {
    if (N.K == Node::Leaf && W.Tree.Roots[N.A.RootId].Name == "x")
      Updated |= N.A.K == AccessKind::Update && !N.A.Low;
    if (N.K == Node::Leaf && W.Tree.Roots[N.A.RootId].Name == "y") {
      EXPECT_EQ(N.A.K, AccessKind::Read);
    }
    for (const Node &C : N.Children)
      Look(C);
  };
  Look(W.Tree.Body);
  EXPECT_TRUE(Updated);
}

// Many variables and many branches: what a branch costs must not be all variables, each time.
TEST(Bounds, BranchesAmongManyVariables) {
  const auto Code = [](unsigned Variables, unsigned Branches) {
    std::string Text = "void f(int n, float *x) {\n";
    for (unsigned I = 0; I != Variables; ++I)
      Text += "int v" + std::to_string(I) + " = n + " + std::to_string(I) + ";\n";
    for (unsigned I = 0; I != Branches; ++I)
      Text += "if (x[" + std::to_string(I) + "] > 0) v" + std::to_string(I % Variables) + "++;\n";
    return Text + "x[v0] = 0;\n}\n";
  };
  const std::size_t Few = work(Code(10, 400)).Steps, Many = work(Code(1000, 400)).Steps;
  EXPECT_LT(Many, Few + 20000);
  EXPECT_TRUE(work(Code(1000, 400)).Tree.Complete);
}

// Loops in loops are gone through again until nothing changes.
TEST(Bounds, NestedLoops) {
  std::string Code = "void f(int n, float *x) { int a = 0, b = 0, c = 0;\n";
  for (unsigned I = 0; I != 14; ++I)
    Code += "for (int i" + std::to_string(I) + " = a; i" + std::to_string(I) + " < n; i" + std::to_string(I) +
            " += b) {\n a = b; b = c; c++;\n";
  Code += "x[a] = 1;\n" + std::string(14, '}') + "}\n";
  EXPECT_LT(work(Code).Steps, 2u * Lowering::MostSteps);
}

// What a hash function computes has more terms with each line.
TEST(Bounds, PolynomialsThatGrow) {
  std::string Code = "void f(int n, int a, int b, int c, int d, float *x) {\n";
  for (unsigned I = 0; I != 60; ++I)
    Code += "a = a * b + c; b = b * c + d; c = c * d + a; d = d * a + b;\n";
  const Worked W = work(Code + "x[a] = 1; x[0] = 2;\n}\n");
  EXPECT_TRUE(W.Tree.Complete);
  const std::string Text = print(W.Tree);
  EXPECT_NE(Text.find("write x[0]"), std::string::npos) << Text;
  EXPECT_LT(Text.size(), 2000u) << Text;
}

TEST(Bounds, LeastOfMany) {
  std::string Code = "void f(int n, int m, float *x) { int a = n, b = m;\n";
  for (unsigned I = 0; I != 40; ++I)
    Code += "{ int s = a + n * " + std::to_string(I + 2) + ", t = b + m; a = s < t ? s : t; b = a < s ? a : s; }\n";
  const Worked W = work(Code + "for (int i = 0; i < a; ++i) x[i] = 1;\n}\n");
  EXPECT_TRUE(W.Tree.Complete);
  EXPECT_LT(W.Steps, 10000u);
}

// --- Objects ---------------------------------------------------------------------------------------------------------

TEST(Objects, CopiesShareUntilOneChanges) {
  ObjectMap A;
  A.set(3, Value::integer(1));
  A.set(7, Value::integer(2));
  ObjectMap B = A;
  EXPECT_TRUE(A.entry(3)->shares(*B.entry(3)));
  B.set(3, Value::integer(5));
  EXPECT_FALSE(A.entry(3)->shares(*B.entry(3)));
  EXPECT_TRUE(A.entry(7)->shares(*B.entry(7)));
  EXPECT_EQ(A.find(3)->Int->constant(), 1);
  EXPECT_EQ(B.find(3)->Int->constant(), 5);
  EXPECT_FALSE(A == B);
  B.set(3, Value::integer(1));
  EXPECT_TRUE(A == B);
  EXPECT_EQ(A.find(4), nullptr);
}

TEST(Objects, JoinHasAllOfBoth) {
  ObjectMap A, B;
  A.set(1, Value::integer(1));
  A.set(2, Value::integer(2));
  B.set(2, Value::integer(3));
  B.set(4, Value::integer(4));
  const ObjectMap J = ObjectMap::join(A, B, false);
  ASSERT_EQ(J.size(), 3u);
  EXPECT_EQ(J.find(1)->Int->constant(), 1);
  EXPECT_FALSE(J.find(2)->Int); // One or the other.
  EXPECT_EQ(J.find(4)->Int->constant(), 4);
}

TEST(Objects, ForgetAndChange) {
  ObjectMap A;
  for (unsigned I = 1; I != 10; ++I)
    A.set(I, Value::integer(I));
  const ObjectMap Was = A;
  A.forget(4, [](unsigned Id) { return Id == 6; });
  ASSERT_EQ(A.size(), 4u);
  EXPECT_TRUE(A.find(6));
  EXPECT_FALSE(A.find(5));
  A.change([](unsigned Id, const Value &) { return Id == 2; }, [](unsigned, Value &V) { V.Int.reset(); });
  EXPECT_FALSE(A.find(2)->Int);
  EXPECT_EQ(Was.find(2)->Int->constant(), 2);
  EXPECT_EQ(A.find(3)->Int->constant(), 3);
}

} // namespace
} // namespace hsched::cc
