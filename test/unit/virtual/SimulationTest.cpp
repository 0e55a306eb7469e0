// Virtual time to the nanosecond: runs, transfers, memory, submission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::virt;
using namespace hsched::rt::virt::test;

namespace {

constexpr uintptr_t A = 1 << 20, B = 2 << 20, C = 3 << 20;
constexpr size_t Mega = 1000000;

// A core, slow, and two devices behind one link of 1 GB/s with 10 us, each with a link of its own of 2 GB/s.
const char *const TwoDevices = R"({"name": "two", "sources": ["test"],
 "kinds": {"core": {"device": "cpu", "speeds": {"a": 0.1, "host": 1}},
           "card": {"device": "gpu", "memory_gb": 0.01, "speeds": {"a": 1, "gpu": 1}}},
 "links": {"bus": {"gbs": 1, "latency_us": 10}, "slot0": {"gbs": 2, "latency_us": 0}, "slot1": {"gbs": 2, "latency_us": 0}},
 "workers": [{"kind": "core"}, {"kind": "card", "links": ["bus", "slot0"]}, {"kind": "card", "links": ["bus", "slot1"]}]})";

TEST(Simulation, TasksOnOneCoreFollowEachOther) {
  PlatformModel P = platform(R"({"name": "one", "sources": ["test"], "workers": [{"kind": "core"}],
    "kinds": {"core": {"device": "cpu", "speeds": {"*": {"gflops": 1, "overhead_us": 2}}}}})");
  Listed Tasks({"a"}, {task(0, 1e6), task(0, 2e6), task(0, 3e6)});
  Observed O;
  simulate(P, Tasks, "eager", O);
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  EXPECT_EQ(O.Result.Makespan, 6ms + 6us);
  EXPECT_EQ(O.Result.Tasks, 3u);
  EXPECT_EQ(O.Result.Busy, (std::vector<Duration>{6ms + 6us}));
  EXPECT_EQ(O.Seen.Runs[2].Begin - TimePoint(), 1ms + 2us);
}

// A device has more work than the other, but starting a transfer takes it longer than a task.
TEST(Simulation, ShortTasksStayWhereTheirDataAre) {
  PlatformModel P = platform(R"({"name": "short", "sources": ["test"], "submission_us": 0.1,
    "kinds": {"core": {"device": "cpu", "speeds": {"other": 1}}, "card": {"device": "gpu", "memory_gb": 1, "speeds": {"a": 10}},
              "slow": {"device": "gpu", "memory_gb": 1, "speeds": {"a": 1}}},
    "links": {"bus": {"gbs": 10, "latency_us": 50}, "near": {"gbs": 10, "latency_us": 0}},
    "workers": [{"kind": "core"}, {"kind": "card", "links": ["bus"]}, {"kind": "slow", "links": ["near"]}]})");
  constexpr unsigned Chains = 60, Long = 3;
  std::vector<TaskSpec> Specs;
  for (unsigned I = 0; I < Chains * Long; ++I)
    Specs.emplace_back(task(0, 1e5)).access(A + I / Long * 4096, 1024, HSCHED_INOUT);
  for (const char *Policy : {"versioning", "adaptive"}) {
    History Times;
    TaskTypes Types(P, {"a"});
    Observed Cold, O;
    for (Observed *Each : {&Cold, &O}) {
      Listed Tasks({"a"}, Specs);
      auto Scheduler = makePolicy(Policy);
      Simulation Machine(P, Types, *Scheduler, Times, {.BringHome = false, .Watch = &Each->Seen});
      ASSERT_TRUE(Machine.run(Tasks, Each->Result).ok());
    }
    unsigned Left = 0;
    for (TaskId Id = 1; Id <= Chains * Long; ++Id)
      Left += Id % Long && O.Seen.Runs[Id].Worker == 1 && O.Seen.Runs[Id + 1].Worker == 2;
    EXPECT_EQ(Left, 0u) << Policy;
  }
}

