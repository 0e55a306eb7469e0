// Devices that come while tasks run, and kernels that are built meanwhile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"
#include "trace/Writers.h"

#include <hsched/hsched.h>

#include <array>
#include <latch>
#include <random>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Newcomer : testing::TestWithParam<const char *> {
  static MachineOptions options() {
    MachineOptions O;
    O.Policy = GetParam();
    O.Later = 1;
    O.Exec.BuildsOnOwnThread = true;
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Newcomer, testing::Values("eager", "versioning"),
                         [](const auto &Info) { return std::string(Info.param); });

using Row = std::array<long, 16>;

// Until it is opened, who comes waits.
class Gate {
public:
  void open() { Open.count_down(); }
  void wait() { Open.wait(); }

private:
  std::latch Open{1};
};

TEST_P(Newcomer, TasksWithACpuVersionDoNotWaitForADevice) {
  AddType Both;
  std::atomic<int> Summoned{0};
  MachineOptions O = options();
  O.Exec.RequestDevices = [&](bool) { ++Summoned; };
  Machine M(O);
  Row X{};
  for (int I = 0; I < 100; ++I)
    Both.submit(M, X.data(), X.size(), 1);
  M.wait(); // No device is admitted.
  EXPECT_EQ(X[0], 100);
  EXPECT_EQ(Both.CpuRuns, 100);
  EXPECT_EQ(Summoned, 0);
}

TEST_P(Newcomer, WhatOnlyADeviceCanRunWaitsForOne) {
  AddType Alone(AddType::Device);
  std::atomic<int> Summoned{0};
  MachineOptions O = options();
  O.Exec.RequestDevices = [&](bool) { ++Summoned; };
  Machine M(O);
  Row X{};
  Alone.submit(M, X.data(), X.size(), 1);
  Alone.submit(M, X.data(), X.size(), 1);
  EXPECT_TRUE(M.Exec->arrivingDevices().holds());
  EXPECT_EQ(Summoned, 1);
  M.admit();
  M.wait();
  EXPECT_EQ(X[0], 2);
  EXPECT_EQ(Alone.DeviceRuns, 2);
}

TEST_P(Newcomer, WhatOnlyADeviceCanRunFailsWhenNoneComes) {
  AddType Alone(AddType::Device);
  Machine M(options());
  Row X{};
  Alone.submit(M, X.data(), X.size(), 1);
  Alone.submit(M, X.data(), X.size(), 1);
  M.Exec->arrivingDevices().endArrivals(threadState());
  try {
    M.wait();
    ADD_FAILURE() << "the wait does not throw";
  } catch (const hsched::task_error &E) {
    EXPECT_NE(std::string(E.what()).find("needs an OpenCL device that is not here"), std::string::npos) << E.what();
  }
  Alone.submit(M, X.data(), X.size(), 1); // And from there on at once.
  EXPECT_THROW(M.wait(), hsched::task_error);
}

// Tasks were queued for CPU workers before the device came. At each moment one of two workers is in a task that waits
// for a run on the device.
TEST_P(Newcomer, TakesTasksThatWaitForCpuWorkers) {
  AddType Both;
  MachineOptions O = options();
  O.Cpus = 1;
  Machine M(O);
  std::array<Row, 64> X{};
  Gate Begun, Came;
  M.submit({}, [&] {
    Begun.open();
    Came.wait();
    while (Both.DeviceRuns == 0)
      std::this_thread::yield();
  });
  std::thread Main([&] {
    for (Row &R : X)
      Both.submit(M, R.data(), R.size(), 1);
    M.wait();
  });
  Begun.wait();
  M.admit();
  Came.open();
  Main.join();
  for (Row &R : X)
    EXPECT_EQ(R[0], 1);
  EXPECT_GE(Both.DeviceRuns, 1);
}

TEST_P(Newcomer, AKernelThatIsBeingBuiltHoldsNoTaskThatOthersCanRun) {
  AddType Both;
  Gate Built;
  MachineOptions O = options();
  O.Sim.Builds = [&] { Built.wait(); };
  Machine M(O);
  M.admit();
  Row X{};
  for (int I = 0; I < 50; ++I) {
    Both.submit(M, X.data(), X.size(), 1);
    M.wait();
  }
  EXPECT_EQ(Both.CpuRuns, 50);
  Built.open();
  std::array<Row, 200> Y{};
  while (Both.DeviceRuns == 0)
    for (Row &R : Y) {
      Both.submit(M, R.data(), R.size(), 1);
      M.wait();
    }
  EXPECT_EQ(X[0], 50);
}

