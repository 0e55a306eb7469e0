// Boxes: what bounds counters, what is a hull, what there is no box for and what is said then.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"

namespace hsched::cc {
namespace {

using namespace test;

struct BoxTest : testing::Test {
  Builder T;
  unsigned x = T.param("x");
  Poly n = T.value("n"), m = T.value("m");

  void expectAll(const Box &B, const std::vector<Poly> &Assumed = {}) {
    const Effects E = T.effects();
    EXPECT_BOX(T, E.of(x).All, std::optional(B));
    EXPECT_EQ(E.of(x).Assumed, Assumed);
    EXPECT_EQ(E.of(x).Why, "");
  }
  void expectNone(const std::string &Why) {
    const Effects E = T.effects();
    EXPECT_BOX(T, E.of(x).All, std::optional<Box>());
    EXPECT_EQ(E.of(x).Why, Why);
    EXPECT_TRUE(E.of(x).WhyLoc.isValid());
  }
};

TEST_F(BoxTest, OneElement) {
  T.read(x, 3);
  expectAll(box(3));
}

TEST_F(BoxTest, NothingAccessed) {
  const Effects E = T.effects();
  EXPECT_FALSE(E.of(x).All);
  EXPECT_FALSE(E.of(x).Read);
  EXPECT_FALSE(E.of(x).Written);
  EXPECT_EQ(E.of(x).Why, "");
}

TEST_F(BoxTest, ReadsAndWritesApart) {
  T.loop(0, n, [&](Poly i) { T.read(x, i), T.write(x, i + n); });
  const Effects E = T.effects();
  EXPECT_BOX(T, E.of(x).Reads, std::optional(line(0, n)));
  EXPECT_BOX(T, E.of(x).Writes, std::optional(line(n, n)));
  EXPECT_BOX(T, E.of(x).All, std::optional(line(0, n * 2)));
}

TEST_F(BoxTest, OnlyReads) {
  T.loop(0, n, [&](Poly i) { T.read(x, i); });
  const Effects E = T.effects();
  EXPECT_BOX(T, E.of(x).Reads, std::optional(line(0, n)));
  EXPECT_FALSE(E.of(x).Writes);
  EXPECT_EQ(E.of(x).Why, "");
}

TEST_F(BoxTest, OffsetLoop) {
  T.loop(m, n, [&](Poly i) { T.read(x, i); });
  expectAll(line(m, n - m));
}

TEST_F(BoxTest, CountOfAnAccess) {
  T.read(x, 2, n);
  expectAll(line(2, n));
}

TEST_F(BoxTest, CountThatDependsOnACounter) {
  T.loop(0, n, [&](Poly i) { T.read(x, 0, i + 1); });
  expectAll(line(0, n));
}

TEST_F(BoxTest, NoElementsAreNoAccess) {
  T.read(x, 5, 0);
  T.read(x, 0);
  expectAll(box(0));
}

TEST_F(BoxTest, LoopThatNeverRunsIsNone) {
  T.read(x, 0);
  T.loop(5, 5, [&](Poly i) { T.read(x, i * 100); });
  expectAll(box(0));
}

TEST_F(BoxTest, ConstantConditions) {
  T.when({Poly(-1)}, [&] { T.read(x, 9); }, [&] { T.read(x, 1); });
  T.when({Poly(0)}, [&] { T.read(x, 2); }, [&] { T.read(x, 9); });
  expectAll(line(1, 2));
}

TEST_F(BoxTest, GuardBoundsFromAbove) {
  T.loop(0, n, [&](Poly i) { T.when({m - 1 - i}, [&] { T.read(x, i); }); });
  expectAll(line(0, m));
}

TEST_F(BoxTest, GuardBoundsFromBelow) {
  T.loop(0, n, [&](Poly i) { T.when({i - 2}, [&] { T.read(x, i - 2); }); });
  expectAll(line(0, n - 2));
}

TEST_F(BoxTest, ElseBranchHasTheOpposite) {
  T.loop(0, n, [&](Poly i) { T.when({i - m}, [&] {}, [&] { T.read(x, i); }); });
  expectAll(line(0, m));
}

TEST_F(BoxTest, ElseOfAnInexactConditionHasNot) {
  T.loop(0, n, [&](Poly i) { T.when({i - m}, [&] {}, [&] { T.read(x, i); }, false); });
  expectAll(line(0, n));
}

TEST_F(BoxTest, InexactConditionHoldsAllTheSame) {
  T.loop(0, n, [&](Poly i) { T.when({m - 1 - i}, [&] { T.read(x, i); }, false); });
  expectAll(line(0, m));
}

TEST_F(BoxTest, GuardBoundsALoopWithoutBounds) {
  T.loop(std::nullopt, std::nullopt, [&](Poly i) { T.when({i, n - 1 - i}, [&] { T.read(x, i); }); });
  expectAll(line(0, n));
}

TEST_F(BoxTest, RestAfterAReturnIsGuarded) {
  T.parallel(m, [&](Poly i) {
    T.when({i - n}, [&] { T.stop(); });
    T.read(x, i);
  });
  expectAll(line(0, n));
}

TEST_F(BoxTest, RestAfterAnElseThatReturnsIsGuarded) {
  // if (i < n && c) ...; else return;
  T.parallel(m, [&](Poly i) {
    T.when({n - 1 - i}, [&] {}, [&] { T.stop(); }, false);
    T.read(x, i);
  });
  expectAll(line(0, n));
}

TEST_F(BoxTest, NestedGuardOfTwoCounters) {
  T.loop(0, n, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.when({i - j}, [&] { T.read(x, i + j); }); }); });
  expectAll(line(0, n * 2 - 1));
}

