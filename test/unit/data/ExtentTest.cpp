// Rows of bytes: what they have in common, what encloses them, held against sets of bytes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Extent.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>
#include <set>

using namespace hsched::rt;

namespace hsched::rt {
std::ostream &operator<<(std::ostream &Out, const Extent &E) {
  return Out << "[" << E.Begin << " +" << E.Bytes << " x" << E.Rows << " /" << E.Stride << "]";
}
} // namespace hsched::rt

namespace {

template <class Function> void each(const Extent &E, Function F) {
  for (uint64_t R = 0; R < E.Rows; ++R)
    for (uint64_t I = 0; I < E.Bytes; ++I)
      F(E.Begin + R * E.Stride + I);
}
std::set<uintptr_t> bytesOf(const Extent &E) {
  std::set<uintptr_t> Bytes;
  each(E, [&](uintptr_t P) { Bytes.insert(P); });
  return Bytes;
}

class ExtentTest : public testing::Test {
protected:
  ExtentTest() { std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed)); }
  size_t below(size_t N) { return static_cast<size_t>(Random() % N); }
  Extent draw(size_t Stride) {
    size_t Bytes = 1 + below(Stride - 1);
    if (!below(3))
      return {1000 + below(60), below(2) ? Bytes : 1 + below(80), 1, 0};
    return {1000 + below(60), Bytes, 2 + below(5), Stride};
  }
  std::pair<Extent, Extent> pair() {
    size_t Stride = 2 + below(20);
    Extent A = draw(Stride);
    return {A, draw(below(3) ? Stride : 2 + below(20))};
  }
  const uint64_t Seed = std::random_device()();
  std::mt19937_64 Random{Seed};
};

TEST_F(ExtentTest, TouchesIsWhatBytesSay) {
  unsigned Touching = 0;
  for (int Round = 0; Round < 20000; ++Round) {
    auto [A, B] = pair();
    auto Bytes = bytesOf(A);
    bool Want = false;
    each(B, [&](uintptr_t P) { Want |= Bytes.contains(P); });
    ASSERT_EQ(A.touches(B), Want) << A << B;
    ASSERT_EQ(B.touches(A), Want) << A << B;
    Touching += Want;
  }
  EXPECT_GT(Touching, 1000u);
}

TEST_F(ExtentTest, CommonIsWhatBothHave) {
  unsigned Some = 0;
  for (int Round = 0; Round < 20000; ++Round) {
    auto [A, B] = pair();
    auto InA = bytesOf(A), InB = bytesOf(B);
    std::set<uintptr_t> Want, Got;
    for (uintptr_t P : InA)
      if (InB.contains(P))
        Want.insert(P);
    for (const Extent &Part : common(A, B)) {
      ASSERT_GT(Part.bytes(), 0u) << A << B;
      ASSERT_TRUE(compactStride(A, Part)) << A << B << Part;
      ASSERT_TRUE(compactStride(B, Part)) << A << B << Part;
      each(Part, [&](uintptr_t P) { ASSERT_TRUE(Got.insert(P).second) << A << B << Part; });
    }
    ASSERT_EQ(Got, Want) << A << B;
    Some += !Want.empty();
  }
  EXPECT_GT(Some, 1000u);
}

TEST_F(ExtentTest, TilesOfOneMatrixHaveRectanglesInCommon) {
  EXPECT_EQ(common({1000, 10, 6, 40}, {1085, 10, 6, 40}), (std::vector<Extent>{{1085, 5, 4, 40}}));
  EXPECT_EQ(common({1005, 10, 6, 40}, {1080, 10, 6, 40}), (std::vector<Extent>{{1085, 5, 4, 40}}));
  EXPECT_EQ(common({1000, 10, 6, 40}, {1085, 10, 1, 0}), (std::vector<Extent>{{1085, 5, 1, 0}}));
  EXPECT_EQ(common({1005, 120, 1, 0}, {1000, 10, 6, 40}),
            (std::vector<Extent>{{1005, 5, 1, 0}, {1040, 10, 2, 40}, {1120, 5, 1, 0}}));
}

// Where a part's bytes come to lie is where they lie when the whole's rows are put one behind the other.
TEST_F(ExtentTest, CompactStrideIsWhereRowsAre) {
  unsigned Inside = 0, All = 0;
  for (int Round = 0; Round < 40000; ++Round) {
    auto [A, B] = pair();
    if (A.Rows == 1)
      continue;
    std::map<uintptr_t, uint64_t> At;
    uint64_t Next = 0;
    each(A, [&](uintptr_t P) { At[P] = Next++; });
    bool Contained = true;
    each(B, [&](uintptr_t P) { Contained &= At.contains(P); });
    auto Stride = compactStride(A, B);
    All += Contained;
    if (!Stride)
      continue;
    ++Inside;
    ASSERT_TRUE(Contained) << A << B;
    for (uint64_t R = 0; R < B.Rows; ++R)
      for (uint64_t I = 0; I < B.Bytes; ++I)
        ASSERT_EQ(At[B.Begin + R * B.Stride + I], At[B.Begin] + (R ? R * *Stride : 0) + I) << A << B;
  }
  EXPECT_GT(Inside, 300u);
  EXPECT_GT(Inside, All / 2); // What is left is strange.
}

TEST_F(ExtentTest, EnclosingHasBoth) {
  for (int Round = 0; Round < 20000; ++Round) {
    auto [A, B] = pair();
    Extent All = enclosing(A, B);
    auto Bytes = bytesOf(All);
    for (const Extent &E : {A, B})
      each(E, [&](uintptr_t P) { ASSERT_TRUE(Bytes.contains(P)) << A << B << All; });
    ASSERT_EQ(All, enclosing(B, A)) << A << B;
    ASSERT_TRUE(compactStride(All, A) && compactStride(All, B)) << A << B << All;
  }
}

TEST_F(ExtentTest, OverlappingTilesOfOneMatrixAreEnclosedInOne) {
  EXPECT_EQ(enclosing({1000, 10, 6, 40}, {1085, 10, 6, 40}), (Extent{1000, 15, 8, 40}));
  EXPECT_EQ(enclosing({1005, 10, 6, 40}, {1080, 10, 6, 40}), (Extent{1000, 15, 8, 40}));
  EXPECT_EQ(enclosing({1000, 10, 6, 40}, {1041, 3, 1, 0}), (Extent{1000, 10, 6, 40}));
  EXPECT_EQ(enclosing({1000, 10, 6, 40}, {1041, 13, 1, 0}), (Extent{1000, 14, 6, 40}));
  EXPECT_EQ(enclosing({1000, 10, 6, 40}, {1040, 40, 1, 0}), rangeOf(1000, 1210));
  EXPECT_EQ(enclosing({1000, 10, 6, 40}, {1020, 10, 6, 40}), rangeOf(1000, 1230)); // Beside each other.
}

} // namespace
