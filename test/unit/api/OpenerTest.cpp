// When devices are opened, and by whom.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Opener.h"
#include "api/StartCost.h"
#include "perfmodel/History.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace hsched::rt;
using namespace std::chrono_literals;

namespace {

struct Counted {
  std::atomic<int> Opens{0}, Overs{0};
  Opener make(bool Worth) {
    return {[Worth] { return Worth; }, [this] { ++Opens; }, [this] { ++Overs; }};
  }
};

TEST(Opener, OpensOnceWhereItPays) {
  Counted C;
  Opener O = C.make(true);
  O.requestDevices(true);
  O.requestDevices(true);
  O.stop();
  EXPECT_EQ(C.Opens, 1);
  EXPECT_EQ(C.Overs, 1);
}

TEST(Opener, DoesNotOpenWhereItDoesNotPay) {
  Counted C;
  Opener O = C.make(false);
  O.stop();
  O.requestDevices(true); // Too late: nothing comes.
  EXPECT_EQ(C.Opens, 0);
  EXPECT_EQ(C.Overs, 1);
}

TEST(Opener, OpensOnTheFirstRequestThatNeedsDevices) {
  Counted C;
  Opener O = C.make(false);
  O.requestDevices(false);
  O.requestDevices(true);
  EXPECT_EQ(C.Opens, 1);
}

// A program that ends meanwhile waits for what has begun: nothing is unloaded under a running thread.
TEST(Opener, TheEndWaitsForWhatHasBegun) {
  std::latch Begun(1), Goes(1);
  std::atomic<bool> Opened{false};
  Opener O([] { return true; },
           [&] {
             Begun.count_down();
             Goes.wait();
             Opened = true;
           },
           [] {});
  Begun.wait();
  std::thread Releases([&] { Goes.count_down(); });
  O.settle(false);
  EXPECT_TRUE(Opened);
  O.stop();
  Releases.join();
}

TEST(Opener, TheEndOpensNothingUnlessATaskNeedsIt) {
  for (bool Needed : {false, true}) {
    Counted C;
    Opener O = C.make(false);
    O.settle(Needed);
    EXPECT_EQ(C.Opens, Needed ? 1 : 0);
    EXPECT_EQ(C.Overs, 1);
  }
}

// An unnecessary opening makes a program at most a tenth longer.
TEST(WorthOpening, WhenSoMuchIsLeftThatItsCoreDoesNotCount) {
  const StartFacts F{100ms, 4, 1ms, 1ms, 1, 0, 0ms};
  auto worth = [F](uint64_t Outstanding, Duration Mean) {
    StartFacts Now = F;
    Now.Outstanding = Outstanding;
    Now.Capable = Mean;
    return worthOpening(Now);
  };
  EXPECT_FALSE(worth(0, 1ms));
  EXPECT_FALSE(worth(100, 1ms)) << "25 ms are left";
  EXPECT_FALSE(worth(800, 1ms)) << "200 ms are left, and a quarter of 100 ms is more than a tenth of that";
  EXPECT_TRUE(worth(2000, 1ms));
}

TEST(WorthOpening, WhenSoMuchHasBeenDoneThatEvenTheWaitAtTheEndDoesNotCount) {
  EXPECT_FALSE(worthOpening({100ms, 2, 1000ms, 1000ms, 500, 0, 0ms}));
  EXPECT_TRUE(worthOpening({100ms, 2, 1200ms, 1200ms, 500, 0, 0ms}));
  EXPECT_FALSE(worthOpening({100ms, 2, 3600s, 1000ms, 500, 0, 0ms})) << "a program that mostly does other things";
  EXPECT_FALSE(worthOpening({100ms, 2, 3600s, 0ms, 500, 0, 0ms})) << "one whose tasks no device can run";
}

// The first tasks take long, and none has ended.
TEST(WorthOpening, BeforeTheFirstTaskHasEnded) {
  EXPECT_FALSE(worthOpening({100ms, 2, 40ms, 0ms, 0, 4, 40ms}));
  EXPECT_TRUE(worthOpening({100ms, 2, 200ms, 0ms, 0, 16, 200ms}));
}

// With times of an earlier program.
TEST(WorthOpening, WhenTheModelsSayWhatIsSaved) {
  const auto worth = [](uint64_t Outstanding, Duration Known, Duration OnDevice, bool Shares) {
    return worthOpening({100ms, 4, 40ms, 40ms, 40, Outstanding, 0ms, Known, OnDevice, Shares});
  };
  EXPECT_FALSE(worth(800, 0ms, 0ms, false)) << "200 ms are left; nothing is known";
  EXPECT_TRUE(worth(800, 40ms, 4ms, false)) << "a device as fast as ten cores saves 5/7 of 200 ms";
  EXPECT_FALSE(worth(400, 40ms, 4ms, false)) << "5/7 of 100 ms are less than the cost";
  EXPECT_FALSE(worth(800, 40ms, 40ms, false)) << "a fifth core saves 40 ms";
  EXPECT_FALSE(worth(1'000'000, 40ms, 400ms, false)) << "it never saves a tenth";
  EXPECT_FALSE(worth(1'000'000, 40ms, 10ms, true)) << "as fast as the four cores that it takes";
  EXPECT_TRUE(worth(1600, 40ms, 5ms, true)) << "twice as fast as these, which saves 200 ms";
  const auto onMany = [](Duration Known) {
    return worthOpening({100ms, 16, 40ms, 40ms, 40, 1700, 0ms, Known, Known / 9});
  };
  EXPECT_TRUE(onMany(0ms)) << "106 ms are left, and a sixteenth of the cost does not count; nothing is known";
  EXPECT_FALSE(onMany(40ms)) << "a device as fast as nine of 16 cores saves 38 ms";
  EXPECT_TRUE(worth(2000, 10ms, 100ms, false)) << "known of a quarter of the work only: as if nothing were";
}

TEST(StartCost, IsKeptByProgramAndSelection) {
  const std::string Folder = testing::TempDir() + "start-cost." + std::to_string(getpid());
  setenv("HSCHED_CACHE", Folder.c_str(), 1);
  EXPECT_EQ(StartCost::load("").all(), StartCost().all()) << "nothing is known";
  StartCost Cost;
  Cost.Open = 20ms;
  Cost.Build = 3ms;
  Cost.Discrete = 2;
  Cost.Used = Cost.Steady = true;
  Cost.store("");
  const StartCost Known = StartCost::load("");
  EXPECT_EQ(Known.Open, Duration(20ms));
  EXPECT_EQ(Known.Build, Duration(3ms));
  EXPECT_EQ(Known.Discrete, 2u);
  EXPECT_TRUE(Known.Used && !Known.Paid && Known.Steady);
  EXPECT_EQ(StartCost::load("gpu").all(), StartCost().all());
  unsetenv("HSCHED_CACHE");
  std::filesystem::remove_all(Folder);
}

// What a run says of the next one: whether devices ran tasks, and whether they saved what opening them takes a core.
TEST(StartCost, IsJudgedByWhatDevicesSaved) {
  TaskType Type;
  const SizeClass Size = 1000;
  const auto judged = [&](int OnCores, Duration OnCore, int OnDevices, Duration OnDevice, unsigned Cpus) {
    History Times;
    for (int I = 0; I < OnCores; ++I)
      Times.record(Type, Size, 0, CpuModel, OnCore);
    for (int I = 0; I < OnDevices; ++I)
      Times.record(Type, Size, 1, 1, OnDevice);
    StartCost Cost;
    Cost.Open = 100ms;
    Cost.judge(Times, Cpus);
    return std::pair(Cost.Used, Cost.Paid);
  };
  EXPECT_EQ(judged(0, 0ms, 0, 0ms, 2), std::pair(false, false));
  EXPECT_EQ(judged(50, 10ms, 0, 0ms, 2), std::pair(false, false));
  EXPECT_EQ(judged(0, 0ms, 1, 1ms, 2), std::pair(true, true)) << "tasks that no core ran";
  EXPECT_EQ(judged(1, 10ms, 10, 1ms, 2), std::pair(true, false)) << "40 ms saved on two cores are less than 100";
  EXPECT_EQ(judged(1, 10ms, 13, 1ms, 2), std::pair(true, true)) << "52 ms on two cores are more";
  EXPECT_EQ(judged(1, 10ms, 1000, 6ms, 2), std::pair(true, false)) << "the cores would have been faster";
}

// Times of earlier programs count only for what tasks take, not as runs.
TEST(StartCost, IsJudgedByThisRun) {
  TaskType Type;
  RunStats Before;
  const float Ns[] = {1e6f, 1e6f, 1e6f};
  Before.seed(1000, Ns);
  const SizeClass Size = 1000;
  History Times([&](const TaskType &) { return std::vector<HistoryRow>{{0, Size, 1, 1, Before}}; });
  Times.record(Type, Size, 0, CpuModel, 10ms);
  ASSERT_EQ(Times.lookup(Type, Size, 1, 1).Runs, 1000u);
  StartCost Cost;
  Cost.judge(Times, 2);
  EXPECT_FALSE(Cost.Used);
}

} // namespace
