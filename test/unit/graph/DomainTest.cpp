// Which accesses depend on which.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestTasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

using Ids = std::vector<TaskId>;

TEST(Domain, ReadersComeAfterTheLastWriterAndNotAfterEachOther) {
  Program P;
  EXPECT_TRUE(P.submit({out(100, 10)}));
  EXPECT_FALSE(P.submit({in(100, 10)}));
  EXPECT_FALSE(P.submit({in(105, 5)}));
  EXPECT_EQ(P.finish(0), (Ids{2, 3}));
}

TEST(Domain, AWriterComesAfterTheReadersSince) {
  Program P;
  EXPECT_TRUE(P.submit({in(100, 10)}));
  EXPECT_TRUE(P.submit({in(100, 10)}));
  EXPECT_FALSE(P.submit({out(100, 10)}));
  EXPECT_EQ(P.finish(0), Ids{});
  EXPECT_EQ(P.finish(1), Ids{3});
}

TEST(Domain, AWriterComesAfterTheLastWriter) {
  Program P;
  EXPECT_TRUE(P.submit({out(100, 10)}));
  EXPECT_FALSE(P.submit({out(100, 10)}));
  EXPECT_FALSE(P.submit({inout(100, 10)}));
  EXPECT_EQ(P.finish(0), Ids{2});
  EXPECT_EQ(P.finish(1), Ids{3});
}

TEST(Domain, TheLastWritersOfEachPartAreMarked) {
  Program P;
  P.submit({out(100, 10), out(200, 10)});
  P.submit({out(200, 10)});
  P.submit({in(100, 10), in(200, 10), out(300, 10)});
  P.submit({section(HSCHED_OUT, 1000, 10, 4, 100)});
  P.submit({section(HSCHED_INOUT, 1000, 10, 4, 100)});
  P.submit({out(400, 10)});
  P.submit({in(400, 10)});
  P.submit({out(500, 10)});
  P.submit({in(500, 10)});
  P.submit({out(500, 10)}); // Behind the reader.
  P.finish(0);
  P.Domain.markLastWriters();
  std::vector<size_t> Last;
  for (size_t I = 0; I < 10; ++I)
    if (P[I].has(Signal::WritesLast))
      Last.push_back(I);
  EXPECT_EQ(Last, (std::vector<size_t>{1, 2, 4, 5, 9})) << "0 is complete";
}

TEST(Domain, NeighboursAreIndependent) {
  Program P;
  EXPECT_TRUE(P.submit({out(100, 10)}));
  EXPECT_TRUE(P.submit({out(110, 10)}));
  EXPECT_TRUE(P.submit({out(90, 10)}));
}

TEST(Domain, PartialOverlapOrders) {
  Program P;
  EXPECT_TRUE(P.submit({out(100, 10)}));
  EXPECT_TRUE(P.submit({out(120, 10)}));
  EXPECT_FALSE(P.submit({inout(105, 20)})); // Over both, and the gap.
  EXPECT_FALSE(P.submit({in(112, 2)}));     // In what was the gap.
  EXPECT_FALSE(P.submit({in(100, 5)}));     // What the third did not touch.
  EXPECT_EQ(P.finish(0), Ids{5});
  EXPECT_EQ(P.finish(1), Ids{3});
  EXPECT_EQ(P.finish(2), Ids{4});
}

TEST(Domain, AHaloReadsItsNeighboursAndTheyWaitToOverwrite) {
  Program P;
  EXPECT_TRUE(P.submit({out(0, 10)}));
  EXPECT_TRUE(P.submit({out(10, 10)}));
  EXPECT_TRUE(P.submit({out(20, 10)}));
  EXPECT_FALSE(P.submit({in(9, 12), out(110, 10)}));
  EXPECT_FALSE(P.submit({out(0, 10)}));
  EXPECT_EQ(P.finish(0), Ids{});
  EXPECT_EQ(P.finish(1), Ids{});
  EXPECT_EQ(P.finish(2), Ids{4});
  EXPECT_EQ(P.finish(3), Ids{5});
}

