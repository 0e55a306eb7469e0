// Which host memory is pinned.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/PinnedRanges.h"
#include "AnyDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include <sys/mman.h>

using namespace hsched::rt::opencl;

namespace {

constexpr size_t MiB = 1 << 20;

struct PinnedRangesTest : testing::Test {
  void SetUp() override {
    const cl::Device Native = anyDevice();
    if (!Native())
      GTEST_SKIP() << "no OpenCL device on this machine";
    Context = cl::Context(Native);
    Memory = static_cast<char *>(
        mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ASSERT_NE(Memory, MAP_FAILED);
    // A hole on either side, so that it is not one with what else is mapped.
    mprotect(Memory, 4096, PROT_NONE);
    mprotect(Memory + Bytes - 4096, 4096, PROT_NONE);
    // The first byte of a range that is pinned at a time.
    First = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(Memory) / (32 * MiB) + 1) * 32 * MiB);
  }
  void TearDown() override {
    if (Memory)
      munmap(Memory, Bytes);
  }

  const size_t Bytes = 160 * MiB;
  char *Memory = nullptr, *First = nullptr;
  cl::Context Context;
};

TEST_F(PinnedRangesTest, NothingThatWasNotAskedFor) {
  PinnedRanges P(Context, PinLazily::Never, 1024 * MiB);
  EXPECT_TRUE(P.find(First, MiB).empty());
  ASSERT_TRUE(P.add(First, MiB).ok());
  EXPECT_EQ(P.find(First, MiB).size(), 1u);
  EXPECT_EQ(P.find(First + 7, 1000).size(), 1u);
  EXPECT_TRUE(P.find(First + 7, MiB).empty()); // Partly.
  EXPECT_EQ(P.bytes(), MiB);
  P.remove(First);
  EXPECT_TRUE(P.find(First, MiB).empty());
  EXPECT_EQ(P.count(), 0u);
}

TEST_F(PinnedRangesTest, WhatTravelsAGranuleAtATime) {
  PinnedRanges P(Context, PinLazily::Watched, 1024 * MiB);
  EXPECT_TRUE(P.find(First, 1000).empty()); // Not worth it.
  EXPECT_EQ(P.find(First + 5, 4 * MiB).size(), 1u);
  EXPECT_EQ(P.bytes(), 32 * MiB);
  EXPECT_EQ(P.find(First, 1000).size(), 1u); // Already pinned.
  EXPECT_EQ(P.find(First + 10 * MiB, 40 * MiB).size(), 2u);
  EXPECT_EQ(P.bytes(), 64 * MiB);
  EXPECT_EQ(P.count(), 2u);
}

// 20 MiB of rows: 256 MiB at once, as far as memory goes.
TEST_F(PinnedRangesTest, RowsLieInOneRange) {
  std::memset(First, 1, 96 * MiB);
  ASSERT_EQ(mprotect(First + 96 * MiB, 4096, PROT_NONE), 0);
  ASSERT_EQ(mprotect(First - 4096, 4096, PROT_NONE), 0);
  PinnedRanges P(Context, PinLazily::Watched, 4096 * MiB);
  const auto Of = [&](size_t At) { return P.find(First + At * MiB + 5, 20 * MiB, PinExtent::Rows); };
  std::vector<PinRef> Rows = Of(20);
  // A border of windows may lie in this memory, but in one place at most.
  ASSERT_LE(P.count() + (Rows.empty() ? 9 : 0), 2u);
  const std::vector<PinRef> Others[] = {Of(0), Of(75)};
  EXPECT_LE(P.count(), 2u);
  EXPECT_EQ(P.bytes(), 96 * MiB);
  // Whatever lies in one of the two is one range.
  EXPECT_TRUE(Others[0].size() == 1 || Others[1].size() == 1);
}

TEST_F(PinnedRangesTest, RowsInMemoryThatIsNotInUse) {
  ASSERT_EQ(mprotect(First + 96 * MiB, 4096, PROT_NONE), 0);
  PinnedRanges P(Context, PinLazily::Watched, 4096 * MiB);
  EXPECT_EQ(P.find(First + 20 * MiB, 20 * MiB, PinExtent::Rows).size(), 2u); // Granules.
  EXPECT_EQ(P.bytes(), 64 * MiB);
}

