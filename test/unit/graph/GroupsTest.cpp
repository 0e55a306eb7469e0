// Concurrent, commutative and reduced sections.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestTasks.h"
#include "graph/Exclusion.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

using Ids = std::vector<TaskId>;

TEST(Groups, MembersOfOneModeHaveNoOrder) {
  for (unsigned Mode : {HSCHED_CONCURRENT, HSCHED_COMMUTATIVE}) {
    Program P;
    EXPECT_TRUE(P.submit({section(Mode, 100, 10)}));
    EXPECT_TRUE(P.submit({section(Mode, 100, 10)}));
    EXPECT_TRUE(P.submit({section(Mode, 100, 10)}));
    EXPECT_FALSE(P.submit({in(100, 10)}));
    EXPECT_EQ(P.finish(1), Ids{});
    EXPECT_EQ(P.finish(0), Ids{});
    EXPECT_EQ(P.finish(2), Ids{4});
  }
}

TEST(Groups, AllMembersComeAfterWhatWasBeforeTheFirst) {
  for (unsigned Mode : {HSCHED_CONCURRENT, HSCHED_COMMUTATIVE}) {
    Program P;
    P.submit({out(100, 10)});
    P.submit({in(100, 10)});
    EXPECT_FALSE(P.submit({section(Mode, 100, 10)}));
    EXPECT_FALSE(P.submit({section(Mode, 100, 10)}));
    EXPECT_EQ(P.finish(0), Ids{2});
    EXPECT_EQ(P.finish(1), (Ids{3, 4}));
  }
}

TEST(Groups, AReaderOrAnotherModeEndsTheGroup) {
  Program P;
  EXPECT_TRUE(P.submit({concurrent(100, 10)}));
  EXPECT_FALSE(P.submit({in(100, 10)}));
  EXPECT_FALSE(P.submit({concurrent(100, 10)})); // A new group.
  EXPECT_FALSE(P.submit({commutative(100, 10)}));
  EXPECT_FALSE(P.submit({inout(100, 10)}));
  EXPECT_EQ(P.finish(0), Ids{2});
  EXPECT_EQ(P.finish(1), Ids{3});
  EXPECT_EQ(P.finish(2), Ids{4});
  EXPECT_EQ(P.finish(3), Ids{5});
}

TEST(Groups, OverlapIsByFragments) {
  Program P;
  P.submit({out(100, 20)});
  EXPECT_FALSE(P.submit({concurrent(100, 10)}));
  EXPECT_FALSE(P.submit({concurrent(105, 10)}));
  EXPECT_FALSE(P.submit({concurrent(100, 20)}));
  EXPECT_FALSE(P.submit({in(100, 5)})); // 2 and 4.
  EXPECT_EQ(P.finish(0), (Ids{2, 3, 4}));
  EXPECT_EQ(P.finish(1), Ids{});
  EXPECT_EQ(P.finish(3), Ids{5});
}

TEST(Groups, ATaskHasForItselfWhatItNamesTwice) {
  for (unsigned Mode : {HSCHED_CONCURRENT, HSCHED_COMMUTATIVE, HSCHED_REDUCTION}) {
    Program P;
    EXPECT_TRUE(P.submit({section(Mode, 100, 10), in(105, 1)}));
    EXPECT_EQ(P[0].AccessList[0].mode, unsigned(HSCHED_INOUT));
    EXPECT_FALSE(P.submit({in(90, 20), section(Mode, 100, 10)}));
    EXPECT_EQ(P.finish(0), Ids{2});
  }
}

TEST(Groups, AReductionWithoutAnOperationIsInout) {
  Program P;
  EXPECT_TRUE(P.submit({section(HSCHED_REDUCTION, 100, 10)}));
  EXPECT_FALSE(P.submit({section(HSCHED_REDUCTION, 100, 10)}));
}

TEST(Groups, FailuresPoisonWhatFollowsAndNotOtherMembers) {
  Program P;
  P.submit({concurrent(100, 10)});
  P.submit({concurrent(100, 10)});
  P.submit({in(100, 10)});
  P.finish(0, true);
  EXPECT_FALSE(P[1].has(Signal::Poisoned));
  EXPECT_EQ(P.finish(1), Ids{3});
  EXPECT_TRUE(P[2].has(Signal::Poisoned));
}

TEST(Groups, CompleteMembersAreForgotten) {
  DependenceDomain Domain;
  for (TaskId Id = 1; Id <= 20000; ++Id) {
    Access Updates[] = {concurrent(100, 8)};
    TaskNode *T = makeTask(Updates, Id);
    Domain.submit(*T, nullptr);
    complete(*T, false);
    if (Id > 1000) {
      ASSERT_LE(T->References.load(), 2u);
    }
    release(*T);
  }
  Domain.sweep(true);
  EXPECT_EQ(Domain.size(), 0u);
}