TEST(Simulation, DataTravelBeforeTheRunAndHomeAfterIt) {
  PlatformModel P = platform(TwoDevices);
  std::vector<TaskSpec> Specs{task(0, 1e6)};
  Specs[0].access(A, Mega, HSCHED_INOUT);
  for (bool Home : {true, false}) {
    Listed Tasks({"gpu"}, Specs);
    Observed O;
    simulate(P, Tasks, "eager", O, {.BringHome = Home});
    ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    EXPECT_EQ(O.Seen.Runs[1].Begin - TimePoint(), 10us + 1ms);
    EXPECT_EQ(O.Result.Makespan, Home ? 2 * (10us + 1ms) + 1ms : 10us + 1ms + 1ms);
    EXPECT_EQ(O.Result.Moved.InputBytes, Mega);
    EXPECT_EQ(O.Result.Moved.OutputBytes, Home ? Mega : 0u);
    EXPECT_EQ(O.Result.Moved.Lookups, 1u);
  }
}

// The chain is the critical path. Its end is submitted late, so its beginning looks shorter than other tasks.
TEST(Simulation, TheCriticalPathOfAGraphThatRecursIsKnownFromItsBeginning) {
  PlatformModel P = platform(R"({"name": "cards", "sources": ["test"], "submission_us": 0.1,
    "kinds": {"core": {"device": "cpu", "speeds": {"other": 1}}, "card": {"device": "gpu", "memory_gb": 1, "speeds": {"*": 1}}},
    "links": {"a": {"gbs": 10, "latency_us": 0}, "b": {"gbs": 10, "latency_us": 0}},
    "workers": [{"kind": "core"}, {"kind": "card", "links": ["a"]}, {"kind": "card", "links": ["b"]}]})");
  constexpr TaskId Head = 9, Filler = 30, Chain = 30, Tasks = Head + Filler + Chain;
  std::vector<TaskSpec> Specs;
  for (TaskId Id = 1; Id <= Tasks; ++Id)
    if (Id == Head || Id > Head + Filler)
      Specs.emplace_back(task(0, 1e6)).access(A, 64, HSCHED_INOUT);
    else
      Specs.push_back(task(1, 2e6));
  const auto Program =
      repeated([&] { return std::make_unique<Listed>(std::vector<std::string>{"chain", "alone"}, Specs); }, 3);
  auto Scheduler = makePolicy("adaptive");
  Observed O;
  simulate(P, *Program, *Scheduler, O, {.Window = 12, .BringHome = false});
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  for (TaskId Before : {Tasks, 2 * Tasks}) {
    unsigned Earlier = 0;
    for (TaskId Id = Before + 1; Id <= Before + Tasks; ++Id)
      Earlier += O.Seen.Runs[Id].Begin < O.Seen.Runs[Before + Head].Begin;
    EXPECT_LT(Earlier, 6u) << "tasks begin before the chain";
  }
}

// Two uploads at once have half of the bus each; the one that goes on alone has all of it.
TEST(Simulation, TransfersShareALinkFairly) {
  PlatformModel P = platform(TwoDevices);
  std::vector<TaskSpec> Specs{task(0, 1), task(0, 1)};
  Specs[0].access(A, Mega, HSCHED_IN);
  Specs[1].access(B * 8, 3 * Mega, HSCHED_IN);
  Listed Tasks({"gpu"}, Specs);
  Observed O;
  simulate(P, Tasks, "round-robin", O);
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  EXPECT_EQ(O.Seen.Runs[1].Begin - TimePoint(), 10us + 2ms);
  EXPECT_EQ(O.Seen.Runs[2].Begin - TimePoint(), 10us + 4ms);
}

