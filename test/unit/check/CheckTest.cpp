// What a checked run knows of sections, of the order of tasks, and of clauses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Names.h"
#include "check/Order.h"
#include "check/Sections.h"

#include <gtest/gtest.h>

#include <deque>

using namespace hsched::check;

namespace {

hsched_access access(Address Base, size_t Bytes, unsigned Mode, size_t Rows = 1, size_t Stride = 0) {
  return {reinterpret_cast<const void *>(Base), Bytes, Rows, Stride, Mode, HSCHED_NO_PARAM};
}

TEST(CheckSections, WhatOverlappingOnesAllowTogether) {
  const hsched_access All[] = {access(1000, 100, HSCHED_IN), access(1050, 100, HSCHED_OUT),
                               access(2000, 4, HSCHED_INOUT, 3, 10)};
  Sections S(All);
  ASSERT_EQ(S.all().size(), 6u);
  Segment *Read = S.find(1000), *Both = S.find(1099), *Written = S.find(1100);
  EXPECT_TRUE(Read->MayRead && !Read->MayWrite && !Read->Overwritten);
  EXPECT_TRUE(Both->MayRead && Both->MayWrite && !Both->Overwritten);
  EXPECT_TRUE(!Written->MayRead && Written->MayWrite && Written->Overwritten);
  EXPECT_EQ(Written->High, 1150u);
  EXPECT_EQ(S.find(1150), nullptr);
  EXPECT_EQ(S.find(999), nullptr);
  EXPECT_NE(S.find(2023), nullptr);
  EXPECT_EQ(S.find(2024), nullptr);
  EXPECT_EQ(S.find(2004), nullptr);
  EXPECT_EQ(S.next(2004)->Low, 2010u);
}

class CheckOrder : public testing::Test {
protected:
  TaskRecord &submit(std::initializer_list<hsched_access> Accesses) {
    TaskRecord &T = All.emplace_back();
    D.submit(T, {Accesses.begin(), Accesses.size()});
    T.Over = true;
    return T;
  }
  std::deque<TaskRecord> All;
  Domain D;
};

TEST_F(CheckOrder, ReadersWritersAndGroups) {
  TaskRecord &W = submit({access(100, 40, HSCHED_OUT)});
  TaskRecord &R1 = submit({access(100, 20, HSCHED_IN)}), &R2 = submit({access(110, 20, HSCHED_IN)});
  TaskRecord &C1 = submit({access(100, 40, HSCHED_COMMUTATIVE)}), &C2 = submit({access(100, 40, HSCHED_COMMUTATIVE)});
  TaskRecord &Last = submit({access(139, 1, HSCHED_INOUT)}), &Other = submit({access(140, 10, HSCHED_INOUT)});
  EXPECT_TRUE(ordered(W, R1) && ordered(W, R2) && ordered(R1, C1) && ordered(R2, C2) && ordered(C1, Last));
  EXPECT_TRUE(ordered(W, Last));
  EXPECT_FALSE(ordered(R1, R2) || ordered(C1, C2) || ordered(Last, Other));
}

TEST_F(CheckOrder, WaitsAndConflicts) {
  TaskRecord &A = submit({access(100, 10, HSCHED_INOUT)}), &B = submit({access(200, 10, HSCHED_IN)});
  bool Reads = false;
  EXPECT_EQ(D.conflict(105, 8, false, nullptr, Reads), &A);
  EXPECT_FALSE(Reads);
  EXPECT_EQ(D.conflict(200, 4, false, nullptr, Reads), nullptr);
  EXPECT_EQ(D.conflict(200, 4, true, nullptr, Reads), &B);
  EXPECT_TRUE(Reads);
  const hsched_access On[] = {access(100, 1, HSCHED_IN)};
  D.waitedOn(On);
  EXPECT_EQ(D.conflict(105, 8, false, nullptr, Reads), nullptr);
  EXPECT_TRUE(D.anyUnfinished());
  D.waited();
  EXPECT_FALSE(D.anyUnfinished());
  TaskRecord &Later = submit({access(300, 1, HSCHED_IN)});
  EXPECT_TRUE(ordered(B, Later));
}

TEST_F(CheckOrder, ChildrenFollowTheirParents) {
  TaskRecord &P = submit({access(100, 10, HSCHED_INOUT)}), &Q = submit({access(100, 10, HSCHED_INOUT)});
  TaskRecord &R = submit({access(200, 10, HSCHED_INOUT)});
  TaskRecord OfP, OfQ, OfR;
  OfP.Parent = &P;
  OfQ.Parent = &Q;
  OfR.Parent = &R;
  EXPECT_TRUE(ordered(OfP, OfQ) && ordered(OfP, Q) && ordered(P, OfQ));
  EXPECT_FALSE(ordered(OfP, OfR) || ordered(OfP, R));
}

TEST(CheckNames, SectionsThatHoldMore) {
  auto wide = [](const char *Section, long long From, long long To, long long Count) {
    return widened({"in", Section, "p", 4}, From, To, Count);
  };
  EXPECT_EQ(wide("[n]p", 0, 65, 64), "[n + 1]p");
  EXPECT_EQ(wide("[n - 1]p", 0, 65, 64), "[n]p");
  EXPECT_EQ(wide("[10]p", 3, 12, 10), "[12]p");
  EXPECT_EQ(wide("[n]p", -1, 1, 64), "p[-1:n + 1]");
  EXPECT_EQ(wide("p[lo:n]", -2, 66, 64), "p[lo - 2:n + 4]");
  EXPECT_EQ(wide("p[a ? b : c; n]", 0, 5, 4), "p[a ? b : c;n + 1]");
  EXPECT_EQ(wide("p[i]", 0, 2, 1), "p[i:2]");
  EXPECT_EQ(wide("p[0:m][0:n]", 0, 2, 1), "");
  EXPECT_EQ(elementName({"in", "p[lo:n]", "p", 4}, 3), "p[lo + 3]");
  EXPECT_EQ(elementName({"in", "[n]p", "p", 4}, -1), "p[-1]");
}

} // namespace
