// Gaps and their reasons, against numbers computed by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/IdleTime.h"

#include <gtest/gtest.h>

using namespace hsched::rt::record;

namespace {

TEST(IdleTime, EachPartOfAGap) {
  Record R;
  R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}, {1, "GPU #0", "gpu", "gpu", true, {}, {}}};
  auto add = [&](uint64_t Id, uint32_t W, Ns Submitted, Ns Begin, Ns End, std::vector<uint64_t> After = {}) {
    Task T;
    T.Id = Id;
    T.Worker = W;
    T.Submitted = Submitted;
    T.Begin = Begin;
    T.End = End;
    T.How = TaskOutcome::Done;
    T.After = std::move(After);
    R.Tasks.push_back(std::move(T));
  };
  add(1, 0, 0, 5, 30);
  // Submitted at 10, ready at 30; its data are in transfer from 33 to 41; it begins at 50.
  add(2, 1, 10, 50, 60, {1});
  R.Transfers = {{"to device", 1, 2, 8, 33, 38}, {"to device", 1, 2, 8, 36, 41}};
  add(3, 1, 0, 60, 90); // No gap before it.
  const std::vector<Gap> All = idleGaps(R, 100);
  ASSERT_EQ(All.size(), 4u);
  EXPECT_EQ(All[0].Worker, 0u);
  EXPECT_EQ(All[0].Parts, (std::array<Ns, NumIdle>{0, 0, 0, 5, 0, 0}));   // It could have begun.
  EXPECT_EQ(All[1].Parts, (std::array<Ns, NumIdle>{0, 0, 0, 0, 30, 40})); // Task 3 was ready until 60.
  EXPECT_EQ(All[1].main(), Idle::NoMore);
  EXPECT_EQ(All[2].Next, 2u);
  EXPECT_EQ(All[2].Parts, (std::array<Ns, NumIdle>{10, 20, 8, 12, 0, 0}));
  EXPECT_EQ(All[2].main(), Idle::Predecessors);
  EXPECT_EQ(All[3].Begin, 90);
  EXPECT_EQ(All[3].Next, 0u);
}

TEST(IdleTime, TasksInsideOthersLeaveNoGap) {
  Record R;
  R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}};
  for (auto [Begin, End] : {std::pair<Ns, Ns>(0, 50), std::pair<Ns, Ns>(10, 20), std::pair<Ns, Ns>(55, 60)}) {
    Task T;
    T.Id = R.Tasks.size() + 1;
    T.Begin = Begin;
    T.End = End;
    T.How = TaskOutcome::Done;
    R.Tasks.push_back(std::move(T));
  }
  const std::vector<Gap> All = idleGaps(R, 60);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Begin, 50);
  EXPECT_EQ(All[0].End, 55);
}

TEST(IdleTime, NoTaskWasGivenToAWorker) {
  Record R;
  R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}, {1, "CPU 1", "cpu", "cpu", false, {}, {}}};
  auto add = [&](Ns Submitted, Ns Begin, Ns End, std::vector<uint64_t> After = {}) {
    Task T;
    T.Id = R.Tasks.size() + 1;
    T.Submitted = Submitted;
    T.Begin = Begin;
    T.End = End;
    T.How = TaskOutcome::Done;
    T.After = std::move(After);
    R.Tasks.push_back(std::move(T));
  };
  add(0, 0, 20);
  add(5, 20, 40); // Ready from 5 to 20, and the next one from 8 to 40.
  add(8, 40, 50);
  add(10, 50, 60, {3}); // Not ready until it begins.
  add(70, 70, 90);      // Not submitted before 70.
  const std::vector<Gap> All = idleGaps(R, 100);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[2].Worker, 1u);
  // From 0 to 5 and from 50 to 70 no task was submitted that had not begun; from 40 to 50 task 4 had a predecessor.
  EXPECT_EQ(All[2].Parts, (std::array<Ns, NumIdle>{25, 10, 0, 0, 35, 30}));
  EXPECT_EQ(All[2].main(), Idle::NotGiven);
  EXPECT_EQ(idleTimes(R, 100)[static_cast<size_t>(Idle::Program)], 35); // And 10 of CPU 0.
}

TEST(IdleTime, AWorkerThatNeverRan) {
  Record R;
  R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}};
  const std::vector<Gap> All = idleGaps(R, 60);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Parts[static_cast<size_t>(Idle::NoMore)], 60);
}

} // namespace
