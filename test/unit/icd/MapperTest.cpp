// Queues to devices, on invented times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Mapper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace hsched::icd {
namespace {

using Matrix = std::vector<std::vector<double>>;
constexpr double Never = std::numeric_limits<double>::infinity();

double lastEnd(const Matrix &S, std::vector<double> Load, const std::vector<size_t> &To) {
  double Last = 0;
  for (size_t Q = 0; Q != To.size(); ++Q)
    Load[To[Q]] += S[Q][To[Q]];
  for (size_t D : To)
    Last = std::max(Last, Load[D]);
  return Last;
}

TEST(MapperTest, EachQueueToItsBestDevice) {
  EXPECT_EQ(mapQueues({{1, 5}, {5, 1}}, {0, 0}), (std::vector<size_t>{0, 1}));
}

TEST(MapperTest, TheLastEndCountsNotTheSum) {
  // Both are faster on device 0, but not one after the other.
  auto To = mapQueues({{4, 6}, {4, 6}}, {0, 0});
  EXPECT_NE(To[0], To[1]);
}

TEST(MapperTest, LoadCounts) { EXPECT_EQ(mapQueues({{1, 2}}, {10, 0}), (std::vector<size_t>{1})); }

TEST(MapperTest, WhereItCannotRun) { EXPECT_EQ(mapQueues({{Never, 9}, {1, 2}}, {0, 0}), (std::vector<size_t>{1, 0})); }

TEST(MapperTest, OneDeviceAndNoQueue) {
  EXPECT_EQ(mapQueues({{3}, {4}}, {0}), (std::vector<size_t>{0, 0}));
  EXPECT_TRUE(mapQueues({}, {0, 0}).empty());
}

// Beyond what is tried out wholly: against the best of many random mappings.
TEST(MapperTest, ManyQueues) {
  unsigned Seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  std::uniform_real_distribution<double> Time(1, 10);
  Matrix S(40, std::vector<double>(4));
  for (auto &Row : S)
    for (double &T : Row)
      T = Time(Random);
  std::vector<double> Load{0, 3, 0, 1};
  double Got = lastEnd(S, Load, mapQueues(S, Load)), Best = Never;
  for (int Try = 0; Try != 2000; ++Try) {
    std::vector<size_t> To(S.size());
    for (size_t &D : To)
      D = Random() % 4;
    Best = std::min(Best, lastEnd(S, Load, To));
  }
  EXPECT_LE(Got, Best);
}

TEST(ChainsTest, ByWhatCommandsFollow) {
  EXPECT_EQ(chainsOf({{{}, true}, {{}, true}, {{0}, true}, {{1}, true}}), (std::vector<size_t>{0, 1, 0, 1}));
  EXPECT_EQ(chainsOf({{{}, true}, {{}, true}, {{0, 1}, true}}), (std::vector<size_t>{0, 0, 0}));
}

TEST(ChainsTest, ReadersOfATransferAreNoChain) {
  // 0 is written from the host and read by 1 and 2. 3 overwrites it: it follows all of them.
  EXPECT_EQ(chainsOf({{{}, false}, {{0}, true}, {{0}, true}}), (std::vector<size_t>{0, 0, 1}));
  EXPECT_EQ(chainsOf({{{}, false}, {{0}, true}, {{0}, true}, {{0, 1, 2}, false}}), (std::vector<size_t>{0, 0, 0, 0}));
}

TEST(ChainsTest, AFenceBetweenThemJoinsThem) {
  EXPECT_EQ(chainsOf({{{}, true}, {{0}, false, true}, {{1}, true}, {{1}, true}}), (std::vector<size_t>{0, 0, 0, 0}));
  // At the end it joins nothing.
  EXPECT_EQ(chainsOf({{{}, true}, {{}, true}, {{0, 1}, false, true}}), (std::vector<size_t>{0, 1, 0}));
}

} // namespace
} // namespace hsched::icd
