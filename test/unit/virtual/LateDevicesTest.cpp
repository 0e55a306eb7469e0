// Devices that come while the program runs, first runs that take longer, and programs that run several times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::virt;
using namespace hsched::rt::virt::test;

namespace {

// Two cores, and a device that is 100 times as fast and comes after 50 ms.
std::string late(const std::string &More = "") {
  return R"({"name": "late", "sources": ["test"], "links": {"bus": {"gbs": 10, "latency_us": 0}},
    "kinds": {"core": {"device": "cpu", "speeds": {"a": 0.1, "host": 1}},
              "card": {"device": "gpu", "memory_gb": 1, "opens_ms": 50)" +
         More + R"(, "speeds": {"a": 10, "gpu": 10}}},
    "workers": [{"kind": "core", "count": 2}, {"kind": "card", "links": ["bus"]}]})";
}

TEST(LateDevices, TasksThatNeedOneWait) {
  for (const char *Policy : {"eager", "adaptive", "heft"}) {
    Listed Tasks({"gpu", "host"}, {task(0, 1e7), task(1, 1e6)});
    Observed O;
    simulate(platform(late()), Tasks, Policy, O);
    ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    EXPECT_EQ(O.Seen.Runs[1].Begin - TimePoint(), 50ms);
    EXPECT_EQ(O.Result.Makespan, 51ms) << Policy;
    // A policy that cannot learn of new devices begins when they are there.
    EXPECT_EQ(O.Seen.Runs[2].Begin - TimePoint(), Policy == std::string("heft") ? 50ms : 0ms) << Policy;
  }
}

TEST(LateDevices, TheFirstRunTakesLongerAndTeachesNothing) {
  TaskTypes Unused(platform(late()), std::vector<std::string>{"gpu"});
  PlatformModel P = platform(late(R"(, "first_run_ms": 20)"));
  Listed Tasks({"gpu"}, {task(0, 1e7), task(0, 1e7), task(0, 1e7)});
  Observed O;
  History Times;
  TaskTypes Types(P, Tasks.types());
  auto Scheduler = makePolicy("eager");
  Simulation S(P, Types, *Scheduler, Times, {});
  ASSERT_TRUE(S.run(Tasks, O.Result).ok());
  EXPECT_EQ(O.Result.Makespan, 50ms + 20ms + 3ms);
  const RunStats Known = Times.lookup(Types[0], 0, 0, 1);
  EXPECT_EQ(Known.Runs, 2u);
  EXPECT_EQ(Known.MeanNs, 1e6);
}

TEST(LateDevices, AProgramRunsSeveralTimes) {
  auto Twice = repeated(
      [] { return std::make_unique<Listed>(std::vector<std::string>{"gpu"}, std::vector<TaskSpec>{task(0, 1e7)}); }, 3);
  Observed O;
  simulate(platform(late()), *Twice, "eager", O);
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  EXPECT_EQ(O.Result.RunEnds, (std::vector<Duration>{51ms, 52ms}));
  EXPECT_EQ(O.Result.Makespan, 53ms);
}

TEST(LateDevices, OnlyWaitsBetweenRunsCount) {
  auto Twice = repeated(
      [] {
        std::vector<TaskSpec> Tasks{task(0, 1e7), task(0, 1e7)};
        Tasks[1].AwaitsAll = true; // The program's own wait.
        return std::make_unique<Listed>(std::vector<std::string>{"gpu"}, std::move(Tasks));
      },
      2);
  Observed O;
  simulate(platform(late()), *Twice, "eager", O);
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  EXPECT_EQ(O.Result.RunEnds, (std::vector<Duration>{52ms}));
  EXPECT_EQ(O.Result.Makespan, 54ms);
}

// Before the device comes cores have been given as much as takes them for seconds. No core begins another such task
// then: it would end long after all that the device has to do.
TEST(LateDevices, AdaptiveGivesCoresNothingMoreThatADeviceEndsSooner) {
  PlatformModel P = platform(late());
  Listed Tasks({"a"}, std::vector<TaskSpec>(100, task(0, 4e6))); // 40 ms on a core, 0.4 ms on the device.
  TaskTypes Types(P, Tasks.types());
  History Times;
  for (int I = 0; I < 5; ++I) {
    Times.record(Types[0], 0, 0, CpuModel, 40ms);
    Times.record(Types[0], 0, 1, ModelId(1), 400us);
  }
  auto Scheduler = makePolicy("adaptive");
  SimulationResult Result;
  Simulation S(P, Types, *Scheduler, Times, {});
  ASSERT_TRUE(S.run(Tasks, Result).ok());
  EXPECT_LE(Result.Makespan, 50ms + 40ms) << "the device's share; cores are at their second task until 80 ms";
}

// One wrong time of the device, as reported by a driver that was still initialising: 62 ms in place of 0.15 ms. A core
// takes 22 ms. The wrong time was used for seconds, so cores did everything.
TEST(LateDevices, AdaptiveDoesNotBelieveOneBadRun) {
  PlatformModel P = platform(late());
  std::vector<TaskSpec> Specs(200, task(0, 2.2e6));
  for (TaskSpec &Each : Specs)
    Each.access(1 << 20, 64, HSCHED_INOUT);
  Listed Tasks({"a"}, Specs);
  TaskTypes Types(P, Tasks.types());
  History Times;
  for (int I = 0; I < 5; ++I)
    Times.record(Types[0], 64, 0, CpuModel, 22ms);
  Times.record(Types[0], 64, 1, ModelId(1), 62ms);
  auto Scheduler = makePolicy("adaptive");
  SimulationResult Result;
  Simulation S(P, Types, *Scheduler, Times, {});
  ASSERT_TRUE(S.run(Tasks, Result).ok());
  EXPECT_LT(Result.Makespan, 2500ms) << "a core alone takes 4.4 s";
}

// Two H200 in place of one.
TEST(TwoDevices, AdaptiveSharesTheWork) {
  auto makespan = [](const char *Graph, unsigned Devices) {
    PlatformModel P;
    EXPECT_TRUE(readPlatform(PLATFORMS "/h200.json", P).ok());
    if (Devices == 2)
      P.Links.push_back(P.Links.back()), P.Workers.push_back(P.Workers.back()), P.Workers.back().Way = {1};
    std::unique_ptr<Program> Tasks;
    EXPECT_TRUE(makeProgram(Graph, Tasks).ok());
    TaskTypes Types(P, Tasks->types());
    History Times;
    SimulationResult Result;
    for (int Round = 0; Round < 2; ++Round) { // What is known is warm the second time.
      auto Scheduler = makePolicy("adaptive");
      EXPECT_TRUE(makeProgram(Graph, Tasks).ok());
      Simulation S(P, Types, *Scheduler, Times, {});
      EXPECT_TRUE(S.run(*Tasks, Result).ok());
    }
    return static_cast<double>(Result.Makespan.count());
  };
  EXPECT_GE(makespan("gemm:16384,2048", 1) / makespan("gemm:16384,2048", 2), 1.8);
  EXPECT_GE(makespan("cholesky:32768,2048", 1) / makespan("cholesky:32768,2048", 2), 1.6);
}

} // namespace