TEST(Domain, RowsOfAStridedSectionStandForThemselves) {
  Program P;
  EXPECT_TRUE(P.submit({section(HSCHED_OUT, 100, 4, 3, 20)})); // [100, 104), [120, 124), [140, 144)
  EXPECT_FALSE(P.submit({in(143, 1)}));
  EXPECT_TRUE(P.submit({in(144, 1)}));
  EXPECT_TRUE(P.submit({section(HSCHED_INOUT, 104, 16, 2, 20)})); // The tile beside it.
  EXPECT_FALSE(P.submit({section(HSCHED_IN, 103, 2, 3, 20)}));    // Both.
  EXPECT_EQ(P.finish(0), Ids{2});
  EXPECT_EQ(P.finish(3), Ids{5});
}

TEST(Domain, ManyRowsAreNotVisitedOneByOne) {
  Program P;
  constexpr size_t Rows = size_t(1) << 40; // Which would not end.
  constexpr size_t Stride = 20;
  EXPECT_TRUE(P.submit({section(HSCHED_OUT, 100, 4, Rows, Stride)}));
  EXPECT_TRUE(P.submit({in(105, 1)}));
  EXPECT_FALSE(P.submit({in(100 + (Rows - 1) * Stride + 3, 1)}));
  EXPECT_TRUE(P.submit({in(100 + (Rows - 1) * Stride + 4, 1)}));
  P.finish(1);
  P.finish(3);
  EXPECT_TRUE(P.submit({section(HSCHED_INOUT, 104, 16, Rows, Stride)})); // Beside it.
  EXPECT_FALSE(P.submit({section(HSCHED_INOUT, 100, 4, Rows, Stride)}));
}

// A tile, its whole matrix, the tile again; and tiles with a margin, whose neighbours are written at the same time.
TEST(Domain, TilesLieOverWhatIsContiguous) {
  Program P;
  auto tile = [](unsigned Mode, size_t I, size_t J) { return section(Mode, 1000 + I * 4 * 16 + J * 4, 4, 4, 16); };
  EXPECT_TRUE(P.submit({out(1000, 256)}));
  for (size_t I = 0; I < 4; ++I)
    for (size_t J = 0; J < 4; ++J)
      EXPECT_FALSE(P.submit({tile(HSCHED_INOUT, I, J)})); // 1 to 16.
  EXPECT_EQ(P.finish(0).size(), 16u);
  EXPECT_FALSE(P.submit({section(HSCHED_IN, 1000 + 3 * 16 + 3, 6, 6, 16)})); // 17: a margin around tile 1, 1.
  EXPECT_FALSE(P.submit({tile(HSCHED_INOUT, 3, 3)}));                        // 18: after 16 alone.
  EXPECT_EQ(P.finish(16), Ids{19});
  EXPECT_FALSE(P.submit({in(1000, 256)})); // 19
}

TEST(Domain, SectionsOfNoBytesNameNothing) {
  Program P;
  EXPECT_TRUE(P.submit({out(100, 10)}));
  EXPECT_TRUE(P.submit({out(105, 0), section(HSCHED_OUT, 105, 4, 0, 8)}));
}

TEST(Domain, ATaskDoesNotWaitForItself) {
  Program P;
  EXPECT_TRUE(P.submit({in(100, 20), inout(110, 20), out(105, 5), in(90, 100)}));
  EXPECT_FALSE(P.submit({in(100, 10), inout(105, 10), in(100, 10)}));
  EXPECT_EQ(P.finish(0), Ids{2});
}

TEST(Domain, NothingIsWaitedForThatIsComplete) {
  Program P;
  EXPECT_TRUE(P.submit({out(100, 10)}));
  P.finish(0);
  EXPECT_TRUE(P.submit({in(100, 10)}));
}

TEST(Domain, WhatDependsOnAFailureIsPoisoned) {
  Program P;
  P.submit({out(100, 10)});
  P.submit({in(100, 10), out(200, 10)});
  P.submit({out(300, 10)});
  P.finish(0, true);
  EXPECT_TRUE(P[1].has(Signal::Poisoned));
  P.finish(1, true);
  EXPECT_TRUE(P.submit({in(205, 1)})); // Ready, and poisoned, though it came late.
  EXPECT_TRUE(P[3].has(Signal::Poisoned));
  P.finish(2);
  P.submit({in(300, 10)});
  EXPECT_FALSE(P[4].has(Signal::Poisoned));
}