TEST_F(BoxTest, TriangularTile) {
  Poly lda = T.natural("lda");
  T.loop(0, n, [&](Poly i) { T.loop(i, n, [&](Poly j) { T.read(x, i * lda + j); }); });
  expectAll(box(0, {{n, lda}, {n, 1}}));
}

TEST_F(BoxTest, ThreeDimensionsWithPitches) {
  Poly slice = T.value("slice"), pitch = T.value("pitch"), d = T.value("d");
  T.loop(0, d, [&](Poly k) {
    T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.read(x, k * slice + i * pitch + j); }); });
  });
  const Effects E = T.effects();
  ASSERT_TRUE(E.of(x).All);
  EXPECT_EQ(E.of(x).All->Dims.size(), 3u);
  EXPECT_EQ(E.inside(x, *E.of(x).All), Answer::Yes);
}

TEST_F(BoxTest, OverlappingWindows) {
  T.loop(0, n, [&](Poly i) { T.loop(0, 3, [&](Poly k) { T.read(x, i * 2 + k); }); });
  expectAll(line(0, n * 2 + 1));
}

TEST_F(BoxTest, WindowsWithGaps) {
  T.loop(0, n, [&](Poly i) { T.loop(0, 2, [&](Poly k) { T.read(x, i * 4 + k); }); });
  expectAll(box(0, {{n, 4}, {2, 1}}));
}

TEST_F(BoxTest, EveryOtherOfADownwardSubscript) {
  T.loop(0, n, [&](Poly i) { T.read(x, n * 2 - 2 - i * 2); });
  expectAll(box(0, {{n, 2}}));
}

TEST_F(BoxTest, StepThatDividesAConstantLength) {
  T.loop(0, 10, [&](Poly i) { T.read(x, i); }, 4); // 0, 4, 8
  expectAll(box(0, {{3, 4}}));
}

TEST_F(BoxTest, StepsUnrolledBelowTheBound) {
  // For (i = 0; i + 3 < n; i += 4) x[i] .. x[i + 3].
  T.loop(0, n - 3, [&](Poly i) { T.read(x, i), T.read(x, i + 1), T.read(x, i + 2), T.read(x, i + 3); }, 4);
  expectAll(line(0, n));
}

TEST_F(BoxTest, StepsThatMightPassTheBound) {
  T.loop(0, n, [&](Poly i) { T.read(x, i), T.read(x, i + 3); }, 4);
  const Effects E = T.effects();
  EXPECT_EQ(print(T.Tree, E.of(x).All), "0 + [4 * ((n + 3) / 4)]*1");
  EXPECT_TRUE(E.of(x).Assumed.empty());
}

TEST_F(BoxTest, StepsThatMightPassTheBeginning) {
  T.loop(0, n, [&](Poly i) { T.read(x, n - 1 - i), T.read(x, n - 2 - i); }, 2);
  const Effects E = T.effects();
  EXPECT_EQ(print(T.Tree, E.of(x).All), "n - 2 * ((n + 1) / 2) + [2 * ((n + 1) / 2)]*1");
  EXPECT_TRUE(E.of(x).Assumed.empty());
}