TEST(Simulation, DevicesAreBesideEachOtherOrGoThroughTheHost) {
  std::vector<TaskSpec> Specs{task(0, 1), task(0, 1)};
  for (TaskSpec &T : Specs)
    T.access(A, Mega, HSCHED_INOUT);
  for (bool Peers : {true, false}) {
    PlatformModel P = platform(TwoDevices);
    P.Peers = Peers;
    Listed Tasks({"gpu"}, Specs);
    Observed O;
    simulate(P, Tasks, "round-robin", O, {.BringHome = false});
    ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    ASSERT_NE(O.Seen.Runs[1].Worker, O.Seen.Runs[2].Worker);
    EXPECT_EQ(O.Result.Moved.DeviceBytes, Peers ? Mega : 0u);
    EXPECT_EQ(O.Result.Moved.OutputBytes, Peers ? 0u : Mega);
    // The slots alone are 2 GB/s and need no time to begin; the bus is passed twice.
    EXPECT_EQ(O.Seen.Runs[2].Begin - O.Seen.Runs[1].End, Peers ? Duration(500us) : 2 * (10us + 1ms));
  }
}

TEST(Simulation, TheTransfersOfTheNextRunBesideTheRunOfTheLast) {
  PlatformModel P = platform(TwoDevices);
  std::vector<TaskSpec> Specs;
  for (uintptr_t I = 0; I < 4; ++I)
    Specs.push_back(task(0, 5e6)), Specs.back().access(A + I * 2 * Mega, Mega, HSCHED_IN);
  for (unsigned InFlight : {1u, 4u}) {
    Listed Tasks({"gpu"}, Specs);
    P.Workers.resize(2); // One device.
    Observed O;
    simulate(P, Tasks, "eager", O, {.InFlight = InFlight});
    ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    EXPECT_EQ(O.Result.Makespan, InFlight == 1 ? 4 * (10us + 1ms + 5ms) : 10us + 1ms + 4 * 5ms);
  }
}

// A device whose transfers and runs take turns, in the order in which they could begin.
TEST(Simulation, TransfersAndRunsOfADeviceMayTakeTurns) {
  PlatformModel P = platform(TwoDevices);
  P.Workers.resize(2);
  for (WorkerKind &K : P.Kinds)
    K.Overlaps = K.MemoryBytes == 0;
  std::vector<TaskSpec> Specs;
  for (uintptr_t I = 0; I < 4; ++I)
    Specs.push_back(task(0, 5e6)), Specs.back().access(A + I * 2 * Mega, Mega, HSCHED_INOUT);
  Listed Tasks({"gpu"}, Specs);
  Observed O;
  simulate(P, Tasks, "eager", O, {.InFlight = 4});
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  EXPECT_EQ(O.Result.Makespan, 4 * (10us + 1ms + 5ms + 10us + 1ms));
  EXPECT_EQ(O.Seen.Runs[1].Begin - TimePoint(), 10us + 1ms);
  EXPECT_EQ(O.Seen.Runs[2].Begin - TimePoint(), 2 * (10us + 1ms) + 5ms); // Its transfer waited for the first run.
}

TEST(Simulation, ADeviceIsSetUpForItsFirstTask) {
  PlatformModel P = platform(TwoDevices);
  P.Workers.resize(2);
  for (WorkerKind &K : P.Kinds)
    K.SetUp = K.MemoryBytes ? 20ms : 0ms;
  std::vector<TaskSpec> Specs{task(0, 5e6), task(0, 5e6)};
  Specs[0].access(A, Mega, HSCHED_IN);
  Listed Tasks({"gpu"}, Specs);
  Observed O;
  simulate(P, Tasks, "eager", O);
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  EXPECT_EQ(O.Result.Makespan, 20ms + 2 * 5ms); // The second one needs no data, and runs beside the transfer.
}

