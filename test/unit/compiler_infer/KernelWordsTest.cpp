// A kernel's tree, said in the words of the function that is that kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/KernelWords.h"

#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

Expr expr(const char *Text) {
  Expr E;
  E.Text = Text;
  return E;
}

// kernel(global float *y, int n): if (get_global_id(0) < n) y[get_global_id(0)] = 0
struct KernelWordsTest : testing::Test {
  KernelInfo Kernel;
  KernelCode Code;
  std::vector<HostParam> Params = {{"count", "int", 4, false, false}, {"out", "float", 4, false, false}};

  KernelWordsTest() {
    Kernel.Params.resize(2);
    Kernel.Params[0].Name = "y";
    Kernel.Params[1].Name = "n";
    auto Tree = std::make_shared<AccessTree>();
    Tree->Symbols = {
        {Symbol::Loop, "i", true}, {Symbol::Value, "get_global_size(0)", true}, {Symbol::Value, "n", false}};
    Root Y;
    Y.K = Root::Param;
    Y.Name = "y";
    Y.ElementBytes = 4;
    Tree->Roots = {Y};
    Node Leaf, If, Loop;
    Leaf.K = Node::Leaf;
    Leaf.A.K = AccessKind::Write;
    Leaf.A.Low = Poly::symbol(0);
    If.K = Node::If;
    If.When = {Poly::symbol(2) - Poly::symbol(0) - 1};
    If.Children = {Leaf};
    Loop.K = Node::Loop;
    Loop.Low = 0;
    Loop.High = Poly::symbol(1);
    Loop.Parallel = true;
    Loop.Children = {If};
    Tree->Body = Loop;
    Kernel.Tree = Tree;
    Code.Args = {{KernelArgCode::Kind::Buffer, 1, "out", "", "float"},
                 {KernelArgCode::Kind::Value, 0, "count", "", "int"}};
    Code.Global = {expr("count")};
  }
};

TEST_F(KernelWordsTest, ParametersAndGeometryBecomeTheHosts) {
  AccessTree T = inWordsOfHost(Kernel, Code, Params);
  EXPECT_EQ(T.spelling(*T.Body.High), "count");
  EXPECT_EQ(T.spelling(T.Body.Children[0].When[0]), "count - i - 1");
  EXPECT_EQ(T.Roots[0].Name, "out");
  EXPECT_EQ(T.Roots[0].Index, 1u);
}

TEST_F(KernelWordsTest, LocalSizesRoundUp) {
  Code.Local = {expr("64")};
  AccessTree T = inWordsOfHost(Kernel, Code, Params);
  std::optional<std::pair<Poly, Poly>> Split;
  for (SymbolId S : T.Body.High->symbols())
    if (T.Symbols[S].Spelling.find('?') != std::string::npos) {
      EXPECT_TRUE(T.Symbols[S].NonNegative);
      Split = T.Body.High->linearIn(S);
    }
  ASSERT_TRUE(Split);
  EXPECT_EQ(Split->first, Poly(1));
  EXPECT_EQ(T.spelling(Split->second), "count");
}

TEST_F(KernelWordsTest, ExpressionsAsArguments) {
  Code.Args[1] = {KernelArgCode::Kind::Computed, -1, "2 * count + 1", "int", "int"};
  Code.Args[0].Text = "out + count";
  AccessTree T = inWordsOfHost(Kernel, Code, Params);
  EXPECT_EQ(T.spelling(T.Body.Children[0].When[0]), "2 * count - i");
  EXPECT_EQ(T.spelling(*T.Body.Children[0].Children[0].A.Low), "i + count");
}

TEST_F(KernelWordsTest, VectorsOverPlainElements) {
  Code.Args[0].Text = "out";
  auto Tree = std::make_shared<AccessTree>(*Kernel.Tree);
  Tree->Roots[0].ElementBytes = 16;
  Kernel.Tree = Tree;
  AccessTree T = inWordsOfHost(Kernel, Code, Params);
  const Access &A = T.Body.Children[0].Children[0].A;
  EXPECT_EQ(T.spelling(*A.Low), "4 * i");
  EXPECT_EQ(A.Count, Poly(4));
  EXPECT_EQ(T.Roots[0].ElementBytes, 4u);
}

TEST_F(KernelWordsTest, ElementsThatDoNotFitLeadAnywhere) {
  auto Tree = std::make_shared<AccessTree>(*Kernel.Tree);
  Tree->Roots[0].ElementBytes = 2;
  Kernel.Tree = Tree;
  AccessTree T = inWordsOfHost(Kernel, Code, Params);
  const Access &A = T.Body.Children[0].Children[0].A;
  EXPECT_FALSE(A.Low);
  EXPECT_EQ(A.Why, "the kernel's elements are not those of the host's parameter");
}

TEST_F(KernelWordsTest, AHostNameLikeAKernelsMeansTheHosts) {
  // The host calls another number n.
  Params.push_back({"n", "int", 4, false, false});
  Code.Global = {expr("n")};
  AccessTree T = inWordsOfHost(Kernel, Code, Params);
  EXPECT_EQ(T.spelling(*T.Body.High), "n");
  EXPECT_EQ(T.spelling(T.Body.Children[0].When[0]), "count - i - 1");
}

} // namespace
