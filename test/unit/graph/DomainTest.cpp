// Which accesses depend on which.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestTasks.h"

#include <gtest/gtest.h>

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
  EXPECT_FALSE(P.submit({inout(105, 20)})); // over both, and the gap
  EXPECT_FALSE(P.submit({in(112, 2)}));     // in what was the gap
  EXPECT_FALSE(P.submit({in(100, 5)}));     // what the third did not touch
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
  EXPECT_TRUE(P.submit({section(HSCHED_INOUT, 104, 16, 2, 20)})); // the tile beside it
  EXPECT_FALSE(P.submit({section(HSCHED_IN, 103, 2, 3, 20)}));    // both
  EXPECT_EQ(P.finish(0), Ids{2});
  EXPECT_EQ(P.finish(3), Ids{5});
}

TEST(Domain, AStridedSectionOfManyRowsCountsAsItsHull) {
  Program P;
  EXPECT_TRUE(P.submit({section(HSCHED_OUT, 100, 4, 1000, 20)}));
  EXPECT_FALSE(P.submit({in(105, 1)}));
  EXPECT_TRUE(P.submit({in(100 + 999 * 20 + 4, 1)}));
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
  EXPECT_TRUE(P[1].Poisoned);
  P.finish(1, true);
  EXPECT_TRUE(P.submit({in(205, 1)})); // ready, and poisoned, though it came late
  EXPECT_TRUE(P[3].Poisoned);
  P.finish(2);
  P.submit({in(300, 10)});
  EXPECT_FALSE(P[4].Poisoned);
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
  EXPECT_FALSE(P[1].Poisoned);
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

TEST(Domain, EachPairIsToldOnceAlsoWhenThePredecessorIsComplete) {
  Program P;
  Recorder R;
  P.submit({out(100, 10), out(200, 10)}, &R);
  P.finish(0);
  P.submit({in(100, 5), in(105, 5), inout(200, 10)}, &R);
  EXPECT_EQ(R.Edges, (std::vector<std::pair<TaskId, TaskId>>{{1, 2}}));
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
