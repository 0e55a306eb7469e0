// Policy versioning in virtual time: what the OmpSs paper says of it, to the task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Versioning : testing::Test {
  void begin(unsigned Cpus, unsigned Gpus) {
    Host = std::make_unique<FakeHost>(Cpus, Gpus);
    P = makePolicy("versioning");
    P->start(*Host);
  }

  Task &push(TestType &T, uint64_t Bytes = 1024, int32_t Priority = 0) {
    Task &New = Host->task(T, Bytes, Priority);
    P->push(New, NoWorker);
    return New;
  }

  std::optional<Assignment> pop(WorkerId W) {
    Assignment A;
    return P->pop(W, A) ? std::optional(A) : std::nullopt;
  }

  // What the executor does at the end of a run.
  void finish(const Assignment &A, Duration Ran) {
    Host->Known.record(*A.T->Type, A.T->DataBytes, A.V->Index, CpuModel, Ran);
    P->completed(*A.T, *A.V, A.T->ChosenWorker, Ran);
  }

  // The one task there is: on the worker it was given to, for as long as TimeOf its version says.
  Assignment runOne(const std::map<unsigned, Duration> &TimeOf, WorkerId W) {
    auto A = pop(W);
    EXPECT_TRUE(A);
    Host->Time.advance(TimeOf.at(A->V->Index));
    finish(*A, TimeOf.at(A->V->Index));
    return *A;
  }

  void know(TestType &T, unsigned V, Duration Mean, uint64_t Bytes = 1024, unsigned Runs = 3) {
    for (unsigned I = 0; I < Runs; ++I)
      Host->Known.record(T.Type, Bytes, V, CpuModel, Mean);
  }

  std::unique_ptr<FakeHost> Host;
  std::unique_ptr<Policy> P;
  TestType Both;
  const Version &OnCpu = Both.add(HSCHED_DEVICE_CPU), &OnGpu = Both.add(HSCHED_DEVICE_OPENCL);
};

// The task is queued for worker 1, which does not come: worker 2 takes it over.
TEST_F(Versioning, WhoHasOtherWorkIsNotIdle) {
  begin(3, 1);
  TestType Cpu, Gpu;
  Cpu.add(HSCHED_DEVICE_CPU);
  Gpu.add(HSCHED_DEVICE_OPENCL);
  know(Cpu, 0, 1ms);
  for (WorkerId W = 0; W < 4; ++W)
    EXPECT_FALSE(pop(W));
  P->busy(1);
  for (unsigned I = 0; I < 2; ++I)
    push(Cpu);
  EXPECT_EQ(Host->takeWoken(), (std::vector<WorkerId>{0, 2}));
  EXPECT_TRUE(pop(0) && pop(2));
  for (WorkerId W = 0; W < 3; ++W)
    EXPECT_FALSE(pop(W));
  push(Cpu);
  std::vector<WorkerId> Woken = Host->takeWoken();
  ASSERT_FALSE(Woken.empty());
  P->busy(Woken.back());
  EXPECT_EQ(Host->takeWoken().size(), 1u);
  push(Gpu);
  EXPECT_EQ(Host->takeWoken(), (std::vector<WorkerId>{3}));
  P->busy(3);
  EXPECT_EQ(Host->takeWoken(), (std::vector<WorkerId>{})); // No other worker takes it.
}