// Turns --------------------------------------------------------------------------------------------------------------

Ids turns(TaskNode *List) {
  Ids Result;
  for (; List; List = List->NextReady)
    Result.push_back(List->Id);
  return Result;
}

TEST(Turns, OneAtATimeInTheOrderOfAsking) {
  Program P;
  for (int I = 0; I < 4; ++I)
    EXPECT_TRUE(P.submit({commutative(100, 10)}));
  Exclusion &E = P.Domain.exclusion();
  EXPECT_TRUE(E.take(P[0]));
  EXPECT_TRUE(E.take(P[0])); // Has it.
  EXPECT_FALSE(E.take(P[1]));
  EXPECT_FALSE(E.take(P[2]));
  EXPECT_FALSE(E.take(P[3]));
  EXPECT_EQ(turns(E.give(P[0])), Ids{2});
  EXPECT_EQ(turns(E.give(P[1])), Ids{3});
  EXPECT_EQ(turns(E.give(P[2])), Ids{4});
  EXPECT_EQ(turns(E.give(P[3])), Ids{});
  EXPECT_EQ(turns(E.give(P[3])), Ids{}); // It has none any more.
}

TEST(Turns, SeveralSectionsAreTakenTogetherOrNotAtAll) {
  Program P;
  P.submit({commutative(100, 10), commutative(200, 10)});
  P.submit({commutative(200, 10), commutative(300, 10)});
  P.submit({commutative(300, 10), commutative(100, 10)});
  Exclusion &E = P.Domain.exclusion();
  EXPECT_TRUE(E.take(P[0]));
  EXPECT_FALSE(E.take(P[1]));
  EXPECT_FALSE(E.take(P[2]));
  EXPECT_EQ(turns(E.give(P[0])), Ids{2}); // 3 waits for 2 now, and holds nothing.
  EXPECT_EQ(turns(E.give(P[1])), Ids{3});
}

TEST(Turns, OverlapInPartExcludes) {
  Program P;
  P.submit({commutative(100, 10)});
  P.submit({commutative(105, 10)});
  P.submit({commutative(110, 10)});
  P.submit({commutative(100, 4), commutative(102, 4), commutative(117, 3)});
  Exclusion &E = P.Domain.exclusion();
  EXPECT_TRUE(E.take(P[0]));
  EXPECT_FALSE(E.take(P[1]));
  EXPECT_TRUE(E.take(P[2]));
  EXPECT_FALSE(E.take(P[3]));
  EXPECT_EQ(turns(E.give(P[2])), Ids{});
  EXPECT_EQ(turns(E.give(P[0])), Ids{2});
  EXPECT_EQ(turns(E.give(P[1])), Ids{4});
}

TEST(Turns, WhatDoesNotMeetGoesOnTogether) {
  Program P;
  P.submit({commutative(100, 30)});
  P.submit({commutative(100, 10)});
  P.submit({commutative(110, 10)});
  P.submit({commutative(105, 10)});
  Exclusion &E = P.Domain.exclusion();
  EXPECT_TRUE(E.take(P[0]));
  for (size_t I = 1; I < 4; ++I)
    EXPECT_FALSE(E.take(P[I]));
  EXPECT_EQ(turns(E.give(P[0])), (Ids{2, 3}));
  EXPECT_EQ(turns(E.give(P[1])), Ids{}); // 3 still stands in the way of 4, wherever 4 was parked.
  EXPECT_EQ(turns(E.give(P[2])), Ids{4});
}

// Reductions ---------------------------------------------------------------------------------------------------------

int Made = 0, Unmade = 0;
constexpr int ThrowAt = 77;

hsched_reduction_op adding() {
  return {sizeof(hsched_reduction_op),
          "+",
          sizeof(int),
          alignof(int),
          [](void *Copy, const void *Original, size_t N) {
            for (size_t I = 0; I < N; ++I) {
              if (static_cast<const int *>(Original)[I] == ThrowAt)
                throw std::string("init");
              static_cast<int *>(Copy)[I] = 0;
            }
            ++Made;
          },
          [](void *Into, const void *From, size_t N) {
            for (size_t I = 0; I < N; ++I)
              static_cast<int *>(Into)[I] += static_cast<const int *>(From)[I];
          },
          [](void *, size_t) { ++Unmade; },
          0};
}

