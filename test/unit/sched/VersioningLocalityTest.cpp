// Policy versioning-locality in virtual time: estimates that are not poisoned, sizes that were never run, kinds of
// devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct VersioningLocality : testing::Test {
  void begin(unsigned Cpus, unsigned Gpus, unsigned OpenClCpus = 0, const char *Name = "versioning-locality") {
    Host = std::make_unique<FakeHost>(Cpus, Gpus, OpenClCpus);
    for (Worker &W : Host->P.Workers)
      W.Model = W.Kind == DeviceKind::Cpu ? Host->P.modelOf("CPU")
                                          : Host->P.modelOf(W.Type == DeviceType::Gpu ? "GPU" : "PoCL");
    P = makePolicy(Name);
    P->start(*Host);
  }

  void know(unsigned V, ModelId Model, std::initializer_list<Duration> Runs, uint64_t Bytes = 1024) {
    for (Duration Ran : Runs)
      Host->Known.record(Both.Type, Bytes, V, Model, Ran);
  }

  Task &push(uint64_t Bytes = 1024) {
    Task &New = Host->task(Both, Bytes);
    P->push(New, NoWorker);
    return New;
  }

  // Runs T where it was sent, for as long as TimeOf its worker says. Returns that worker.
  WorkerId run(Task &T, const std::map<WorkerId, Duration> &TimeOf) {
    const WorkerId W = T.ChosenWorker;
    Assignment A;
    EXPECT_TRUE(P->pop(W, A));
    EXPECT_EQ(A.T, &T);
    const Duration Ran = TimeOf.at(W);
    Host->Time.advance(Ran);
    Host->Known.record(*T.Type, T.DataBytes, A.V->Index, Host->P.Workers[W].Model, Ran);
    P->completed(T, *A.V, W, Ran);
    return W;
  }

  std::unique_ptr<FakeHost> Host;
  std::unique_ptr<Policy> P;
  TestType Both;
  const Version &OnCpu = Both.add(HSCHED_DEVICE_CPU), &OnGpu = Both.add(HSCHED_DEVICE_OPENCL);
};

// What StarPU's users met: kernels of 190 us, one of which was recorded as 70 ms.
TEST_F(VersioningLocality, OneDisturbedRunDoesNotPoison) {
  for (const char *Name : {"versioning", "versioning-locality"}) {
    begin(1, 1, 0, Name);
    know(0, 0, {500us, 500us, 500us});
    know(1, 1, {190us, 70ms, 190us});
    EXPECT_EQ(push().ChosenWorker, Name == std::string("versioning") ? 0u : 1u) << Name;
  }
}

// A device's data wait for the transfers on its link. So neither of two devices is better.
TEST_F(VersioningLocality, WhatIsOnTheLinkCounts) {
  auto chosen = [&](const char *Name, std::vector<Duration> Travel, std::vector<Duration> Underway) {
    begin(1, 2, 0, Name);
    Host->apart();
    P = makePolicy(Name);
    P->start(*Host);
    know(0, 0, {5ms, 5ms, 5ms});
    know(1, 1, {1ms, 1ms, 1ms});
    Host->Travel = std::move(Travel);
    Host->Underway = std::move(Underway);
    return push().ChosenWorker;
  };
  for (const char *Name : {"versioning", "versioning-locality"}) {
    EXPECT_EQ(chosen(Name, {0ms, 1ms, 2ms}, {}), 1u) << Name;
    EXPECT_EQ(chosen(Name, {0ms, 1ms, 2ms}, {0ms, 2ms, 1ms}), 1u) << Name;
    EXPECT_EQ(chosen(Name, {0ms, 0ms, 2ms}, {0ms, 9ms, 9ms}), 1u) << Name << ": nothing has to be moved";
  }
  EXPECT_EQ(chosen("versioning", {0ms, 1ms, 2ms}, {0ms, 9ms, 9ms}), 1u);
  EXPECT_EQ(chosen("versioning-locality", {0ms, 1ms, 2ms}, {0ms, 9ms, 9ms}), 0u);
}

