// Concurrent, commutative and reduced sections as they run; tasks that run in place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;
using namespace std::chrono_literals;

namespace {

std::atomic<int> Made{0}, Unmade{0};
std::atomic<bool> InitThrows{false}, CombineThrows{false};

const hsched_reduction_op Adding = {sizeof(hsched_reduction_op),
                                    "+",
                                    sizeof(long),
                                    alignof(long),
                                    [](void *Copy, const void *, size_t N) {
                                      if (InitThrows)
                                        throw std::runtime_error("init");
                                      std::fill_n(static_cast<long *>(Copy), N, 0);
                                      ++Made;
                                    },
                                    [](void *Into, const void *From, size_t N) {
                                      if (CombineThrows)
                                        throw std::runtime_error("combine");
                                      for (size_t I = 0; I < N; ++I)
                                        static_cast<long *>(Into)[I] += static_cast<const long *>(From)[I];
                                    },
                                    [](void *, size_t) { ++Unmade; },
                                    0};

// A task that is given a pointer.
struct PointerArgs {
  long *X;
  std::function<void(long *)> Body;
};
struct PointerType {
  PointerType() {
    Desc.name = Desc.linker_name = "pointer";
    Desc.file = "test.cpp";
    Desc.args_bytes = sizeof(PointerArgs);
    Desc.args_align = alignof(PointerArgs);
    Desc.destroy = [](void *A) { static_cast<PointerArgs *>(A)->~PointerArgs(); };
    Cpu.linker_name = Cpu.name = "pointer";
    Cpu.run = [](void *A) { static_cast<PointerArgs *>(A)->Body(static_cast<PointerArgs *>(A)->X); };
    Type.Desc = &Desc;
    Type.Versions[0].Desc = &Cpu;
    Type.NumVersions = 1;
  }
  hsched_task_desc Desc{};
  hsched_version_desc Cpu{};
  TaskType Type;
};

struct Grouped : testing::TestWithParam<const char *> {
  Grouped() {
    Made = Unmade = 0;
    InitThrows = CombineThrows = false;
  }
  ~Grouped() override { EXPECT_EQ(Made, Unmade); }