struct Reductions : testing::Test {
  Reductions() { Made = Unmade = 0; }
  ~Reductions() override {
    for (TaskNode *T : Tasks)
      release(*T);
  }
  Access whole(unsigned Mode) { return {X, sizeof(X), 1, 0, Mode, 0}; }
  bool submit(std::vector<Access> Accesses, const hsched_reduction_op *Op = nullptr) {
    Tasks.push_back(makeTask(Accesses, Tasks.size() + 1));
    TaskNode &T = *Tasks.back();
    for (unsigned I = 0; I < Accesses.size(); ++I)
      if (Op && Accesses[I].mode == HSCHED_REDUCTION)
        addReduction(T, I, &Slot, *Op);
    return Domain.submit(T, nullptr, &Closed);
  }
  bool reduce(const hsched_reduction_op &Op) { return submit({whole(HSCHED_REDUCTION)}, &Op); }
  PrivateCopy &copyOf(size_t I, MemoryNode Node = HostNode) {
    ReductionPart &P = Tasks[I]->Groups->Parts[0];
    P.Copy = &P.Combination->Groups->Combines->take(
        Node, [&] { return std::make_unique<PrivateCopy>(*P.Op, Tasks[I]->AccessList[P.Access]); });
    return *P.Copy;
  }
  static int *ints(PrivateCopy &C) { return static_cast<int *>(const_cast<void *>(C.section().base)); }

  int X[4] = {1, 2, 3, 4};
  int *Slot = X;
  hsched_reduction_op Plus = adding(), Again = adding();
  TaskNode *Closed = nullptr;
  std::vector<TaskNode *> Tasks;
  DependenceDomain Domain;
};

// Runs a combination and releases it; the tasks that it made ready.
Ids combine(TaskNode *C) {
  EXPECT_TRUE(C && C->isCombination());
  for (auto &Copy : C->Groups->Combines->All)
    Copy->combineInto(C->AccessList[0]);
  Ids Result = turns(complete(*C, false));
  release(*C);
  return Result;
}

TEST_F(Reductions, MembersHaveNoOrderAndAReaderComesAfterTheCombination) {
  EXPECT_TRUE(reduce(Plus));
  EXPECT_TRUE(reduce(Plus));
  EXPECT_TRUE(Domain.anyOpen());
  EXPECT_FALSE(submit({in(reinterpret_cast<uintptr_t>(X), 4)}));
  EXPECT_FALSE(Domain.anyOpen());
  EXPECT_EQ(Closed, nullptr); // Members are still to come.
  ints(copyOf(0))[1] = 10;
  ints(copyOf(1))[1] = 20;
  EXPECT_EQ(complete(*Tasks[1], false), nullptr);
  TaskNode *C = complete(*Tasks[0], false);
  EXPECT_EQ(X[1], 2);
  EXPECT_EQ(combine(C), Ids{3});
  EXPECT_EQ(X[1], 32);
  EXPECT_EQ(Made, 2);
  EXPECT_EQ(Unmade, 2);
}

TEST_F(Reductions, AnIdleCombinationRunsWhenItIsClosed) {
  reduce(Plus);
  copyOf(0);
  EXPECT_EQ(complete(*Tasks[0], false), nullptr); // More members may come.
  EXPECT_FALSE(submit({whole(HSCHED_INOUT)}));
  EXPECT_EQ(combine(Closed), Ids{2});
}

TEST_F(Reductions, CopiesServeOneMemberAfterAnotherAndNodesApart) {
  for (int I = 0; I < 100; ++I) {
    reduce(Plus);
    ints(copyOf(size_t(I), MemoryNode(I % 2)))[0] += 1;
    EXPECT_EQ(complete(*Tasks.back(), false), nullptr);
  }
  EXPECT_EQ(Made, 2);
  combine(Domain.closeAll());
  EXPECT_EQ(X[0], 101);
  EXPECT_EQ(Unmade, 2);
}

TEST_F(Reductions, OnlyTheSameSectionAndOperationAreOneGroup) {
  EXPECT_TRUE(reduce(Plus));
  EXPECT_FALSE(reduce(Again));
  EXPECT_FALSE(submit({{X, sizeof(int), 1, 0, HSCHED_REDUCTION, 0}}, &Again));
  EXPECT_EQ(combine(complete(*Tasks[0], false)), Ids{2});
  EXPECT_EQ(combine(complete(*Tasks[1], false)), Ids{3});
  EXPECT_EQ(Domain.closeAll(), nullptr);
  combine(complete(*Tasks[2], false));
}

TEST_F(Reductions, MembersComeAfterWhatWasBeforeTheFirst) {
  submit({whole(HSCHED_OUT)});
  submit({whole(HSCHED_IN)});
  EXPECT_FALSE(reduce(Plus));
  EXPECT_EQ(turns(complete(*Tasks[0], false)), Ids{2});
  EXPECT_FALSE(reduce(Plus));
  EXPECT_EQ(turns(complete(*Tasks[1], false)), (Ids{3, 4}));
  EXPECT_TRUE(reduce(Plus));
  EXPECT_EQ(Domain.closeAll(), nullptr);
  complete(*Tasks[2], false);
  complete(*Tasks[3], false);
  combine(complete(*Tasks[4], false));
}

