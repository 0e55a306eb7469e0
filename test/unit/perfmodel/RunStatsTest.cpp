// Medians that one disturbed run does not change, and predictions for sizes that were never run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/History.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <initializer_list>
#include <memory>
#include <vector>

using namespace hsched::rt;
using namespace std::chrono_literals;

namespace {

RunStats of(std::initializer_list<double> Runs) {
  RunStats S;
  for (double Ns : Runs)
    S.add(Ns);
  return S;
}

TEST(RunStats, TheMedianOfFewRuns) {
  EXPECT_EQ(RunStats().medianNs(), 0);
  EXPECT_EQ(of({7}).medianNs(), 7);
  EXPECT_EQ(of({7, 9}).medianNs(), 8);
  EXPECT_EQ(of({7, 100, 9}).medianNs(), 9);
}

// StarPU's users met this: kernels of 190 us, recorded once as 70 ms, left six of eight GPUs without work.
TEST(RunStats, OneDisturbedRunChangesTheMeanAndNotTheMedian) {
  RunStats S = of({190e3, 70e6, 190e3});
  EXPECT_GT(S.MeanNs, 20e6);
  EXPECT_EQ(S.medianNs(), 190e3);
}

TEST(RunStats, AChangeIsFollowedAfterFourRuns) {
  RunStats S;
  for (int I = 0; I < 100; ++I)
    S.add(1000 + I % 10);
  for (int I = 0; I < 3; ++I)
    S.add(2000);
  EXPECT_LT(S.medianNs(), 1010);
  S.add(2000);
  EXPECT_EQ(S.medianNs(), 2000);
  for (int I = 0; I < 8; ++I)
    S.add(2000);
  for (int I = 0; I < 4; ++I)
    S.add(500);
  EXPECT_EQ(S.medianNs(), 500);
  EXPECT_EQ(S.Runs, 116u);
}

TEST(RunStats, ATrendIsFollowedByTheWindow) {
  RunStats S;
  for (int I = 1; I <= 1000; ++I)
    S.add(I);
  EXPECT_NEAR(S.medianNs(), 1000 - RunStats::MostRecent / 2.0, 1);
}

TEST(RunStats, SeededRunsCountAsStoredRuns) {
  RunStats S;
  const std::vector<float> Recent{10, 12, 11};
  S.seed(500, Recent);
  EXPECT_EQ(S.Runs, 500u);
  EXPECT_EQ(S.Stored, 500u);
  EXPECT_EQ(S.medianNs(), 11);
  S.add(13);
  EXPECT_EQ(S.Runs - S.Stored, 1u);
  EXPECT_EQ(S.recent().size(), 4u);
  EXPECT_NEAR(S.MeanNs, 11, 0.1);
}

RC_GTEST_PROP(RunStats, TheMedianIsBetweenTheRecentRuns, (std::vector<uint16_t> Runs)) {
  RunStats S;
  for (uint16_t Ns : Runs) {
    S.add(Ns);
    RC_ASSERT(S.recent().size() >= 1 && S.recent().size() <= RunStats::MostRecent);
    RC_ASSERT(S.recent().back() == Ns);
    const auto [Least, Most] = std::ranges::minmax(S.recent());
    RC_ASSERT(S.medianNs() >= Least && S.medianNs() <= Most);
  }
}

TEST(SizeFit, NeedsThreeSizes) {
  SizeFit F;
  F.add(1000, 10);
  F.add(2000, 20);
  for (int I = 0; I < 20; ++I)
    F.add(1000, 10);
  EXPECT_FALSE(F.predict(1500));
  F.add(4000, 40);
  ASSERT_TRUE(F.predict(1500));
  EXPECT_NEAR(F.predict(1500)->Ns, 15, 0.01);
  EXPECT_LT(F.predict(1500)->Factor, 1.01);
}

TEST(SizeFit, FollowsPowers) {
  for (double Power : {0.0, 0.5, 1.0, 1.5, 3.0}) {
    SizeFit F;
    for (double Size : {1e3, 4e3, 1.6e4, 6.4e4})
      F.add(Size, 7 * std::pow(Size, Power));
    for (double Size : {500.0, 2e3, 1e5, 2.5e5}) {
      ASSERT_TRUE(F.predict(Size)) << Power << ", " << Size;
      EXPECT_NEAR(F.predict(Size)->Ns / (7 * std::pow(Size, Power)), 1, 1e-6) << Power << ", " << Size;
    }
  }
}

TEST(SizeFit, SaysNothingFarAway) {
  SizeFit F;
  for (double Size : {1e3, 2e3, 4e3})
    F.add(Size, Size);
  EXPECT_TRUE(F.predict(250));
  EXPECT_FALSE(F.predict(249));
  EXPECT_TRUE(F.predict(16e3));
  EXPECT_FALSE(F.predict(16001));
  EXPECT_FALSE(F.predict(0));
}

TEST(SizeFit, SaysHowSureItIs) {
  SizeFit F;
  for (int I = 0; I < 30; ++I)
    F.add(1000 << (I % 3), (1000 << (I % 3)) * (I % 2 ? 2.0 : 0.5)); // Times differ by four for one size.
  ASSERT_TRUE(F.predict(1500));
  EXPECT_GT(F.predict(1500)->Factor, 1.8);
}

TEST(SizeFit, OneDisturbedRunCountsForLittle) {
  SizeFit F;
  for (int I = 0; I < 30; ++I)
    F.add(1000 << (I % 3), 1000 << (I % 3));
  F.add(2000, 2000.0 * 400);
  EXPECT_NEAR(F.predict(1500)->Ns, 1500, 100);
}

TEST(SizeFit, WhatIsNoSizeOrTimeIsIgnored) {
  SizeFit F;
  for (double Size : {1e3, 2e3, 4e3})
    F.add(Size, Size);
  const double Before = F.predict(1500)->Ns;
  F.add(0, 5);
  F.add(-1, 5);
  F.add(1500, 0);
  F.add(1500, -5);
  F.add(NAN, 5);
  F.add(1500, INFINITY);
  EXPECT_EQ(F.predict(1500)->Ns, Before);
}

std::unique_ptr<TaskType> made(uint32_t Id) {
  auto T = std::make_unique<TaskType>();
  T->Id = Id;
  return T;
}

TEST(History, KindsOfWorkersAreApart) {
  History H;
  auto T = made(0);
  H.record(*T, 8, 1, 1, 10ns);
  H.record(*T, 8, 1, 2, 90ns);
  EXPECT_EQ(H.lookup(*T, 8, 1, 1).MeanNs, 10);
  EXPECT_EQ(H.lookup(*T, 8, 1, 2).MeanNs, 90);
  EXPECT_EQ(H.lookup(*T, 8, 1, CpuModel).Runs, 0u);
  EXPECT_EQ(H.rows().size(), 2u);
}

TEST(History, OtherSizesPredict) {
  History H;
  auto T = made(0);
  for (uint64_t Size : {1000u, 2000u, 4000u})
    H.record(*T, Size, 0, 3, Duration(5 * Size));
  ASSERT_TRUE(H.predict(*T, 3000, 0, 3));
  EXPECT_NEAR(H.predict(*T, 3000, 0, 3)->Ns, 15000, 1);
  EXPECT_FALSE(H.predict(*T, 3000, 0, CpuModel));
  EXPECT_FALSE(H.predict(*T, 3000, 1, 3));
  EXPECT_FALSE(H.predict(*T, sizeClassOf(0, 3000), 0, 3)); // A cost is no number of bytes.
}

TEST(History, CostsPredictCosts) {
  History H;
  auto T = made(0);
  for (double Cost : {0.5, 2.0, 8.0})
    H.record(*T, sizeClassOf(64, Cost), 0, CpuModel, Duration(static_cast<int64_t>(1000 * Cost)));
  ASSERT_TRUE(H.predict(*T, sizeClassOf(64, 4.0), 0, CpuModel));
  EXPECT_NEAR(H.predict(*T, sizeClassOf(64, 4.0), 0, CpuModel)->Ns, 4000, 1);
}

TEST(History, WhatIsKnownFromBeforeIsAskedForOnce) {
  auto A = made(0), B = made(1);
  unsigned Asked = 0;
  History H([&](const TaskType &T) {
    ++Asked;
    std::vector<HistoryRow> Rows;
    if (&T == A.get())
      for (float Size : {1000.f, 2000.f, 4000.f}) {
        RunStats S;
        S.seed(30, std::vector<float>(5, Size));
        Rows.push_back({T.Id, static_cast<uint64_t>(Size), 1, 2, S});
      }
    return Rows;
  });
  EXPECT_EQ(H.lookup(*A, 2000, 1, 2).Runs, 30u);
  EXPECT_NEAR(H.predict(*A, 3000, 1, 2)->Ns, 3000, 1);
  H.record(*A, 2000, 1, 2, 2us);
  EXPECT_EQ(H.lookup(*A, 2000, 1, 2).Runs, 31u);
  EXPECT_EQ(H.lookup(*B, 2000, 1, 2).Runs, 0u);
  H.record(*B, 2000, 1, 2, 2us);
  EXPECT_EQ(Asked, 2u);
}

} // namespace