TEST_F(BoxTest, Sentinel) {
  T.loop(0, n, [&](Poly i) { T.read(x, i); });
  T.read(x, n);
  expectAll(line(0, n + 1), {n});
}

TEST_F(BoxTest, SentinelAfterAMatrix) {
  T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.read(x, i * n + j); }); });
  T.read(x, m * n);
  expectAll(line(0, m * n + 1), {m * n});
}

TEST_F(BoxTest, SeveralLoops) {
  T.loop(0, n, [&](Poly i) { T.read(x, i); });
  T.loop(1, n - 1, [&](Poly i) { T.read(x, i); });
  T.loop(0, n + 2, [&](Poly i) { T.read(x, i - 1); });
  expectAll(line(-1, n + 2));
}

// Neither end is assumed: if n is 0 the first element is still accessed.
TEST_F(BoxTest, FirstElementIsThereWhateverTheLoopDoes) {
  T.write(x, 0);
  T.loop(1, n, [&](Poly i) { T.write(x, i); });
  const Effects E = T.effects();
  EXPECT_EQ(print(T.Tree, E.of(x).All), "0 + [(n > 1 ? n : 1)]*1");
  EXPECT_TRUE(E.of(x).Assumed.empty());
  EXPECT_EQ(E.overwrites(x, *E.of(x).All), Answer::Yes);
  EXPECT_EQ(E.overwrites(x, line(0, n)), Answer::Yes);
  EXPECT_EQ(E.inside(x, *E.of(x).All), Answer::Yes);
}

TEST_F(BoxTest, LowerEndOfALoopThatMayNotRun) {
  T.write(x, n - 1);
  T.loop(m, n, [&](Poly i) { T.write(x, i); });
  const Effects E = T.effects();
  EXPECT_EQ(print(T.Tree, E.of(x).All), "(m < (n - 1) ? m : (n - 1)) + [n - (m < (n - 1) ? m : (n - 1))]*1");
  EXPECT_TRUE(E.of(x).Assumed.empty());
  EXPECT_EQ(E.overwrites(x, *E.of(x).All), Answer::Yes);
}

TEST_F(BoxTest, GreatestOfThree) {
  const Poly k = T.value("k");
  T.loop(0, n, [&](Poly i) { T.write(x, i); });
  T.loop(n, m, [&](Poly i) { T.write(x, i); });
  T.loop(m, k, [&](Poly i) { T.write(x, i); });
  const Effects E = T.effects();
  EXPECT_EQ(print(T.Tree, E.of(x).All), "0 + [((k > n ? k : n) > m ? (k > n ? k : n) : m)]*1");
  EXPECT_EQ(E.overwrites(x, *E.of(x).All), Answer::Yes);
}

// An access that is always made is inside of memory: that says of its subscript what a loop that runs would.
TEST_F(BoxTest, BothEndsOfAStencil) {
  T.write(x, 0);
  T.write(x, n - 1);
  T.loop(1, n - 1, [&](Poly i) { T.write(x, i); });
  expectAll(line(0, n), {n - 1});
}

// Rows of ten: the left neighbour of column 0 is in column -1, not in column 9 of the row above.
TEST_F(BoxTest, StencilInShortRows) {
  T.loop(1, n, [&](Poly i) { T.loop(1, m, [&](Poly j) { T.read(x, i * 10 + j - 1), T.read(x, i * 10 + j + 1); }); });
  expectAll(box(10, {{n - 1, 10}, {m + 1, 1}}));
}

TEST_F(BoxTest, StencilInShortRowsOfThreeDimensions) {
  T.loop(1, n - 1, [&](Poly i) {
    T.loop(1, n - 1, [&](Poly j) {
      T.loop(1, n - 1, [&](Poly k) {
        for (int Stride : {100, 10, 1})
          T.read(x, i * 100 + j * 10 + k - Stride), T.read(x, i * 100 + j * 10 + k + Stride);
      });
    });
  });
  expectAll(box(0, {{n, 100}, {n, 10}, {n, 1}}));
}

TEST_F(BoxTest, ChannelsOfPixels) {
  T.loop(0, n, [&](Poly i) {
    for (int Channel : {0, 1, 2})
      T.read(x, i * 3 + Channel);
  });
  expectAll(line(0, n * 3));
}

