// What is surely overwritten, and what may be read first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"

namespace hsched::cc {
namespace {

using namespace test;

struct CoverageTest : testing::Test {
  Builder T;
  unsigned y = T.param("y"), x = T.param("x");
  Poly n = T.value("n"), m = T.value("m");

  Answer overwrites(const Box &B) { return T.effects().overwrites(y, B); }
  Answer overwritesAll() { return overwrites(line(0, n)); }
  bool readFirst() { return T.effects().of(y).ReadFirst; }
  void fill() {
    T.loop(0, n, [&](Poly i) { T.write(y, i); });
  }
};

TEST_F(CoverageTest, MoreThanAsked) {
  T.loop(-1, n + 1, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, LastElementIsMissed) {
  T.loop(0, n - 1, [&](Poly i) { T.write(y, i); });
  clang::SourceLocation Where;
  EXPECT_EQ(T.effects().overwrites(y, line(0, n), &Where), Answer::No);
  EXPECT_EQ(Where, T.effects().of(y).FirstWrite);
}

TEST_F(CoverageTest, RowsBackwards) {
  // A line in every n-th place: that the rows lie one before the other makes no whole rows of it.
  T.loop(0, m, [&](Poly i) { T.write(y, n * m - n * i); });
  EXPECT_NE(overwrites(line(1, n * m)), Answer::Yes);
}

TEST_F(CoverageTest, WholeRowsBackwards) {
  T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(y, (m - 1 - i) * n + j); }); });
  EXPECT_EQ(overwrites(line(0, m * n)), Answer::Yes);
}

TEST_F(CoverageTest, LoopThatRunsWhereItsLengthIsNotNegative) {
  // For (i = n; i > -1; i--) y[0] = 0: not where n < 0.
  T.loop(0, n + 1, [&](Poly) { T.write(y, 0); });
  EXPECT_NE(overwrites(box(0)), Answer::Yes);
  T.Tree.Facts = {n};
  EXPECT_EQ(overwrites(box(0)), Answer::Yes);
}

TEST_F(CoverageTest, ProductOfNegativeSizes) {
  // [m * n] as one number: 6 elements where m is -2 and n is -3, but no loop over m runs.
  T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(y, i * n + j); }); });
  EXPECT_NE(overwrites(box(0, {{m * n, 1}})), Answer::Yes);
  EXPECT_EQ(overwrites(line(0, m * n)), Answer::Yes);
  EXPECT_TRUE(T.effects().of(y).All->Dims[0].Factored);
}

TEST_F(CoverageTest, ProductThatIsALength) {
  T.loop(0, m * n, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(overwrites(box(0, {{m * n, 1}})), Answer::Yes);
  EXPECT_FALSE(T.effects().of(y).All->Dims[0].Factored);
}

TEST_F(CoverageTest, ProductWithOneSign) {
  T.Tree.Facts = {m};
  T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(y, i * n + j); }); });
  EXPECT_EQ(overwrites(box(0, {{m * n, 1}})), Answer::Yes) << "a positive product has two signs that are alike";
}

TEST_F(CoverageTest, LengthOfWhichTheSectionIsMore) {
  // [m + 2] has an element where m is -1, and the loop over [0, 2 * m + 1) runs no time.
  T.loop(0, m * 2 + 1, [&](Poly) { T.access(y, AccessKind::Write, 0, m + 2); });
  EXPECT_NE(overwrites(line(0, m + 2)), Answer::Yes);
}

