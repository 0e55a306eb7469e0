// The index of strided sections, against sets of bytes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/TileIndex.h"
#include "base/Env.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <set>

using namespace hsched::rt;

namespace {

struct Node {
  TileShape Shape{};
};

std::set<uintptr_t> bytesOf(const TileShape &S) {
  std::set<uintptr_t> All;
  for (size_t R = 0; R < S.Rows; ++R)
    for (size_t B = 0; B < S.Bytes; ++B)
      All.insert(S.Base + R * S.Stride + B);
  return All;
}

bool share(const TileShape &A, const TileShape &B) {
  std::set<uintptr_t> Bytes = bytesOf(A);
  for (uintptr_t Byte : bytesOf(B))
    if (Bytes.contains(Byte))
      return true;
  return false;
}

TileShape anyShape(std::mt19937_64 &Random, bool Several) {
  constexpr size_t Strides[] = {16, 16, 16, 24, 7};
  TileShape S{};
  S.Stride = Strides[Random() % 5];
  S.Base = 1000 + Random() % 150;
  S.Bytes = Random() % S.Stride;
  S.Rows = Several ? 2 + Random() % 6 : 1;
  if (!Several)
    S.Bytes = Random() % 60;
  return S;
}

struct TileIndexTest : testing::Test {
  void SetUp() override {
    Seed = envUnsigned("HSCHED_TEST_SEED", std::random_device()(), 0, UINT64_MAX);
    std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed));
    Random.seed(Seed);
  }
  uint64_t Seed = 0;
  std::mt19937_64 Random;
};

TEST_F(TileIndexTest, OverlapIsWhetherTheyShareAByte) {
  for (int I = 0; I < 20000; ++I) {
    TileShape A = anyShape(Random, Random() % 4 != 0), B = anyShape(Random, Random() % 4 != 0);
    if (A.Rows == 1 && B.Rows == 1)
      continue;
    ASSERT_EQ(overlap(A, B), share(A, B)) << A.Base << ' ' << A.Bytes << 'x' << A.Rows << '/' << A.Stride << " and "
                                          << B.Base << ' ' << B.Bytes << 'x' << B.Rows << '/' << B.Stride;
    ASSERT_EQ(overlap(A, B), overlap(B, A));
  }
}

TEST_F(TileIndexTest, DistancesMeetAsCountingSays) {
  for (int I = 0; I < 20000; ++I) {
    uint64_t M = 1 + Random() % 60, A = Random() % M, Low = Random() % M, High = Low + Random() % (M - Low);
    uint64_t Least = UINT64_MAX;
    for (uint64_t X = 0; X < M && Least == UINT64_MAX; ++X)
      if (A * X % M >= Low && A * X % M <= High)
        Least = X;
    ASSERT_EQ(firstMultipleIn(A, M, Low, High), Least) << A << ' ' << M << ' ' << Low << ' ' << High;
  }
  // Many rows at different distances: neither is counted through.
  constexpr size_t Rows = size_t(1) << 40;
  TileShape Even{1000, 1, Rows, 6}, Odd{1001, 1, Rows, 8}, Third{1002, 1, Rows, 9};
  EXPECT_FALSE(overlap(Even, Odd));
  EXPECT_FALSE(overlap(Even, Third));
  EXPECT_TRUE(overlap(Odd, Third));
}

TEST_F(TileIndexTest, WhatIsCoveredIsWhollyInside) {
  unsigned Covered = 0;
  for (int I = 0; I < 20000; ++I) {
    TileShape A = anyShape(Random, Random() % 4 != 0), B = anyShape(Random, Random() % 4 != 0);
    if (A.Bytes == 0 || B.Bytes == 0)
      continue;
    if (Random() % 2) { // Near enough.
      B.Stride = A.Stride;
      B.Bytes = std::min(B.Bytes, A.Bytes);
      B.Base = A.Base + Random() % 4;
    }
    std::set<uintptr_t> Outer = bytesOf(A), Inner = bytesOf(B);
    if (covers(A, B)) {
      ++Covered;
      ASSERT_TRUE(std::ranges::includes(Outer, Inner))
          << A.Base << ' ' << A.Bytes << 'x' << A.Rows << '/' << A.Stride << " and " << B.Base << ' ' << B.Bytes << 'x'
          << B.Rows << '/' << B.Stride;
    }
    EXPECT_TRUE(covers(A, A));
  }
  EXPECT_GT(Covered, 500u);
}

TEST_F(TileIndexTest, FindsWhatSharesBytes) {
  for (int Round = 0; Round < 30; ++Round) {
    TileIndex<Node> Index;
    std::set<TileShape> Known;
    for (int I = 0; I < 60; ++I) {
      TileShape S = anyShape(Random, true);
      if (S.Bytes && Known.insert(S).second) {
        EXPECT_EQ(Index.find(S), nullptr);
        EXPECT_EQ(Index.find(Index.insert(S).Shape)->Shape, S);
      }
      if (I % 20 == 19) {
        auto odd = [](const TileShape &T) { return T.Base % 3 == 0; };
        Index.eraseIf([&](const Node &N) { return odd(N.Shape); });
        std::erase_if(Known, odd);
      }
      ASSERT_EQ(Index.size(), Known.size());
      TileShape Asked = anyShape(Random, Random() % 2);
      if (Asked.Bytes == 0)
        continue;
      std::set<TileShape> Found, Expected;
      Index.forEachOverlap(Asked, [&](Node &N) { EXPECT_TRUE(Found.insert(N.Shape).second); });
      for (const TileShape &K : Known)
        if (share(K, Asked))
          Expected.insert(K);
      ASSERT_EQ(Found, Expected);
    }
  }
}

} // namespace