  MachineOptions options(unsigned Cpus = 4) {
    MachineOptions O;
    O.Cpus = Cpus;
    O.Policy = GetParam();
    return O;
  }
  // With n longs at X reduced, as parameter 0.
  void reduce(Machine &M, long *X, size_t N, std::function<void(long *)> Body, const hsched_reduction_op &Op = Adding,
              std::vector<Access> More = {}, unsigned Flags = 0) {
    More.push_back(on(HSCHED_REDUCTION, X, N * sizeof(long), 0));
    TaskNode &T = M.Exec->begin(threadState(), Pointers.Type, static_cast<unsigned>(More.size()));
    auto *Args = new (T.Args) PointerArgs{X, std::move(Body)};
    std::ranges::copy(More, T.AccessList);
    hsched_reduction R{0, &Args->X, &Op};
    hsched_submit_options How{};
    How.reductions = &R;
    How.n_reductions = 1;
    How.flags = Flags;
    M.Exec->submit(threadState(), T, How);
  }
  PointerType Pointers;
};

// What another thread submits meanwhile is a task behind the combination, not a call.
std::atomic<bool> InCombination{false}, MayCombine{false}, Combined{false};
TEST_P(Grouped, NoTaskRunsBesideACombination) {
  InCombination = MayCombine = Combined = false;
  hsched_reduction_op Slow = Adding;
  Slow.combine = [](void *Into, const void *From, size_t N) {
    InCombination = true;
    while (!MayCombine)
      std::this_thread::yield();
    Adding.combine(Into, From, N);
    Combined = true;
  };
  Machine M(options(1));
  long X = 0;
  bool Met = false;
  std::thread Other([&] {
    reduce(M, &X, 1, [](long *P) { *P += 1; }, Slow);
    M.wait();
  });
  while (!InCombination)
    std::this_thread::yield();
  M.submit({inout(X)}, [&] {
    Met = !Combined;
    X *= 10;
  });
  MayCombine = true;
  Other.join();
  M.wait();
  EXPECT_FALSE(Met);
  EXPECT_EQ(X, 10);
}

// A task's arguments may be what its children reduce.
bool ArgumentsGone;
int CombinedLate;
TEST_P(Grouped, ArgumentsOutliveWhatChildrenReduce) {
  ArgumentsGone = false;
  CombinedLate = 0;
  hsched_reduction_op Watched = Adding;
  Watched.combine = [](void *Into, const void *From, size_t N) {
    CombinedLate += ArgumentsGone;
    Adding.combine(Into, From, N);
  };
  PointerType Parent;
  Parent.Desc.destroy = [](void *A) {
    ArgumentsGone = true;
    static_cast<PointerArgs *>(A)->~PointerArgs();
  };
  Machine M(options(1));
  settleOnly(Parent.Type);
  long X = 0;
  M.submitTo(Parent.Type, {}, PointerArgs{&X, [&](long *P) { reduce(M, P, 1, [](long *Q) { *Q += 1; }, Watched); }},
             {});
  M.wait();
  EXPECT_TRUE(ArgumentsGone);
  EXPECT_EQ(CombinedLate, 0);
  EXPECT_EQ(X, 1);
}

// What comes after a task comes after what its children reduce, and not at all where that fails.
TEST_P(Grouped, ACombinationThatFailsCancelsWhatComesAfterTheParent) {
  for (unsigned Cpus : {1u, 2u}) {
    Machine M(options(Cpus));
    if (Cpus == 2)
      M.Nanoseconds = 200; // In bundles.
    CombineThrows = true;
    long X = 0;
    int Y = 0;
    bool Ran = false;
    M.submit({out(Y)}, [&] { reduce(M, &X, 1, [](long *P) { *P += 1; }); });
    M.submit({in(Y)}, [&] { Ran = true; });
    EXPECT_THROW(M.wait(), std::runtime_error) << Cpus;
    CombineThrows = false;
    EXPECT_FALSE(Ran) << Cpus;
  }
}

TEST_P(Grouped, ConcurrentTasksMeet) {
  Machine M(options(3));
  std::atomic<int> Inside{0};
  long X = 0;
  for (int I = 0; I < 2; ++I)
    M.submit({on(HSCHED_CONCURRENT, &X, sizeof(X))}, [&] {
      ++Inside;
      for (auto Until = std::chrono::steady_clock::now() + 10s; Inside < 2 && std::chrono::steady_clock::now() < Until;)
        std::this_thread::yield();
    });
  bool Met = false;
  M.submit({in(X)}, [&] { Met = Inside == 2; });
  M.wait();
  EXPECT_TRUE(Met);
}

TEST_P(Grouped, CommutativeTasksDoNotMeet) {
  Machine M(options());
  long A[8] = {}, B = 0; // No atomics: the sanitizers watch.
  std::vector<int> Order;
  for (int I = 0; I < 400; ++I) {
    auto At = static_cast<size_t>(I % 7);
    M.submit({on(HSCHED_COMMUTATIVE, &A[At], 2 * sizeof(long)), on(HSCHED_COMMUTATIVE, &B, sizeof(B))}, [&, At, I] {
      ++A[At];
      ++A[At + 1];
      ++B;
      Order.push_back(I);
    });
  }
  for (int I = 0; I < 400; ++I) {
    auto At = static_cast<size_t>(I % 7);
    M.submit({on(HSCHED_COMMUTATIVE, &A[7 - At], sizeof(long)), on(HSCHED_COMMUTATIVE, &A[0], sizeof(long))},
             [&, At] { At == 7 ? ++A[0] : ++A[7 - At]; });
  }
  M.wait();
  EXPECT_EQ(B, 400);
  EXPECT_EQ(Order.size(), 400u);
  long Sum = 0;
  for (long V : A)
    Sum += V;
  EXPECT_EQ(Sum, 1200);
}

TEST_P(Grouped, ACommutativeTaskThatWaitsKeepsItsTurn) {
  Machine M(options());
  long X = 0, Y = 0;
  for (int I = 0; I < 30; ++I)
    M.submit({on(HSCHED_COMMUTATIVE, &X, sizeof(X))}, [&] {
      long Before = X;
      M.submit({on(HSCHED_COMMUTATIVE, &X, sizeof(X))}, [&] { ++X; });
      M.submit({inout(Y)}, [&] { ++Y; });
      M.Exec->taskwait(threadState(), false);
      EXPECT_EQ(X, Before + 1);
      X = Before + 10;
    });
  M.wait();
  EXPECT_EQ(X, 300);
  EXPECT_EQ(Y, 30);
}

TEST_P(Grouped, ReductionsAddUp) {
  Machine M(options());
  std::vector<long> X(100, 1);
  std::mutex Lock;
  std::set<long *> Places;
  for (long I = 0; I < 1000; ++I)
    reduce(M, X.data(), X.size(), [&, I](long *P) {
      for (size_t J = 0; J < 100; ++J)
        P[J] += I;
      std::lock_guard Guard(Lock);
      Places.insert(P);
    });
  long Seen = 0;
  M.submit({on(HSCHED_IN, X.data() + 50, sizeof(long))}, [&] { Seen = X[50]; });
  for (long I = 0; I < 10; ++I)
    reduce(M, X.data(), X.size(), [](long *P) { P[99] += 1000; });
  M.wait();
  EXPECT_EQ(Seen, 1 + 999 * 500);
  EXPECT_EQ(X[0], 1 + 999 * 500);
  EXPECT_EQ(X[99], 1 + 999 * 500 + 10000);
  EXPECT_FALSE(Places.contains(X.data()));
  EXPECT_LE(Places.size(), 4u); // A copy for each worker.
}

TEST_P(Grouped, AWaitOnTheDatumEndsItsGroupAlone) {
  Machine M(options());
  long X = 0, Y = 0;
  for (int I = 0; I < 20; ++I) {
    reduce(M, &X, 1, [](long *P) { ++*P; });
    reduce(M, &Y, 1, [](long *P) { ++*P; });
  }
  Access Named[] = {in(X)};
  M.Exec->taskwaitOn(threadState(), Named, true);
  EXPECT_EQ(X, 20);
  M.wait();
  EXPECT_EQ(Y, 20);
}

TEST_P(Grouped, TheEndOfABodyEndsItsChildrensGroups) {
  Machine M(options());
  long X = 0;
  for (int I = 0; I < 20; ++I) // Each in turn reduces into what its parent reduces.
    reduce(M, &X, 1, [this, &M](long *P) {
      for (int J = 0; J < 5; ++J)
        reduce(M, P, 1, [](long *Q) { ++*Q; });
    });
  M.wait();
  EXPECT_EQ(X, 100);
  // A child that reads what its sisters reduce.
  long Y = 0, Z = 0;
  M.submit({inout(Y), out(Z)}, [&] {
    for (int J = 0; J < 5; ++J)
      reduce(M, &Y, 1, [](long *Q) { ++*Q; });
    M.submit({in(Y), out(Z)}, [&] { Z = Y; });
    for (int J = 0; J < 5; ++J)
      reduce(M, &Y, 1, [](long *Q) { ++*Q; });
  });
  M.submit({inout(Y), inout(Z)}, [&] { Z += 100 * Y; });
  M.wait();
  EXPECT_EQ(Z, 1005);
}

TEST_P(Grouped, OtherWaysToReduceComeAfterEachOther) {
  static const hsched_reduction_op Doubling = [] {
    hsched_reduction_op Op = Adding;
    Op.combine = [](void *Into, const void *From, size_t N) {
      for (size_t I = 0; I < N; ++I)
        static_cast<long *>(Into)[I] += 2 * static_cast<const long *>(From)[I];
    };
    return Op;
  }();
  Machine M(options());
  long X = 0;
  for (int I = 0; I < 10; ++I) {
    reduce(M, &X, 1, [](long *P) { *P += 1; });
    reduce(M, &X, 1, [](long *P) { *P += 1; }, Doubling);
  }
  M.wait();
  EXPECT_EQ(X, 30);
}

TEST_P(Grouped, WhatAMemberThrowsLeavesTheOriginal) {
  Machine M(options());
  long X = 7;
  bool Read = false;
  for (int I = 0; I < 20; ++I)
    reduce(M, &X, 1, [I](long *P) {
      ++*P;
      if (I == 11)
        throw std::runtime_error("member");
    });
  M.submit({in(X)}, [&] { Read = true; });
  EXPECT_THROW(M.wait(), std::runtime_error);
  EXPECT_EQ(X, 7);
  EXPECT_FALSE(Read);
  reduce(M, &X, 1, [](long *P) { ++*P; });
  M.wait();
  EXPECT_EQ(X, 8);
}

TEST_P(Grouped, WhatOperationsThrowArrivesAtTheWait) {
  Machine M(options());
  for (std::atomic<bool> *Where : {&InitThrows, &CombineThrows}) {
    *Where = true;
    long X = 0;
    bool Read = false;
    for (int I = 0; I < 5; ++I)
      reduce(M, &X, 1, [](long *P) { ++*P; });
    M.submit({in(X)}, [&] { Read = true; });
    EXPECT_THROW(M.wait(), std::runtime_error);
    EXPECT_FALSE(Read);
    *Where = false;
  }
}

TEST_P(Grouped, UndeferredMembersTakePart) {
  Machine M(options());
  long X = 0, Y = 0;
  std::thread::id Me = std::this_thread::get_id();
  for (int I = 0; I < 40; ++I) {
    M.submit({on(HSCHED_COMMUTATIVE, &Y, sizeof(Y))}, [&] { ++Y; });
    reduce(
        M, &X, 1,
        [&](long *P) {
          ++*P;
          ++Y;
          EXPECT_EQ(std::this_thread::get_id(), Me);
        },
        Adding, {on(HSCHED_COMMUTATIVE, &Y, sizeof(Y))}, HSCHED_SUBMIT_UNDEFERRED);
  }
  M.wait();
  EXPECT_EQ(X, 40);
  EXPECT_EQ(Y, 80);
}

// Devices ------------------------------------------------------------------------------------------------------------

void add(Machine &M, AddType &Add, long *X, size_t N, long Plus, unsigned Mode, unsigned Flags = 0) {
  TaskNode &T = M.Exec->begin(threadState(), Add.Type, 1);
  auto *Args = new (T.Args) AddArgs{X, N, Plus};
  T.AccessList[0] = on(Mode, X, N * sizeof(long), 0);
  hsched_reduction R{0, &Args->X, &Adding};
  hsched_submit_options How{};
  How.reductions = &R;
  How.n_reductions = Mode == HSCHED_REDUCTION;
  How.flags = Flags;
  M.Exec->submit(threadState(), T, How);
}

TEST_P(Grouped, EveryModeIsRightOnDevices) {
  for (unsigned Mode : {HSCHED_CONCURRENT, HSCHED_COMMUTATIVE, HSCHED_REDUCTION})
    for (auto Where : {AddType::Device, AddType::Both}) {
      MachineOptions O = options(2);
      O.Devices = 2;
      Machine M(O);
      AddType Add(Where);
      std::vector<long> X(512, 5);
      for (int Round = 1; Round <= 3; ++Round) {
        for (long I = 0; I < 60; ++I)
          add(M, Add, X.data(), X.size(), I, Mode);
        add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT);
        Access Named[] = {on(HSCHED_IN, X.data(), X.size() * sizeof(long))};
        if (Round == 2)
          M.Exec->taskwaitOn(threadState(), Named, true);
      }
      M.wait();
      for (long V : X)
        ASSERT_EQ(V, 5 + 3 * (59 * 30 + 1)) << Mode << " " << Where;
      if (Where == AddType::Device) { // Where there is a choice, the CPU may have been quicker every time.
        EXPECT_GT(AddType::DeviceRuns, 0);
      }
      if (Mode == HSCHED_REDUCTION) {
        EXPECT_GT(Made, 0);
      }
    }
}