// A task that comes after one on the same device is there before that one ends.
TEST(Simulation, ADeviceTakesWhatComesAfterItsTasksEarly) {
  PlatformModel P = platform(TwoDevices);
  P.Workers.resize(2); // No other worker can run it.
  std::vector<TaskSpec> Specs{task(0, 5e6), task(0, 5e6), task(0, 5e6)};
  for (TaskSpec &T : Specs)
    T.access(A, 64, HSCHED_INOUT);
  Specs[1].access(B * 2, Mega, HSCHED_IN);
  Specs[2].access(C * 2, Mega, HSCHED_IN);
  for (const char *Policy : {"eager", "versioning"}) {
    Listed Tasks({"gpu"}, Specs);
    Observed O;
    simulate(P, Tasks, Policy, O, {.BringHome = false});
    ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    EXPECT_EQ(O.Result.Makespan, 10us + 64ns + 3 * 5ms) << Policy;
  }
  Listed Tasks({"gpu"}, Specs);
  Observed Never;
  simulate(P, Tasks, "ws", Never, {.BringHome = false});
  EXPECT_EQ(Never.Result.Makespan, 10us + 64ns + 3 * 5ms + 2 * (10us + 1ms)) << "this policy gives nothing early";
}

// More data than memory: what is not used leaves, what was changed goes home first.
TEST(Simulation, MemoryIsBounded) {
  PlatformModel P = platform(TwoDevices);
  P.Workers.resize(2);
  std::vector<TaskSpec> Specs;
  for (int Round = 0; Round < 2; ++Round)
    for (uintptr_t I = 0; I < 30; ++I)
      Specs.push_back(task(0, 1e5)), Specs.back().access(A + I * 2 * Mega, Mega, HSCHED_INOUT);
  Listed Tasks({"gpu"}, Specs);
  Observed O;
  simulate(P, Tasks, "eager", O);
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  EXPECT_EQ(O.Result.Tasks, 60u);
  EXPECT_EQ(O.Result.Moved.InputBytes, 60 * Mega) << "10 of 30 fit: nothing is there when it comes again";
  EXPECT_EQ(O.Result.Moved.OutputBytes, 60 * Mega);
}

TEST(Simulation, WhatDoesNotFitRunsElsewhereOrFails) {
  PlatformModel P = platform(TwoDevices);
  for (bool OnCoreToo : {true, false}) {
    std::vector<TaskSpec> Specs{task(0, 1e6)};
    Specs[0].access(A, 11 * Mega, HSCHED_IN);
    Listed Tasks({OnCoreToo ? "a" : "gpu"}, Specs);
    Observed O;
    simulate(P, Tasks, "heft", O);
    EXPECT_EQ(O.Ended.ok(), OnCoreToo);
    if (OnCoreToo)
      EXPECT_EQ(O.Seen.Runs[1].Worker, 0u);
    else
      EXPECT_NE(O.Ended.message().find("can run task 'gpu': task 'gpu' needs 11000000 bytes"), std::string::npos)
          << O.Ended.message();
  }
}

TEST(Simulation, ATaskThatNothingCanRunIsAnError) {
  PlatformModel P = platform(TwoDevices);
  Listed Tasks({"other"}, {task(0, 1)});
  Observed O;
  simulate(P, Tasks, "ws", O);
  EXPECT_EQ(O.Ended.message(),
            "platform 'two' has no worker that can run task 'other': give one of its kinds a speed for it");
}

// Worker 0 submits, and works when the window is full and at the end.
TEST(Simulation, TheMainThreadSubmitsAndWorks) {
  PlatformModel P = platform(R"({"name": "two", "sources": ["test"], "submission_us": 10,
    "workers": [{"kind": "core", "count": 2}], "kinds": {"core": {"device": "cpu", "speeds": {"*": 1}}}})");
  std::vector<TaskSpec> Specs(4, task(0, 1e5)); // 100 us.
  Listed Tasks({"a"}, Specs);
  Observed O;
  simulate(P, Tasks, "prio", O);
  ASSERT_TRUE(O.Ended.ok());
  EXPECT_EQ(O.Seen.Runs[1].Begin - TimePoint(), 10us);
  EXPECT_EQ(O.Seen.Runs[1].Worker, 1u);
  EXPECT_EQ(O.Seen.Runs[2].Begin - TimePoint(), 40us) << "when all are submitted";
  EXPECT_EQ(O.Seen.Runs[2].Worker, 0u);

  Listed Again({"a"}, Specs);
  Observed Narrow;
  simulate(P, Again, "prio", Narrow, {.Window = 2});
  ASSERT_TRUE(Narrow.Ended.ok());
  EXPECT_EQ(Narrow.Seen.MostOutstanding, 2);
  EXPECT_EQ(Narrow.Seen.Runs[2].Begin - TimePoint(), 20us);
  EXPECT_EQ(Narrow.Seen.Runs[3].Begin - TimePoint(), 130us) << "worker 0 has ended its task at 120 us, then submits";
}