TEST_F(Versioning, LearnsEachVersionLambdaTimes) {
  Both.add(HSCHED_DEVICE_CPU);
  begin(2, 1);
  Host->Lambda = 4;
  std::map<unsigned, Duration> TimeOf{{0, 40ms}, {1, 5ms}, {2, 20ms}};
  std::map<unsigned, unsigned> Runs;
  std::vector<unsigned> Order;
  for (int I = 0; I < 12; ++I) {
    Task &T = push(Both);
    Order.push_back(runOne(TimeOf, T.ChosenWorker).V->Index);
    ++Runs[Order.back()];
  }
  EXPECT_EQ(Runs, (std::map<unsigned, unsigned>{{0, 4}, {1, 4}, {2, 4}}));
  EXPECT_EQ(Order, (std::vector<unsigned>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
  for (int I = 0; I < 10; ++I) { // And then the fastest alone, while everyone is idle.
    Task &T = push(Both);
    EXPECT_EQ(T.ChosenWorker, 2u);
    EXPECT_EQ(runOne(TimeOf, 2).V, &OnGpu);
  }
}

TEST_F(Versioning, LearningGoesRoundRobinOverWorkersToo) {
  begin(2, 2);
  std::vector<WorkerId> Workers;
  for (int I = 0; I < 8; ++I)
    Workers.push_back(push(Both).ChosenWorker);
  EXPECT_EQ(Workers, (std::vector<WorkerId>{0, 2, 1, 3, 0, 2, 1, 3}));
}

TEST_F(Versioning, AssignedIsNotMeasured) {
  begin(1, 1);
  std::vector<const Version *> Chosen;
  for (int I = 0; I < 10; ++I)
    Chosen.push_back(push(Both).Chosen);
  for (int I = 0; I < 10; ++I)
    EXPECT_EQ(Chosen[I], I % 2 ? &OnGpu : &OnCpu) << I;
}

// Figure 5 of the paper. The GPU is the fastest executor of the task, but it is busy. An idle SMP worker finishes it
// first although its version is slower.
TEST_F(Versioning, EarliestExecutorIsNotAlwaysTheFastest) {
  begin(1, 1);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  std::vector<WorkerId> Workers;
  for (int I = 0; I < 12; ++I)
    Workers.push_back(push(Both).ChosenWorker);
  // The GPU ends at 10, 20, 30; 40 > 35: CPU; 40, 50, 60; 70 = 70: a tie goes to the faster version; 80 > 70: CPU; ...
  EXPECT_EQ(Workers, (std::vector<WorkerId>{1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1}));
}

TEST_F(Versioning, WhatHasRunOfATaskIsNoLongerBusyTime) {
  begin(1, 1);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  for (int I = 0; I < 3; ++I)
    push(Both);
  auto A = pop(1);
  ASSERT_TRUE(A);
  EXPECT_EQ(push(Both).ChosenWorker, 0u); // 30 + 10 against 35.
  Host->Time.advance(6ms);
  EXPECT_EQ(push(Both).ChosenWorker, 1u); // 24 + 10 against 35 + 35.
  Assignment OnCpu = *pop(0);
  Host->Time.advance(33ms); // The GPU's first task takes longer than was foreseen: 0 + 30 + 10 = 40 against 2 + 35.
  EXPECT_EQ(push(Both).ChosenWorker, 0u);
  finish(OnCpu, 35ms);
}

TEST_F(Versioning, TiesGoToFewerQueuedThenWorkerOrder) {
  begin(3, 0);
  TestType Cpu;
  Cpu.add(HSCHED_DEVICE_CPU);
  for (WorkerId W : {0u, 1u, 2u, 0u, 1u, 2u})
    EXPECT_EQ(push(Cpu).ChosenWorker, W);
  pop(1), pop(1); // Popped tasks still keep their worker busy.
  EXPECT_EQ(push(Cpu).ChosenWorker, 0u);
}

TEST_F(Versioning, ANewSizeGoesBackToLearning) {
  begin(1, 1);
  know(Both, 0, 50ms), know(Both, 1, 1ms);
  EXPECT_EQ(push(Both).Chosen, &OnGpu);
  std::vector<const Version *> Chosen;
  for (int I = 0; I < 4; ++I)
    Chosen.push_back(push(Both, 1025).Chosen); // One byte more is another group.
  EXPECT_EQ(Chosen, (std::vector<const Version *>{&OnCpu, &OnGpu, &OnCpu, &OnGpu}));
  EXPECT_EQ(push(Both).Chosen, &OnGpu);
}

TEST_F(Versioning, MeansFollowAVersionThatBecomesSlower) {
  begin(1, 1);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  int Runs = 0;
  for (; Runs < 100; ++Runs) {
    Task &T = push(Both);
    if (T.Chosen == &OnCpu)
      break;
    runOne({{1, 100ms}}, 1);
  }
  EXPECT_EQ(Runs, 2); // (3 * 10 + 100) / 4 = 32.5; (3 * 10 + 2 * 100) / 5 = 46
}

TEST_F(Versioning, ADisabledVersionIsNeverChosen) {
  begin(2, 1);
  Both.version(1).disableOn(2);
  for (int I = 0; I < 6; ++I) {
    Task &T = push(Both);
    EXPECT_EQ(T.Chosen, &OnCpu);
    EXPECT_LT(T.ChosenWorker, 2u);
  }
  EXPECT_FALSE(pop(2));
}

TEST_F(Versioning, DisabledOnOneGpuStillRunsOnTheOther) {
  begin(1, 2);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  Both.version(1).disableOn(1);
  std::vector<WorkerId> Workers;
  for (int I = 0; I < 5; ++I)
    Workers.push_back(push(Both).ChosenWorker);
  EXPECT_EQ(Workers, (std::vector<WorkerId>{2, 2, 2, 0, 2}));
}

TEST_F(Versioning, DisabledWhileQueuedComesOutElsewhere) {
  begin(1, 1);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  Task &T = push(Both);
  EXPECT_EQ(T.ChosenWorker, 1u);
  Both.version(1).disableOn(1);
  EXPECT_FALSE(pop(0));
  EXPECT_FALSE(pop(1)); // Hands it over.
  EXPECT_EQ(Host->takeWoken(), (std::vector<WorkerId>{0}));
  auto A = pop(0);
  ASSERT_TRUE(A);
  EXPECT_EQ(A->T, &T);
  EXPECT_EQ(A->V, &OnCpu);
}

TEST_F(Versioning, UsableNowhereComesOutToBeFailed) {
  begin(1, 1);
  TestType Gpu;
  Gpu.add(HSCHED_DEVICE_OPENCL);
  push(Gpu);
  Gpu.version(0).disableOn(1);
  auto A = pop(1);
  ASSERT_TRUE(A);
  EXPECT_TRUE(A->V->disabledOn(1));
}

TEST_F(Versioning, OneVersionNeedsNoLearning) {
  begin(1, 2);
  TestType Gpu;
  Gpu.add(HSCHED_DEVICE_OPENCL);
  std::vector<WorkerId> Workers;
  for (int I = 0; I < 4; ++I)
    Workers.push_back(push(Gpu).ChosenWorker);
  EXPECT_EQ(Workers, (std::vector<WorkerId>{1, 2, 1, 2}));
}

TEST_F(Versioning, AVersionRegisteredLateIsLearnt) {
  begin(1, 1);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  EXPECT_EQ(push(Both).Chosen, &OnGpu);
  const Version &Late = Both.add(HSCHED_DEVICE_CPU);
  std::vector<const Version *> Chosen;
  for (int I = 0; I < 3; ++I)
    Chosen.push_back(push(Both).Chosen);
  EXPECT_EQ(std::ranges::count(Chosen, &Late), 1);
}

TEST_F(Versioning, APriorityIsServedFirst) {
  begin(1, 0);
  TestType Cpu;
  Cpu.add(HSCHED_DEVICE_CPU);
  push(Cpu), push(Cpu, 1024, 3), push(Cpu), push(Cpu, 1024, 3);
  std::vector<TaskId> Ids;
  while (auto A = pop(0))
    Ids.push_back(A->T->Id);
  EXPECT_EQ(Ids, (std::vector<TaskId>{2, 4, 1, 3}));
}

TEST_F(Versioning, AnIdleCpuTakesOverAnotherCpusTask) {
  begin(2, 1);
  know(Both, 0, 10ms), know(Both, 1, 35ms);
  Task &T = push(Both);
  EXPECT_EQ(T.ChosenWorker, 0u);
  EXPECT_FALSE(pop(2)); // A GPU does not.
  auto A = pop(1);
  ASSERT_TRUE(A);
  EXPECT_EQ(A->V, &OnCpu);
  EXPECT_EQ(T.ChosenWorker, 1u);
  EXPECT_EQ(push(Both).ChosenWorker, 0u); // The busy time moved with it.
  finish(*A, 10ms);
}

TEST_F(Versioning, WakesTheChosenWorkerAndAThiefForTheMainThread) {
  begin(3, 1);
  know(Both, 0, 10ms), know(Both, 1, 35ms);
  EXPECT_FALSE(pop(2));
  EXPECT_EQ(push(Both).ChosenWorker, 0u); // Worker 0 never came: it may be computing.
  EXPECT_EQ(Host->takeWoken(), (std::vector<WorkerId>{2}));
  EXPECT_FALSE(pop(3));
  EXPECT_EQ(push(Both).ChosenWorker, 1u); // All CPU workers are awake.
  EXPECT_EQ(push(Both).ChosenWorker, 2u);
  EXPECT_EQ(push(Both).ChosenWorker, 0u);
  EXPECT_EQ(Host->takeWoken(), (std::vector<WorkerId>{}));
}

TEST_F(Versioning, AnIdleMainThreadDoesNotSufficeToWake) {
  begin(2, 0);
  TestType Cpu;
  Cpu.add(HSCHED_DEVICE_CPU);
  EXPECT_FALSE(pop(0)); // And then it stopped waiting.
  EXPECT_FALSE(pop(1));
  EXPECT_EQ(push(Cpu).ChosenWorker, 0u);
  EXPECT_EQ(Host->takeWoken(), (std::vector<WorkerId>{0, 1}));
}

// A burst is handed out evenly while nothing is known. What of it still waits when the group has learned goes to its
// earliest executor after all.
TEST_F(Versioning, ABurstIsDecidedAnewWhenTheGroupHasLearned) {
  begin(1, 1);
  for (int I = 0; I < 20; ++I)
    push(Both);
  std::map<unsigned, Duration> TimeOf{{0, 100ms}, {1, 1ms}};
  for (int I = 0; I < 3; ++I) {
    EXPECT_EQ(runOne(TimeOf, 1).V, &OnGpu);
    EXPECT_EQ(runOne(TimeOf, 0).V, &OnCpu);
  }
  EXPECT_FALSE(pop(0)); // Seven waited here.
  unsigned OnGpuNow = 0;
  while (auto A = pop(1)) {
    EXPECT_EQ(A->V, &OnGpu);
    ++OnGpuNow;
    finish(*A, 1ms);
  }
  EXPECT_EQ(OnGpuNow, 14u);
}

// A task at the head of its queue competes as such: what is queued behind it does not delay it.
TEST_F(Versioning, DecidedAnewAtTheHeadOfTheQueue) {
  begin(1, 1);
  know(Both, 0, 10ms, 1024, 2), know(Both, 1, 11ms, 1024, 2);
  for (int I = 0; I < 6; ++I)
    push(Both);
  for (int I = 0; I < 3; ++I)
    runOne({{1, 11ms}}, 1);
  runOne({{0, 10ms}}, 0);
  auto A = pop(0); // At once here: 10; after the other one here: 20; on the idle GPU: 11.
  ASSERT_TRUE(A);
  EXPECT_EQ(A->V, &OnCpu);
  EXPECT_EQ(A->T->Id, 3u); // 1, 3 and 5 were queued here.
}

TEST_F(Versioning, AnUnknownVersionIsTakenToBeAsSlowAsTheSlowestKnown) {
  begin(1, 1);
  know(Both, 1, 11ms, 1024, 1);
  EXPECT_EQ(push(Both).Predicted, 11ms);
  EXPECT_EQ(push(Both).Predicted, 11ms);
  EXPECT_EQ(push(Both, 2048).Predicted, 0ms);
}

// A size that the GPU cannot take: learning ends without it, and other sizes still go there.
TEST_F(Versioning, WhatIsRefusedAgainAndAgainIsNotChosenForThatSize) {
  begin(1, 1);
  unsigned Refused = 0;
  for (unsigned I = 0; I < 40; ++I) {
    push(Both);
    if (auto A = pop(1)) {
      P->completed(*A->T, *A->V, 1, Duration(-1));
      P->refused(*A->T, *A->V, 1);
      ++Refused;
    } else {
      runOne({{0, 1ms}}, 0);
    }
  }
  EXPECT_EQ(Refused, Host->Lambda);
  EXPECT_EQ(push(Both).Chosen, &OnCpu);
  know(Both, 0, 5ms, 2048);
  know(Both, 1, 1ms, 2048);
  EXPECT_EQ(push(Both, 2048).Chosen, &OnGpu);
  // With nothing else left it is asked again.
  Both.version(0).disableOn(0);
  EXPECT_EQ(push(Both).Chosen, &OnGpu);
}

TEST_F(Versioning, DataThatHaveToTravelCount) {
  begin(1, 1);
  Host->apart();
  P->start(*Host);
  know(Both, 0, 10ms);
  know(Both, 1, 1ms);
  Host->Travel = {0ms, 20ms};
  EXPECT_EQ(push(Both).Chosen, &OnCpu) << "10 at once, or 21 with the transfer";
  Host->Travel = {0ms, 5ms};
  EXPECT_EQ(push(Both).Chosen, &OnGpu) << "6 there, 20 behind the first here";
  // Transfers run beside what the device does, but a core waits for what has to come home.
  for (int I = 0; I < 4; ++I)
    ASSERT_EQ(push(Both).Chosen, &OnGpu) << "until it is busy for 5 ms its queue costs nothing";
  Host->Travel = {8ms, 0ms};
  for (int I = 0; I <= 22; ++I)
    ASSERT_EQ(push(Both).Chosen, &OnGpu) << I << ": 10 + 8 + 10 here, 6 + I there";
  EXPECT_EQ(push(Both).Chosen, &OnCpu);
}

TEST_F(Versioning, WithoutAChoiceTransfersAreNotEstimated) {
  begin(2, 1);
  Host->apart();
  P->start(*Host);
  TestType Cpu, Gpu;
  Cpu.add(HSCHED_DEVICE_CPU);
  Gpu.add(HSCHED_DEVICE_OPENCL);
  push(Cpu);
  push(Gpu);
  EXPECT_EQ(Host->AskedForTransfers, 0u);
  push(Both);
  EXPECT_EQ(Host->AskedForTransfers, 2u) << "once a memory";
}

TEST_F(Versioning, AFailedRunTeachesNothing) {
  begin(1, 1);
  Host->Lambda = 1;
  push(Both);
  auto A = pop(0);
  ASSERT_TRUE(A);
  P->completed(*A->T, *A->V, 0, Duration(-1));
  EXPECT_EQ(push(Both).Chosen, &OnGpu);
  runOne({{1, 1ms}}, 1);
  EXPECT_EQ(push(Both).Chosen, &OnCpu); // Still to be measured.
  EXPECT_EQ(push(Both).Chosen, &OnGpu);
}

} // namespace
