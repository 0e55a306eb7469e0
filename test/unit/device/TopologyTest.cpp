// Cores and affinity, against what the kernel itself says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>

using namespace hsched;
using namespace hsched::rt;

TEST(TopologyTest, NamesEachAllowedCoreOnce) {
  Topology T = discoverTopology();
  ASSERT_FALSE(T.Cores.empty());
  std::vector<unsigned> Sorted = T.Cores;
  std::sort(Sorted.begin(), Sorted.end());
  EXPECT_EQ(Sorted, Affinity::ofCurrentThread().cores());
  EXPECT_EQ(std::set<unsigned>(Sorted.begin(), Sorted.end()).size(), Sorted.size());
  EXPECT_GE(T.PhysicalCores, 1u);
  EXPECT_LE(T.PhysicalCores, T.Cores.size());
}

TEST(TopologyTest, KeepsToTheAffinityMask) {
  std::vector<unsigned> All = discoverTopology().Cores;
  unsigned Chosen = All.back();
  {
    AffinityGuard Bound({Chosen});
    ASSERT_TRUE(Bound.active());
    EXPECT_EQ(discoverTopology().Cores, std::vector<unsigned>{Chosen});
    EXPECT_EQ(sched_getcpu(), static_cast<int>(Chosen));
  }
  EXPECT_EQ(discoverTopology().Cores, All) << "the guard puts the mask back";
}

TEST(TopologyTest, PinsAThread) {
  for (unsigned Core : discoverTopology().Cores) {
    status S;
    int RanOn = -1;
    std::thread([&] {
      S = pinCurrentThread(Core);
      RanOn = sched_getcpu();
    }).join();
    EXPECT_TRUE(S.ok()) << S.message();
    EXPECT_EQ(RanOn, static_cast<int>(Core));
  }
}

TEST(TopologyTest, RefusesCoresThatAreNotThere) {
  status S = pinCurrentThread(8191);
  EXPECT_FALSE(S.ok());
  EXPECT_NE(S.message().find("8191"), std::string::npos) << S.message();
  EXPECT_FALSE(bindCurrentThread({}).ok());
  EXPECT_FALSE(pinCurrentThread(1000000).ok());
}

TEST(TopologyTest, GuardWithoutCoresDoesNothing) {
  std::vector<unsigned> Before = Affinity::ofCurrentThread().cores();
  AffinityGuard Bound({});
  EXPECT_FALSE(Bound.active());
  EXPECT_EQ(Affinity::ofCurrentThread().cores(), Before);
}

TEST(TopologyTest, ReadsQuotas) {
  EXPECT_EQ(parseCpuMax("max 100000"), 0u);
  EXPECT_EQ(parseCpuMax("200000 100000"), 2u);
  EXPECT_EQ(parseCpuMax("150000 100000"), 2u) << "rounded up";
  EXPECT_EQ(parseCpuMax("50000 100000\n"), 1u);
  EXPECT_EQ(parseCpuMax("300000"), 3u) << "the kernel's default period";
  EXPECT_EQ(parseCpuMax(""), 0u);
  EXPECT_EQ(parseCpuMax("abc"), 0u);
  EXPECT_EQ(parseCpuMax("100 0"), 0u);
  EXPECT_EQ(parseCpuMax("-5 100000"), 0u);
}

TEST(TopologyTest, KnowsItsThreads) {
  std::vector<int> Threads = currentThreads();
  ASSERT_FALSE(Threads.empty());
  EXPECT_TRUE(std::binary_search(Threads.begin(), Threads.end(), static_cast<int>(getpid())));
}
