// Tasks on data without a home: reductions, tasks in place, devices that are lost, memory for one task at a time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <hsched/hsched.h>

#include <numeric>

using namespace hsched::rt;
using namespace hsched::rt::test;
using HomeUse = Directory::HomeUse;

namespace {

const hsched_reduction_op Sums = {
    sizeof(hsched_reduction_op),
    "+",
    sizeof(long),
    alignof(long),
    [](void *Copy, const void *, size_t N) { std::fill_n(static_cast<long *>(Copy), N, 0); },
    [](void *Into, const void *From, size_t N) {
      for (size_t I = 0; I < N; ++I)
        static_cast<long *>(Into)[I] += static_cast<const long *>(From)[I];
    },
    nullptr,
    0};
// The first private copy begins with the present value.
const hsched_reduction_op Maxima = {sizeof(hsched_reduction_op),
                                    "max",
                                    sizeof(long),
                                    alignof(long),
                                    [](void *Copy, const void *Original, size_t N) {
                                      std::copy_n(static_cast<const long *>(Original), N, static_cast<long *>(Copy));
                                    },
                                    [](void *Into, const void *From, size_t N) {
                                      for (size_t I = 0; I < N; ++I)
                                        static_cast<long *>(Into)[I] =
                                            std::max(static_cast<long *>(Into)[I], static_cast<const long *>(From)[I]);
                                    },
                                    nullptr,
                                    HSCHED_REDUCTION_ORIGINAL};

MachineOptions onDevices(unsigned Devices, uint64_t Bytes = 1 << 20) {
  MachineOptions O;
  O.Devices = Devices;
  O.Sim.MemoryBytes = Bytes;
  return O;
}

struct HomelessTasks : testing::Test {
  static long *datum(Machine &M, size_t N) {
    void *At = nullptr;
    EXPECT_TRUE(M.Data->makeHomeless(N * sizeof(long), At).ok());
    return static_cast<long *>(At);
  }
  static uint64_t inUse(Machine &M, size_t Device) { return M.device(Device).bytesInUse(); }
  // N longs that are all Value, on the host.
  static long *filled(Machine &M, size_t N, long Value) {
    long *X = datum(M, N);
    EXPECT_TRUE(M.Data->bringHome(X, N * sizeof(long), HomeUse::Overwrite).ok());
    std::fill_n(X, N, Value);
    return X;
  }
  static void reduce(Machine &M, AddType &Add, long *X, size_t N, long Plus, const hsched_reduction_op &Op) {
    TaskNode &T = M.Exec->begin(threadState(), Add.Type, 1);
    auto *Args = new (T.Args) AddArgs{X, N, Plus};
    T.AccessList[0] = on(HSCHED_REDUCTION, X, N * sizeof(long), 0);
    hsched_reduction R{0, &Args->X, &Op};
    hsched_submit_options How{};
    How.reductions = &R;
    How.n_reductions = 1;
    M.Exec->submit(threadState(), T, How);
  }
};

TEST_F(HomelessTasks, AreReducedInto) {
  for (AddType::Where Where : {AddType::Cpu, AddType::Device, AddType::Both}) {
    AddType Add(Where);
    Machine M(onDevices(1));
    long *X = filled(M, 100, 5), *Unwritten = datum(M, 100);
    for (int I = 0; I < 20; ++I)
      reduce(M, Add, X, 100, 2, Sums);
    reduce(M, Add, Unwritten, 100, 1, Sums); // Into anything.
    M.wait();
    for (int I = 0; I < 5; ++I)
      reduce(M, Add, X, 100, 1, Maxima);
    M.wait();
    ASSERT_TRUE(M.Data->bringHome(X, 800, HomeUse::Read).ok());
    EXPECT_GE(X[99], 45 + 1);
    EXPECT_LE(X[99], 45 + 5);
    ASSERT_TRUE(M.Data->dropHomeless(Unwritten).ok());
  }
}

// A task that its submitter runs itself leaves what it wrote on the host.
TEST_F(HomelessTasks, RunInPlace) {
  AddType Add(AddType::Device);
  Machine M(onDevices(1));
  long *X = filled(M, 100, 1);
  hsched_submit_options How{};
  How.flags = HSCHED_SUBMIT_UNDEFERRED;
  TaskNode &T = M.Exec->begin(threadState(), Add.Type, 1);
  new (T.Args) AddArgs{X, 100, 41};
  T.AccessList[0] = on(HSCHED_INOUT, X, 800, 0);
  M.Exec->submit(threadState(), T, How);
  EXPECT_EQ(X[99], 42);
  M.wait();
}

// Data that only the lost device had are lost. A task that reads them fails; other tasks and waits do not.
TEST_F(HomelessTasks, OfALostDevice) {
  AddType Add(AddType::Device);
  Machine M(onDevices(2));
  long *X = filled(M, 100, 1), *Y = filled(M, 100, 1);
  Add.submit(M, X, 100, 1);
  M.wait();
  MemoryNode On = inUse(M, 0) ? 1 : 2;
  M.Devices[On - 1]->lose(hsched::status::error(hsched::errc::device_lost, "gone"));
  M.wait(); // The wait does not name it.
  Add.submit(M, Y, 100, 1);
  M.wait();
  ASSERT_TRUE(M.Data->bringHome(Y, 800, HomeUse::Read).ok());
  EXPECT_EQ(Y[99], 2);
  Add.submit(M, X, 100, 1);
  EXPECT_THROW(M.wait(), hsched::task_error);
  Add.submit(M, X, 100, 1, HSCHED_OUT); // Which needs none of it.
  EXPECT_NO_THROW(M.wait());
  EXPECT_TRUE(M.Data->bringHome(X, 800, HomeUse::Read).ok());
}

TEST_F(HomelessTasks, AnyNumberOnDevicesWithRoomForOne) {
  constexpr size_t Count = 40, N = 128;
  for (unsigned Devices : {1u, 3u}) {
    AddType Add(AddType::Device);
    Machine M(onDevices(Devices, N * sizeof(long) * 3 / 2));
    std::vector<long *> All;
    for (size_t I = 0; I < Count; ++I)
      All.push_back(filled(M, N, long(I)));
    for (long Round = 1; Round <= 5; ++Round)
      for (long *X : All)
        Add.submit(M, X, N, Round);
    M.wait();
    for (size_t I = 0; I < Count; ++I) {
      ASSERT_TRUE(M.Data->bringHome(All[I], N * sizeof(long), HomeUse::Update).ok());
      EXPECT_EQ(All[I][N - 1], long(I) + 15);
      EXPECT_TRUE(M.Data->dropHomeless(All[I]).ok());
    }
    for (unsigned I = 0; I < Devices; ++I)
      EXPECT_EQ(inUse(M, I), 0u);
  }
}

} // namespace