TEST_P(Grouped, PartOfAnArrayIsReducedOnADevice) {
  MachineOptions O = options(1);
  O.Devices = 1;
  Machine M(O);
  AddType Add(AddType::Device);
  std::vector<long> X(300, 1);
  add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT); // The newest copy is there.
  for (long I = 0; I < 20; ++I)
    add(M, Add, X.data() + 37, 100, 1, HSCHED_REDUCTION);
  add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT);
  M.wait();
  for (size_t I = 0; I < X.size(); ++I)
    ASSERT_EQ(X[I], I >= 37 && I < 137 ? 23 : 3) << I;
}

TEST_P(Grouped, AnIdentityMadeOfTheOriginalSeesItsNewestValue) {
  static const hsched_reduction_op FromOriginal = [] {
    hsched_reduction_op Op = Adding;
    Op.init = [](void *Copy, const void *Original, size_t N) {
      for (size_t I = 0; I < N; ++I)
        static_cast<long *>(Copy)[I] = static_cast<const long *>(Original)[I] * 1000;
      ++Made;
    };
    Op.flags = HSCHED_REDUCTION_ORIGINAL;
    return Op;
  }();
  MachineOptions O = options(1);
  O.Devices = 1;
  Machine M(O);
  AddType Add(AddType::Device);
  std::vector<long> X(64, 1);
  add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT); // 2, on the device.
  reduce(M, X.data(), X.size(), [](long *P) { P[3] += 1; }, FromOriginal);
  M.wait();
  EXPECT_EQ(X[0], 2002);
  EXPECT_EQ(X[3], 2003);
}

