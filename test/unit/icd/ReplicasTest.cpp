// Which copies are valid, against an array that has a mask for each byte.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Replicas.h"

#include <gtest/gtest.h>

#include <random>

namespace hsched::icd {
namespace {

TEST(ReplicasTest, WrittenThenMissing) {
  Replicas R(100, 1);
  R.written(10, 20, 1);
  EXPECT_TRUE(R.missing(10, 20, 1).empty());
  auto M = R.missing(0, 100, 1);
  ASSERT_EQ(M.size(), 2u);
  EXPECT_EQ(M[0].First, 0u);
  EXPECT_EQ(M[0].Bytes, 10u);
  EXPECT_EQ(M[1].First, 30u);
  M = R.missing(0, 100, 0);
  ASSERT_EQ(M.size(), 1u);
  EXPECT_EQ(M[0].Bytes, 20u);
  EXPECT_EQ(M[0].Valid, 2u);
}

TEST(ReplicasTest, UnwrittenContentsDoNotTravel) {
  Replicas R(100, 0);
  EXPECT_TRUE(R.missing(0, 100, 2).empty());
  R.written(50, 10, 1);
  EXPECT_EQ(R.missing(0, 100, 2).size(), 1u);
}

TEST(ReplicasTest, FragmentsJoinAgain) {
  Replicas R(1000, 1);
  for (size_t I = 0; I != 1000; I += 2)
    R.written(I, 1, 1);
  EXPECT_EQ(R.fragments(), 1000u);
  R.written(0, 1000, 2);
  EXPECT_EQ(R.fragments(), 1u);
}

TEST(ReplicasTest, LikeAnArray) {
  unsigned Seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  constexpr size_t N = 64;
  Replicas R(N, 1);
  std::vector<uint32_t> Mask(N, 1);
  for (int Step = 0; Step != 3000; ++Step) {
    size_t First = Random() % N, Bytes = 1 + Random() % (N - First);
    unsigned Copy = Random() % 4;
    if (Random() % 2) {
      R.written(First, Bytes, Copy);
      std::fill_n(Mask.begin() + static_cast<long>(First), Bytes, 1u << Copy);
    } else {
      R.arrived(First, Bytes, Copy);
      for (size_t I = First; I != First + Bytes; ++I)
        Mask[I] |= 1u << Copy;
    }
    size_t From = Random() % N, Many = 1 + Random() % (N - From);
    unsigned For = Random() % 4;
    std::vector<uint32_t> Missing(N, 0), Expected(N, 0);
    for (const auto &M : R.missing(From, Many, For))
      std::fill_n(Missing.begin() + static_cast<long>(M.First), M.Bytes, M.Valid);
    for (size_t I = From; I != From + Many; ++I)
      if (!(Mask[I] >> For & 1))
        Expected[I] = Mask[I];
    ASSERT_EQ(Missing, Expected) << Step;
  }
}

} // namespace
} // namespace hsched::icd
