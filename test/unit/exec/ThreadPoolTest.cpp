// The pool of threads, by itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/ThreadPool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

using namespace hsched::rt;

namespace {

TEST(ThreadPool, MakesNoMoreThreadsThanItMayAndUsesThemAgain) {
  ThreadPool C(2);
  std::array<std::thread::id, 3> By;
  std::atomic<bool> Go{false};
  std::atomic<int> Ran{0};
  for (size_t I = 0; I < 2; ++I)
    ASSERT_TRUE(C.run([&, I] {
      By[I] = std::this_thread::get_id();
      while (!Go)
        std::this_thread::yield();
      ++Ran;
    }));
  EXPECT_FALSE(C.run([&] { ++Ran; })) << "both are at work";
  EXPECT_EQ(C.prepare(1), 0u);
  Go = true;
  while (C.prepare(2) < 2) // A thread is idle soon after its job.
    std::this_thread::yield();
  ASSERT_TRUE(C.run([&] {
    By[2] = std::this_thread::get_id();
    ++Ran;
  }));
  C.end();
  EXPECT_EQ(Ran, 3);
  EXPECT_NE(By[0], By[1]);
  EXPECT_TRUE(By[2] == By[0] || By[2] == By[1]);
}

TEST(ThreadPool, AnEndWaitsForWhatRuns) {
  std::atomic<int> Ran{0};
  {
    ThreadPool C(4);
    for (int I = 0; I < 4; ++I)
      ASSERT_TRUE(C.run([&] {
        for (int Turn = 0; Turn < 100; ++Turn)
          std::this_thread::yield();
        ++Ran;
      }));
  }
  EXPECT_EQ(Ran, 4);
}

} // namespace
