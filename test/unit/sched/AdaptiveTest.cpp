// Policy adaptive: what it learns, where tasks go, what idle workers take.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"
#include "sched/FirstRuns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Adaptive : testing::Test {
  void begin(unsigned Cpus, unsigned Gpus, bool Apart = false) {
    Host = std::make_unique<FakeHost>(Cpus, Gpus);
    for (Worker &W : Host->P.Workers)
      W.Model = Host->P.modelOf(W.Kind == DeviceKind::Cpu ? "CPU" : "GPU");
    if (Apart)
      Host->apart();
    P = makePolicy("adaptive");
    P->start(*Host);
  }

  void know(TestType &T, unsigned V, Duration Ran, uint64_t Bytes = 1024) {
    Host->Known.record(T.Type, Bytes, V, V == 0 ? CpuModel : ModelId(1), Ran);
  }
  Task &submit(TestType &T, uint64_t Bytes = 1024, int32_t Priority = 0) {
    Task &New = Host->task(T, Bytes, Priority);
    P->submitted(New, 0);
    return New;
  }
  Task &push(TestType &T, uint64_t Bytes = 1024, int32_t Priority = 0) {
    Task &New = submit(T, Bytes, Priority);
    P->push(New, NoWorker);
    return New;
  }
  std::optional<Assignment> pop(WorkerId W) {
    Assignment A;
    return P->pop(W, A) ? std::optional(A) : std::nullopt;
  }
  // What the driver does at the end of a run.
  void finish(const Assignment &A, Duration Ran) {
    const WorkerId W = A.T->ChosenWorker;
    Host->Known.record(*A.T->Type, A.T->DataBytes, A.V->Index, Host->P.Workers[W].Model, Ran);
    P->completed(*A.T, *A.V, W, Ran);
    P->complete(*A.T);
  }

  // W runs what it gets, one after another. How many tasks that were.
  unsigned finishAll(WorkerId W, Duration Ran) {
    unsigned Ended = 0;
    for (std::deque<Assignment> InHand;; ++Ended) {
      while (auto A = pop(W))
        InHand.push_back(*A);
      if (InHand.empty())
        return Ended;
      Host->Time.advance(Ran);
      finish(InHand.front(), Ran);
      InHand.pop_front();
    }
  }

  std::unique_ptr<FakeHost> Host;
  std::unique_ptr<Policy> P;
  TestType Both;
  const Version &OnCpu = Both.add(HSCHED_DEVICE_CPU), &OnGpu = Both.add(HSCHED_DEVICE_OPENCL);
};

// Their data are all nearest to one device, but the time of its queue is not known.
TEST_F(Adaptive, TasksOfUnknownTimeAreSpreadEvenly) {
  begin(1, 3, true);
  Host->Travel = {0ms, 1ms, 2ms, 3ms};
  std::map<WorkerId, unsigned> Chosen;
  for (int I = 0; I < 9; ++I)
    ++Chosen[push(Both).ChosenWorker];
  EXPECT_EQ(Chosen, (std::map<WorkerId, unsigned>{{1, 3}, {2, 3}, {3, 3}}));
}

// A burst of tasks without known times: one is tried on each kind of worker, the others wait for its time.
TEST_F(Adaptive, OneRunTellsEnough) {
  begin(3, 1);
  for (int I = 0; I < 40; ++I)
    push(Both);
  std::map<const Version *, unsigned> Runs;
  auto Slow = pop(1);
  ASSERT_TRUE(Slow);
  EXPECT_EQ(Slow->V, &OnCpu);
  EXPECT_FALSE(pop(2)) << "one at a time";
  auto First = pop(3);
  ASSERT_TRUE(First);
  EXPECT_EQ(First->V, &OnGpu);
  Host->Time.advance(1ms);
  finish(*First, 1ms);
  for (unsigned I = 0; I < 38; ++I) {
    auto A = pop(3);
    ASSERT_TRUE(A) << I;
    Host->Time.advance(1ms);
    finish(*A, 1ms);
  }
  Host->Time.advance(200ms);
  finish(*Slow, 200ms);
  for (unsigned I = 0; I < 20; ++I) {
    EXPECT_EQ(push(Both).ChosenWorker, 3u) << "a run that took 200 times as long is not repeated: " << I;
    EXPECT_FALSE(pop(1) || pop(2));
    finish(*pop(3), 1ms);
  }
}