TEST_P(Newcomer, WhatOnlyADeviceCanRunWaitsForItsKernel) {
  AddType Alone(AddType::Device);
  Gate Built;
  MachineOptions O = options();
  O.Sim.Builds = [&] { Built.wait(); };
  Machine M(O);
  M.admit();
  Row X{};
  Alone.submit(M, X.data(), X.size(), 1);
  EXPECT_TRUE(M.Exec->arrivingDevices().holds());
  Built.open();
  M.wait();
  EXPECT_EQ(X[0], 1);
}

TEST_P(Newcomer, AKernelThatDoesNotBuildLeavesTheTasksToOthers) {
  Captured Log;
  AddType Both, Alone(AddType::Device);
  MachineOptions O = options();
  O.Sim.Faults = {{sim::SimOp::Build, 1, true}};
  Machine M(O);
  Row X{};
  Alone.submit(M, X.data(), X.size(), 1);
  M.admit();
  M.Exec->arrivingDevices().endArrivals(threadState());
  EXPECT_THROW(M.wait(), hsched::task_error);
  Both.submit(M, X.data(), X.size(), 1);
  M.wait();
  M.stop();
  EXPECT_EQ(X[0], 1);
  EXPECT_GE(Log.count(LogLevel::Warning, "is not used on Sim 0 any more"), 1u);
}

TEST_P(Newcomer, AnEndWithAKernelStillToBeBuilt) {
  AddType Both;
  Gate Built;
  MachineOptions O = options();
  O.Sim.Builds = [&] { Built.wait(); };
  Machine M(O);
  M.admit();
  Row X{};
  Both.submit(M, X.data(), X.size(), 1);
  M.wait();
  std::thread Opens([&] { Built.open(); });
  M.stop();
  Opens.join();
  EXPECT_EQ(X[0], 1);
}

// Submissions that name workers wait for all of them.
TEST_P(Newcomer, ComponentsWaitForDevices) {
  MachineOptions O = options();
  Machine *Where = nullptr;
  O.Exec.RequestDevices = [&](bool Wait) {
    if (Wait) {
      Where->admit();
      Where->Exec->arrivingDevices().endArrivals(threadState());
    }
  };
  Machine M(O);
  Where = &M;
  std::shared_ptr<Component> C = M.Exec->makeComponent("c");
  EXPECT_TRUE(C->allows(2));
}

// Observers are notified of a new worker and of the tasks it ran.
TEST_P(Newcomer, IsInTheStatistics) {
  std::vector<std::string> Lines;
  std::unique_ptr<Observer> Stats = makeStatistics([&](const std::string &Line) { Lines.push_back(Line); });
  {
    AddType Alone(AddType::Device);
    MachineOptions O = options();
    O.Watch = Stats.get();
    Machine M(O);
    Row X{};
    Alone.submit(M, X.data(), X.size(), 1);
    M.admit();
    M.wait();
  }
  Stats->finished();
  EXPECT_TRUE(std::ranges::any_of(Lines, [](const std::string &L) { return L.find("Sim 0") != std::string::npos; }));
}

// Devices that come at some moment of a run: the result is the serial program's.
TEST_P(Newcomer, AtAnyMoment) {
  const unsigned Seed = std::random_device()();
  RecordProperty("seed", std::to_string(Seed));
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  for (int Round = 0; Round < 60; ++Round) {
    AddType Both, Alone(AddType::Device), Host(AddType::Cpu);
    MachineOptions O = options();
    O.Cpus = 1 + Random() % 3;
    O.Exec.Window = 16 + Random() % 512;
    O.Exec.BuildsOnOwnThread = Random() % 4 != 0;
    Machine M(O);
    std::array<Row, 8> X{}, Y{};
    const unsigned Tasks = 20 + Random() % 300, Pauses = Random() % 200;
    std::jthread Opener([&M, Pauses] {
      for (unsigned I = 0; I < Pauses; ++I)
        std::this_thread::yield();
      M.admit();
      M.Exec->arrivingDevices().endArrivals(threadState());
    });
    for (unsigned I = 0; I < Tasks; ++I) {
      const size_t At = Random() % X.size();
      const long Plus = static_cast<long>(Random() % 100);
      AddType &Which = Random() % 4 == 0 ? Alone : Random() % 3 == 0 ? Host : Both;
      Which.submit(M, X[At].data(), X[At].size(), Plus);
      for (long &V : Y[At])
        V += Plus;
      if (Random() % 64 == 0)
        M.wait();
    }
    M.wait();
    Opener.join();
    ASSERT_EQ(X, Y);
  }
}

} // namespace