// Tiles, and groups without an order, are before the members as well: each of these comes after all of them.
TEST_F(Reductions, MembersComeAfterTilesBeforeTheFirst) {
  auto tile = [this](unsigned Mode) { return Access{X, sizeof(int), 2, 2 * sizeof(int), Mode, 0}; };
  submit({tile(HSCHED_OUT)});
  submit({tile(HSCHED_IN)});
  submit({{X + 1, sizeof(int), 2, 2 * sizeof(int), HSCHED_OUT, 0}});
  EXPECT_FALSE(reduce(Plus));
  EXPECT_FALSE(reduce(Plus));
  EXPECT_EQ(turns(complete(*Tasks[0], false)), Ids{2});
  EXPECT_EQ(turns(complete(*Tasks[2], false)), Ids{});
  EXPECT_EQ(turns(complete(*Tasks[1], false)), (Ids{4, 5}));
  EXPECT_EQ(Domain.closeAll(), nullptr);
  complete(*Tasks[3], false);
  combine(complete(*Tasks[4], false));
}

TEST_F(Reductions, MembersComeAfterGroupsBeforeTheFirst) {
  for (unsigned Mode : {HSCHED_CONCURRENT, HSCHED_COMMUTATIVE}) {
    size_t I = Tasks.size();
    submit({whole(Mode)});
    submit({whole(Mode)});
    EXPECT_FALSE(reduce(Plus));
    EXPECT_FALSE(reduce(Plus));
    EXPECT_EQ(turns(complete(*Tasks[I], false)), Ids{});
    EXPECT_EQ(turns(complete(*Tasks[I + 1], false)), (Ids{I + 3, I + 4}));
    EXPECT_EQ(Domain.closeAll(), nullptr);
    complete(*Tasks[I + 2], false);
    combine(complete(*Tasks[I + 3], false));
  }
}

TEST_F(Reductions, AMemberThatFailsPoisonsTheCombination) {
  reduce(Plus);
  reduce(Plus);
  submit({whole(HSCHED_IN)});
  complete(*Tasks[0], true);
  EXPECT_FALSE(Tasks[1]->has(Signal::Poisoned));
  TaskNode *C = complete(*Tasks[1], false);
  ASSERT_NE(C, nullptr);
  EXPECT_TRUE(C->has(Signal::Poisoned));
  EXPECT_EQ(turns(complete(*C, true)), Ids{3});
  EXPECT_TRUE(Tasks[2]->has(Signal::Poisoned));
  release(*C);
}

TEST_F(Reductions, AWaitForTheDatumClosesTheGroup) {
  reduce(Plus);
  Access Named[] = {whole(HSCHED_IN)};
  TaskNode *Wait = makeTask(Named, 0);
  EXPECT_FALSE(Domain.await(*Wait, &Closed));
  EXPECT_EQ(combine(complete(*Tasks[0], false)), Ids{0});
  release(*Wait);
}

TEST_F(Reductions, StridedCopiesAreLaidOutLikeTheSection) {
  int Tile[3][8] = {};
  Access A{&Tile[0][2], 2 * sizeof(int), 3, 8 * sizeof(int), HSCHED_REDUCTION, 0};
  PrivateCopy C(Plus, A);
  EXPECT_EQ(Made, 3);
  int *P = ints(C);
  for (int R = 0; R < 3; ++R)
    for (int I = 0; I < 2; ++I)
      P[R * 8 + I] = 10 * R + I;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(P) % 64, reinterpret_cast<uintptr_t>(&Tile[0][2]) % 64);
  C.combineInto(A);
  EXPECT_EQ(Tile[2][3], 21);
  EXPECT_EQ(Tile[1][2], 10);
  EXPECT_EQ(Tile[1][4], 0);
}

TEST_F(Reductions, WhatInitThrowsUnmakesTheRowsBefore) {
  int Tile[3][2] = {{0, 0}, {0, 0}, {0, ThrowAt}};
  Access A{Tile, 2 * sizeof(int), 3, 2 * sizeof(int), HSCHED_REDUCTION, 0};
  EXPECT_THROW(PrivateCopy(Plus, A), std::string);
  EXPECT_EQ(Made, 2);
  EXPECT_EQ(Unmade, 2);
}

TEST_F(Reductions, DomainsMayEndWithOpenGroups) {
  reduce(Plus);
  copyOf(0);
  complete(*Tasks[0], false);
  EXPECT_EQ(Unmade, 0);
}

} // namespace
