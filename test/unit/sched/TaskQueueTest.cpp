// Order of a queue of tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/TaskQueue.h"
#include "FakeHost.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

std::vector<TaskId> drain(TaskQueue &Q) {
  std::vector<TaskId> Ids;
  while (Task *T = Q.popFront())
    Ids.push_back(T->Id);
  return Ids;
}

TEST(TaskQueue, PriorityThenArrival) {
  FakeHost Host(1, 0);
  TestType Type;
  TaskQueue Q;
  for (int Priority : {0, 5, 0, -2, 5})
    Q.pushBack(Host.task(Type, 8, Priority));
  EXPECT_EQ(Q.front()->Id, 2u);
  EXPECT_EQ(drain(Q), (std::vector<TaskId>{2, 5, 1, 3, 4}));
  EXPECT_TRUE(Q.empty());
}

TEST(TaskQueue, FrontGoesAheadOfItsOwnPriorityOnly) {
  FakeHost Host(1, 0);
  TestType Type;
  TaskQueue Q;
  Q.pushBack(Host.task(Type, 8, 1));
  Q.pushBack(Host.task(Type, 8, 0));
  Q.pushFront(Host.task(Type, 8, 0));
  EXPECT_EQ(drain(Q), (std::vector<TaskId>{1, 3, 2}));
}

TEST(TaskQueue, FillsAgainAfterDraining) {
  FakeHost Host(1, 0);
  TestType Type;
  TaskQueue Q;
  for (int Round = 0; Round < 3; ++Round) {
    Task &A = Host.task(Type, 8, Round), &B = Host.task(Type, 8, -Round);
    Q.pushFront(A);
    Q.pushBack(B);
    EXPECT_EQ(drain(Q), (std::vector<TaskId>{A.Id, B.Id}));
    EXPECT_EQ(Q.front(), nullptr);
  }
}

} // namespace
