// What is ahead of devices, and what tasks hold up.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/GraphAhead.h"

#include <gtest/gtest.h>

#include <memory>

using namespace hsched::rt;

namespace {

struct Ahead : testing::Test {
  Ahead() { Device.Nanoseconds = 10, Device.OnDevice = true, Core.Nanoseconds = 10; }
  void submit(TaskId From, TaskId To, const GraphAhead::Kind &K) {
    for (TaskId Id = From; Id <= To; ++Id)
      A.submitted(Id, K);
  }
  GraphAhead::Kind Device, Core;
  GraphAhead A;
};

TEST_F(Ahead, CountsWhatDevicesHaveToDo) {
  submit(1, 10, Device);
  submit(11, 20, Core);
  EXPECT_EQ(A.deviceWork(), 100);
  A.ended(3), A.ended(3), A.ended(15), A.ended(99);
  EXPECT_EQ(A.deviceWork(), 90);
  Device.Nanoseconds = 20; // It turns out.
  for (TaskId Id = 4; Id <= 8; ++Id)
    A.ended(Id);
  EXPECT_EQ(A.deviceWork(), 80);
}

TEST_F(Ahead, DelaysATaskIfDevicesHaveOtherWork) {
  submit(1, 20, Device); // 2 to 11 come after 1; 12 to 20 after nothing.
  for (TaskId Id = 2; Id <= 11; ++Id)
    A.edge(Id == 2 ? 1 : Id - 1, Id);
  EXPECT_FALSE(A.holdUp(1, 91, 1));
  EXPECT_FALSE(A.holdUp(1, 46, 2));
  EXPECT_TRUE(A.holdUp(1, 90, 1));
  EXPECT_FALSE(A.holdUp(12, 90, 1)) << "9 tasks but itself";
  EXPECT_TRUE(A.holdUp(12, 80, 1));
  EXPECT_FALSE(A.holdUp(99, 1, 1)) << "not known";
  A.ended(1);
  EXPECT_TRUE(A.holdUp(2, 80, 1)) << "nothing waits for 1 any more: 3 to 11 come after 2";
}

TEST_F(Ahead, APathEndsWithWhatComesLast) {
  submit(1, 3, Device), submit(4, 5, Core);
  A.edge(1, 3), A.edge(2, 3), A.edge(3, 4);
  EXPECT_EQ(A.pathFrom(1), 30);
  EXPECT_EQ(A.pathFrom(3), 20);
  EXPECT_EQ(A.pathFrom(5), 10);
  EXPECT_EQ(A.pathFrom(99), 0) << "not known";
  const uint64_t Computations = A.looks();
  Device.Nanoseconds = 20; // It turns out.
  A.ended(1), A.ended(2);
  EXPECT_EQ(A.pathFrom(3), 30);
  EXPECT_GT(A.looks(), Computations);
}

// Blocks that wait for each other, as in a stencil.
TEST_F(Ahead, KnowsWaves) {
  Device.OnCore = 100;
  submit(1, 12, Device); // Four waves of three blocks.
  for (TaskId Id = 4; Id <= 12; ++Id)
    for (TaskId Neighbour = (Id - 1) / 3 * 3 - 2, End = Neighbour + 3; Neighbour < End; ++Neighbour)
      A.edge(Neighbour, Id);
  GraphAhead::OnCores Is = A.onCores(1);
  EXPECT_TRUE(Is.InWaves);
  EXPECT_EQ(Is.Path, 400);
  EXPECT_EQ(Is.Width, 3);
  // A wave that runs is not ahead any more. One of its tasks has ended, so some paths are shorter.
  A.begun(1), A.begun(2), A.begun(3), A.ended(2);
  A.timesKnown();
  Is = A.onCores(4);
  EXPECT_TRUE(Is.InWaves);
  EXPECT_EQ(Is.Path, 300);
  EXPECT_EQ(Is.Width, 3);
}

// The first two waves have not begun when the third one is asked about: it is not wider for that.
TEST_F(Ahead, AWaveIsAsWideLater) {
  Device.OnCore = 100;
  submit(1, 12, Device);
  for (TaskId Id = 4; Id <= 12; ++Id)
    for (TaskId Neighbour = (Id - 1) / 3 * 3 - 2, End = Neighbour + 3; Neighbour < End; ++Neighbour)
      A.edge(Neighbour, Id);
  EXPECT_EQ(A.onCores(7).Path, 200);
  EXPECT_EQ(A.onCores(7).Width, 3);
}

// Five blocks in a row. The last one is a little larger, and behind the others by a task. No core has run the others.
TEST_F(Ahead, TasksOfAWaveDifferALittle) {
  Device.Assumed = 100;
  Core.OnCore = 101;
  for (TaskId Id = 1; Id <= 20; ++Id)
    submit(Id, Id, Id % 5 ? Device : Core);
  for (TaskId Id = 6; Id <= 20; ++Id)
    for (TaskId Neighbour = Id - 5 - (Id % 5 != 1), End = Id - 5 + (Id % 5 != 0); Neighbour <= End; ++Neighbour)
      A.edge(Neighbour, Id);
  A.begun(1), A.begun(2), A.begun(3), A.begun(4);
  EXPECT_TRUE(A.onCores(5).InWaves);
  Core.OnCore = 110;
  A.timesKnown();
  EXPECT_FALSE(A.onCores(5).InWaves);
}

TEST_F(Ahead, TasksWithTimeToSpareAreNoWaves) {
  Device.OnCore = 100;
  submit(1, 6, Device); // A chain of four; two tasks beside it.
  A.edge(1, 2), A.edge(2, 3), A.edge(3, 4);
  EXPECT_FALSE(A.onCores(1).InWaves);
}

TEST_F(Ahead, NoWavesIfSomeTasksRunOnDevicesAlone) {
  Device.OnCore = 100;
  Core.OnlyDevices = true;
  submit(1, 20, Device), submit(21, 21, Core);
  for (TaskId Id = 11; Id <= 20; ++Id)
    for (TaskId Before = 1; Before <= 10; ++Before)
      A.edge(Before, Id);
  EXPECT_FALSE(A.onCores(1).InWaves);
  Core.OnlyDevices = false;
  A.timesKnown();
  EXPECT_TRUE(A.onCores(1).InWaves);
}

TEST_F(Ahead, ChainsBesideEachOtherAreNoWaves) {
  Device.OnCore = 100;
  submit(1, 20, Device);
  for (TaskId Id = 11; Id <= 20; ++Id)
    A.edge(Id - 10, Id);
  EXPECT_EQ(A.onCores(1).Path, 200);
  EXPECT_FALSE(A.onCores(1).InWaves);
}

// To count them all would take longer than the task.
TEST_F(Ahead, NeverDelaysATaskWithTooManySuccessors) {
  const TaskId Many = 4000;
  submit(1, Many, Device);
  for (TaskId Id = 2; Id < Many / 2; ++Id)
    A.edge(Id - 1, Id);
  EXPECT_FALSE(A.holdUp(1, 10, 1));
  EXPECT_TRUE(A.holdUp(Many / 2 - 1000, 10, 1));
}

TEST_F(Ahead, ForgetsTheOldestOfTooMany) {
  submit(1, 2, Device);
  A.edge(1, 2);
  submit(GraphAhead::MostTasks + 1, GraphAhead::MostTasks + 1, Device);
  EXPECT_FALSE(A.holdUp(1, 1, 1));
  EXPECT_TRUE(A.holdUp(2, 1, 1));
  submit(1'000'000'000, 1'000'000'001, Device);
  EXPECT_FALSE(A.holdUp(2, 1, 1));
  EXPECT_TRUE(A.holdUp(1'000'000'000, 10, 1));
}

// A graph of three kinds of tasks: 1 before 2, and 3 alone. The graph comes again with other ids.
TEST_F(Ahead, AGraphThatRecursHasThePathsOfTheLastOne) {
  GraphAhead::Kind Head;
  Head.Nanoseconds = 5, Head.OnDevice = true;
  auto begin = [&](TaskId At) {
    A.submitted(At, Head);
    return A.pathFrom(At);
  };
  auto end = [&](TaskId At) {
    A.submitted(At + 1, Device);
    A.edge(At, At + 1);
    A.submitted(At + 2, Core);
    for (TaskId Id = At; Id <= At + 2; ++Id)
      A.ended(Id);
  };
  EXPECT_EQ(begin(1), 5);
  end(1);
  EXPECT_EQ(begin(11), 15);
  end(11);
  // Another graph comes in between. It has the same first task.
  EXPECT_EQ(begin(21), 15);
  A.submitted(22, Core);
  EXPECT_EQ(A.pathFrom(21), 5);
  A.submitted(23, Core), A.submitted(24, Core);
  for (TaskId Id = 21; Id <= 24; ++Id)
    A.ended(Id);
  EXPECT_EQ(begin(31), 5) << "as the last one";
  A.submitted(32, Device);
  EXPECT_EQ(A.pathFrom(31), 15) << "no, as those before";
  for (TaskId Id = 31; Id <= 32; ++Id)
    A.ended(Id);
}

// An edge from a task that has ended is not reported, but it counted in the repetition before.
TEST_F(Ahead, EdgesOfAllRepetitionsCount) {
  auto run = [&](TaskId At, bool Late) {
    A.submitted(At, Device);
    const GraphAhead::Ns Path = A.pathFrom(At);
    A.submitted(At + 1, Device);
    if (Late)
      A.ended(At);
    else
      A.edge(At, At + 1);
    A.submitted(At + 2, Device);
    if (Late)
      A.edge(At + 1, At + 2);
    for (TaskId Id = At; Id <= At + 2; ++Id)
      A.ended(Id);
    return Path;
  };
  EXPECT_EQ(run(1, false), 10);
  EXPECT_EQ(run(11, true), 20);
  EXPECT_EQ(run(21, true), 30);
}

} // namespace
