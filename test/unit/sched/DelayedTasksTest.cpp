// Tasks whose plan waits for a moment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/DelayedTasks.h"
#include "FakeHost.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

TEST(Delayed, TasksWaitForAPartOfTheirTime) {
  FakeHost Host(1, 0);
  TestType Type;
  Task &A = Host.task(Type), &B = Host.task(Type);
  DelayedTasks Delayed;
  EXPECT_EQ(Delayed.due(), DelayedTasks::Never);
  Delayed.delay(A, 2'560'000, 300, 1000);
  EXPECT_EQ(Delayed.due(), 11'000);
  Delayed.delay(B, 5'120'000, 500, 9000);
  EXPECT_EQ(Delayed.due(), 31'000);
  EXPECT_TRUE(Delayed.take(30'999).empty());
  EXPECT_EQ(Delayed.onDevices(), 800);
  EXPECT_EQ(Delayed.take(31'000), (std::vector<Task *>{&A, &B}));
  EXPECT_EQ(Delayed.due(), DelayedTasks::Never);
  EXPECT_TRUE(Delayed.take(40'000).empty());
  EXPECT_EQ(Delayed.onDevices(), 0);
}

TEST(Delayed, ManyTasksWaitNoLonger) {
  FakeHost Host(1, 0);
  TestType Type;
  DelayedTasks Delayed;
  for (int I = 0; I < 20; ++I)
    Delayed.delay(Host.task(Type), 10'000'000, 0, 5000 + I);
  EXPECT_EQ(Delayed.due(), 105'000);
  EXPECT_EQ(Delayed.take(105'000).size(), 20u);
  Delayed.delay(Host.task(Type), 256'000, 0, 200'000);
  EXPECT_EQ(Delayed.due(), 201'000) << "the next ones wait by themselves";
}

} // namespace