// A device's clock may show no time for a run. The tasks that waited for a time are then chosen anew, once.
TEST_F(Adaptive, ARunMayTakeNoTime) {
  begin(1, 1);
  for (int I = 0; I < 4; ++I)
    push(Both);
  auto First = pop(1);
  ASSERT_TRUE(First);
  finish(*First, 0ns);
  EXPECT_TRUE(pop(1));
  EXPECT_TRUE(pop(1));
}

// The device's time is known, but it refuses the task, and no core has run it yet.
TEST_F(Adaptive, TasksWhoseKnownVersionIsRefusedAreChosenAnewOnce) {
  begin(2, 1);
  know(Both, 1, 1ms);
  for (unsigned I = 0; I < Host->lambda(); ++I) {
    Task &Refused = push(Both);
    if (auto A = pop(2))
      P->completed(*A->T, *A->V, 2, Duration(-1));
    P->refused(Refused, OnGpu, 2);
  }
  push(Both);
  for (int I = 0; I < 3; ++I)
    EXPECT_NE(push(Both).ChosenWorker, 2u);
  EXPECT_TRUE(pop(1));
  EXPECT_TRUE(pop(1));
}

// It is known of another task how much slower a core is.
TEST_F(Adaptive, ASlowKindIsNotTriedWhereThatIsNotFree) {
  begin(2, 1);
  know(Both, 0, 100ms), know(Both, 1, 1ms);
  push(Both);
  TestType New;
  New.add(HSCHED_DEVICE_CPU), New.add(HSCHED_DEVICE_OPENCL);
  finish(*pop(2), 1ms);
  for (unsigned I = 0; I < 20; ++I) { // A chain of short tasks.
    EXPECT_EQ(push(New).ChosenWorker, 2u) << I;
    auto A = pop(2);
    ASSERT_TRUE(A);
    Host->Time.advance(1ms);
    finish(*A, 1ms);
  }
  std::map<WorkerId, unsigned> Where; // A burst: the device will be busy for longer.
  for (unsigned I = 0; I < 200; ++I)
    ++Where[push(New).ChosenWorker];
  EXPECT_EQ(Where[1], 1u);
}

TEST_F(Adaptive, TheEarliestEndCounts) {
  begin(2, 1);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  std::vector<WorkerId> Workers;
  for (int I = 0; I < 5; ++I)
    Workers.push_back(push(Both).ChosenWorker);
  EXPECT_EQ(Workers, (std::vector<WorkerId>{2, 2, 2, 0, 1}));
}