// That [0, m) is a loop says nothing of m where that loop is not entered.
TEST_F(BoxTest, AssumptionsOnLengthsAreReported) {
  T.loop(m, n, [&](Poly i) { T.update(x, i); });
  T.loop(0, m, [&](Poly i) { T.update(x, i); });
  const Effects E = T.effects();
  EXPECT_EQ(print(T.Tree, E.of(x).All), "0 + [(n > m ? n : m)]*1");
  EXPECT_EQ(E.of(x).Assumed, std::vector<Poly>{m});
}

TEST_F(BoxTest, LengthsOfLoopsThatAreEnteredAreNotSupposed) {
  const Poly k = T.value("k");
  T.loop(0, m, [&](Poly i) {
    T.loop(0, n, [&](Poly j) { T.loop(0, k, [&](Poly l) { T.update(x, (i * n + j) * k + l); }); });
  });
  expectAll(line(0, m * n * k));
}

TEST_F(BoxTest, SignOfAStrideThatAnotherLoopHasAsLength) {
  T.loop(0, n, [&](Poly i) { T.read(x, i * m); });
  const unsigned y = T.param("y");
  T.loop(0, m, [&](Poly i) { T.read(y, i); });
  expectAll(box(0, {{n, m}}), {m});
}

TEST_F(BoxTest, IncomparableEnds) {
  T.loop(0, n, [&](Poly i) { T.read(x, i); });
  T.loop(0, m, [&](Poly i) { T.read(x, i); });
  expectNone("of 'n - 1' and 'm - 1' it is not known which is greater");
}

TEST_F(BoxTest, FactsCompareEnds) {
  T.Tree.Facts = {n - m};
  T.loop(0, n, [&](Poly i) { T.read(x, i); });
  T.loop(0, m, [&](Poly i) { T.read(x, i); });
  expectAll(line(0, n));
}

TEST_F(BoxTest, IncomparableGuards) {
  Poly k = T.value("k");
  T.loop(0, n, [&](Poly i) { T.when({m - 1 - i, k - 1 - i}, [&] { T.read(x, i); }); });
  expectNone("of 'm - 1' and 'k - 1' it is not known which is less");
}

TEST_F(BoxTest, NotAffine) {
  T.loop(0, n, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.read(x, i * j); }); });
  expectNone("subscript 'i2 * i3' is not affine");
}

TEST_F(BoxTest, Square) {
  T.loop(0, n, [&](Poly i) { T.read(x, i * i); });
  expectNone("subscript 'i2 * i2' is not affine");
}

TEST_F(BoxTest, Anywhere) {
  T.read(x, 0);
  T.anywhere(x, AccessKind::Read, "subscript 'idx[i]' is not affine");
  expectNone("subscript 'idx[i]' is not affine");
}

TEST_F(BoxTest, AnywhereInAnObjectIsAllOfIt) {
  T.root(x).Count = n;
  T.anywhere(x, AccessKind::Read);
  expectAll(line(0, n));
}

TEST_F(BoxTest, PartOfAnObject) {
  T.root(x).Count = n;
  T.loop(1, n, [&](Poly i) { T.read(x, i); });
  expectAll(line(1, n - 1));
}

TEST_F(BoxTest, UnknownSubscript) {
  Poly u = T.unknown("u");
  T.read(x, u + 1);
  expectNone("subscript 'u + 1' is not known before the call");
}

TEST_F(BoxTest, UnknownValuesAreNotBoundByGuards) {
  Poly u = T.unknown("u");
  T.when({u, n - 1 - u}, [&] { T.read(x, u); });
  expectNone("subscript 'u' is not known before the call");
}

TEST_F(BoxTest, LoopWithoutBounds) {
  T.loop(std::nullopt, std::nullopt, [&](Poly i) { T.read(x, i); });
  expectNone("how far subscript 'i2' goes is not known");
}

TEST_F(BoxTest, LoopWithUnknownEnd) {
  Poly u = T.unknown("u");
  T.loop(0, u, [&](Poly i) { T.read(x, i); });
  expectNone("how far subscript 'i3' goes is not known");
}

TEST_F(BoxTest, CounterOutsideItsLoop) {
  Poly After;
  T.loop(0, n, [&](Poly i) { After = i; });
  T.read(x, After);
  expectNone("subscript 'i2' is not known before the call");
}

