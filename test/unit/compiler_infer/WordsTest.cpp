// Clause expressions as polynomials, and boxes as sections.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Words.h"

#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

struct WordsTest : testing::Test {
  AccessTree Tree;
  Words W{Tree, [](llvm::StringRef Name) { return Name == "TILE" ? std::optional<std::int64_t>(16) : std::nullopt; },
          [](llvm::StringRef Name) { return Name == "count" ? "n" : Name.str(); }};

  std::string read(llvm::StringRef Text) {
    std::optional<Poly> P = W.poly(Text);
    return P ? Tree.spelling(*P) : "nothing";
  }
  Poly p(llvm::StringRef Text) { return *W.poly(Text); }
  std::string section(const Box &B, bool &Exact, std::int64_t PerElement = 1) {
    std::optional<Section> S = sectionOf(B, "p", PerElement, [this](const Poly &P) { return Tree.spelling(P); }, Exact);
    return S ? S->Text : "nothing";
  }
};

TEST_F(WordsTest, SumsAndProducts) {
  EXPECT_EQ(read("n"), "n");
  EXPECT_EQ(read("m * n + 2*n - 1"), "n * m + 2 * n - 1");
  EXPECT_EQ(read("(n + 1) * (n - 1)"), "n * n - 1");
  EXPECT_EQ(read("-(n - m)"), "m - n");
  EXPECT_EQ(read("2 * 3 + 4"), "10");
  EXPECT_EQ(p("n + n"), p("2 * n"));
}

TEST_F(WordsTest, NumbersInEverySpelling) {
  EXPECT_EQ(read("0x10u"), "16");
  EXPECT_EQ(read("1'000ull"), "1000");
  EXPECT_EQ(read("17 / 4 + 17 % 4"), "5");
  EXPECT_EQ(read("0xFULL"), "15");
  EXPECT_EQ(read("1.5"), "nothing");
}

TEST_F(WordsTest, CastsOfIntegersDoNotMatter) {
  EXPECT_EQ(p("(size_t)n * 2"), p("2 * n"));
  EXPECT_EQ(p("static_cast<std::size_t>(n + 1)"), p("n + 1"));
  EXPECT_EQ(p("(unsigned long)(n)"), p("n"));
}

TEST_F(WordsTest, OpaqueOperandsAreOneSymbolHoweverTheyAreSpaced) {
  const Poly Half = p("n / 2"); // It is spelled as it was first.
  EXPECT_EQ(Half, p("n/2"));
  EXPECT_NE(p("n / 2"), p("n / 3"));
  EXPECT_EQ(p("v.size() - 1"), p("v.size( ) - 1"));
  EXPECT_EQ(p("f(n, m)"), p("f(n,m)"));
  EXPECT_EQ(read("s->n + a[3]"), "s->n + a[3]");
  EXPECT_EQ(read("2 * (n/2)"), "2 * (n / 2)");
  EXPECT_EQ(read("(n % 4) + s->n / 2"), "(n % 4) + (s->n / 2)");
  EXPECT_EQ(p("(n < m ? n : m)"), p("( n<m ? n:m )"));
  EXPECT_EQ(read("2 * (count < 4 ? count : 4) + 1"), "2 * (n < 4 ? n : 4) + 1");
  EXPECT_EQ(read("(4 < count ? 4:count)"), "(4 < n ? 4:n)") << "a colon alone qualifies nothing";
}

TEST_F(WordsTest, ConstantsAndNamesOfTheBody) {
  EXPECT_EQ(read("TILE * TILE"), "256");
  EXPECT_EQ(read("count + 1"), "n + 1");
  EXPECT_EQ(read("count / 2"), "(n / 2)");
  EXPECT_EQ(read("s.count"), "s.count") << "a member is no parameter";
}

TEST_F(WordsTest, WhatIsNoExpressionOfIntegersIsNothing) {
  for (const char *Text : {"", "n +", "\"n\"", "[] { return 1; }()", "n = 2", "n ? 1 : 2", "(n", "n)", "n << 2",
                           "n && m", "{1}", "n++", "9999999999999999999999"})
    EXPECT_EQ(read(Text), "nothing") << Text;
}

TEST_F(WordsTest, ContiguousBoxes) {
  bool Exact = false;
  EXPECT_EQ(section({0, {{p("n"), 1}}}, Exact), "[n]p");
  EXPECT_TRUE(Exact);
  EXPECT_EQ(section({p("i * b"), {{p("b"), 1}}}, Exact), "p[i * b:b]");
  EXPECT_EQ(section({0, {}}, Exact), "*p");
  EXPECT_EQ(section({p("k"), {}}, Exact), "p[k:1]");
  EXPECT_EQ(section({-1, {{p("n + 2"), 1}}}, Exact), "p[-1:n + 2]");
  EXPECT_TRUE(Exact);
}

TEST_F(WordsTest, StridedBoxesAreCovered) {
  bool Exact = true;
  EXPECT_EQ(section({0, {{p("n"), 2}}}, Exact), "[2 * n - 1]p");
  EXPECT_FALSE(Exact);
}

TEST_F(WordsTest, RowsOfAMatrixAreTiles) {
  bool Exact = false;
  EXPECT_EQ(section({p("r * lda + c"), {{p("m"), p("lda")}, {p("k"), 1}}}, Exact), "([r + m][lda]p)[r:m][c:k]");
  EXPECT_TRUE(Exact);
  EXPECT_EQ(section({0, {{p("m"), 100}, {10, 1}}}, Exact), "([m][100]p)[0:m][0:10]");
  // A stride that is a sum: one range that covers it.
  EXPECT_EQ(section({0, {{2, p("lda + 1")}, {10, 1}}}, Exact), "[lda + 11]p");
  EXPECT_FALSE(Exact);
}

TEST_F(WordsTest, ElementsThatAreArrays) {
  bool Exact = false;
  EXPECT_EQ(section({0, {{p("8 * n"), 1}}}, Exact, 8), "[n]p");
  EXPECT_EQ(section({p("8"), {{p("8 * n"), 1}}}, Exact, 8), "p[1:n]");
  EXPECT_TRUE(Exact);
  EXPECT_EQ(section({0, {{p("n"), 1}}}, Exact, 8), "nothing");
}

TEST_F(WordsTest, ArraysTouchedInPartAreNamedWhole) {
  bool Exact = true;
  EXPECT_EQ(section({1, {{p("8 * n - 2"), 1}}}, Exact, 8), "[n]p");
  EXPECT_FALSE(Exact);
  EXPECT_EQ(section({9, {{p("n - 2"), 8}, {6, 1}}}, Exact, 8), "p[1:n - 2]");
  EXPECT_FALSE(Exact);
  EXPECT_EQ(section({p("8 * k + 2"), {}}, Exact, 8), "p[k:1]");
  EXPECT_FALSE(Exact);
  EXPECT_EQ(section({-1, {{2, 1}}}, Exact, 8), "p[-1:2]");
  EXPECT_FALSE(Exact);
  EXPECT_EQ(section({0, {{3, 1}}}, Exact, 8), "*p");
  EXPECT_FALSE(Exact);
  EXPECT_EQ(section({0, {{p("8 * n - 1"), 1}}}, Exact, 8), "[n]p");
  EXPECT_FALSE(Exact);
  EXPECT_EQ(section({p("8 * k"), {{8, 1}}}, Exact, 8), "p[k:1]");
  EXPECT_TRUE(Exact);
}

} // namespace