TEST(Simulation, APolicyThatWakesNoWorkerLeavesTasksBehind) {
  struct Silent final : Policy {
    void start(PolicyHost &) override {}
    void push(Task &, WorkerId) override {}
    bool pop(WorkerId, Assignment &) override { return false; }
  } Policy;
  PlatformModel P = platform(TwoDevices);
  Listed Tasks({"a"}, {task(0, 1), task(0, 1)});
  Observed O;
  simulate(P, Tasks, Policy, O);
  EXPECT_EQ(O.Ended.message(), "the policy has left 2 tasks behind: no worker that was woken was given one");
}

// A failure in the middle, with transfers and runs under way, leaves nothing behind.
TEST(Simulation, AFailureInTheMiddleEndsCleanly) {
  PlatformModel P = platform(TwoDevices);
  std::vector<TaskSpec> Specs;
  for (uintptr_t I = 0; I < 8; ++I)
    Specs.push_back(task(I == 5 ? 1 : 0, 1e6)), Specs.back().access(A + I * 2 * Mega, Mega, HSCHED_INOUT);
  Listed Tasks({"gpu", "other"}, Specs);
  Observed O;
  simulate(P, Tasks, "eager", O);
  EXPECT_FALSE(O.Ended.ok());
}

TEST(Simulation, ATaskThatManyCanRunIsNotMeasuredTwice) {
  PlatformModel P = platform(TwoDevices);
  std::vector<TaskSpec> Specs(20, task(0, 1e5));
  Listed Tasks({"a"}, Specs);
  Observed O;
  simulate(P, Tasks, "versioning", O);
  ASSERT_TRUE(O.Ended.ok());
  uint64_t Runs = 0;
  for (const VersionCount &V : O.Result.Versions)
    Runs += V.Runs;
  EXPECT_EQ(Runs, 20u);
}

TEST(Speeds, AreInterpolatedInTheLogarithmOfTheSize) {
  Speed S;
  S.Points = {{1000, 1e9}, {100000, 3e9}};
  EXPECT_EQ(S.perSecond(10), 1e9);
  EXPECT_DOUBLE_EQ(S.perSecond(10000), 2e9);
  EXPECT_EQ(S.perSecond(1000000), 3e9);
  S.Overhead = 5us;
  EXPECT_EQ(S.time(1e6, 10), 5us + 1ms);
  S.OfBytes = true;
  EXPECT_EQ(S.time(1e6, 1000), 5us + 1us);
}

TEST(Network, GivesEachFlowItsFairShare) {
  Network N({1, 3});
  N.begin(1, {0}, 1000, TimePoint());
  N.begin(2, {0, 1}, 1000, TimePoint());
  N.begin(3, {1}, 1000, TimePoint());
  EXPECT_DOUBLE_EQ(N.rateOf(1), 0.5);
  EXPECT_DOUBLE_EQ(N.rateOf(2), 0.5);
  EXPECT_DOUBLE_EQ(N.rateOf(3), 2.5) << "what the second cannot use";
  EXPECT_EQ(N.nextEnd(), TimePoint(400ns));
  EXPECT_EQ(N.ended(TimePoint(400ns)), (std::vector<uint32_t>{3}));
  EXPECT_EQ(N.nextEnd(), TimePoint(2000ns));
  EXPECT_EQ(N.ended(TimePoint(2000ns)), (std::vector<uint32_t>{1, 2}));
  EXPECT_FALSE(N.nextEnd());
}

} // namespace
