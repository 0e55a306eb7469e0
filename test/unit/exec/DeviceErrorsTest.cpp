// What a device cannot do: builds that fail, too little memory, kernels and transfers that fail.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <hsched/hsched.h>

#include <array>

using namespace hsched::rt;
using namespace hsched::rt::test;
using sim::SimFault;
using sim::SimOp;

namespace {

struct Trouble : testing::TestWithParam<const char *> {
  MachineOptions options() {
    MachineOptions O;
    O.Devices = 1;
    O.Policy = GetParam();
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(Policies, Trouble, testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws"),
                         [](const auto &Info) { return std::string(Info.param); });

TEST_P(Trouble, AKernelThatDoesNotBuildIsReplacedWithOneWarning) {
  Captured Log;
  auto O = options();
  O.Sim.Faults = {{SimOp::Build, 1, true}};
  AddType Add;
  std::array<std::array<long, 8>, 20> X{};
  {
    Machine M(O);
    for (int Round = 0; Round < 10; ++Round)
      for (auto &Row : X)
        Add.submit(M, Row.data(), Row.size(), 1);
    M.wait();
  }
  for (auto &Row : X)
    EXPECT_EQ(Row[3], 10);
  EXPECT_LE(Log.count(LogLevel::Warning), 1u); // None where the policy never tried it.
  EXPECT_EQ(Add.DeviceRuns, 0);
}

TEST_P(Trouble, WithoutAnotherVersionAllTasksFailAndNothingHangs) {
  Captured Log;
  auto O = options();
  O.Sim.Faults = {{SimOp::Build, 1, true}};
  AddType Add(AddType::Device);
  std::array<std::array<long, 8>, 30> X{};
  Machine M(O);
  for (auto &Row : X)
    Add.submit(M, Row.data(), Row.size(), 1);
  try {
    M.wait();
    FAIL() << "nothing was thrown";
  } catch (const hsched::task_error &E) {
    EXPECT_EQ(E.task(), "add");
    EXPECT_EQ(E.device(), "Sim 0");
    EXPECT_NE(E.cause().find("injected failure of a build"), std::string::npos) << E.cause();
  }
  EXPECT_EQ(Log.count(LogLevel::Warning, "not used on"), 1u);
}

TEST_P(Trouble, AVersionWithABodyOfItsOwnIsNotSupportedYet) {
  Captured Log;
  AddType Add;
  Add.OnDevice.kernel = nullptr;
  Add.OnDevice.run = Add.OnCpu.run;
  Machine M(options());
  std::array<long, 8> X{};
  for (int I = 0; I < 20; ++I)
    Add.submit(M, X.data(), X.size(), 1);
  M.wait();
  EXPECT_EQ(X[0], 20);
}

TEST_P(Trouble, TooLittleMemoryForOneTaskLeavesTheVersionToOthers) {
  Captured Log;
  auto O = options();
  O.Cpus = 1;
  O.Sim.MemoryBytes = 1024;
  AddType Add;
  Machine M(O);
  std::vector<long> Large(1000), Small(50);
  for (int I = 0; I < 20; ++I) {
    Add.submit(M, Large.data(), Large.size(), 1);
    Add.submit(M, Small.data(), Small.size(), 1);
  }
  M.wait();
  EXPECT_EQ(Large[999], 20);
  EXPECT_EQ(Small[49], 20);
  EXPECT_FALSE(Add.Type.Versions[1].disabledOn(1));
}

TEST_P(Trouble, TooLittleMemoryAndNoOtherVersion) {
  Captured Log;
  auto O = options();
  O.Sim.MemoryBytes = 1024;
  AddType Add(AddType::Device);
  Machine M(O);
  std::vector<long> Large(1000), Small(50);
  Add.submit(M, Large.data(), Large.size(), 1);
  Add.submit(M, Small.data(), Small.size(), 1);
  try {
    M.wait();
    FAIL() << "nothing was thrown";
  } catch (const hsched::task_error &E) {
    EXPECT_EQ(E.device(), "Sim 0");
    EXPECT_NE(E.cause().find("8000"), std::string::npos) << E.cause(); // Bytes needed.
    EXPECT_NE(E.cause().find("1024"), std::string::npos) << E.cause(); // And there.
  }
  EXPECT_EQ(Small[49], 1);
  EXPECT_FALSE(Add.Type.Versions[0].disabledOn(2));
}

// The device holds the newest copy of what a CPU task is overwriting: that leaves only when the CPU task is over.
TEST_P(Trouble, MemoryThatATaskElsewhereKeepsIsWaitedFor) {
  Captured Log;
  auto O = options();
  O.Sim.MemoryBytes = 1024;
  AddType Add(AddType::Device);
  Machine M(O);
  std::vector<long> A(100), B(100);
  Add.submit(M, A.data(), A.size(), 1);
  M.Exec->taskwait(threadState(), false);
  std::atomic<bool> Inside{false}, Go{false};
  M.submit({on(HSCHED_OUT, A.data(), A.size() * sizeof(long))}, [&] {
    Inside = true;
    while (!Go)
      std::this_thread::yield();
    std::ranges::fill(A, 7);
  });
  while (!Inside)
    std::this_thread::yield();
  Add.submit(M, B.data(), B.size(), 1);
  for (int I = 0; I < 5000; ++I) // Likely the device has tried by then; the outcome must be the same if not.
    std::this_thread::yield();
  Go = true;
  M.wait();
  EXPECT_EQ(A[99], 7);
  EXPECT_EQ(B[99], 1);
}

// A pair that cannot work for one size is not tried every time, and other sizes still run there.
TEST_P(Trouble, ASizeThatTheDeviceRefusesIsTriedNowAndThen) {
  Captured Log;
  static std::atomic<int> Tried;
  Tried = 0;
  AddType Add;
  static const auto Fill = Add.Kernel.fill;
  Add.Kernel.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
    Fill(P, Range, Out);
    if (static_cast<const AddArgs *>(P)->N == 100) {
      Range->dims = 0;
      ++Tried;
    }
  };
  std::array<std::array<long, 100>, 200> Large{};
  std::array<std::array<long, 10>, 200> Small{};
  {
    Machine M(options());
    for (size_t I = 0; I < Large.size(); ++I) {
      Add.submit(M, Large[I].data(), Large[I].size(), 1);
      Add.submit(M, Small[I].data(), Small[I].size(), 1);
    }
    M.wait();
  }
  for (size_t I = 0; I < Large.size(); ++I) {
    EXPECT_EQ(Large[I][99], 1);
    EXPECT_EQ(Small[I][9], 1);
  }
  EXPECT_LE(Tried, 3 + 200 / 64);
  EXPECT_FALSE(Add.Type.Versions[1].disabledOn(2));
  EXPECT_EQ(Log.count(LogLevel::Warning), Tried ? 1u : 0u);
  // Alone it is still tried: it has nowhere else to go.
  AddType Only(AddType::Device);
  Only.Kernel.fill = Add.Kernel.fill;
  Tried = 0;
  Machine M(options());
  for (int I = 0; I < 6; ++I) {
    Only.submit(M, Large[0].data(), 100, 1);
    EXPECT_THROW(M.wait(), hsched::task_error);
  }
  EXPECT_EQ(Tried, 6);
}

TEST_P(Trouble, AKernelThatFailsOnTheDeviceFailsATaskThatUpdates) {
  Captured Log;
  auto O = options();
  O.Sim.Faults = {{SimOp::Launch, 1, false}};
  AddType Add(AddType::Device);
  Machine M(O);
  std::array<long, 8> X{};
  Add.submit(M, X.data(), X.size(), 1);
  EXPECT_THROW(M.wait(), hsched::task_error);
}

TEST_P(Trouble, AKernelThatFailsIsRunOtherwiseWhereNothingIsLost) {
  Captured Log;
  auto O = options();
  O.Sim.Faults = {{SimOp::Launch, 1, true}};
  AddType Add;
  Machine M(O);
  std::array<std::array<long, 8>, 20> X{};
  for (auto &Row : X)
    Add.submit(M, Row.data(), Row.size(), 1, HSCHED_OUT);
  M.wait();
  for (auto &Row : X)
    EXPECT_EQ(Row[3], 1);
  EXPECT_LE(Log.count(LogLevel::Warning), 1u);
}

TEST_P(Trouble, ALaunchThatIsRefusedMovesTheTaskElsewhere) {
  Captured Log;
  auto O = options();
  O.Sim.Faults = {{SimOp::Launch, 1, true, true}};
  AddType Add;
  Machine M(O);
  std::array<std::array<long, 8>, 20> X{};
  for (auto &Row : X)
    Add.submit(M, Row.data(), Row.size(), 1);
  M.wait();
  for (auto &Row : X)
    EXPECT_EQ(Row[3], 1);
}

TEST_P(Trouble, AnUploadThatFails) {
  Captured Log;
  for (bool AtCall : {false, true}) {
    auto O = options();
    O.Sim.Faults = {{SimOp::Write, 1, false, AtCall}};
    AddType Add;
    Machine M(O);
    std::array<std::array<long, 8>, 20> X{};
    try {
      for (auto &Row : X)
        Add.submit(M, Row.data(), Row.size(), 1);
      M.wait();
      for (auto &Row : X)
        EXPECT_EQ(Row[3], 1);
    } catch (const hsched::task_error &E) {
      // Started before the failure was known, and it updates: no second try.
      EXPECT_EQ(E.task(), "add");
    }
  }
}

TEST_P(Trouble, TwoDevicesOneWithoutMemory) {
  Captured Log;
  auto O = options();
  O.Devices = 2;
  AddType Add(AddType::Device);
  Machine M(O);
  M.device(0).inject({SimOp::Allocate, 1, true});
  std::array<std::array<long, 8>, 40> X{};
  for (auto &Row : X)
    Add.submit(M, Row.data(), Row.size(), 1);
  M.wait();
  for (auto &Row : X)
    EXPECT_EQ(Row[3], 1);
}

} // namespace