TEST_F(BoxTest, StrideOfUnknownSignMeetsNothingElse) {
  Poly inc = T.value("inc");
  T.loop(0, n, [&](Poly i) { T.read(x, i * inc); });
  T.loop(0, n, [&](Poly i) { T.read(x, i * inc + 1); });
  const Effects E = T.effects();
  ASSERT_TRUE(E.of(x).All);
  EXPECT_EQ(print(T.Tree, E.of(x).All), "0 + [n]*inc + [2]*1");
  EXPECT_EQ(E.inside(x, *E.of(x).All), Answer::Yes);
}

TEST_F(BoxTest, DeadCodeAfterAReturn) {
  T.read(x, 1);
  T.stop();
  T.write(x, 7);
  const Effects E = T.effects();
  EXPECT_BOX(T, E.of(x).All, std::optional(box(1)));
  EXPECT_FALSE(E.of(x).Written);
}

TEST_F(BoxTest, MaybesCount) {
  T.read(x, 0).Maybe = true;
  T.read(x, 1).Guess = true;
  expectAll(line(0, 2));
}

TEST_F(BoxTest, ManyAccesses) {
  for (int I = 0; I != 90; ++I)
    T.read(x, n + I);
  expectAll(line(n, 90));
}

TEST_F(BoxTest, TooManyAccesses) {
  for (int I = 0; I != 200; ++I)
    T.read(x, n + I * I);
  expectNone("there are too many accesses");
}

TEST_F(BoxTest, DeepTreesEnd) {
  std::function<void(int)> Nest = [&](int Depth) {
    if (Depth == 0)
      T.write(x, 0);
    else
      T.when({n - Depth}, [&] { Nest(Depth - 1); });
  };
  Nest(190);
  const Effects E = T.effects();
  EXPECT_TRUE(E.of(x).Written);
  EXPECT_BOX(T, E.of(x).All, std::optional(box(0)));
}

TEST_F(BoxTest, TreesThatAreTooLargeHaveRolesAlone) {
  for (int I = 0; I != 30000; ++I)
    T.read(x, I);
  T.write(x, 0);
  const Effects E = T.effects();
  EXPECT_TRUE(E.of(x).Read && E.of(x).Written && E.of(x).ReadFirst);
  EXPECT_FALSE(E.of(x).All);
  EXPECT_EQ(E.of(x).Why, "there is too much to analyse");
  EXPECT_EQ(E.overwrites(x, line(0, n)), Answer::Unknown);
  EXPECT_EQ(E.inside(x, line(0, n)), Answer::Unknown);
}

// Questions that are hard, and many of them: what is not proved soon is not proved.
TEST_F(BoxTest, WorkIsBounded) {
  for (int I = 0; I != 60; ++I)
    T.loop(0, n + I, [&](const Poly &i) {
      T.loop(i * I, n * m + I, [&](const Poly &j) {
        T.when({n * m - i * j - I}, [&] {
          T.read(x, i * n + j * (I % 7 + 1));
          T.write(x, i * m + j * n + I);
        });
      });
    });
  const Effects E = T.effects();
  const unsigned ForTree = E.work();
  EXPECT_TRUE(E.of(x).Read && E.of(x).Written && E.of(x).ReadFirst);
  EXPECT_LE(ForTree, 21000u); // All that there is, and what one question may take over it.
  E.overwrites(x, line(0, n));
  E.inside(x, line(0, n));
  EXPECT_LE(E.work(), 22000u);
}

TEST_F(BoxTest, PlacesAreThoseOfTheFirst) {
  const auto Read = T.read(x, 0).Loc, Write = T.write(x, 1).Loc;
  T.read(x, 2), T.write(x, 3);
  const Effects E = T.effects();
  EXPECT_EQ(E.of(x).FirstRead, Read);
  EXPECT_EQ(E.of(x).FirstWrite, Write);
}

TEST_F(BoxTest, OverflowIsNoBox) {
  T.loop(0, n, [&](Poly i) { T.read(x, i * INT64_MAX + INT64_MAX); });
  T.loop(0, n, [&](Poly i) { T.read(x, i * INT64_MAX - INT64_MAX); });
  const Effects E = T.effects(); // Whatever it says, it comes back.
  EXPECT_TRUE(E.of(x).Read);
  EXPECT_NE(E.inside(x, line(0, n)), Answer::Yes);
}

} // namespace
} // namespace hsched::cc