TEST(Domain, FailuresAreRememberedUntilTheyAreReported) {
  Program P;
  P.submit({out(100, 10)});
  P.finish(0, true);
  P.Domain.sweep(false);
  EXPECT_EQ(P.Domain.size(), 1u);
  P.Domain.sweep(true);
  EXPECT_EQ(P.Domain.size(), 0u);
  P.submit({in(100, 10)});
  EXPECT_FALSE(P[1].has(Signal::Poisoned));
}

TEST(Domain, WaitingCoversWritersAndReadersAndLeavesNoTrace) {
  Program P;
  P.submit({out(100, 10)});
  P.submit({in(105, 10)});
  Access Named[] = {out(104, 4)};
  TaskNode *Wait = makeTask(Named, 0);
  EXPECT_FALSE(P.Domain.await(*Wait));
  EXPECT_EQ(P.finish(0), Ids{2});
  EXPECT_EQ(complete(P[1], false), Wait);
  release(*Wait);
  EXPECT_TRUE(P.submit({out(100, 20)}));
}

struct Recorder : GraphListener {
  std::vector<std::pair<TaskId, TaskId>> Edges;
  void dependence(TaskId From, TaskId To) override { Edges.emplace_back(From, To); }
};

TEST(Domain, EachEdgeIsReportedOnceAlsoFromACompletePredecessor) {
  Program P;
  Recorder R;
  P.submit({out(100, 10), out(200, 10)}, &R);
  P.finish(0);
  P.submit({in(100, 5), in(105, 5), inout(200, 10)}, &R);
  EXPECT_EQ(R.Edges, (std::vector<std::pair<TaskId, TaskId>>{{1, 2}}));
}

// What a tile covers is forgotten, like what a contiguous section covers: no task is ordered after it again.
TEST(Domain, WhatATileCoversIsComeAfterOnce) {
  Program P;
  Recorder R;
  for (size_t I = 0; I < 4; ++I) {
    P.submit({in(1000 + I * 16, 4)}, &R);                            // 1, 3, 5, 7: inside a row.
    P.submit({section(HSCHED_IN, 1001 + I % 2 * 16, 2, 3, 16)}, &R); // 2, 4, 6, 8
  }
  EXPECT_TRUE(R.Edges.empty());
  P.submit({section(HSCHED_OUT, 1000, 4, 4, 16)}, &R); // 9
  EXPECT_EQ(R.Edges.size(), 8u);
  R.Edges.clear();
  P.submit({section(HSCHED_OUT, 1000, 4, 4, 16)}, &R); // 10
  P.submit({out(1000, 64)}, &R);                       // 11: covers the tile.
  P.submit({section(HSCHED_IN, 1000, 4, 4, 16)}, &R);  // 12
  P.submit({section(HSCHED_IN, 1000, 4, 4, 16)}, &R);  // 13
  EXPECT_EQ(R.Edges, (std::vector<std::pair<TaskId, TaskId>>{{9, 10}, {10, 11}, {11, 12}, {11, 13}}));
}

// Two that overlap in part, one read and one written in turn, while nothing runs: what each costs does not grow.
void readAndWriteInTurn(const Access &Read, const Access &Write) {
  DependenceDomain Domain;
  std::vector<TaskNode *> Tasks;
  Recorder R;
  for (TaskId Id = 1; Id <= 200; ++Id) {
    R.Edges.clear();
    Tasks.push_back(makeTask(std::array{Id % 2 ? Read : Write}, Id));
    EXPECT_EQ(Domain.submit(*Tasks.back(), &R), Id == 1);
    EXPECT_LE(R.Edges.size(), 2u);
    EXPECT_TRUE(Id == 1 || std::ranges::count(R.Edges, std::pair<TaskId, TaskId>(Id - 1, Id)));
  }
  for (TaskNode *T : Tasks) {
    complete(*T, false);
    release(*T);
  }
}
TEST(Domain, ReadersThatOthersOverwroteAreReplaced) {
  Access Tile = section(HSCHED_IN, 1000, 8, 8, 16), Other = section(HSCHED_INOUT, 1004, 8, 8, 16);
  readAndWriteInTurn(Tile, Other);                                 // Tile and tile.
  readAndWriteInTurn(Tile, inout(1004, 64));                       // A tile read, a range written.
  readAndWriteInTurn(in(1000, 8), Other);                          // The other way round.
  readAndWriteInTurn(Tile, section(HSCHED_INOUT, 1004, 8, 6, 20)); // At another distance.
  readAndWriteInTurn(Tile, commutative(1004, 64));
}

