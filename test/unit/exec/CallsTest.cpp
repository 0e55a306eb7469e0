// Tasks that are run as calls, where there is one worker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"
#include "base/Env.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <latch>
#include <random>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

MachineOptions oneWorker() {
  MachineOptions O;
  O.Cpus = 1;
  return O;
}

TEST(Calls, ATaskRunsAtItsSubmission) {
  Machine M(oneWorker());
  int X = 0;
  for (int I = 1; I <= 1000; ++I) {
    M.submit({inout(X)}, [&X] { ++X; });
    ASSERT_EQ(X, I);
  }
  M.wait();
}

TEST(Calls, NotWithMoreWorkersNorUnderAnObserver) {
  EXPECT_FALSE(Machine().Exec->runsCalls());
  struct EmptyObserver final : Observer {
  } Watch;
  MachineOptions O = oneWorker();
  O.Watch = &Watch;
  EXPECT_FALSE(Machine(O).Exec->runsCalls());
  O.Watch = nullptr;
  O.Devices = 1;
  EXPECT_FALSE(Machine(O).Exec->runsCalls());
  O.Devices = 0;
  EXPECT_TRUE(Machine(O).Exec->runsCalls());
}

TEST(Calls, ChildrenAreDoneBeforeTheNextStatement) {
  Machine M(oneWorker());
  std::vector<int> Order;
  M.submit({}, [&] {
    Order.push_back(1);
    M.submit({inout(Order)}, [&] {
      M.submit({}, [&] { Order.push_back(2); });
      Order.push_back(3);
    });
    M.wait();
    Order.push_back(4);
  });
  EXPECT_EQ(Order, (std::vector{1, 2, 3, 4}));
}

// As deep as a serial program's recursion goes; the stack of arguments goes on in other chunks and comes back.
TEST(Calls, Deep) {
  Machine M(oneWorker());
  int Depth = 0, Most = 0;
  std::function<void(int)> Down = [&](int Left) {
    Most = std::max(Most, ++Depth);
    if (Left)
      M.submit({inout(Depth), in(Most)}, [&Down, Left] { Down(Left - 1); });
    --Depth;
  };
  for (int Round = 0; Round < 3; ++Round)
    M.submit({}, [&] { Down(600); });
  EXPECT_EQ(Depth, 0);
  EXPECT_EQ(Most, 601);
}

struct alignas(256) Aligned {
  std::array<char, 100000> Large{};
};

TEST(Calls, LargeArgumentsAndStrictAlignment) {
  Machine M(oneWorker());
  hsched_task_desc Desc{};
  Desc.name = Desc.linker_name = "aligned";
  Desc.args_bytes = sizeof(Aligned);
  Desc.args_align = alignof(Aligned);
  static int Runs;
  Runs = 0;
  hsched_version_desc Cpu{};
  Cpu.name = Cpu.linker_name = "aligned";
  Cpu.run = [](void *P) { Runs += static_cast<Aligned *>(P)->Large[99999]; };
  TaskType Type;
  Type.Desc = &Desc;
  Type.Versions[0].Desc = &Cpu;
  Type.NumVersions = 1;
  Aligned Args;
  Args.Large[99999] = 1;
  for (int I = 0; I < 5; ++I) {
    M.submitTo(Type, {}, Args, hsched_submit_options{});
    M.submit({}, [&] { M.submitTo(Type, {}, Args, hsched_submit_options{}); });
  }
  EXPECT_EQ(Runs, 10);
}

TEST(Calls, WhatFailsCancelsWhatComesAfterIt) {
  Machine M(oneWorker());
  int X = 0, Y = 0, Z = 0;
  M.submit({inout(X)}, [] { throw std::runtime_error("no"); });
  M.submit({in(X), inout(Y)}, [&] { Y = 1; });
  M.submit({inout(Y)}, [&] { Y = 2; });
  M.submit({inout(Z)}, [&] { Z = 1; });
  EXPECT_THROW(M.wait(), std::runtime_error);
  EXPECT_EQ(Y, 0);
  EXPECT_EQ(Z, 1);
  // What has been reported is forgotten.
  M.submit({in(X), inout(Y)}, [&] { Y = 3; });
  EXPECT_EQ(Y, 3);
  M.wait();
}