TEST_F(Adaptive, OtherSizesStandInForRuns) {
  begin(2, 1);
  for (unsigned Bytes : {1000u, 2000u, 4000u, 8000u}) {
    know(Both, 0, Duration(100 * Bytes), Bytes), know(Both, 1, Duration(10 * Bytes), Bytes);
    know(Both, 0, Duration(100 * Bytes), Bytes), know(Both, 1, Duration(10 * Bytes), Bytes);
  }
  for (int I = 0; I < 5; ++I) {
    Task &T = push(Both, 5000);
    EXPECT_EQ(T.ChosenWorker, 2u) << I;
    EXPECT_NEAR(static_cast<double>(T.Predicted.count()), 50'000, 500);
  }
}

// Two devices: data stay where they are until the other one would be idle for long.
TEST_F(Adaptive, DataStayWhereTheyAre) {
  begin(1, 2, true);
  TestType Gpu;
  Gpu.add(HSCHED_DEVICE_CPU), Gpu.add(HSCHED_DEVICE_OPENCL);
  know(Gpu, 0, 500ms), know(Gpu, 1, 1ms);
  Host->Travel = {1ms, 0ms, 1ms};
  for (int I = 0; I < 5; ++I)
    EXPECT_EQ(push(Gpu).ChosenWorker, 1u) << I;
  std::set<TaskId> Here;
  for (int I = 0; I < 20; ++I)
    if (Task &T = push(Gpu); T.ChosenWorker == 1)
      Here.insert(T.Id);
  EXPECT_LT(Here.size(), 20u) << "not at any price";
  EXPECT_GT(Here.size(), 0u);
  // A device without work takes from the other one what it ends sooner.
  unsigned Taken = 0;
  while (auto A = pop(2)) {
    Taken += Here.count(A->T->Id);
    Host->Time.advance(1ms);
    finish(*A, 1ms);
  }
  EXPECT_GT(Taken, 0u);
}

TEST_F(Adaptive, ADeviceLeavesTheOtherOneWhatItWouldEndLater) {
  begin(1, 2, true);
  know(Both, 0, 500ms), know(Both, 1, 1ms);
  Host->Travel = {9ms, 0ms, 9ms};
  for (int I = 0; I < 3; ++I)
    EXPECT_EQ(push(Both).ChosenWorker, 1u);
  EXPECT_FALSE(pop(2)) << "9 ms and 1 ms against 3 ms";
  EXPECT_FALSE(pop(0)) << "500 ms against 3 ms";
  EXPECT_EQ(finishAll(1, 1ms), 3u);
}

// A core may take long, if devices have enough to do meanwhile.
TEST_F(Adaptive, ACoreTakesItsShareOfALongRun) {
  for (const bool Much : {false, true}) {
    begin(2, 1);
    know(Both, 0, 20ms), know(Both, 1, 1ms);
    for (int I = 0; I < (Much ? 100 : 10); ++I)
      submit(Both);
    for (int I = 0; I < 4; ++I)
      EXPECT_EQ(push(Both).ChosenWorker, 2u);
    EXPECT_EQ(pop(1).has_value(), Much);
  }
}

TEST_F(Adaptive, NotWhatEverythingElseComesAfter) {
  for (const bool Chained : {false, true}) {
    begin(2, 1);
    know(Both, 0, 20ms), know(Both, 1, 1ms);
    Task &First = submit(Both);
    for (int I = 0; I < 100; ++I) {
      Task &Next = submit(Both);
      if (Chained)
        P->edge(First.Id, Next.Id);
    }
    P->push(First, NoWorker);
    EXPECT_EQ(First.ChosenWorker, 2u);
    EXPECT_EQ(pop(1).has_value(), !Chained);
  }
}

// More is handed to a device only when it has ended some: what comes meanwhile may be more urgent.
TEST_F(Adaptive, ADeviceHasNoMoreInHandThanKeepsItBusy) {
  begin(1, 1);
  TestType Gpu;
  Gpu.add(HSCHED_DEVICE_OPENCL);
  Host->Known.record(Gpu.Type, 1024, 0, ModelId(1), 800us);
  for (int I = 0; I < 6; ++I)
    push(Gpu);
  const auto First = pop(1), Second = pop(1);
  ASSERT_TRUE(First && Second);
  EXPECT_FALSE(pop(1));
  Task &Urgent = push(Gpu, 1024, 1);
  Host->Time.advance(800us);
  finish(*First, 800us);
  const auto Next = pop(1);
  ASSERT_TRUE(Next);
  EXPECT_EQ(Next->T, &Urgent);
  EXPECT_FALSE(pop(1));
}

// A device that has enough in hand still takes a task whose data have to be fetched: the transfer overlaps the work.
TEST_F(Adaptive, ADeviceTakesMoreInHandWhereDataHaveToCome) {
  begin(1, 1, true);
  know(Both, 0, 1s), know(Both, 1, 800us);
  Host->Travel = {0us, 100us};
  for (int I = 0; I < 8; ++I)
    push(Both);
  for (int I = 0; I < 5; ++I)
    EXPECT_TRUE(pop(1)) << I;
  EXPECT_FALSE(pop(1)) << "4 ms of work";
}

// What most has to come after goes first, whatever the program's priorities. These tell where that is equal.
TEST_F(Adaptive, TheLongestPathGoesFirst) {
  begin(1, 1);
  TestType Gpu;
  Gpu.add(HSCHED_DEVICE_OPENCL);
  Host->Known.record(Gpu.Type, 1024, 0, ModelId(1), 1ms);
  Task &Last = submit(Gpu), &Prior = submit(Gpu, 1024, 1), &First = submit(Gpu);
  for (int I = 0; I < 4; ++I) {
    Task &Next = submit(Gpu);
    P->edge(First.Id + static_cast<TaskId>(I), Next.Id);
  }
  for (Task *T : {&Last, &Prior, &First})
    P->push(*T, NoWorker);
  for (Task *Expected : {&First, &Prior, &Last}) {
    const auto A = pop(1);
    ASSERT_TRUE(A);
    EXPECT_EQ(A->T, Expected);
    Host->Time.advance(1ms);
    finish(*A, 1ms);
  }
}

// A slow core may take a device's task. But its data are moved there and back, which takes time on the links.
TEST_F(Adaptive, WhatACoreTakesMayNotKeepTheLinksBusy) {
  for (const bool Far : {false, true}) {
    begin(2, 1, true);
    know(Both, 0, 20ms), know(Both, 1, 1ms);
    Host->Travel = {Far ? 2ms : 0ms, 0ms};
    for (int I = 0; I < 100; ++I)
      submit(Both);
    for (int I = 0; I < 4; ++I)
      EXPECT_EQ(push(Both).ChosenWorker, 2u);
    EXPECT_EQ(pop(1).has_value(), !Far);
  }
}

// Tasks that cores alone run well find one of them free.
TEST_F(Adaptive, CoresAreKeptForWhatOnlyTheyRun) {
  begin(3, 1);
  know(Both, 0, 20ms), know(Both, 1, 1ms);
  TestType Core;
  Core.add(HSCHED_DEVICE_CPU);
  push(Core);
  finish(*pop(1), 1ms);
  for (int I = 0; I < 200; ++I)
    submit(Both);
  for (int I = 0; I < 5; ++I)
    push(Both);
  EXPECT_TRUE(pop(1));
  EXPECT_TRUE(pop(2));
  EXPECT_FALSE(pop(0)) << "kept";
}

// All known values are wrong: they are measured again, at little cost, and then corrected.
TEST_F(Adaptive, NothingIsPoisonedForGood) {
  begin(1, 1);
  know(Both, 0, 500us);
  for (int I = 0; I < 3; ++I)
    know(Both, 1, 70ms);
  unsigned Tasks = 0, OnGpu = 0;
  while (OnGpu < 3 && Tasks < 100'000) {
    ++Tasks;
    Task &T = push(Both);
    const WorkerId W = T.ChosenWorker;
    auto A = pop(W);
    ASSERT_TRUE(A);
    OnGpu += W == 1;
    Host->Time.advance(W == 1 ? 190us : 500us);
    finish(*A, W == 1 ? 190us : 500us);
  }
  EXPECT_EQ(OnGpu, 3u);
  EXPECT_GT(Tasks, 100 * 70'000 / 500u) << "a look at 70 ms waits for 7 s";
}

TEST_F(Adaptive, WhatIsDisabledWhileQueuedComesOutElsewhere) {
  begin(2, 1);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  Task &T = push(Both);
  EXPECT_EQ(T.ChosenWorker, 2u);
  Both.version(1).disableOn(2);
  EXPECT_FALSE(pop(2));
  auto A = pop(1);
  ASSERT_TRUE(A);
  EXPECT_EQ(A->T, &T);
  EXPECT_EQ(A->V, &OnCpu);
}

TEST_F(Adaptive, ADeviceThatComesLaterTakesWhatWaits) {
  begin(2, 0);
  Host->Most = 3;
  P = makePolicy("adaptive");
  P->start(*Host);
  know(Both, 0, 35ms), know(Both, 1, 10ms);
  for (int I = 0; I < 3; ++I)
    EXPECT_LT(push(Both).ChosenWorker, 2u);
  Worker New{2, "GPU", DeviceKind::OpenCL, DeviceType::Gpu, HostNode, nullptr};
  New.Model = Host->P.modelOf("GPU");
  Host->P.Workers.push_back(New);
  P->moreUsable();
  auto A = pop(2);
  ASSERT_TRUE(A);
  EXPECT_EQ(A->V, &OnGpu);
}

// What cores were to do when there was no device would keep them for long after it has come.
TEST_F(Adaptive, WhatWasPlannedBeforeADeviceCameIsPlannedAnew) {
  begin(2, 0);
  Host->Most = 3;
  P = makePolicy("adaptive");
  P->start(*Host);
  know(Both, 0, 150ms), know(Both, 1, 1ms);
  for (int I = 0; I < 8; ++I)
    EXPECT_LT(push(Both).ChosenWorker, 2u);
  EXPECT_TRUE(pop(0) && pop(1));
  Worker New{2, "GPU", DeviceKind::OpenCL, DeviceType::Gpu, HostNode, nullptr};
  New.Model = Host->P.modelOf("GPU");
  Host->P.Workers.push_back(New);
  P->moreUsable();
  EXPECT_FALSE(pop(0)) << "150 ms against 6 ms";
  EXPECT_EQ(finishAll(2, 1ms), 6u);
}

// A core comes late, or a device has less to do than was predicted.
TEST_F(Adaptive, ACoreLeavesADeviceWhatThatWouldEndSooner) {
  for (const bool Late : {false, true}) {
    begin(1, 1);
    know(Both, 0, 35ms), know(Both, 1, 10ms);
    for (int I = 0; I < 3; ++I)
      EXPECT_EQ(push(Both).ChosenWorker, 1u);
    EXPECT_EQ(push(Both).ChosenWorker, 0u) << "35 ms against 40";
    for (int I = 0; Late && I < 3; ++I) {
      auto A = pop(1);
      ASSERT_TRUE(A);
      Host->Time.advance(1ms);
      finish(*A, 10ms);
    }
    EXPECT_EQ(pop(0).has_value(), !Late);
    EXPECT_TRUE(pop(1));
  }
}

// The device's only run was seen to end far too late, as when its driver was still at setting up other things.
TEST_F(Adaptive, OneBadRunOfADeviceIsNotBelieved) {
  begin(1, 1);
  for (int I = 0; I < 5; ++I)
    know(Both, 0, 22ms);
  know(Both, 1, 62ms);
  Duration Spent{0};
  unsigned OnGpu = 0;
  for (unsigned I = 0; I < 200; ++I) {
    const WorkerId W = push(Both).ChosenWorker;
    auto A = pop(W);
    ASSERT_TRUE(A);
    OnGpu += W == 1;
    Host->Time.advance(W == 1 ? 150us : 22ms);
    Spent += W == 1 ? 150us : 22ms;
    finish(*A, W == 1 ? 150us : 22ms);
  }
  EXPECT_GT(OnGpu, 100u);
  EXPECT_LT(Spent, 1500ms) << "one second and a quarter, a twentieth of which is 62 ms";
}

// The clock has gone on for long before the program began: that pays for nothing.
TEST_F(Adaptive, TimeBeforeTheProgramPaysForNoLook) {
  begin(1, 1);
  Host->Time.advance(std::chrono::hours(1));
  P = makePolicy("adaptive");
  P->start(*Host);
  for (int I = 0; I < 5; ++I)
    know(Both, 0, 150ms), know(Both, 1, 150us);
  for (int I = 0; I < 100; ++I) {
    ASSERT_EQ(push(Both).ChosenWorker, 1u) << I;
    auto A = pop(1);
    ASSERT_TRUE(A);
    Host->Time.advance(150us);
    finish(*A, 150us);
  }
}

// Two alike devices, one of which takes three times as long: it gets the smaller share.
TEST_F(Adaptive, OneOfTwoAlikeDevicesIsSlower) {
  begin(1, 2);
  know(Both, 0, 500ms);
  for (int I = 0; I < 3; ++I)
    know(Both, 1, 1ms);
  for (int I = 0; I < 64; ++I)
    for (WorkerId W : {1u, 2u}) {
      push(Both);
      if (auto A = pop(W))
        finish(*A, W == 1 ? 1ms : 3ms);
    }
  std::map<WorkerId, unsigned> Where;
  for (int I = 0; I < 40; ++I)
    ++Where[push(Both).ChosenWorker];
  EXPECT_GT(Where[1], Where[2] * 2);
  EXPECT_GT(Where[2], 4u);
}

// Nothing is known: a core is not kept from other work by a task that a device may do a hundred times faster.
TEST_F(Adaptive, AFewTasksAreNotTriedOnCores) {
  begin(2, 1);
  for (int I = 0; I < 8; ++I)
    EXPECT_EQ(push(Both).ChosenWorker, 2u) << I;
  EXPECT_FALSE(pop(1));
}

// Reading 16 MB takes a core much longer than the device's queue.
TEST_F(Adaptive, ACoreIsNotTriedWithMoreDataThanItReadsInTime) {
  begin(2, 1);
  know(Both, 1, 9us, 16 << 20);
  for (int I = 0; I < 8; ++I)
    EXPECT_EQ(push(Both, 16 << 20).ChosenWorker, 2u) << I;
  TestType Small;
  Small.add(HSCHED_DEVICE_CPU), Small.add(HSCHED_DEVICE_OPENCL);
  know(Small, 1, 9us);
  EXPECT_EQ(push(Small).ChosenWorker, 1u);
}

// A kernel of a few work-groups uses as many compute units of a large device, so a core may be little slower.
TEST_F(Adaptive, AKernelUsesNoMoreUnitsThanItHasWorkGroups) {
  hsched_kernel_desc Kernel{};
  Kernel.fill = [](const void *Args, hsched_ndrange *Range, hsched_kernel_arg *) {
    *Range = *static_cast<const hsched_ndrange *>(Args);
  };
  hsched_version_desc Desc{};
  Desc.kernel = &Kernel;
  Version V;
  V.Desc = &Desc;
  Task T;
  EXPECT_EQ(FirstRuns::unitsOf(T, V, 132), 132u) << "nothing is known of its range";
  hsched_ndrange Range{};
  T.Args = &Range;
  auto of = [&](unsigned Dims, size_t X, size_t Y, size_t LocalX, size_t LocalY) {
    Range.dims = Dims;
    Range.global[0] = X, Range.global[1] = Y;
    Range.local[0] = LocalX, Range.local[1] = LocalY;
    return FirstRuns::unitsOf(T, V, 132);
  };
  EXPECT_EQ(of(1, 512, 0, 64, 0), 8u);
  EXPECT_EQ(of(1, 513, 0, 64, 0), 9u);
  EXPECT_EQ(of(2, 64, 12, 64, 4), 3u);
  EXPECT_EQ(of(2, 1024, 1024, 64, 4), 132u);
  EXPECT_EQ(of(1, 512, 0, 0, 0), 8u) << "the device chooses the group's size";
  EXPECT_EQ(of(1, 0, 0, 64, 0), 1u);
}

// The device is idle for most of the time, and all goes twice as fast where the cores keep out of it.
TEST_F(Adaptive, CoresKeepOutOfWorkThatIsFasterWithoutThem) {
  begin(2, 1);
  know(Both, 0, 300us), know(Both, 1, 20us);
  unsigned OnCores = 0, Late = 0;
  for (int I = 0; I < 2000; ++I) {
    for (int K = 0; K < 40; ++K)
      submit(Both);
    push(Both), push(Both);
    bool Core = false;
    for (WorkerId W : {1u, 2u})
      while (auto A = pop(W)) {
        Core |= W == 1;
        finish(*A, W == 1 ? 300us : 20us);
      }
    OnCores += Core;
    Late += Core && I >= 1200;
    Host->Time.advance(Core ? 400us : 100us);
  }
  EXPECT_GT(OnCores, 0u);
  EXPECT_LT(Late, 100u);
}

// Tiles at a border differ a little in size from the others. A core is tried with one of them.
TEST_F(Adaptive, SizesThatHardlyDifferAreTriedOnce) {
  begin(3, 1);
  for (const uint64_t Bytes : {10000u, 10100u, 11000u})
    for (int I = 0; I < 40; ++I)
      push(Both, Bytes);
  auto Core = pop(1);
  ASSERT_TRUE(Core);
  EXPECT_EQ(Core->V, &OnCpu);
  EXPECT_FALSE(pop(2)) << "a size like it is being tried";
  auto Gpu = pop(3);
  ASSERT_TRUE(Gpu);
  Host->Time.advance(1ms);
  finish(*Gpu, 1ms);
  for (const uint64_t Bytes : {10000u, 10100u, 11000u}) {
    Task &T = push(Both, Bytes);
    EXPECT_EQ(T.ChosenWorker, 3u);
    EXPECT_NEAR(static_cast<double>(T.Predicted.count()), 1e6, 1.1e5) << Bytes;
  }
  EXPECT_FALSE(pop(2));
}

// Everything was planned for the device before a core's time was known. Idle cores are woken when it is.
TEST_F(Adaptive, CoresAreWokenWhenTheirTimeIsKnown) {
  begin(3, 1);
  for (int I = 0; I < 100; ++I)
    push(Both);
  auto Core = pop(1);
  ASSERT_TRUE(Core);
  EXPECT_FALSE(pop(2));
  auto Gpu = pop(3);
  ASSERT_TRUE(Gpu);
  Host->Time.advance(1ms);
  finish(*Gpu, 1ms);
  EXPECT_FALSE(pop(2)) << "it is not known how long a core takes";
  (void)Host->takeWoken();
  Host->Time.advance(4ms);
  finish(*Core, 4ms);
  const auto Woken = Host->takeWoken();
  EXPECT_NE(std::find(Woken.begin(), Woken.end(), 2u), Woken.end());
  EXPECT_TRUE(pop(2));
}

} // namespace
