// Lengths of unions of intervals.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/BusyTime.h"
#include "Records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

TEST(BusyTime, OverlapsCountOnce) {
  BusyTime B;
  EXPECT_EQ(B.total(), 0ns);
  B.add(during(10us, 20us));
  B.add(during(15us, 25us));
  B.add(during(30us, 40us));
  B.add(during(12us, 14us));
  EXPECT_EQ(B.total(), 25us);
  B.add(during(0us, 50us)); // A task that waited for all of these.
  EXPECT_EQ(B.total(), 50us);
  B.add(during(60us, 60us));
  EXPECT_EQ(B.total(), 50us);
}

TEST(BusyTime, ManyPieces) {
  BusyTime B;
  for (int I = 0; I < 100'000; ++I)
    B.add(during(I * 10us, I * 10us + 4us));
  EXPECT_EQ(B.total(), 400ms);
}

TEST(BusyTime, AgreesWithAnOracle) {
  unsigned Seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  for (int Round = 0; Round < 50; ++Round) {
    BusyTime B;
    std::vector<bool> Busy(300);
    for (int I = 0; I < 60; ++I) {
      unsigned Begin = Random() % 280, Length = Random() % 20;
      B.add(during(Begin * 1us, (Begin + Length) * 1us));
      std::fill_n(Busy.begin() + Begin, Length, true);
    }
    ASSERT_EQ(B.total(), std::count(Busy.begin(), Busy.end(), true) * 1us);
  }
}

// Longer than what is kept in pieces, and a little out of order.
TEST(BusyTime, AgreesWithAnOracleInTheLongRun) {
  unsigned Seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  BusyTime B;
  std::vector<bool> Busy(60'000);
  for (unsigned I = 0; I < 5000; ++I) {
    unsigned Begin = 100 + I * 10 - Random() % 80, Length = Random() % 6;
    B.add(during(Begin * 1us, (Begin + Length) * 1us));
    std::fill_n(Busy.begin() + Begin, Length, true);
  }
  EXPECT_EQ(B.total(), std::count(Busy.begin(), Busy.end(), true) * 1us);
}

} // namespace
