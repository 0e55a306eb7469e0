// Policy eager: who gets which task, and who is woken for it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Eager : testing::Test {
  Eager() { P->start(Host); }

  // The id of the task that W gets, 0 for none.
  TaskId pop(WorkerId W) {
    Assignment A;
    if (!P->pop(W, A))
      return 0;
    Last = A.V;
    EXPECT_EQ(A.T->ChosenWorker, W);
    EXPECT_EQ(A.T->Chosen, A.V);
    return A.T->Id;
  }
  Task &push(TestType &T, int32_t Priority = 0, WorkerId From = NoWorker) {
    Task &New = Host.task(T, 1024, Priority);
    P->push(New, From);
    return New;
  }

  FakeHost Host{2, 2}; // Workers 0, 1: CPU; 2, 3: GPU.
  std::unique_ptr<Policy> P = makePolicy("eager");
  TestType Cpu, Gpu, Both;
  const Version &CpuOnly = Cpu.add(HSCHED_DEVICE_CPU), &GpuOnly = Gpu.add(HSCHED_DEVICE_OPENCL),
                &BothCpu = Both.add(HSCHED_DEVICE_CPU), &BothGpu = Both.add(HSCHED_DEVICE_OPENCL);
  const Version *Last = nullptr;
};

TEST_F(Eager, WorkersGetOnlyWhatTheyCanRun) {
  push(Gpu), push(Cpu), push(Both), push(Both);
  EXPECT_EQ(pop(0), 2u);
  EXPECT_EQ(Last, &CpuOnly);
  EXPECT_EQ(pop(2), 1u);
  EXPECT_EQ(Last, &GpuOnly);
  EXPECT_EQ(pop(3), 3u);
  EXPECT_EQ(Last, &BothGpu);
  EXPECT_EQ(pop(1), 4u);
  EXPECT_EQ(Last, &BothCpu);
  EXPECT_EQ(pop(0) + pop(1) + pop(2) + pop(3), 0u);
}

TEST_F(Eager, PriorityThenSubmissionAcrossQueues) {
  push(Cpu), push(Both, 1), push(Both), push(Cpu, 1), push(Cpu);
  EXPECT_EQ(pop(0), 2u);
  EXPECT_EQ(pop(0), 4u);
  EXPECT_EQ(pop(0), 1u);
  EXPECT_EQ(pop(0), 3u);
  EXPECT_EQ(pop(0), 5u);
}

TEST_F(Eager, ASuccessorOnTheCpuGoesFirst) {
  push(Cpu);
  P->pushActivated(Host.task(Cpu), 1);
  P->pushActivated(Host.task(Cpu), 2); // From a GPU: in line.
  push(Cpu, 1);
  EXPECT_EQ(pop(0), 4u);
  EXPECT_EQ(pop(0), 2u);
  EXPECT_EQ(pop(0), 1u);
  EXPECT_EQ(pop(0), 3u);
}

// A mark that is left behind draws wake-ups to a worker that does not come; one that was taken leaves a task behind.
TEST_F(Eager, WhoHasOtherWorkIsNotIdle) {
  EXPECT_EQ(pop(0) + pop(1) + pop(2) + pop(3), 0u);
  P->busy(2);
  push(Gpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{3}));
  P->busy(3);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{})); // No worker is left that could run it.
  push(Cpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{1}));
  P->busy(1);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{0}));
  P->busy(1); // Once.
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{}));
}

TEST_F(Eager, WakesOneIdleWorkerThatCanRunIt) {
  EXPECT_EQ(pop(0) + pop(1) + pop(2) + pop(3), 0u);
  push(Gpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{2}));
  push(Gpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{3}));
  push(Gpu); // Both are awake.
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{}));
  push(Cpu); // The main thread comes last.
  push(Cpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{1, 0}));
}

TEST_F(Eager, AWorkerThatFindsNothingIsIdleAgain) {
  EXPECT_EQ(pop(1), 0u);
  push(Cpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{1}));
  EXPECT_EQ(pop(1), 1u);
  push(Cpu); // busy.
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{}));
  EXPECT_EQ(pop(1), 2u);
  EXPECT_EQ(pop(1), 0u);
  push(Cpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{1}));
}

TEST_F(Eager, VersionDisabledOnOneDeviceRunsOnTheOther) {
  Gpu.version(0).disableOn(2);
  push(Gpu);
  EXPECT_EQ(pop(2), 0u);
  EXPECT_EQ(pop(3), 1u);
}

TEST_F(Eager, VersionDisabledOnOneCpuRunsOnTheOther) {
  Cpu.version(0).disableOn(1);
  EXPECT_EQ(pop(0), 0u);
  push(Cpu);
  EXPECT_EQ(Host.takeWoken(), (std::vector<WorkerId>{0}));
  EXPECT_EQ(pop(1), 0u);
  EXPECT_EQ(pop(0), 1u);
}

TEST_F(Eager, VersionDisabledWhileQueued) {
  push(Both), push(Gpu), push(Gpu);
  Both.version(1).disableOn(2), Both.version(1).disableOn(3);
  Gpu.version(0).disableOn(2);
  EXPECT_EQ(pop(2), 0u); // Puts them where they can run.
  EXPECT_EQ(pop(1), 1u);
  EXPECT_EQ(Last, &BothCpu);
  EXPECT_EQ(pop(3), 2u);
  EXPECT_EQ(pop(3), 3u);
}

TEST_F(Eager, UsableNowhereComesOutToBeFailed) {
  push(Gpu);
  Gpu.version(0).disableOn(2), Gpu.version(0).disableOn(3);
  EXPECT_EQ(pop(2), 1u);
  EXPECT_TRUE(Last->disabledOn(2));
}

TEST_F(Eager, DeviceTypeIsRespected) {
  TestType OnGpu, OnCpuDevice;
  OnGpu.add(HSCHED_DEVICE_OPENCL, HSCHED_TYPE_GPU);
  OnCpuDevice.add(HSCHED_DEVICE_OPENCL, HSCHED_TYPE_CPU);
  FakeHost Wide(1, 1, 1);
  auto Q = makePolicy("eager");
  Q->start(Wide);
  Q->push(Wide.task(OnCpuDevice), NoWorker);
  Q->push(Wide.task(OnGpu), NoWorker);
  Assignment A;
  EXPECT_FALSE(Q->pop(0, A));
  ASSERT_TRUE(Q->pop(1, A));
  EXPECT_EQ(A.T->Id, 2u);
  ASSERT_TRUE(Q->pop(2, A));
  EXPECT_EQ(A.T->Id, 1u);
}

TEST_F(Eager, ManyDevicesBeyondTheClasses) {
  FakeHost Wide(1, 100);
  auto Q = makePolicy("eager");
  Q->start(Wide);
  Gpu.version(0).disableOn(99);
  for (int I = 0; I < 200; ++I)
    Q->push(Wide.task(Gpu), NoWorker);
  unsigned Got = 0;
  Assignment A;
  for (WorkerId W = 0; W < 101; ++W)
    while (Q->pop(W, A)) {
      ++Got;
      EXPECT_TRUE(Platform::usable(Wide.P.Workers[W], *A.V));
    }
  EXPECT_EQ(Got, 200u);
}

} // namespace
