// Cores and affinity, against what the kernel itself says.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

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

// Threads that copy are as many as can run.
TEST(TopologyTest, WhatCanRunAtATimeIsWithinTheMask) {
  std::vector<unsigned> All = discoverTopology().Cores;
  EXPECT_LE(usableCpus(), All.size());
  AffinityGuard Bound({All.back()});
  ASSERT_TRUE(Bound.active());
  EXPECT_EQ(usableCpus(), 1u);
}

// A driver's threads get what its caller had; a thread of the program that was bound meanwhile keeps that.
TEST(TopologyTest, OnlyThreadsWithACertainAffinityGetAnotherOne) {
  const std::vector<unsigned> All = discoverTopology().Cores;
  if (All.size() < 2)
    GTEST_SKIP() << "one core";
  std::atomic<int> Ids[2] = {};
  std::latch Ready(2), Done(1);
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < 2; ++I)
    Threads.emplace_back([&, I] {
      EXPECT_TRUE(bindCurrentThread({All[I]}).ok());
      Ids[I] = gettid();
      Ready.count_down();
      Done.wait();
    });
  Ready.wait();
  const Affinity Before = Affinity::ofCurrentThread();
  Before.applyTo({Ids[0], Ids[1]}, Affinity::ofThread(Ids[0]));
  EXPECT_EQ(Affinity::ofThread(Ids[0]).cores(), Before.cores());
  EXPECT_EQ(Affinity::ofThread(Ids[1]).cores(), std::vector<unsigned>{All[1]});
  Done.count_down();
  for (std::thread &T : Threads)
    T.join();
}

// A thread's own binding is looked through for what the process may use, and stays as it is.
TEST(TopologyTest, TheProcessMayUseMoreThanABoundThread) {
  std::vector<unsigned> All = discoverTopology().Cores;
  AffinityGuard Bound({All.front()});
  ASSERT_TRUE(Bound.active());
  std::vector<unsigned> Process = Affinity::ofProcess().cores();
  EXPECT_TRUE(std::ranges::includes(Process, All));
  EXPECT_EQ(Affinity::ofCurrentThread().cores(), std::vector<unsigned>{All.front()});
}

// Two packages, two L3 caches in each, two cores at each of these, two hardware threads a core.
TEST(TopologyTest, KnowsWhatCoresShare) {
  Topology T = readTopology({}, "pack:2 [numa] l3:2 core:2 pu:2");
  ASSERT_EQ(T.Cores.size(), 16u);
  EXPECT_EQ(T.PhysicalCores, 8u);
  EXPECT_EQ(T.Cores[1], 2u) << "each core's first hardware thread first";
  EXPECT_EQ(T.distance(0, 0), 0u);
  EXPECT_LT(T.distance(0, 0), T.distance(0, 1));
  EXPECT_LT(T.distance(0, 1), T.distance(0, 2)) << "another core at the same L3 cache";
  EXPECT_EQ(T.distance(0, 2), T.distance(1, 3));
  EXPECT_LT(T.distance(0, 2), T.distance(0, 4)) << "another L3 cache";
  EXPECT_LT(T.distance(0, 4), T.distance(0, 8)) << "another package";
  EXPECT_EQ(T.distance(0, 8), T.distance(15, 2));
  EXPECT_EQ(T.distance(0, 99), UINT32_MAX);
}

TEST(TopologyTest, KnowsWhatAllowedCoresShare) {
  Topology T = readTopology({1, 3, 9}, "pack:2 [numa] l3:2 core:2 pu:2");
  EXPECT_EQ(T.Cores, (std::vector<unsigned>{1, 3, 9}));
  EXPECT_LT(T.distance(1, 3), T.distance(1, 9));
  EXPECT_EQ(T.distance(1, 0), UINT32_MAX);
}

TEST(TopologyTest, NumaNodesThatShareNothingDifferByLatency) {
  Topology T = readTopology({}, "numa:4 core:1 pu:1");
  ASSERT_EQ(T.Cores.size(), 4u);
  T.NumaNode = {0, 1, 2, 3}; // The firmware's table, which a synthetic machine has none of.
  T.Latencies = {{10, 30, 20, 30}, {30, 10, 30, 20}, {20, 30, 10, 30}, {30, 20, 30, 10}};
  EXPECT_LT(T.distance(0, 2), T.distance(0, 1));
  EXPECT_LT(T.distance(1, 3), T.distance(1, 2));
  EXPECT_EQ(T.distance(0, 1), T.distance(0, 3));
}

