// Tasks that a device takes before they are ready, because all they wait for is on it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <hsched/hsched.h>

#include <array>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;
using sim::SimFault;
using sim::SimOp;

namespace {

template <class Fn> void until(Fn Condition) {
  while (!Condition())
    std::this_thread::yield();
}

struct Early : testing::TestWithParam<const char *> {
  // Nothing runs on the device before its release.
  MachineOptions manual(unsigned InFlight) {
    MachineOptions O;
    O.Devices = 1;
    O.Policy = GetParam();
    O.Exec.InFlight = InFlight;
    O.Sim.Mode = sim::SimMode::Manual;
    return O;
  }
  static void drain(Machine &M) {
    until([&] {
      M.device(0).stepAll();
      return M.device(0).pending() == 0;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Policies, Early, testing::Values("eager", "versioning"),
                         [](const auto &Info) { return std::string(Info.param); });

// Adds one vector to another: two accesses, so that a task may come after two others.
class AddTwo {
public:
  struct Args {
    long *X, *Y;
  };
  AddTwo() {
    Desc.name = Desc.linker_name = "add_two";
    Desc.file = "test.cpp";
    Desc.args_bytes = sizeof(Args);
    Desc.args_align = alignof(Args);
    Type.Desc = &Desc;
    Kernel.name = Kernel.entry = "add_two_sim";
    Kernel.n_args = 2;
    Kernel.flags = HSCHED_KERNEL_OFFSETS;
    Kernel.fill = [](const void *P, hsched_ndrange *Range, hsched_kernel_arg *Out) {
      auto &A = *static_cast<const Args *>(P);
      Range->dims = 1;
      Range->global[0] = 1;
      Out[0] = {HSCHED_ARG_BUFFER, 0, 0, nullptr, A.X, {}};
      Out[1] = {HSCHED_ARG_BUFFER, 1, 0, nullptr, A.Y, {}};
    };
    sim::simRegisterKernel("add_two_sim", [](const hsched_ndrange &, std::span<const sim::SimArg> Args) {
      *Args[0].pointer<unsigned long>() += *Args[1].pointer<unsigned long>(); // Sums of thousands go round.
      return hsched::status();
    });
    Device.linker_name = Device.name = "add_two_cl";
    Device.device = HSCHED_DEVICE_OPENCL;
    Device.kernel = &Kernel;
    Type.Versions[0].Desc = &Device;
    Type.NumVersions = 1;
  }
  void submit(Machine &M, long &X, long &Y) {
    M.submitTo(Type, {on(HSCHED_INOUT, &X, sizeof(X), 0), on(HSCHED_IN, &Y, sizeof(Y), 1)}, Args{&X, &Y});
  }

  hsched_task_desc Desc{};
  hsched_version_desc Device{};
  hsched_kernel_desc Kernel{};
  TaskType Type;
};

TEST_P(Early, AChainIsOnTheDeviceBeforeItsFirstKernelHasRun) {
  AddType Add(AddType::Device);
  Machine M(manual(8));
  std::array<long, 10> X{};
  for (long I = 1; I <= 8; ++I)
    Add.submit(M, X.data(), X.size(), I);
  until([&] { return M.device(0).pending() == 1 + 8; }); // One upload, all kernels.
  EXPECT_EQ(Add.DeviceRuns, 0);
  drain(M);
  M.wait();
  EXPECT_EQ(X[9], 36);
  EXPECT_EQ(Add.DeviceRuns, 8);
}

TEST_P(Early, NoMoreThanFitInFlight) {
  AddType Add(AddType::Device);
  Machine M(manual(3));
  std::array<long, 10> X{};
  for (long I = 1; I <= 20; ++I)
    Add.submit(M, X.data(), X.size(), I);
  until([&] { return M.device(0).pending() == 1 + 3; });
  for (int I = 0; I < 100; ++I) {
    std::this_thread::yield();
    ASSERT_LE(M.device(0).pending(), 4u);
  }
  until([&] {
    M.device(0).stepAll();
    return Add.DeviceRuns == 20;
  });
  M.wait();
  EXPECT_EQ(X[9], 210);
}

TEST_P(Early, BehindTwoThatAreBothThere) {
  AddType Add(AddType::Device);
  AddTwo Two;
  Machine M(manual(8));
  long X = 0, Y = 0;
  Add.submit(M, &X, 1, 1);
  Add.submit(M, &Y, 1, 2);
  Two.submit(M, X, Y);
  Add.submit(M, &Y, 1, 3); // After what read it.
  until([&] { return M.device(0).pending() == 2 + 4; });
  EXPECT_EQ(Add.DeviceRuns, 0);
  drain(M);
  M.wait();
  EXPECT_EQ(X, 3);
  EXPECT_EQ(Y, 5);
}

TEST_P(Early, NotBehindWhatRunsElsewhere) {
  AddType Add(AddType::Device);
  AddTwo Two;
  Machine M(manual(8));
  long X = 0, Y = 0;
  std::atomic<bool> Go{false};
  M.submit({inout(Y)}, [&] {
    until([&] { return Go.load(); });
    Y = 5;
  });
  Add.submit(M, &X, 1, 1);
  Two.submit(M, X, Y);
  Add.submit(M, &X, 1, 1); // Behind the one that waits.
  until([&] { return M.device(0).pending() == 2; });
  for (int I = 0; I < 100; ++I) {
    std::this_thread::yield();
    ASSERT_EQ(M.device(0).pending(), 2u);
  }
  Go = true;
  std::atomic<bool> Over{false};
  std::thread Steps([&] {
    until([&] {
      M.device(0).stepAll();
      return Over.load();
    });
  });
  M.wait();
  Over = true;
  Steps.join();
  EXPECT_EQ(X, 7);
}

TEST_P(Early, AFailureCancelsWhatWasTakenBehindIt) {
  Captured Log;
  auto O = manual(8);
  O.Sim.Faults = {{SimOp::Launch, 2, false}};
  AddType Add(AddType::Device);
  Machine M(O);
  std::array<long, 10> X{};
  for (int I = 0; I < 5; ++I)
    Add.submit(M, X.data(), X.size(), 1);
  until([&] { return M.device(0).pending() == 1 + 5; });
  drain(M);
  EXPECT_THROW(M.wait(), hsched::task_error);
  EXPECT_EQ(Add.DeviceRuns, 1); // The driver did not begin what came after.
  EXPECT_EQ(M.Data->stats().Fragments, 0u);
  EXPECT_TRUE(Add.Type.Versions[0].disabledOn(2));
}

// The first is run again elsewhere, and so are those behind it.
TEST_P(Early, BehindATaskThatIsRunAgain) {
  Captured Log;
  auto O = manual(8);
  O.Sim.Faults = {{SimOp::Launch, 1, true}};
  AddType Add(AddType::Device), Other(AddType::Both);
  Machine M(O);
  std::array<long, 4> X{};
  // Writes without reading, so it may run again; as there is one worker for the others, those behind it wait for it.
  hsched_task_desc FillDesc = Add.Desc;
  FillDesc.name = FillDesc.linker_name = "fill";
  hsched_version_desc OnCpu = Other.OnCpu;
  OnCpu.run = [](void *P) {
    auto &A = *static_cast<AddArgs *>(P);
    std::fill_n(A.X, A.N, A.Plus);
  };
  TaskType Fill;
  Fill.Desc = &FillDesc;
  Fill.Versions[0].Desc = &Add.OnDevice;
  Fill.Versions[0].Index = 0;
  Fill.NumVersions = 1;
  M.submitTo(Fill, {on(HSCHED_OUT, X.data(), sizeof(X), 0)}, AddArgs{X.data(), X.size(), 7});
  until([&] { return M.device(0).pending() == 1; });
  // From here on there is another version of it.
  Fill.Versions[1].Desc = &OnCpu;
  Fill.Versions[1].Index = 1;
  Fill.NumVersions = 2;
  for (int I = 0; I < 3; ++I)
    M.submitTo(Add.Type, {on(HSCHED_INOUT, X.data(), sizeof(X), 0)}, AddArgs{X.data(), X.size(), 1});
  until([&] { return M.device(0).pending() == 4; });
  std::atomic<bool> Over{false};
  std::thread Steps([&] {
    until([&] {
      M.device(0).stepAll();
      return Over.load();
    });
  });
  EXPECT_THROW(M.wait(), hsched::task_error); // The additions have no other version.
  Over = true;
  Steps.join();
  EXPECT_EQ(X[3], 7);
}

TEST_P(Early, NothingToDoWaitsForItsTurn) {
  AddType Add(AddType::Device);
  Machine M(manual(8));
  std::array<long, 10> X{};
  bool Seen = false;
  Add.submit(M, X.data(), X.size(), 1);
  M.submitTo(Add.Type, {on(HSCHED_INOUT, X.data(), sizeof(X), 0)}, AddArgs{X.data(), 0, 1}); // No work item.
  M.submit({inout(X)}, [&] { Seen = X[0] == 1; });
  until([&] { return M.device(0).pending() == 2; });
  for (int I = 0; I < 100; ++I) {
    std::this_thread::yield();
    ASSERT_FALSE(Seen);
  }
  std::atomic<bool> Over{false};
  std::thread Steps([&] {
    until([&] {
      M.device(0).stepAll();
      return Over.load();
    });
  });
  M.wait();
  Over = true;
  Steps.join();
  EXPECT_TRUE(Seen);
}

TEST_P(Early, ManyChainsThatMeet) {
  AddType Add(AddType::Device);
  AddTwo Two;
  auto O = manual(0);
  O.Sim.Mode = sim::SimMode::Threads;
  Machine M(O);
  std::array<long, 16> X{}, Y{};
  uint32_t Seed = 1;
  for (int I = 0; I < 3000; ++I) {
    Seed = Seed * 1664525 + 1013904223;
    size_t A = Seed >> 8 & 15, B = Seed >> 16 & 15;
    if (A == B || Seed >> 30 == 0) {
      Add.submit(M, &X[A], 1, 1);
      Y[A] += 1;
    } else {
      Two.submit(M, X[A], X[B]);
      Y[A] = static_cast<long>(static_cast<unsigned long>(Y[A]) + static_cast<unsigned long>(Y[B]));
    }
  }
  M.wait();
  EXPECT_EQ(X, Y);
}

struct Downloads : Observer {
  std::atomic<unsigned> Count{0};
  void transferred(const TransferRecord &R) override { Count += R.Kind == TransferKind::DeviceToHost; }
};

// Not all sums fit on the device at once. They are finished one after the other, and come home a few times at most.
// Step by step, all of them would be moved some sixty times.
TEST_P(Early, LittleMemoryFinishesWhatItHas) {
  constexpr size_t Sums = 8, Terms = 8;
  struct alignas(128) Datum {
    long Value = 0;
  };
  Downloads Seen;
  auto O = manual(2);
  O.Sim.MemoryBytes = 6 * sizeof(long);
  O.Watch = &Seen;
  AddTwo Two;
  std::array<Datum, Sums> X{};
  std::array<Datum, Terms> Y{};
  {
    Machine M(O);
    for (size_t K = 0; K < Terms; ++K)
      Y[K].Value = static_cast<long>(K);
    for (size_t I = 0; I < Sums; ++I)
      for (size_t K = 0; K < Terms; ++K)
        Two.submit(M, X[I].Value, Y[K].Value);
    std::atomic<bool> Over{false};
    std::thread Steps([&] {
      until([&] {
        M.device(0).stepAll();
        return Over.load();
      });
    });
    M.wait();
    Over = true;
    Steps.join();
  }
  for (const Datum &D : X)
    EXPECT_EQ(D.Value, 28);
  EXPECT_LE(Seen.Count, 4 * Sums);
}

} // namespace