// If a tile overwrote a part of a range, the other part is as it was.
TEST(Domain, ReadersOfTheOtherPartStay) {
  Program P;
  EXPECT_TRUE(P.submit({in(1000, 100)}));
  EXPECT_FALSE(P.submit({section(HSCHED_OUT, 1080, 4, 8, 16)}));
  EXPECT_TRUE(P.submit({in(1000, 50)}));
  EXPECT_FALSE(P.submit({out(1000, 50)})); // After both readers.
  EXPECT_EQ(P.finish(2), Ids{});
  EXPECT_EQ(P.finish(0), (Ids{2, 4}));
}

TEST(Domain, CompleteTasksOnDistinctTilesAreForgotten) {
  DependenceDomain Domain;
  size_t Most = 0;
  for (TaskId Id = 1; Id <= 20000; ++Id) {
    TaskNode *T = makeTask(std::array{section(Id % 3 ? HSCHED_INOUT : HSCHED_IN, Id * 8, 8, 64, 4096)}, Id);
    Domain.submit(*T, nullptr);
    complete(*T, false);
    release(*T);
    Most = std::max(Most, Domain.size());
  }
  EXPECT_LE(Most, 4096u);
  Domain.sweep(false);
  EXPECT_EQ(Domain.size(), 0u);
}

TEST(Domain, WaitingForATileIsForWhoSharesAByteWithIt) {
  Program P;
  P.submit({out(1000, 4)});
  P.submit({section(HSCHED_IN, 1002, 4, 4, 16)});
  P.submit({section(HSCHED_OUT, 1008, 4, 4, 16)}); // Beside it.
  TaskNode *Wait = makeTask(std::array{section(HSCHED_IN, 1004, 4, 4, 16)}, 0);
  EXPECT_FALSE(P.Domain.await(*Wait));
  EXPECT_EQ(P.finish(0), Ids{2});
  EXPECT_EQ(complete(P[1], false), Wait);
  release(*Wait);
  EXPECT_TRUE(P.submit({section(HSCHED_OUT, 1000, 8, 4, 16)}));
}

TEST(Domain, ManyReadersOfOneDatumStayBounded) {
  DependenceDomain Domain;
  for (TaskId Id = 1; Id <= 100000; ++Id) {
    Access Reads[] = {in(100, 8)};
    TaskNode *T = makeTask(Reads, Id);
    Domain.submit(*T, nullptr);
    complete(*T, false);
    if (Id > 1000) {
      // Held by this test, and by the domain until it prunes.
      ASSERT_LE(T->References.load(), 2u);
    }
    release(*T);
  }
  EXPECT_EQ(Domain.size(), 1u);
}

TEST(Domain, CompleteTasksOnDistinctDataAreForgotten) {
  DependenceDomain Domain;
  size_t Most = 0;
  for (TaskId Id = 1; Id <= 100000; ++Id) {
    Access Writes[] = {inout(Id * 64, 64)};
    TaskNode *T = makeTask(Writes, Id);
    Domain.submit(*T, nullptr);
    complete(*T, false);
    release(*T);
    Most = std::max(Most, Domain.size());
  }
  EXPECT_LE(Most, 4096u);
}

TEST(Domain, AWriteJoinsFragments) {
  Program P;
  for (uintptr_t At = 0; At < 100; At += 10)
    P.submit({out(At, 5)});
  EXPECT_EQ(P.Domain.size(), 10u);
  P.submit({out(0, 100)});
  EXPECT_EQ(P.Domain.size(), 1u);
}

TEST(Domain, MoreDependencesThanTheBlockHasRoomFor) {
  Program P;
  for (uintptr_t At = 0; At < 500; ++At)
    P.submit({out(At, 1)});
  EXPECT_FALSE(P.submit({inout(0, 500)}));
  for (size_t I = 0; I < 499; ++I)
    EXPECT_EQ(P.finish(I), Ids{});
  EXPECT_EQ(P.finish(499), Ids{501});
}

} // namespace
