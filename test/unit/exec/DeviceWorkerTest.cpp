// Tasks on simulated devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct OnDevices : testing::TestWithParam<std::tuple<unsigned, const char *>> {
  MachineOptions options() {
    MachineOptions O;
    O.Devices = std::get<0>(GetParam());
    O.Policy = std::get<1>(GetParam());
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(All, OnDevices,
                         testing::Combine(testing::Values(1u, 2u),
                                          testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws")),
                         [](const auto &Info) {
                           return std::string(std::get<1>(Info.param)) + std::to_string(std::get<0>(Info.param));
                         });

TEST_P(OnDevices, AChainOnTheDeviceAlone) {
  AddType Add(AddType::Device);
  Machine M(options());
  std::array<long, 100> X{};
  for (long I = 1; I <= 200; ++I)
    Add.submit(M, X.data(), X.size(), I);
  M.wait();
  for (long V : X)
    ASSERT_EQ(V, 200 * 201 / 2);
  EXPECT_EQ(Add.DeviceRuns, 200);
}

// Ends of short kernels are reported together. Where memory is short, those behind a transfer are reported at once:
// others wait for their memory.
TEST(DeviceReports, WhatComesAfterATransferIsReportedAtOnceWhereMemoryIsShort) {
  for (const bool Short : {true, false}) {
    AddType Add(AddType::Device);
    MachineOptions O;
    O.Devices = 1;
    O.Sim.MemoryBytes = Short ? 1 << 20 : 1 << 26;
    Machine M(O);
    std::vector<long> Most(15 * (1 << 16) / sizeof(long)); // 15 of 16 parts of the small memory.
    Add.submit(M, Most.data(), Most.size(), 1);
    M.Exec->taskwait(threadState(), false);
    std::array<long, 8> First{};
    for (int I = 0; I < 64; ++I) { // One by one, so that each is timed.
      Add.submit(M, First.data(), First.size(), 1);
      M.Exec->taskwait(threadState(), false);
    }
    std::array<std::array<long, 8>, 200> X{};
    for (auto &Row : X)
      Add.submit(M, Row.data(), Row.size(), 1);
    M.Exec->taskwait(threadState(), false);
    EXPECT_EQ(M.device(0).lateReports() == 0, Short);
    // They are on the device now.
    for (int Round = 0; Round < 50 && M.device(0).lateReports() == 0; ++Round) {
      for (auto &Row : X)
        Add.submit(M, Row.data(), Row.size(), 1);
      M.Exec->taskwait(threadState(), false);
    }
    EXPECT_NE(M.device(0).lateReports(), 0u);
    M.wait();
  }
}

// Times cost a driver more than a launch. A device that has been idle measures short known kernels now and then.
TEST(DeviceReports, AShortKernelWhoseTimeIsKnownIsTimedNowAndThen) {
  AddType Add(AddType::Device);
  MachineOptions O;
  O.Devices = 1;
  Machine M(O);
  std::array<long, 8> X{};
  auto Run = [&](int Times) {
    for (int I = 0; I < Times; ++I) {
      Add.submit(M, X.data(), X.size(), 1);
      M.Exec->taskwait(threadState(), false);
    }
  };
  Run(16);
  EXPECT_EQ(M.device(0).untimedLaunches(), 0u);
  Run(1100);
  EXPECT_GT(M.device(0).untimedLaunches(), 0u);
  EXPECT_LT(M.device(0).untimedLaunches(), 1100u);
  M.wait();
}

// Kernels behind others on the device, too.
TEST(DeviceReports, NowAndThenAllOfABusyPeriodAreTimed) {
  AddType Add(AddType::Device);
  MachineOptions O;
  O.Devices = 1;
  Machine M(O);
  std::array<long, 8> X{};
  auto late = [&] { return M.device(0).lateReports() + M.device(0).untimedLaunches(); };
  unsigned Known = 0; // Periods since the time of the kernel is known.
  bool AllTimed = false;
  for (int Round = 0; Round < 400 && !AllTimed; ++Round) {
    std::atomic<bool> Submitted{false};
    M.submit({inout(X)}, [&] {
      while (!Submitted)
        std::this_thread::yield();
    });
    for (int I = 0; I < 12; ++I)
      Add.submit(M, X.data(), X.size(), 1);
    const unsigned Before = late();
    Submitted = true;
    M.Exec->taskwait(threadState(), false);
    AllTimed = Known > 2 && late() == Before;
    Known += late() != Before;
  }
  EXPECT_TRUE(AllTimed);
  M.wait();
}

// While the program waits, data that no later task writes go home when they have been computed, not after the last
// task. The only CPU worker is the waiting thread, so the tasks on devices begin after the wait.
TEST_P(OnDevices, WhatIsNotWrittenAgainGoesHomeBeforeTheLastTaskEnds) {
  AddType Add(AddType::Device);
  MachineOptions O = options();
  O.Cpus = 1;
  Machine M(O);
  std::array<long, 100> X{}, Y{};
  long Order = 0;
  const auto atHome = [&](const auto &Data) {
    std::vector<uint64_t> Valid(M.Devices.size() + 1);
    M.Data->validBytes(in(Data), Valid);
    return Valid[HostNode] == sizeof(Data);
  };
  bool Came = false;
  M.submit({out(X), out(Y), out(Order)}, [&] { X[7] = Y[7] = 1; });
  Add.submit(M, X.data(), X.size(), 1);
  Add.submit(M, Y.data(), Y.size(), 1);
  M.submit({in(Order)}, [&] {
    const auto Begin = std::chrono::steady_clock::now();
    while (!Came && std::chrono::steady_clock::now() - Begin < std::chrono::seconds(20)) {
      Came = Add.DeviceRuns == 2 && atHome(X) && atHome(Y);
      std::this_thread::yield();
    }
  });
  M.wait();
  EXPECT_TRUE(Came);
  EXPECT_EQ(X[7] + Y[7], 4);
}

TEST_P(OnDevices, BothKindsOfVersionShareTheData) {
  AddType Add;
  Machine M(options());
  std::array<std::array<long, 64>, 16> X{};
  for (long I = 0; I < 100; ++I)
    for (auto &Row : X)
      Add.submit(M, Row.data(), Row.size(), 1);
  M.wait();
  for (auto &Row : X)
    for (long V : Row)
      ASSERT_EQ(V, 100);
  EXPECT_EQ(Add.DeviceRuns + Add.CpuRuns, 1600);
}

TEST_P(OnDevices, OverlappingPiecesOfOneVector) {
  AddType Device(AddType::Device);
  Machine M(options());
  std::vector<long> X(300), Y(300);
  for (long Round = 0; Round < 50; ++Round) {
    size_t Begin = static_cast<size_t>(Round * 7 % 200), N = 10 + static_cast<size_t>(Round * 13 % 90);
    Device.submit(M, &X[Begin], N, Round);
    for (size_t I = 0; I < N; ++I)
      Y[Begin + I] += Round;
  }
  M.wait();
  EXPECT_EQ(X, Y);
}

TEST_P(OnDevices, IdleWorkRunsOnTheDevicesThreadAfterItsFirstTask) {
  constexpr int Steps = 20;
  struct IdleWork {
    std::atomic<int> Calls{0}, CallsBefore{0}, Runs{0};
    std::atomic<bool> Wrong{false};
    std::mutex Lock;
    std::map<WorkerId, std::set<std::thread::id>> Threads;
  } A;
  AddType Add(AddType::Device);
  MachineOptions O = options();
  O.Exec.IdleWork = [&](WorkerId W) {
    A.Wrong = A.Wrong || W < 2;
    std::lock_guard Guard(A.Lock);
    A.Threads[W].insert(std::this_thread::get_id());
    return ++A.Calls % Steps != 0;
  };
  std::array<long, 10> X{};
  {
    Machine M(O);
    EXPECT_EQ(A.Calls, 0) << "no device has run anything";
    Add.submit(M, X.data(), X.size(), 1);
    M.wait();
    while (A.Calls < Steps) // The device is idle now.
      std::this_thread::yield();
    for (int I = 0; I < 50; ++I) {
      Add.submit(M, X.data(), X.size(), 1);
      M.wait();
    }
  }
  EXPECT_EQ(X[0], 51);
  EXPECT_FALSE(A.Wrong);
  EXPECT_LE(A.Calls, Steps * int(O.Devices)) << "who says no is not asked again";
  for (const auto &[W, Threads] : A.Threads)
    EXPECT_EQ(Threads.size(), 1u);
}

TEST_P(OnDevices, TransferTimesFollowTheLinks) {
  AddType Add(AddType::Device);
  MachineOptions O = options();
  Links Known(2 + O.Devices);
  O.Exec.Measured = &Known;
  std::array<long, 100> X{}; // The device may still write it home.
  Machine M(O);
  Task T;
  Access Reads[] = {in(X)};
  T.AccessList = Reads;
  T.NumAccesses = 1;
  EXPECT_EQ(M.Exec->transferTime(T, HostNode).count(), 0);
  EXPECT_EQ(M.Exec->transferTime(T, 1), UnmeasuredLinks.ToDevice.time(800));
  Known.set(2, {{1000, 2}, {5000, 3}, {0, 0}});
  EXPECT_EQ(M.Exec->transferTime(T, 1).count(), 1000 + 2 * 800);
  if (O.Devices > 1) {
    AddType::DeviceRuns = 0;
    Add.submit(M, X.data(), X.size(), 1);
    M.Exec->taskwait(threadState(), false);
    // One of the two has it now.
    const MemoryNode Has = M.Exec->transferTime(T, 1).count() ? 2 : 1, Lacks = 3 - Has;
    const WorkerId From = 1 + Has, To = 1 + Lacks;
    Known.set(3, {{100, 20}, {500, 30}, {0, 0}});
    EXPECT_EQ(M.Exec->transferTime(T, Has).count(), 0);
    EXPECT_EQ(M.Exec->transferTime(T, Lacks), throughHost(*Known.of(From), *Known.of(To)).time(800)) << "not measured";
    Known.setBetween(To, From, {1, 1}); // The way back.
    Known.setBetween(From, To, {700, 0.5});
    EXPECT_EQ(M.Exec->transferTime(T, Lacks).count(), 700 + 400);
    return;
  }
  Add.submit(M, X.data(), X.size(), 1);
  M.Exec->taskwait(threadState(), false);
  EXPECT_EQ(M.Exec->transferTime(T, 1).count(), 0);
  EXPECT_EQ(M.Exec->transferTime(T, HostNode).count(), 5000 + 3 * 800);
}

TEST_P(OnDevices, TheHostMayWriteAfterAWait) {
  AddType Add(AddType::Device);
  Machine M(options());
  std::array<long, 10> X{};
  for (long I = 0; I < 50; ++I) {
    Add.submit(M, X.data(), X.size(), 1);
    M.wait();
    ASSERT_EQ(X[9], 3 * I + 1);
    for (long &V : X)
      V += 2;
  }
}

TEST_P(OnDevices, WaitingOnOneDatumBringsItHome) {
  AddType Add(AddType::Device);
  Machine M(options());
  std::array<long, 10> X{}, Y{};
  for (long I = 0; I < 20; ++I) {
    Add.submit(M, X.data(), X.size(), 1);
    Add.submit(M, Y.data(), Y.size(), 1);
    Access Named[] = {in(X)};
    M.Exec->taskwaitOn(threadState(), Named, true);
    ASSERT_EQ(X[0], 2 * I + 1);
    for (long &V : X)
      ++V;
  }
  M.wait();
  EXPECT_EQ(Y[0], 20);
}

TEST_P(OnDevices, WhatIsLeftThereComesHomeAtTheEnd) {
  AddType Add(AddType::Device);
  std::array<long, 10> X{};
  {
    Machine M(options());
    Add.submit(M, X.data(), X.size(), 1);
    M.Exec->taskwait(threadState(), false);
  }
  EXPECT_EQ(X[5], 1);
}

TEST_P(OnDevices, ChildrenOnTheDeviceOfAParentOnTheHost) {
  AddType Add(AddType::Device);
  Machine M(options());
  std::array<long, 50> X{};
  long Seen = 0;
  Add.submit(M, X.data(), X.size(), 1);
  // The parent reads and writes what it named, hands it to children on the device, and does not wait for them.
  M.submit({inout(X)}, [&] {
    for (long &V : X)
      V *= 10;
    for (int I = 0; I < 5; ++I)
      Add.submit(M, X.data(), X.size(), 1);
  });
  M.submit({in(X), out(Seen)}, [&] { Seen = X[49]; });
  M.wait();
  EXPECT_EQ(Seen, 15);
  EXPECT_EQ(X[0], 15);
}

TEST_P(OnDevices, AWaitInsideATaskBringsItsChildrensDataHome) {
  AddType Add(AddType::Device);
  Machine M(options());
  std::array<long, 50> X{};
  M.submit({inout(X)}, [&] {
    for (int I = 0; I < 5; ++I) {
      Add.submit(M, X.data(), X.size(), 1);
      M.wait();
      EXPECT_EQ(X[7], 2 * I + 1);
      for (long &V : X)
        ++V;
    }
  });
  M.wait();
  EXPECT_EQ(X[0], 10);
}

TEST_P(OnDevices, NoElementsNoLaunch) {
  AddType Add(AddType::Device);
  Machine M(options());
  long X = 0;
  Add.submit(M, &X, 0, 1);
  Add.submit(M, nullptr, 0, 1);
  M.wait();
  EXPECT_EQ(Add.DeviceRuns, 0);
}

TEST_P(OnDevices, LargerThanMemoryAllTogether) {
  auto O = options();
  O.Sim.MemoryBytes = 4096;
  AddType Add(AddType::Device);
  Machine M(O);
  std::array<std::array<long, 64>, 64> X{}; // Eight fit.
  for (int Round = 0; Round < 3; ++Round)
    for (auto &Row : X)
      Add.submit(M, Row.data(), Row.size(), 1);
  M.wait();
  for (auto &Row : X)
    ASSERT_EQ(Row[63], 3);
}

struct Rows : Observer {
  std::mutex Lock;
  std::vector<RowRecord> Added;
  unsigned OnDevice = 0;
  void rowAdded(const RowRecord &R) override { Added.push_back(R); }
  void ran(const RunRecord &R) override {
    std::lock_guard Guard(Lock);
    auto It = std::ranges::find(Added, R.Row, &RowRecord::Id);
    ASSERT_NE(It, Added.end());
    EXPECT_EQ(It->Worker, R.Worker);
    OnDevice += It->Kind == RowKind::DeviceCompute;
    EXPECT_STREQ(R.Version, "add_cl");
  }
  void transferred(const TransferRecord &R) override {
    std::lock_guard Guard(Lock);
    auto It = std::ranges::find(Added, R.Row, &RowRecord::Id);
    ASSERT_NE(It, Added.end());
    EXPECT_EQ(It->Kind, R.Kind == TransferKind::HostToDevice ? RowKind::DeviceUpload : RowKind::DeviceDownload);
  }
};

TEST(DeviceWorker, RunsAndTransfersAreOnRowsThatWereAnnounced) {
  Rows R;
  MachineOptions O;
  O.Devices = 1;
  O.Watch = &R;
  AddType Add(AddType::Device);
  std::array<long, 10> X{};
  {
    Machine M(O);
    for (int I = 0; I < 10; ++I)
      Add.submit(M, X.data(), X.size(), 1);
    M.wait();
  }
  EXPECT_EQ(R.OnDevice, 10u);
}

TEST(DeviceWorker, DeviceRunsAreRecorded) {
  MachineOptions O;
  O.Devices = 1;
  AddType Add(AddType::Device);
  std::array<long, 10> X{};
  Machine M(O);
  for (int I = 0; I < 10; ++I)
    Add.submit(M, X.data(), X.size(), 1);
  M.wait();
  EXPECT_EQ(M.Times.lookup(Add.Type, sizeof(X), 0, CpuModel).Runs, 10u);
}

} // namespace