TEST(Calls, AChildsFailureIsItsParentsUnlessClaimed) {
  Machine M(oneWorker());
  int X = 0, Y = 0, Caught = 0;
  M.submit({inout(X)}, [&] {
    M.submit({}, [&] {
      M.submit({inout(Y)}, [] { throw std::runtime_error("claimed"); });
      M.submit({inout(Y)}, [&] { Y = 1; });
      try {
        M.wait();
      } catch (const std::runtime_error &) {
        ++Caught;
      }
      M.submit({inout(Y)}, [&] { Y += 10; });
    });
    M.submit({inout(Y)}, [&] {
      Y += 100;
      M.submit({inout(Y)}, [] { throw std::runtime_error("not claimed"); });
    });
  });
  M.submit({inout(X)}, [&] { X = 1; });
  EXPECT_THROW(M.wait(), std::runtime_error);
  EXPECT_EQ(Caught, 1);
  EXPECT_EQ(Y, 110);
  EXPECT_EQ(X, 0);
}

TEST(Calls, ADestructorsExceptionArrivesWhereTheBodysWould) {
  struct Thrower {
    bool *Armed;
    ~Thrower() noexcept(false) {
      if (std::exchange(*Armed, false)) // Once: no other copy throws.
        throw std::runtime_error("destructor");
    }
  };
  hsched_task_desc Desc{};
  Desc.name = Desc.linker_name = "thrower";
  Desc.args_bytes = sizeof(Thrower);
  Desc.args_align = alignof(Thrower);
  Desc.destroy = [](void *P) { static_cast<Thrower *>(P)->~Thrower(); };
  hsched_version_desc Cpu{};
  Cpu.name = Cpu.linker_name = "thrower";
  Cpu.run = [](void *P) { *static_cast<Thrower *>(P)->Armed = true; };
  TaskType Type;
  Type.Desc = &Desc;
  Type.Versions[0].Desc = &Cpu;
  Type.NumVersions = 1;
  Machine M(oneWorker());
  bool Armed = false;
  M.submitTo(Type, {}, Thrower{&Armed}, hsched_submit_options{});
  EXPECT_THROW(M.wait(), std::runtime_error);
}

TEST(Calls, FinalIsInherited) {
  Machine M(oneWorker());
  std::vector<bool> Seen;
  hsched_submit_options How{};
  How.struct_bytes = sizeof(How);
  How.flags = HSCHED_SUBMIT_FINAL;
  Seen.push_back(Executor::inFinal(threadState()));
  M.submitTo(M.Functions.Type, {}, FunctionType::Args{[&] {
               Seen.push_back(Executor::inFinal(threadState()));
               M.submit({}, [&] { Seen.push_back(Executor::inFinal(threadState())); });
             }},
             How);
  M.submit({}, [&] { Seen.push_back(Executor::inFinal(threadState())); });
  EXPECT_EQ(Seen, (std::vector{false, true, true, false}));
}

TEST(Calls, AnAbandonedOneLeavesNothing) {
  Machine M(oneWorker());
  settleOnly(M.Functions.Type);
  Access *Accesses;
  void *Args;
  for (int I = 0; I < 100000; ++I)
    Executor::abandonQuick(threadState(), M.Exec->beginQuick(threadState(), M.Functions.Type, 50, Accesses, Args));
  bool Ran = false;
  M.submit({}, [&] { Ran = true; });
  EXPECT_TRUE(Ran);
}

// A task that another thread submits while a call runs outside any task comes after it, where it must.
TEST(Calls, AnotherThreadsTaskComesAfterTheCallThatRuns) {
  Machine M(oneWorker());
  int X = 0;
  std::latch Submitted(1);
  std::thread Other;
  M.submit({inout(X)}, [&] {
    Other = std::thread([&] {
      M.submit({inout(X)}, [&] { X = 10 * X + 2; });
      Submitted.count_down();
      M.wait();
    });
    Submitted.wait();
    X = 10 * X + 1;
    M.submit({inout(X)}, [&] { X = 10 * X + 3; }); // A child, by the side of it.
    M.wait();
  });
  M.submit({inout(X)}, [&] { X = 10 * X + 4; });
  M.wait();
  Other.join();
  EXPECT_EQ(X, 1324);
}