TEST_P(Grouped, WhatOnlyADeviceCanRunIsDoneWhenSubmissionReturns) {
  MachineOptions O = options(2);
  O.Devices = 1;
  Machine M(O);
  AddType Add(AddType::Device);
  std::vector<long> X(64, 0);
  for (long I = 1; I <= 10; ++I) {
    add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT);
    add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT, HSCHED_SUBMIT_UNDEFERRED);
    EXPECT_EQ(X[0], 2 * I); // Without a wait, on the host.
  }
  // In a final task as well, beside plain calls.
  TaskNode &T = M.Exec->begin(threadState(), M.Functions.Type, 1);
  T.AccessList[0] = on(HSCHED_INOUT, X.data(), X.size() * sizeof(long));
  new (T.Args) FunctionType::Args{[&] {
    for (long I = 1; I <= 10; ++I) {
      add(M, Add, X.data(), X.size(), 1, HSCHED_REDUCTION);
      EXPECT_EQ(X[0]++, 19 + 2 * I);
    }
  }};
  hsched_submit_options How{};
  How.flags = HSCHED_SUBMIT_FINAL;
  M.Exec->submit(threadState(), T, How);
  M.wait();
  EXPECT_EQ(X[0], 40);
}

TEST_P(Grouped, HostTasksThatMeetLeaveTheDirectoryRight) {
  MachineOptions O = options(3);
  O.Devices = 1;
  Machine M(O);
  AddType Add(AddType::Device);
  std::vector<long> X(64, 0);
  for (int Round = 0; Round < 20; ++Round) {
    add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT);
    for (int I = 0; I < 6; ++I)
      M.submit({on(HSCHED_CONCURRENT, X.data(), X.size() * sizeof(long))}, [&] {
        for (long &V : X)
          std::atomic_ref(V).fetch_add(1);
      });
  }
  add(M, Add, X.data(), X.size(), 1, HSCHED_INOUT);
  M.wait();
  for (long V : X)
    ASSERT_EQ(V, 141);
}

INSTANTIATE_TEST_SUITE_P(All, Grouped, testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws"),
                         [](const auto &Info) { return std::string(Info.param); });

} // namespace