// The limit counts for a window, too.
TEST_F(PinnedRangesTest, RowsWithinTheLimit) {
  std::memset(First, 1, 96 * MiB);
  PinnedRanges P(Context, PinLazily::Watched, 64 * MiB);
  EXPECT_EQ(P.find(First + 20 * MiB, 20 * MiB, PinExtent::Rows).size(), 2u);
  EXPECT_EQ(P.bytes(), 64 * MiB);
}

// Part of it has been returned before: what is beside it may be returned, too.
TEST_F(PinnedRangesTest, RowsWhereMemoryWasReturned) {
  std::memset(First, 1, 96 * MiB);
  ASSERT_EQ(mprotect(First + 96 * MiB, 4096, PROT_NONE), 0);
  ASSERT_EQ(mprotect(First - 4096, 4096, PROT_NONE), 0);
  PinnedRanges P(Context, PinLazily::Watched, 4096 * MiB);
  EXPECT_EQ(P.find(First + 40 * MiB, MiB).size(), 1u);
  ASSERT_EQ(madvise(First + 40 * MiB, MiB, MADV_DONTNEED), 0);
  // Nothing is certain until the watching thread has read of it.
  while (P.find(First + 5 * MiB, 20 * MiB, PinExtent::Rows).empty())
    std::this_thread::yield();
  EXPECT_EQ(P.bytes(), 32 * MiB);
}

TEST_F(PinnedRangesTest, NoFurtherThanMemoryGoes) {
  PinnedRanges P(Context, PinLazily::Watched, 1024 * MiB);
  ASSERT_EQ(mprotect(First + 8 * MiB, 4096, PROT_READ), 0);
  EXPECT_EQ(P.find(First + 5, 4 * MiB).size(), 1u);
  EXPECT_EQ(P.bytes(), 8 * MiB);
  EXPECT_TRUE(P.find(First + 7 * MiB, 4 * MiB).empty());
}

// Data without a home are reserved; what has been committed of them is pinned, and nothing beside it.
TEST_F(PinnedRangesTest, NothingThatIsOnlyReserved) {
  ASSERT_EQ(mprotect(First, 64 * MiB, PROT_NONE), 0);
  PinnedRanges P(Context, PinLazily::Watched, 1024 * MiB);
  EXPECT_TRUE(P.find(First + 3 * MiB, MiB).empty());
  for (size_t At : {3, 4, 9}) {
    ASSERT_EQ(mprotect(First + At * MiB, MiB, PROT_READ | PROT_WRITE), 0);
    EXPECT_EQ(P.find(First + At * MiB, MiB).size(), 1u);
  }
  EXPECT_EQ(P.bytes(), 3 * MiB);
  EXPECT_EQ(P.find(First + 3 * MiB, 2 * MiB).size(), 2u);
  EXPECT_TRUE(P.find(First + 8 * MiB, 2 * MiB).empty());
}

TEST_F(PinnedRangesTest, TheLeastRecentlyUsedGoes) {
  PinnedRanges P(Context, PinLazily::Watched, 64 * MiB);
  EXPECT_EQ(P.find(First, MiB).size(), 1u);
  EXPECT_EQ(P.find(First + 32 * MiB, MiB).size(), 1u);
  EXPECT_EQ(P.find(First, MiB).size(), 1u);
  EXPECT_EQ(P.find(First + 64 * MiB, MiB).size(), 1u);
  EXPECT_EQ(P.bytes(), 64 * MiB);
  EXPECT_EQ(P.find(First, 1000).size(), 1u);
  EXPECT_TRUE(P.find(First + 32 * MiB, 1000).empty());
}

TEST_F(PinnedRangesTest, MemoryOfItsOwnReplacesWhatWasThere) {
  PinnedRanges P(Context, PinLazily::Watched, 1024 * MiB);
  EXPECT_EQ(P.find(First, MiB).size(), 1u);
  ASSERT_TRUE(P.add(First + 8 * MiB, MiB).ok());
  EXPECT_EQ(P.bytes(), MiB);
  // What is around it is pinned around it.
  EXPECT_EQ(P.find(First + 7 * MiB, 3 * MiB).size(), 3u);
  EXPECT_EQ(P.bytes(), 32 * MiB);
}

} // namespace