TEST(TopologyTest, ThisMachinesCoresAreAsFarApartBothWays) {
  Topology T = discoverTopology();
  for (unsigned A : T.Cores)
    for (unsigned B : T.Cores) {
      EXPECT_EQ(T.distance(A, B) == 0, A == B);
      EXPECT_EQ(T.distance(A, B) >> 16, T.distance(B, A) >> 16);
    }
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

// A root of the file system as far as control groups go.
class FakeRoot {
public:
  FakeRoot() : Folder(testing::TempDir() + "hsched-cgroup-" + std::to_string(getpid())) {
    std::filesystem::remove_all(Folder);
  }
  ~FakeRoot() { std::filesystem::remove_all(Folder); }
  void write(const std::string &Path, const std::string &Text) const {
    std::filesystem::path File = Folder + Path;
    std::filesystem::create_directories(File.parent_path());
    std::ofstream(File) << Text;
  }
  const std::string Folder;
};

TEST(TopologyTest, QuotasOfGroupsAroundCountToo) {
  FakeRoot Root;
  Root.write("/proc/self/cgroup", "0::/a/b/c\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 0u);
  Root.write("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 0u);
  Root.write("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 3u);
  Root.write("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 2u);
  Root.write("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 2u);
}

TEST(TopologyTest, AContainersOwnGroupIsTheRootItSees) {
  FakeRoot Root;
  Root.write("/proc/self/cgroup", "0::/\n");
  Root.write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n");
  Root.write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 1u);
  // The host's path, of which nothing is to be seen here.
  Root.write("/proc/self/cgroup", "0::/docker/0123\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 1u);
  Root.write("/proc/self/mountinfo", "30 23 0:26 /docker/0123 /groups rw shared:4 - cgroup2 cgroup rw\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 0u);
  Root.write("/groups/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 3u);
}

TEST(TopologyTest, QuotasOfTheFirstVersion) {
  FakeRoot Root;
  Root.write("/proc/self/cgroup", "12:memory:/docker/0123\n4:cpu,cpuacct:/docker/0123\n1:name=systemd:/x\n0::/y\n");
  Root.write("/proc/self/mountinfo",
             "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
             "32 31 0:29 /docker/0123 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "33 31 0:30 /docker/0123 /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  Root.write("/sys/fs/cgroup/memory/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 0u);
  Root.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Root.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 0u);
  Root.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 4u);
  // Without a word on where it is mounted.
  Root.write("/proc/self/mountinfo", "");
  Root.write("/sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "120000\n");
  Root.write("/sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroupQuota(Root.Folder), 2u);
}

TEST(TopologyTest, KnowsItsThreads) {
  std::vector<int> Threads = currentThreads();
  ASSERT_FALSE(Threads.empty());
  EXPECT_TRUE(std::binary_search(Threads.begin(), Threads.end(), static_cast<int>(getpid())));
}

TEST(Topology, CoresAreThoseThatHwlocFinds) {
  Topology Quick = discoverCores(), All = discoverTopology();
  EXPECT_EQ(std::set(Quick.Cores.begin(), Quick.Cores.end()), std::set(All.Cores.begin(), All.Cores.end()));
  EXPECT_EQ(Quick.PhysicalCores, All.PhysicalCores);
  EXPECT_EQ(Quick.Quota, All.Quota);
  EXPECT_EQ(Quick.AllowedByGroup, All.AllowedByGroup);
}

TEST(Topology, ACoresFirstThreadIsTheOneThatIsListedFirst) {
  EXPECT_TRUE(isFirstSibling(0, "0,4"));
  EXPECT_FALSE(isFirstSibling(4, "0,4"));
  EXPECT_TRUE(isFirstSibling(2, "2-3"));
  EXPECT_FALSE(isFirstSibling(3, "2-3"));
  EXPECT_TRUE(isFirstSibling(7, ""));
}