// All known values are wrong: they are measured again, at little cost, and then corrected.
TEST_F(VersioningLocality, NothingIsPoisonedForGood) {
  begin(1, 1);
  know(0, 0, {500us, 500us, 500us});
  know(1, 1, {70ms, 70ms, 70ms});
  const std::map<WorkerId, Duration> TimeOf{{0, 500us}, {1, 190us}};
  unsigned OnGpu = 0, Tasks = 0;
  while (OnGpu < 10 && Tasks < 100'000) {
    ++Tasks;
    OnGpu += run(push(), TimeOf) == 1;
  }
  EXPECT_EQ(OnGpu, 10u);
  EXPECT_GT(Tasks, 100 * 70'000 / 500u); // A look at 70 ms waits for 7 s of other work.
  for (int I = 0; I < 20; ++I)
    EXPECT_EQ(run(push(), TimeOf), 1u);
}

TEST_F(VersioningLocality, LooksTakeAtMostAHundredthOfTheTime) {
  begin(2, 1);
  know(0, 0, {2ms, 2ms, 2ms});
  know(1, 1, {100us, 100us, 100us});
  const std::map<WorkerId, Duration> Times{{0, 2ms}, {1, 2ms}, {2, 100us}};
  Duration Slow(0), All(0);
  unsigned Looks = 0;
  for (int I = 0; I < 20'000; ++I) {
    const WorkerId W = run(push(), Times);
    All += Times.at(W);
    if (W != 2) {
      ++Looks;
      Slow += Times.at(W);
    }
  }
  EXPECT_GE(Looks, 5u);
  EXPECT_LE(Slow.count(), All.count() / 100 + Duration(2ms).count());
}

TEST_F(VersioningLocality, OtherSizesStandInForLearning) {
  begin(1, 1);
  for (unsigned Bytes : {1000u, 2000u, 4000u, 8000u}) {
    know(0, 0, {Duration(100 * Bytes), Duration(100 * Bytes), Duration(100 * Bytes)}, Bytes);
    know(1, 1, {Duration(10 * Bytes), Duration(10 * Bytes), Duration(10 * Bytes)}, Bytes);
  }
  const std::map<WorkerId, Duration> TimeOf{{0, 500us}, {1, 50us}};
  for (int I = 0; I < 20; ++I) {
    Task &T = push(5000);
    EXPECT_EQ(T.ChosenWorker, 1u) << I;
    EXPECT_NEAR(static_cast<double>(T.Predicted.count()), 50'000, 500) << I;
    run(T, TimeOf);
  }
  // The paper's policy learns each size.
  auto Paper = makePolicy("versioning");
  Paper->start(*Host);
  Task &T = Host->task(Both, 5001);
  Paper->push(T, NoWorker);
  EXPECT_EQ(T.ChosenWorker, 0u);
  Assignment A;
  EXPECT_TRUE(Paper->pop(0, A));
}

// Times that differ by four from run to run predict nothing.
TEST_F(VersioningLocality, WhatOtherSizesDoNotTellIsLearnt) {
  begin(1, 1);
  for (unsigned Bytes : {1000u, 2000u, 4000u, 8000u}) {
    know(0, 0, {Duration(50 * Bytes), Duration(200 * Bytes), Duration(400 * Bytes)}, Bytes);
    know(1, 1, {Duration(10 * Bytes), Duration(10 * Bytes), Duration(10 * Bytes)}, Bytes);
  }
  const std::map<WorkerId, Duration> TimeOf{{0, 500us}, {1, 50us}};
  std::map<WorkerId, unsigned> Runs;
  for (int I = 0; I < 5; ++I)
    ++Runs[run(push(5000), TimeOf)];
  EXPECT_GE(Runs[0], 1u);
}

TEST_F(VersioningLocality, OneRunCountsHalfwayBesideAPrediction) {
  begin(1, 1);
  for (unsigned Bytes : {1000u, 2000u, 4000u, 8000u}) {
    know(0, 0, {Duration(100 * Bytes), Duration(100 * Bytes), Duration(100 * Bytes)}, Bytes);
    know(1, 1, {Duration(10 * Bytes), Duration(10 * Bytes), Duration(10 * Bytes)}, Bytes);
  }
  know(1, 1, {5ms}, 5000); // Predicted: 50 us.
  const Task &T = push(5000);
  EXPECT_EQ(T.ChosenWorker, 0u);
  P->completed(T, *T.Chosen, 0, Duration(-1));
  know(1, 1, {50us, 50us}, 5000);
  Task &Next = push(5000);
  EXPECT_EQ(Next.ChosenWorker, 1u);
}

// One kernel on a GPU and on the CPU's own device: what one takes says nothing of the other.
TEST_F(VersioningLocality, KindsOfDevicesAreMeasuredApart) {
  for (const char *Name : {"versioning", "versioning-locality"}) {
    begin(1, 1, 1, Name);
    const std::map<WorkerId, Duration> TimeOf{{0, 3ms}, {1, 100us}, {2, 8ms}};
    std::map<WorkerId, unsigned> Runs;
    for (int I = 0; I < 60; ++I)
      ++Runs[run(push(), TimeOf)];
    EXPECT_GE(Runs[2], 3u) << Name; // It was learnt.
    EXPECT_LE(Runs[2], 4u) << Name;
    EXPECT_GE(Runs[1], 50u) << Name;
  }
}

} // namespace
