// Times of launches from those of a few work-groups, on invented devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Minikernel.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hsched::icd {
namespace {

// A device that runs a number of groups at once, each of which takes as long.
struct Machine {
  size_t AtOnce;
  double GroupSeconds, Start = 0;
  size_t Computed = 0;
  double time(size_t Groups) const {
    return Start + static_cast<double>((Groups + AtOnce - 1) / AtOnce) * GroupSeconds;
  }
  double estimate(size_t All, size_t Units, bool MayShare) {
    return extrapolate(All, Start, Units, MayShare, [&](size_t &N) {
      EXPECT_LE(N, All);
      Computed += N;
      return time(N);
    });
  }
};

TEST(MinikernelTest, LongGroupsAreRunOnceByEachUnit) {
  Machine Cpu{16, 1e-2, 1e-5};
  EXPECT_NEAR(Cpu.estimate(16000, 16, false), Cpu.time(16000), 0.01 * Cpu.time(16000));
  EXPECT_EQ(Cpu.Computed, 16u);
}

TEST(MinikernelTest, ShortGroupsUntilTheyCanBeMeasured) {
  Machine Cpu{16, 1e-5, 1e-4};
  EXPECT_NEAR(Cpu.estimate(160000, 16, false), Cpu.time(160000), 0.01 * Cpu.time(160000));
  EXPECT_LT(Cpu.Computed, 8000u);
}

// Its compute units hold 32 groups each: one group a unit says nothing about how fast many are.
TEST(MinikernelTest, AUnitMayHoldSeveralGroups) {
  Machine Gpu{132 * 32, 1e-3, 1e-5};
  EXPECT_NEAR(Gpu.estimate(4000000, 132, true), Gpu.time(4000000), 0.1 * Gpu.time(4000000));
  EXPECT_LT(Gpu.Computed, 200000u);
}

TEST(MinikernelTest, AllGroupsOfASmallLaunch) {
  Machine Gpu{132 * 32, 1e-3, 1e-5};
  EXPECT_DOUBLE_EQ(Gpu.estimate(100, 132, true), Gpu.time(100));
  EXPECT_DOUBLE_EQ(Gpu.estimate(1, 132, true), Gpu.time(1));
}

} // namespace
} // namespace hsched::icd