TEST_F(CoverageTest, PartsOfWhichOneMayBeEmpty) {
  Poly a = T.value("a");
  T.loop(0, a, [&](Poly i) { T.write(y, i); });
  T.loop(a, n, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(overwritesAll(), Answer::Yes); // Whatever a is.
}

TEST_F(CoverageTest, NothingIsWritten) {
  T.loop(0, n, [&](Poly i) { T.read(x, i); });
  clang::SourceLocation Where;
  EXPECT_EQ(T.effects().overwrites(y, line(0, n), &Where), Answer::No);
  EXPECT_EQ(Where, T.root(y).Loc);
}

TEST_F(CoverageTest, WhatOpaqueCodeWritesMayBeThis) {
  auto Any = T.param("", Root::Anything);
  T.anywhere(Any, AccessKind::Write);
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, ReadFirstIsShown) {
  const auto Loc = T.read(y, 0).Loc;
  fill();
  clang::SourceLocation Where;
  EXPECT_EQ(T.effects().overwrites(y, line(0, n), &Where), Answer::No);
  EXPECT_EQ(Where, Loc);
  EXPECT_TRUE(readFirst());
  EXPECT_EQ(T.effects().of(y).FirstRead, Loc);
}

TEST_F(CoverageTest, TheReadThatComesFirstIsShownAmongOthers) {
  T.Tree.Facts = {n - 1};
  fill();
  T.read(y, 0);
  const auto Loc = T.read(y, n).Loc;
  T.write(y, n);
  EXPECT_TRUE(readFirst());
  EXPECT_EQ(T.effects().of(y).FirstRead, Loc);
}

TEST_F(CoverageTest, ReadsAfterwardsAreFine) {
  fill();
  T.loop(0, n, [&](Poly i) { T.update(y, n - 1 - i); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
  EXPECT_FALSE(readFirst());
}

TEST_F(CoverageTest, ReadsOutsideAreNobodysBusiness) {
  T.loop(0, n, [&](Poly i) { T.read(y, i + n), T.write(y, i); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
  EXPECT_FALSE(readFirst());
}

TEST_F(CoverageTest, EvenAndOdd) {
  T.loop(0, n, [&](Poly i) { T.read(y, i * 2 + 1), T.write(y, i * 2); });
  EXPECT_FALSE(readFirst());
  EXPECT_EQ(overwrites(box(0, {{n, 2}})), Answer::Yes);
  EXPECT_EQ(overwrites(line(0, n * 2)), Answer::No);
}

TEST_F(CoverageTest, ReadOfTheNextElement) {
  T.loop(0, n - 1, [&](Poly i) { T.read(y, i + 1), T.write(y, i); });
  EXPECT_TRUE(readFirst());
  EXPECT_EQ(overwrites(line(0, n - 1)), Answer::No);
}

TEST_F(CoverageTest, ReadOfThePreviousElement) {
  T.write(y, 0);
  T.loop(1, n, [&](Poly i) { T.read(y, i - 1), T.write(y, i); });
  EXPECT_FALSE(readFirst());
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, ReadOfThePreviousElementFromTheFirst) {
  T.loop(0, n, [&](Poly i) { T.read(y, i - 1), T.write(y, i); });
  EXPECT_FALSE(readFirst()); // y[-1] is read, and not written.
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, RecurrenceOverTwo) {
  T.write(y, 0), T.write(y, 1);
  T.loop(2, n, [&](Poly i) { T.read(y, i - 1), T.read(y, i - 2), T.write(y, i); });
  EXPECT_FALSE(readFirst());
}

TEST_F(CoverageTest, RowsBefore) {
  T.loop(0, m, [&](Poly i) {
    T.loop(0, n, [&](Poly j) {
      T.when({i - 1}, [&] { T.read(y, (i - 1) * n + j); });
      T.write(y, i * n + j);
    });
  });
  EXPECT_FALSE(readFirst());
  EXPECT_EQ(overwrites(line(0, m * n)), Answer::Yes);
}

TEST_F(CoverageTest, WorkItemsHaveNoOrder) {
  T.parallel(n, [&](Poly i) {
    T.when({i - 1}, [&] { T.read(y, i - 1); });
    T.write(y, i);
  });
  EXPECT_TRUE(readFirst());
  EXPECT_NE(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, WorkItemReadsItsOwn) {
  T.parallel(n, [&](Poly i) { T.write(y, i), T.update(y, i); });
  EXPECT_FALSE(readFirst());
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, AnotherWorkItemsWriteIsNotBefore) {
  T.parallel(n, [&](Poly i) { T.write(y, i), T.read(y, n - 1 - i); });
  EXPECT_TRUE(readFirst());
}

TEST_F(CoverageTest, WorkItemsThatReturn) {
  T.Tree.Facts = {m - n};
  T.parallel(m, [&](Poly i) {
    T.when({i - n}, [&] { T.stop(); });
    T.write(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, TooFewWorkItems) {
  T.parallel(m, [&](Poly i) {
    T.when({i - n}, [&] { T.stop(); });
    T.write(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, WorkItemsThatReturnOnData) {
  T.parallel(n, [&](Poly i) {
    T.maybe([&] { T.stop(); });
    T.write(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, WorkItemsThatReturnFromANestedCondition) {
  T.parallel(n, [&](Poly i) {
    T.when({m}, [&] { T.when({m - 5}, [&] { T.stop(); }); });
    T.write(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::No);
  T.Tree.Facts = {Poly(4) - m};
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, WorkItemsThatReturnFromALoop) {
  T.parallel(n, [&](Poly i) {
    T.loop(0, m, [&](Poly) { T.maybe([&] { T.stop(); }); });
    T.write(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, WorkItemsThatReturnAfterwards) {
  T.parallel(n, [&](Poly i) {
    T.write(y, i);
    T.loop(0, m, [&](Poly) { T.maybe([&] { T.stop(); }); });
  });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, OneBranchOnly) {
  T.maybe([&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, BothBranches) {
  T.maybe([&] { fill(); }, [&] { T.write(y, 0, n); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, BothBranchesOfEachIteration) {
  T.loop(0, n, [&](Poly i) { T.maybe([&] { T.write(y, i); }, [&] { T.write(y, i); }); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, BranchesThatWriteDifferentThings) {
  T.loop(0, n, [&](Poly i) { T.maybe([&] { T.write(y, i); }, [&] { T.write(y, 0); }); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, HalvesByCondition) {
  T.loop(0, n, [&](Poly i) { T.when({m - i}, [&] { T.write(y, i); }, [&] { T.write(y, i); }); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, ConditionOfAValue) {
  T.when({m}, [&] { fill(); }, [&] { T.write(y, 0, n); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, TwoParts) {
  T.loop(0, m, [&](Poly i) { T.write(y, i); });
  T.loop(m, n, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, TwoPartsWithAGap) {
  T.loop(0, m, [&](Poly i) { T.write(y, i); });
  T.loop(m + 1, n, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, FrameAndInterior) {
  T.loop(0, m, [&](Poly i) { T.write(y, i * n), T.write(y, i * n + n - 1); });
  T.loop(0, n, [&](Poly j) { T.write(y, j), T.write(y, (m - 1) * n + j); });
  T.loop(1, m - 1, [&](Poly i) { T.loop(1, n - 1, [&](Poly j) { T.write(y, i * n + j); }); });
  EXPECT_EQ(overwrites(box(0, {{m, n}, {n, 1}})), Answer::Yes);
  EXPECT_EQ(overwrites(line(0, m * n)), Answer::Yes);
}

TEST_F(CoverageTest, InteriorWithoutFrame) {
  T.loop(1, m - 1, [&](Poly i) { T.loop(1, n - 1, [&](Poly j) { T.write(y, i * n + j); }); });
  EXPECT_EQ(overwrites(line(0, m * n)), Answer::No);
}

TEST_F(CoverageTest, Diagonal) {
  T.loop(0, n, [&](Poly i) { T.write(y, i * n + i); });
  EXPECT_EQ(overwrites(line(0, n * n)), Answer::No);
}

TEST_F(CoverageTest, Unrolled) {
  T.loop(0, n * 4, [&](Poly i) { T.write(y, i + 1), T.write(y, i), T.write(y, i + 3), T.write(y, i + 2); }, 4);
  EXPECT_EQ(overwrites(line(0, n * 4)), Answer::Yes);
}

TEST_F(CoverageTest, UnrolledWithAHole) {
  T.loop(0, n * 4, [&](Poly i) { T.write(y, i + 1), T.write(y, i), T.write(y, i + 3); }, 4);
  EXPECT_EQ(overwrites(line(0, n * 4)), Answer::No);
}

TEST_F(CoverageTest, EarlyReturnLeavesTheRest) {
  T.loop(0, n, [&](Poly i) {
    T.maybe([&] { T.stop(); });
    T.write(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, EarlyReturnAfterAll) {
  fill();
  T.loop(0, n, [&](Poly i) {
    T.maybe([&] { T.stop(); });
    T.update(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, ThrowsDoNotCount) {
  T.loop(0, n, [&](Poly i) {
    T.maybe([&] { T.stop(true); });
    T.write(y, i);
  });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, CallsThatAlwaysThrowMissNothing) {
  T.stop(true);
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, ThrowForBadArguments) {
  T.when({-n}, [&] { T.stop(true); });
  T.loop(0, n - 1, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(overwritesAll(), Answer::No);
}

TEST_F(CoverageTest, Breaks) {
  T.loop(0, n, [&](Poly i) { T.write(y, i); }).Breaks = true;
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, EarlierIterationsOfALoopThatBreaks) {
  T.write(y, 0);
  T.loop(1, n, [&](Poly i) { T.read(y, i - 1), T.write(y, i); }).Breaks = true;
  EXPECT_FALSE(readFirst());
}

TEST_F(CoverageTest, Maybe) {
  T.loop(0, n, [&](Poly i) { T.write(y, i).Maybe = true; });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, Guess) {
  T.write(y, 0, n).Guess = true;
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, Partial) {
  T.loop(0, n, [&](Poly i) { T.write(y, i).Partial = true; });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, UnboundedLoop) {
  T.loop(std::nullopt, std::nullopt, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, WrittenInALoopThatMayNotRun) {
  T.loop(0, m, [&](Poly) { T.write(y, 0, n); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
  T.Tree.Facts = {m - 1};
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, AnywhereWritesProveNothing) {
  T.anywhere(y, AccessKind::Write);
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
  EXPECT_FALSE(readFirst());
}

TEST_F(CoverageTest, AnywhereReads) {
  T.anywhere(y, AccessKind::Read);
  fill();
  EXPECT_TRUE(readFirst());
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(CoverageTest, AnywhereReadsAfterAll) {
  T.root(y).Count = n;
  fill();
  T.anywhere(y, AccessKind::Read);
  EXPECT_FALSE(readFirst());
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

TEST_F(CoverageTest, TileInALargerMatrix) {
  Poly lda = T.value("lda");
  T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.write(y, i * lda + j); }); });
  EXPECT_EQ(overwrites(box(0, {{m, lda}, {n, 1}})), Answer::Yes);
  EXPECT_EQ(overwrites(box(0, {{m, lda}, {n + 1, 1}})), Answer::No);
  EXPECT_EQ(overwrites(line(0, m * lda)), Answer::Unknown); // It is covered if lda is n.
}

TEST_F(CoverageTest, ColumnsFirst) {
  T.loop(0, n, [&](Poly j) { T.loop(0, m, [&](Poly i) { T.write(y, i * n + j); }); });
  EXPECT_EQ(overwrites(line(0, m * n)), Answer::Yes);
}

TEST_F(CoverageTest, BlockedInBothDirections) {
  Poly b = T.value("b");
  T.loop(0, n, [&](Poly I) {
    T.loop(0, n, [&](Poly J) {
      T.loop(0, b, [&](Poly i) { T.loop(0, b, [&](Poly j) { T.write(y, (I * b + i) * n * b + J * b + j); }); });
    });
  });
  EXPECT_EQ(overwrites(line(0, n * n * b * b)), Answer::Yes);
}

TEST_F(CoverageTest, PackedBlocks) {
  T.loop(0, n,
         [&](Poly I) { T.loop(0, 8, [&](Poly i) { T.loop(0, 8, [&](Poly j) { T.write(y, I * 64 + i * 8 + j); }); }); });
  EXPECT_EQ(overwrites(line(0, n * 64)), Answer::Yes);
  EXPECT_EQ(overwrites(line(0, n * 64 + 1)), Answer::No);
}

TEST_F(CoverageTest, UnknownSections) {
  fill();
  EXPECT_EQ(overwrites(line(0, Poly::invalid())), Answer::Unknown);
  EXPECT_EQ(T.effects().overwrites(99, line(0, n)), Answer::Unknown);
}

TEST_F(CoverageTest, EmptySectionIsOverwritten) { EXPECT_EQ(overwrites(line(0, 0)), Answer::Yes); }

struct InsideTest : CoverageTest {
  Answer inside(const Box &B) { return T.effects().inside(y, B); }
};

TEST_F(InsideTest, OnePastTheEnd) {
  clang::SourceLocation Loc, Where;
  T.loop(0, n + 1, [&](Poly i) { Loc = T.read(y, i).Loc; });
  EXPECT_EQ(T.effects().inside(y, line(0, n), &Where), Answer::No);
  EXPECT_EQ(Where, Loc);
  EXPECT_EQ(inside(line(0, n + 1)), Answer::Yes);
}

TEST_F(InsideTest, OneBefore) {
  T.loop(0, n, [&](Poly i) { T.read(y, i - 1); });
  EXPECT_EQ(inside(line(0, n)), Answer::No);
}

TEST_F(InsideTest, ReadsAndWrites) {
  T.loop(0, n, [&](Poly i) { T.read(y, i + 1), T.write(y, i); });
  const Effects E = T.effects();
  EXPECT_EQ(E.inside(y, line(0, n)), Answer::No);
  EXPECT_EQ(E.readsInside(y, line(0, n)), Answer::No);
  EXPECT_EQ(E.writesInside(y, line(0, n)), Answer::Yes);
}

TEST_F(InsideTest, AnotherSizeMayBeLess) {
  T.loop(0, m, [&](Poly i) { T.read(y, i); });
  EXPECT_EQ(inside(line(0, n)), Answer::Unknown);
}

TEST_F(InsideTest, TwiceAsMuch) {
  T.loop(0, n, [&](Poly i) { T.read(y, i * 2); });
  EXPECT_EQ(inside(line(0, n)), Answer::No);
}

TEST_F(InsideTest, AnyIncrement) {
  Poly inc = T.value("inc");
  T.loop(0, n, [&](Poly i) { T.read(y, i * inc); });
  EXPECT_EQ(inside(line(0, n)), Answer::Unknown);
}

TEST_F(InsideTest, GuardedHalo) {
  T.loop(0, n, [&](Poly i) {
    T.when({i - 1}, [&] { T.read(y, i - 1); });
    T.when({n - 2 - i}, [&] { T.read(y, i + 1); });
  });
  EXPECT_EQ(inside(line(0, n)), Answer::Yes);
}

TEST_F(InsideTest, GuardTooLate) {
  T.loop(0, n, [&](Poly i) { T.when({n - 1 - i}, [&] { T.read(y, i + 1); }); });
  EXPECT_EQ(inside(line(0, n)), Answer::No);
}

TEST_F(InsideTest, MaybeIsNoProof) {
  T.loop(0, n + 1, [&](Poly i) { T.read(y, i).Maybe = true; });
  EXPECT_EQ(inside(line(0, n)), Answer::Unknown);
}

TEST_F(InsideTest, NorIsABreak) {
  T.loop(0, n + 1, [&](Poly i) { T.read(y, i); }).Breaks = true;
  EXPECT_EQ(inside(line(0, n)), Answer::Unknown);
}

TEST_F(InsideTest, NorWhatComesAfterAReturn) {
  T.maybe([&] { T.stop(); });
  T.read(y, n);
  EXPECT_EQ(inside(line(0, n)), Answer::Unknown);
}

TEST_F(InsideTest, NorAConditionOnData) {
  T.maybe([&] { T.read(y, n); });
  EXPECT_EQ(inside(line(0, n)), Answer::Unknown);
}

TEST_F(InsideTest, ConditionsThatNeverHold) {
  T.when({n - 10, Poly(5) - n}, [&] { T.read(y, n); });
  EXPECT_NE(inside(line(0, n)), Answer::No);
}

TEST_F(InsideTest, Rows) {
  Poly lda = T.value("lda");
  T.loop(0, m, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.read(y, i * lda + j); }); });
  EXPECT_EQ(inside(box(0, {{m, lda}, {n, 1}})), Answer::Yes);
  EXPECT_EQ(inside(box(0, {{m + 1, lda}, {n + 3, 1}})), Answer::Yes);
  EXPECT_EQ(inside(line(0, m * lda)), Answer::Unknown); // Not where lda is less than n.
  T.Tree.Facts = {lda - n};
  EXPECT_EQ(inside(line(0, m * lda)), Answer::Yes);
}

TEST_F(InsideTest, OneRowTooMany) {
  T.loop(0, m + 1, [&](Poly i) { T.loop(0, n, [&](Poly j) { T.read(y, i * n + j); }); });
  EXPECT_EQ(inside(line(0, m * n)), Answer::No);
}

TEST_F(InsideTest, WholeObject) {
  T.root(y).Count = n;
  T.anywhere(y, AccessKind::Read);
  EXPECT_EQ(inside(line(0, n)), Answer::Yes);
  EXPECT_EQ(inside(line(0, n + 1)), Answer::Yes);
  EXPECT_EQ(inside(line(0, n - 1)), Answer::Unknown);
}

TEST_F(InsideTest, Anywhere) {
  T.anywhere(y, AccessKind::Read);
  EXPECT_EQ(inside(line(0, n)), Answer::Unknown);
}

TEST_F(InsideTest, NothingIsInsideAnything) {
  EXPECT_EQ(inside(line(0, n)), Answer::Yes);
  EXPECT_EQ(inside(line(0, 0)), Answer::Yes);
}

} // namespace
} // namespace hsched::cc