// A task that was begun as a call may have to become a node at its submission. It keeps its arguments and does not
// block its thread, the first time and with a used stack.
TEST(Calls, ACallThatCannotBeOneIsNotAwaited) {
  Machine M(oneWorker());
  settleOnly(M.Functions.Type);
  for (int Round = 0; Round < 3; ++Round) {
    std::latch Running(1), Submitted(1);
    bool Ran = false;
    if (Round > 0)
      M.submit({}, [] {});
    Access *Accesses;
    void *Args;
    hsched_task *T;
    while (!(T = M.Exec->beginQuick(threadState(), M.Functions.Type, 0, Accesses,
                                    Args))) // A spare thread has just been at work.
      std::this_thread::yield();
    new (Args) FunctionType::Args{[&] { Ran = true; }};
    std::thread Other([&] {
      M.submit({}, [&] {
        Running.count_down();
        Submitted.wait();
      });
    });
    Running.wait();
    M.Exec->submitQuick(threadState(), T,
                        hsched_submit_options{}); // While the only worker is at the other thread's task.
    Submitted.count_down();
    Other.join();
    M.wait();
    EXPECT_TRUE(Ran);
  }
}

// Threads that submit to one another's data: each datum's tasks run one at a time, in the order in which each thread
// submitted its own.
TEST(Calls, ManyThreads) {
  uint64_t Seed = envUnsigned("HSCHED_TEST_SEED", std::random_device()(), 0, UINT64_MAX);
  std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed));
  constexpr unsigned Threads = 4, Data = 3, Each = 3000;
  struct alignas(64) Datum {
    int Inside = 0; // Not atomic: the runtime is what keeps them apart.
    std::array<unsigned, Threads> Last{};
    unsigned Wrong = 0, Runs = 0;
  };
  Machine M(oneWorker());
  std::array<Datum, Data> All{};
  std::vector<std::thread> Submitters;
  for (unsigned T = 0; T < Threads; ++T)
    Submitters.emplace_back([&, T] {
      std::mt19937_64 Random(Seed + T);
      for (unsigned I = 1; I <= Each; ++I) {
        Datum &D = All[Random() % Data];
        auto Body = [&D, T, I] {
          D.Wrong += D.Inside++ != 0;
          D.Wrong += D.Last[T] >= I;
          D.Last[T] = I;
          ++D.Runs;
          --D.Inside;
        };
        if (Random() % 4 == 0)
          M.submit({inout(D)}, [&M, &D, Body, I] {
            M.submit({inout(D)}, Body);
            if (I % 2)
              M.wait();
          });
        else
          M.submit({inout(D)}, Body);
        if (Random() % 64 == 0)
          M.wait();
      }
      M.wait();
    });
  for (std::thread &T : Submitters)
    T.join();
  M.wait();
  unsigned Runs = 0;
  for (const Datum &D : All) {
    EXPECT_EQ(D.Wrong, 0u);
    Runs += D.Runs;
  }
  EXPECT_EQ(Runs, Threads * Each);
}

// A type with a choice of versions goes the long way; calls before and after it keep their order.
TEST(Calls, BesideTasksWithAChoice) {
  MachineOptions O = oneWorker();
  O.Policy = "versioning";
  Machine M(O);
  FunctionType Choice("choice");
  hsched_version_desc Second = Choice.Cpu;
  Second.name = Second.linker_name = "second";
  Choice.add(Second);
  EXPECT_EQ(Choice.Type.OnlyOnCpu.load(), nullptr);
  std::vector<int> Order, Expected;
  for (int I = 0; I < 200; ++I) {
    Expected.push_back(I);
    auto Body = [&Order, I] { Order.push_back(I); };
    if (I % 3)
      M.submit({inout(Order)}, Body);
    else
      M.submitTo(Choice.Type, {inout(Order)}, FunctionType::Args{Body});
  }
  M.wait();
  EXPECT_EQ(Order, Expected);
}

// Every run of a long task is measured, short ones now and then.
TEST(Calls, AreMeasured) {
  // Types of earlier tests may have lain where this one's does.
  if (auto *Rests = threadState().Unmeasured; Rests != ThreadState::NoRests)
    std::fill_n(Rests, ThreadState::NumRests, ThreadState::Rest{});
  Machine M(oneWorker());
  long X = 0;
  for (int I = 0; I < 10; ++I)
    M.submit({inout(X)}, [] {
      auto End = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
      while (std::chrono::steady_clock::now() < End) {
      }
    });
  EXPECT_EQ(M.Times.lookup(M.Functions.Type, sizeof(X), 0, CpuModel).Runs, 10u);
  for (int I = 0; I < 2000; ++I)
    M.submit({inout(X)}, [] {});
  uint64_t Runs = M.Times.lookup(M.Functions.Type, sizeof(X), 0, CpuModel).Runs;
  EXPECT_GE(Runs, 15u);
  M.wait();
}

} // namespace
