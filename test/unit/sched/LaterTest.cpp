// Policies whose devices come later, or share the CPU workers' cores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr WorkerId Device = 2; // Behind two CPU workers.

struct Later : testing::Test {
  void begin(const char *Policy, unsigned Devices) {
    Host = std::make_unique<FakeHost>(2, 0, Devices);
    Host->Most = Device + 1;
    Host->P.Workers.reserve(Host->Most);
    Name = Policy;
  }
  // The device has two of the CPU workers' cores.
  void share() { Host->P.Workers[Device].SharedCores = 2; }
  void start() {
    P = makePolicy(Name);
    P->start(*Host);
  }
  void come() {
    Host->P.Workers.append({Device, "GPU", DeviceKind::OpenCL, DeviceType::Gpu, HostNode, nullptr});
    P->moreUsable();
    Host->P.Workers.publish();
    Host->More = false;
  }
  Task &push() {
    Task &New = Host->task(Both);
    P->push(New, NoWorker);
    return New;
  }
  std::optional<Assignment> pop(WorkerId W) {
    Assignment A;
    return P->pop(W, A) ? std::optional(A) : std::nullopt;
  }
  void know(unsigned V, Duration Mean, unsigned Runs = 3) {
    for (unsigned I = 0; I < Runs; ++I)
      Host->Known.record(Both.Type, 1024, V, CpuModel, Mean);
  }
  void finish(const Assignment &A, Duration Ran) {
    Host->Known.record(Both.Type, 1024, A.V->Index, CpuModel, Ran);
    P->completed(*A.T, *A.V, A.T->ChosenWorker, Ran);
  }

  std::unique_ptr<FakeHost> Host;
  std::unique_ptr<Policy> P;
  std::string Name;
  TestType Both;
  const Version &OnCpu = Both.add(HSCHED_DEVICE_CPU), &OnDevice = Both.add(HSCHED_DEVICE_OPENCL);
};

TEST_F(Later, ADeviceTakesWhatWasGivenToCpuWorkersWithoutIt) {
  for (const char *Policy : {"versioning", "eager"}) {
    begin(Policy, 0);
    Host->More = true;
    start();
    know(0, 10ms);
    know(1, 1ms);
    for (int I = 0; I < 6; ++I)
      push();
    come();
    std::optional<Assignment> A = pop(Device);
    ASSERT_TRUE(A) << Policy;
    EXPECT_EQ(A->V, &OnDevice) << Policy;
    int Rest = 0;
    for (WorkerId W = 0; W <= Device; ++W)
      while (pop(W))
        ++Rest;
    EXPECT_EQ(Rest, 5) << Policy << ": each comes out once";
  }
}

TEST_F(Later, AChoiceIsFinalWhereNothingIsToCome) {
  begin("versioning", 0);
  start();
  push();
  come();
  EXPECT_FALSE(pop(Device));
  EXPECT_TRUE(pop(0));
}

TEST_F(Later, AKernelThatIsBeingBuiltIsNoChoice) {
  begin("versioning", 1);
  Both.version(1).setUnbuilt(Device, true);
  Host->More = true;
  start();
  know(0, 10ms);
  know(1, 1ms);
  EXPECT_EQ(push().Chosen, &OnCpu);
  Both.version(1).setUnbuilt(Device, false);
  P->moreUsable();
  EXPECT_TRUE(pop(Device)) << "it is a choice now, for what waits too";
}

TEST_F(Later, SharedCoresGoToWhatTakesLessOfThem) {
  struct {
    Duration Cpu, Dev;
    const Version *Wanted;
  } Cases[] = {{10ms, 6ms, &OnCpu}, {10ms, 4ms, &OnDevice}};
  for (auto [Cpu, Dev, Wanted] : Cases) {
    begin("versioning", 1);
    share();
    start();
    know(0, Cpu);
    know(1, Dev);
    for (int I = 0; I < 20; ++I)
      EXPECT_EQ(push().Chosen, Wanted);
    while (pop(0) || pop(1) || pop(Device)) {
    }
  }
}

TEST_F(Later, ADeviceWithItsOwnCoresIsAsGoodAsItIsFast) {
  begin("versioning", 1);
  start();
  know(0, 10ms);
  know(1, 6ms);
  EXPECT_EQ(push().Chosen, &OnDevice);
}

TEST_F(Later, ADeviceThatSharesCoresLearnsWithOneTaskAtATime) {
  begin("versioning", 1);
  share();
  start();
  for (int I = 0; I < 6; ++I)
    EXPECT_EQ(push().Chosen, &OnCpu) << "CPU versions first";
  finish(*pop(0), 10ms);
  int There = 0;
  for (int I = 0; I < 10; ++I)
    There += push().Chosen == &OnDevice;
  EXPECT_EQ(There, 1);
  finish(*pop(Device), 40ms); // 80 ms of cores.
  for (int I = 0; I < 10; ++I)
    EXPECT_EQ(push().Chosen, &OnCpu) << "that tells all there is to know";
  while (pop(0) || pop(1) || pop(Device)) {
  }
}

} // namespace
