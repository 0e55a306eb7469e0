// The TaskVersionSet table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/History.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <thread>

using namespace hsched::rt;
using namespace std::chrono_literals;

namespace {

std::unique_ptr<TaskType> type(uint32_t Id) {
  auto T = std::make_unique<TaskType>();
  T->Id = Id;
  return T;
}

TEST(History, MeanAndSpread) {
  History H;
  auto T = type(0);
  EXPECT_EQ(H.lookup(*T, 8, 0, CpuModel).Runs, 0u);
  for (auto Ran : {2us, 4us, 4us, 4us, 5us, 5us, 7us, 9us})
    H.record(*T, 8, 0, CpuModel, Ran);
  RunStats S = H.lookup(*T, 8, 0, CpuModel);
  EXPECT_EQ(S.Runs, 8u);
  EXPECT_DOUBLE_EQ(S.MeanNs, 5000);
  EXPECT_NEAR(S.deviationNs(), std::sqrt(32e6 / 7), 1e-6);
}

TEST(History, OneRunHasNoSpread) {
  RunStats S;
  EXPECT_EQ(S.deviationNs(), 0);
  S.add(7);
  EXPECT_EQ(S.deviationNs(), 0);
}

TEST(History, TasksSizesAndVersionsAreApart) {
  History H;
  auto A = type(0), B = type(1);
  H.record(*A, 8, 1, CpuModel, 10ns);
  H.record(*A, 9, 1, CpuModel, 20ns);
  H.record(*B, 8, 1, CpuModel, 30ns);
  H.record(*A, 8, 3, CpuModel, 40ns);
  EXPECT_EQ(H.lookup(*A, 8, 1, CpuModel).MeanNs, 10);
  EXPECT_EQ(H.lookup(*A, 9, 1, CpuModel).MeanNs, 20);
  EXPECT_EQ(H.lookup(*B, 8, 1, CpuModel).MeanNs, 30);
  EXPECT_EQ(H.lookup(*A, 8, 3, CpuModel).MeanNs, 40);
  EXPECT_EQ(H.lookup(*A, 8, 0, CpuModel).Runs, 0u);
  EXPECT_EQ(H.lookup(*A, 8, 4, CpuModel).Runs, 0u);
  EXPECT_EQ(H.lookup(*B, 9, 1, CpuModel).Runs, 0u);
}

TEST(History, TypesAreDistinguishedWithinABucket) {
  History H;
  auto A = type(0), B = type(0); // The same hash.
  H.record(*A, 8, 0, CpuModel, 10ns);
  EXPECT_EQ(H.lookup(*B, 8, 0, CpuModel).Runs, 0u);
  H.record(*B, 8, 0, CpuModel, 20ns);
  EXPECT_EQ(H.lookup(*A, 8, 0, CpuModel).MeanNs, 10);
}

TEST(History, RowsAreOrderedAndWithoutGaps) {
  History H;
  auto A = type(0), B = type(1);
  H.record(*B, 1, 0, CpuModel, 1ns);
  H.record(*A, 300, 2, CpuModel, 1ns);
  H.record(*A, 20, 1, CpuModel, 1ns);
  H.record(*A, 300, 0, CpuModel, 1ns);
  std::vector<std::tuple<uint32_t, uint64_t, unsigned>> Keys;
  for (const HistoryRow &R : H.rows())
    Keys.emplace_back(R.Type, R.Size, R.Version);
  EXPECT_EQ(Keys, (decltype(Keys){{0, 20, 1}, {0, 300, 0}, {0, 300, 2}, {1, 1, 0}}));
}

TEST(History, ManySizes) {
  History H;
  auto T = type(5);
  constexpr uint64_t N = 50'000;
  for (uint64_t Bytes = 0; Bytes < N; ++Bytes)
    H.record(*T, Bytes * 4096, 0, CpuModel, Duration(Bytes));
  for (uint64_t Bytes = 0; Bytes < N; ++Bytes)
    ASSERT_EQ(H.lookup(*T, Bytes * 4096, 0, CpuModel).MeanNs, static_cast<double>(Bytes));
  EXPECT_EQ(H.rows().size(), N);
}

TEST(History, Threads) {
  History H;
  auto A = type(0), B = type(1);
  constexpr int N = 5000;
  auto work = [&] {
    for (int I = 0; I < N; ++I) {
      H.record(I % 2 ? *A : *B, I % 7, I % 3, CpuModel, 10ns);
      EXPECT_GT(H.lookup(I % 2 ? *A : *B, I % 7, I % 3, CpuModel).Runs, 0u);
    }
  };
  std::thread Threads[] = {std::thread(work), std::thread(work), std::thread(work)};
  for (auto &T : Threads)
    T.join();
  uint64_t Runs = 0;
  for (const HistoryRow &R : H.rows()) {
    Runs += R.Stats.Runs;
    EXPECT_EQ(R.Stats.MeanNs, 10);
  }
  EXPECT_EQ(Runs, 3u * N);
}

TEST(SizeFitTest, ANeighbourStandsForSizesThatHardlyDiffer) {
  SizeFit F;
  EXPECT_FALSE(F.neighbour(1000));
  F.add(1000, 50'000);
  ASSERT_TRUE(F.neighbour(1000));
  EXPECT_NEAR(F.neighbour(1100)->Ns, 55'000, 1);
  EXPECT_NEAR(F.neighbour(900)->Ns, 45'000, 1);
  EXPECT_FALSE(F.neighbour(1200));
  EXPECT_FALSE(F.neighbour(800));
  F.add(1050, 54'000);
  ASSERT_TRUE(F.neighbour(1100));
  EXPECT_NEAR(F.neighbour(1100)->Ns, 55'800, 300);
  EXPECT_NEAR(F.neighbour(1100)->Runs, 2, 0.1);
  EXPECT_FALSE(F.neighbour(1150)) << "more than an eighth from the smallest";
  F.add(8000, 54'000);
  EXPECT_FALSE(F.neighbour(1050)) << "the other sizes say something else";
}
} // namespace
