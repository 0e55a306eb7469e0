// Memory for transfers, on simulated devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <vector>

using namespace hsched::test;

namespace {

// Ctest runs each test in a process of its own.
struct HostMemory : testing::Test {
  void SetUp() override {
    setenv("HSCHED_SIM", "2", 1);
    ASSERT_TRUE(startOnSimulatedDevices());
    void *Plugin = dlopen(TEST_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    PinnedOn = Plugin ? reinterpret_cast<decltype(PinnedOn)>(dlsym(Plugin, "hsched_sim_pinned_on")) : nullptr;
    ASSERT_TRUE(PinnedOn);
  }
  unsigned (*PinnedOn)(const void *Ptr, size_t Bytes) = nullptr; // How many devices.
};

TEST_F(HostMemory, IsPinnedOnAllDevicesUntilItIsFreed) {
  std::vector<unsigned char> Ordinary(10000);
  EXPECT_EQ(PinnedOn(Ordinary.data(), 1), 0u);
  void *Memory = hsched_malloc(10000), *Other = hsched_malloc(1);
  ASSERT_TRUE(Memory && Other);
  EXPECT_EQ(PinnedOn(Memory, 10000), 2u);
  EXPECT_EQ(PinnedOn(Other, 1), 2u);
  hsched_free(Memory);
  EXPECT_EQ(PinnedOn(Memory, 1), 0u);
  EXPECT_EQ(PinnedOn(Other, 1), 2u);
  hsched_free(Other);
  EXPECT_EQ(PinnedOn(Other, 1), 0u);
}

TEST_F(HostMemory, OfAnAllocatorIsPinnedToo) {
  const void *Last = nullptr;
  {
    std::vector<double, hsched::allocator<double>> X(1000);
    EXPECT_EQ(PinnedOn(X.data(), 8000), 2u);
    X.resize(100000);
    EXPECT_EQ(PinnedOn(X.data(), 800000), 2u);
    Last = X.data();
  }
  EXPECT_EQ(PinnedOn(Last, 1), 0u);
}

} // namespace
