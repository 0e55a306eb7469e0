// Short tasks that go into bundles, or run at once, where there are several workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"
#include "base/Env.h"
#include "graph/Bundle.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr uint32_t Tiny = 10, Short = 200, Long = 1000000;

// Tasks are taken for as short as Nanoseconds says.
struct Bundling : Machine {
  explicit Bundling(uint32_t Nanoseconds = Short, unsigned Cpus = 2) : Machine(options(Cpus)) {
    this->Nanoseconds = Nanoseconds;
  }
  static MachineOptions options(unsigned Cpus) {
    MachineOptions O;
    O.Cpus = Cpus;
    return O;
  }
};

TEST(Bundles, WhereTheyAreMade) {
  EXPECT_TRUE(Bundling().Exec->makesBundles());
  EXPECT_FALSE(Bundling(Short, 1).Exec->makesBundles()); // Calls are better.
  MachineOptions O;
  O.Exec.BundleBelow = 0;
  EXPECT_FALSE(Machine(O).Exec->makesBundles());
  struct EmptyObserver final : Observer {
  } Watch;
  O = {};
  O.Watch = &Watch;
  EXPECT_FALSE(Machine(O).Exec->makesBundles());
  O.Watch = nullptr;
  O.Devices = 1;
  EXPECT_FALSE(Machine(O).Exec->makesBundles());
}

// A thread that gets the identity of an ended one does not continue its bundle. Tasks of two threads may wait for each
// other, but those of one bundle run one after the other.
TEST(Bundles, AThreadsOwnAlone) {
  Bundling M(Long);
  std::latch Started(1), Go(1);
  M.submit({}, [&] {
    Started.count_down();
    Go.wait();
  });
  Started.wait();
  M.Nanoseconds = Short;
  std::atomic<int> Here{0};
  std::atomic<bool> Met{true};
  for (int I = 0; I < 2; ++I)
    std::thread([&] {
      M.submit({}, [&] {
        ++Here;
        for (auto Until = std::chrono::steady_clock::now() + std::chrono::seconds(10); Here < 2;)
          if (std::chrono::steady_clock::now() > Until) {
            Met = false;
            return;
          }
      });
    }).join();
  Go.count_down();
  M.wait();
  EXPECT_TRUE(Met);
}

TEST(Bundles, OnlyOfShortTasksOutsideAnyTask) {
  Bundling M;
  TaskType &Type = M.Functions.Type;
  settleOnly(Type);
  Access *Accesses;
  void *Args;
  auto quick = [&](uint32_t Nanoseconds) {
    Type.Nanoseconds = Nanoseconds;
    hsched_task *T = M.Exec->beginQuick(threadState(), Type, 2, Accesses, Args);
    if (T)
      Executor::abandonQuick(threadState(), T);
    return T != nullptr && !isCall(T);
  };
  EXPECT_FALSE(quick(0)); // Not known.
  EXPECT_TRUE(quick(Short));
  EXPECT_FALSE(quick(Long));
  bool Inside = true;
  M.Nanoseconds = 0;
  M.submit({}, [&] { Inside = quick(Short); });
  M.wait();
  EXPECT_FALSE(Inside);
}

TEST(Bundles, OneAfterTheOther) {
  for (unsigned Cpus : {2u, 4u}) {
    Bundling M(Short, Cpus);
    constexpr int Tasks = 20000;
    std::array<int, 7> Data{};
    int Sum = 0;
    std::atomic<int> Wrong{0};
    for (int I = 0; I < Tasks; ++I)
      M.submit({inout(Data[static_cast<size_t>(I % 7)]), in(Data[static_cast<size_t>((I + 3) % 7)])},
               [&Data, &Wrong, I] {
                 int &D = Data[static_cast<size_t>(I % 7)];
                 Wrong += D != I / 7; // One of seven: the others' tasks of the round before have run.
                 int Other = Data[static_cast<size_t>((I + 3) % 7)];
                 Wrong += Other != I / 7 + ((I + 3) % 7 < I % 7);
                 ++D;
               });
    M.submit({in(Data), out(Sum)}, [&] {
      for (int D : Data)
        Sum += D;
    });
    M.wait();
    EXPECT_EQ(Sum, Tasks);
    EXPECT_EQ(Wrong, 0);
  }
}

TEST(Bundles, TinyTasksRunAtOnceWhereNothingElseGoesOn) {
  Bundling M(Tiny);
  int X = 0;
  for (int I = 1; I <= 1000; ++I) {
    M.submit({inout(X)}, [&X] { ++X; });
    ASSERT_EQ(X, I);
  }
  // After what is going on, they come later.
  std::latch Go(1);
  M.Nanoseconds = 0;
  M.submit({inout(X)}, [&] { Go.wait(); });
  M.Nanoseconds = Tiny;
  M.submit({inout(X)}, [&] { ++X; });
  EXPECT_EQ(X, 1000);
  Go.count_down();
  M.wait();
  EXPECT_EQ(X, 1001);
}

// The submitting thread may do other things for long, or wait for the task by other means.
TEST(Bundles, AnOpenOneIsTakenByAnIdleWorker) {
  Bundling M;
  for (int I = 0; I < 200; ++I) {
    std::latch Ran(1);
    M.submit({}, [&] { Ran.count_down(); });
    Ran.wait();
  }
}

// The same where it becomes ready only later.
TEST(Bundles, AnOpenOneIsTakenWhenItBecomesReady) {
  Bundling M;
  for (int I = 0; I < 200; ++I) {
    std::latch Go(1), Ran(2);
    int X = 0, Y = 0;
    M.submit({out(X)}, [&] { Go.wait(); });
    M.submit({in(X)}, [&] { Ran.count_down(); }); // In a bundle with it, or not.
    M.Nanoseconds = Long;
    M.submit({out(Y)}, [&] { Go.wait(); });
    M.Nanoseconds = Short;
    M.submit({in(Y)}, [&] { Ran.count_down(); });
    Go.count_down();
    Ran.wait();
    M.wait(); // What they use is about to go.
  }
}

// The worker that made it ready goes on with a long task: another worker has to take it.
TEST(Bundles, AnOpenOneDoesNotWaitForWhoMadeItReady) {
  Bundling M(Short, 3);
  for (int I = 0; I < 100; ++I) {
    std::latch Begun(1), Go(1), Ran(1);
    int X = 0;
    M.submit({out(X)}, [&] { // In a bundle, which the next one closes.
      Begun.count_down();
      Go.wait();
    });
    M.Nanoseconds = Long;
    M.submit({in(X)}, [&] { Ran.wait(); }); // The thread that runs the first one goes on with it.
    M.Nanoseconds = Short;
    M.submit({in(X)}, [&] { Ran.count_down(); });
    Begun.wait();
    Go.count_down();
    Ran.wait();
    M.wait();
  }
}

// Threads' tasks that wait for one another, as they might when they are plain calls.
TEST(Bundles, ThreadsDoNotShareThem) {
  Bundling M(Short, 4);
  for (int Round = 0; Round < 100; ++Round) {
    std::latch Met(2);
    std::thread Other([&] { M.submit({}, [&] { Met.arrive_and_wait(); }); });
    M.submit({}, [&] { Met.arrive_and_wait(); });
    Other.join();
    M.wait();
  }
}

TEST(Bundles, ItemsHaveChildren) {
  for (uint32_t Nanoseconds : {Short, Tiny}) {
    Bundling M(Nanoseconds);
    std::array<int, 3> Data{};
    int Wrong = 0, Children = 0;
    for (int I = 0; I < 500; ++I)
      M.submit({inout(Data)}, [&, I] {
        for (int &D : Data)
          M.submit({inout(D)}, [&D] { ++D; });
        if (I % 3 == 0) {
          M.wait();
          Wrong += Data[1] != I + 1;
        }
        M.submit({inout(Children)}, [&] { ++Children; }); // Complete before the item is.
      });
    M.wait();
    EXPECT_EQ(Wrong, 0);
    EXPECT_EQ(Children, 500);
    EXPECT_EQ(Data[2], 500);
  }
}

TEST(Bundles, WaitingOnOneDatum) {
  Bundling M;
  for (int I = 0; I < 300; ++I) {
    int X = 0, Y = 0;
    for (int K = 0; K < 10; ++K) {
      M.submit({inout(X)}, [&] { ++X; });
      M.submit({inout(Y)}, [&] { ++Y; });
    }
    Access On[] = {in(X)};
    M.Exec->taskwaitOn(threadState(), On, true);
    EXPECT_EQ(X, 10);
    M.wait();
    EXPECT_EQ(Y, 10);
  }
}

// What a bundle has no room for is submitted the other way, with its arguments, and its type is left alone afterwards.
TEST(Bundles, WhatIsNotAPlainSectionIsATaskOfItsOwn) {
  Bundling M;
  std::array<int, 16> Grid{};
  std::atomic<int> X = 0; // The tile's task says nothing of it.
  auto Owned = std::make_shared<int>(7);
  auto each = [&](Access A, int Priority, const char *Label) {
    M.Functions.Type.Unbundled = false;
    hsched_submit_options How{};
    How.priority = Priority;
    How.label = Label;
    M.submitTo(M.Functions.Type, {A}, FunctionType::Args{[&, Owned] { X += *Owned; }}, How);
    return M.Functions.Type.Unbundled.load();
  };
  EXPECT_FALSE(each(inout(X), 0, nullptr));
  EXPECT_TRUE(each(inout(X), 1, nullptr));
  EXPECT_TRUE(each(inout(X), 0, "label"));
  EXPECT_TRUE(each(on(HSCHED_COMMUTATIVE, &X, sizeof(X)), 0, nullptr));
  Access Tile{&Grid, sizeof(int), 4, 4 * sizeof(int), HSCHED_INOUT, HSCHED_NO_PARAM};
  M.submit({inout(X)}, [] {});
  EXPECT_TRUE(each(Tile, 0, nullptr));
  M.wait();
  EXPECT_GE(X, 4 * 7);
  EXPECT_EQ(Owned.use_count(), 1);
}

// As recursions do: near their root tasks, calls below.
TEST(Bundles, InsideATaskAShortOneRunsAtOnceWhereOthersFindEnough) {
  for (bool IsShort : {true, false}) {
    Bundling M(Long);
    std::promise<void> Begun, Go;
    M.submit({}, [&] { // The other worker's.
      Begun.set_value();
      Go.get_future().wait();
    });
    Begun.get_future().wait();
    constexpr int Children = 10;
    std::vector<bool> AtOnce;
    M.submit({}, [&] {
      M.Nanoseconds = IsShort ? 10 * Short : Long;
      for (int I = 0; I < Children; ++I)
        M.submit({}, [&] {
          bool Ran = false;
          M.submit({out(Ran)}, [&] { Ran = true; });
          AtOnce.push_back(Ran);
          M.wait();
          if (AtOnce.size() == Children)
            Go.set_value();
        });
    });
    M.wait();
    // The sixth of ten tasks leaves four behind.
    std::vector<bool> Expected(Children);
    std::fill_n(Expected.begin(), IsShort ? 6 : 0, true);
    EXPECT_EQ(AtOnce, Expected);
  }
}

TEST(Bundles, AnAbandonedOneLeavesNothing) {
  Bundling M;
  settleOnly(M.Functions.Type);
  M.Functions.Type.Nanoseconds = Short;
  for (int I = 0; I < 10000; ++I) {
    Access *Accesses;
    void *Args;
    Executor::abandonQuick(threadState(), M.Exec->beginQuick(threadState(), M.Functions.Type, 5, Accesses, Args));
  }
  bool Ran = false;
  M.submit({}, [&] { Ran = true; });
  M.wait();
  EXPECT_TRUE(Ran);
}

// A constructor of an argument may submit tasks.
TEST(Bundles, TasksSubmittedBetweenBeginAndSubmit) {
  Bundling M;
  settleOnly(M.Functions.Type);
  for (int I = 0; I < 100; ++I) {
    std::vector<int> Order;
    M.Functions.Type.Nanoseconds = Short;
    Access *Accesses;
    void *Args;
    hsched_task *T = M.Exec->beginQuick(threadState(), M.Functions.Type, 1, Accesses, Args);
    ASSERT_NE(T, nullptr);
    for (int K = 0; K < 200; ++K) // More than one chunk of memory, more than one bundle.
      M.submit({inout(Order)}, [&Order, K] { Order.push_back(K); });
    new (Args) FunctionType::Args{[&Order] { Order.push_back(-1); }};
    Accesses[0] = inout(Order);
    M.Exec->submitQuick(threadState(), T, hsched_submit_options{});
    M.wait();
    ASSERT_EQ(Order.size(), 201u);
    EXPECT_EQ(Order.back(), -1);
    EXPECT_EQ(Order[199], 199);
  }
}

// Threads that end while what they submitted is under way, more of them than have queues of their own.
TEST(Bundles, ManyThreads) {
  Bundling M;
  std::array<int, 100> Data{};
  std::latch All(100);
  std::vector<std::thread> Threads;
  for (int &D : Data)
    Threads.emplace_back([&] {
      for (int I = 0; I < 20; ++I)
        M.submit({inout(D)}, [&D] { ++D; });
      All.arrive_and_wait();
      for (int I = 0; I < 20; ++I)
        M.submit({inout(D)}, [&D] { ++D; });
    });
  for (std::thread &T : Threads)
    T.join();
  M.wait();
  for (int D : Data)
    EXPECT_EQ(D, 40);
}

// A program of short and long tasks, some of which fail. A task runs if and only if it follows no failed or cancelled
// task. Every argument is destroyed.
TEST(Bundles, FailuresCancelWhatComesAfterThemAndNothingElse) {
  uint64_t Seed = envUnsigned("HSCHED_TEST_SEED", std::random_device()(), 0, UINT64_MAX);
  std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed));
  std::mt19937_64 Random(Seed);
  for (int Round = 0; Round < 100; ++Round) {
    Captured Log; // Logs the failures after the first.
    Bundling M(Short, 2 + Random() % 3);
    constexpr size_t Size = 24, Tasks = 120;
    std::array<char, Size> Memory{};
    struct Made {
      std::vector<Access> Accesses;
      bool Fails, Cancelled;
      std::atomic<bool> Ran{false};
    };
    std::deque<Made> Program;
    auto Owned = std::make_shared<int>(0);
    size_t Runs = 0;
    for (size_t I = 0; I < Tasks; ++I) {
      Made &T = Program.emplace_back();
      for (size_t N = 1 + Random() % 3; N; --N) {
        size_t Begin = Random() % Size, Bytes = Random() % std::min<size_t>(5, Size - Begin + 1);
        unsigned Modes[] = {HSCHED_IN, HSCHED_IN, HSCHED_OUT, HSCHED_INOUT};
        T.Accesses.push_back(on(Modes[Random() % 4], &Memory[Begin], Bytes));
      }
      T.Fails = Random() % 30 == 0;
      auto conflict = [](const Access &A, const Access &B) {
        return A.bytes && B.bytes && beginOf(A) < endOf(B) && beginOf(B) < endOf(A) && (writes(A) || writes(B));
      };
      T.Cancelled = std::ranges::any_of(Program, [&](const Made &Before) {
        return &Before != &T && (Before.Fails || Before.Cancelled) &&
               std::ranges::any_of(T.Accesses, [&](const Access &A) {
                 return std::ranges::any_of(Before.Accesses, [&](const Access &B) { return conflict(A, B); });
               });
      });
      uint32_t Kinds[] = {Short, Short, Short, Short, 2000 - 1, Long, Tiny, 0};
      M.Nanoseconds = Kinds[Random() % 8];
      M.submit(T.Accesses, [&T, Owned] {
        T.Ran = true;
        if (T.Fails)
          throw std::runtime_error("failed");
      });
    }
    bool AnyFails = std::ranges::any_of(Program, [](const Made &T) { return T.Fails && !T.Cancelled; });
    if (AnyFails)
      EXPECT_THROW(M.wait(), std::runtime_error);
    else
      M.wait();
    for (const Made &T : Program) {
      ASSERT_EQ(T.Ran, !T.Cancelled) << "task " << Runs << " of round " << Round;
      ++Runs;
    }
    EXPECT_EQ(Owned.use_count(), 1);
    // What failed has been reported: nothing comes after it any more.
    bool Ran = false;
    M.submit({on(HSCHED_INOUT, Memory.data(), Size)}, [&] { Ran = true; });
    M.wait();
    EXPECT_TRUE(Ran);
  }
}

TEST(Bundles, AChildsFailureIsItsParents) {
  Captured Log;
  Bundling M;
  int X = 0;
  bool Other = false, After = false;
  M.submit({inout(X)}, [&] { M.submit({}, [] { throw std::runtime_error("child"); }); });
  M.submit({}, [&] { Other = true; });
  M.submit({in(X)}, [&] { After = true; });
  EXPECT_THROW(M.wait(), std::runtime_error);
  EXPECT_TRUE(Other);
  EXPECT_FALSE(After);
}

// A wait that throws may leave unfinished the tasks that follow the failed one. Their cancellation is known until a
// wait for everything, also to tasks that would run at once.
TEST(Bundles, WhatIsCancelledAfterTheFailureWasThrownIsNotForgotten) {
  for (uint32_t Nanoseconds : {Tiny, Short, Long}) {
    Captured Log;
    Bundling M(Long);
    int W = 0, X = 0, Y = 0, Z = 0;
    std::latch Go(1);
    bool Ran = false;
    M.submit({out(Z)}, [&] { Go.wait(); });
    M.submit({out(X)}, [] { throw std::runtime_error("failed"); });
    M.submit({in(X), out(W)}, [&] { Ran = true; });
    M.submit({in(W), in(Z), out(Y)}, [&] { Ran = true; }); // Cancelled once the first one has ended.
    Access OnX[] = {in(X)}, OnY[] = {in(Y)};
    EXPECT_THROW(M.Exec->taskwaitOn(threadState(), OnX, true), std::runtime_error);
    Go.count_down();
    M.Nanoseconds = Nanoseconds;
    for (int I = 0; I < 300; ++I) {
      M.submit({in(Y)}, [&] { Ran = true; });
      std::this_thread::yield();
    }
    EXPECT_THROW(M.Exec->taskwaitOn(threadState(), OnY, true),
                 hsched::task_error); // What it waits for has not been computed.
    M.wait();
    EXPECT_FALSE(Ran);
    M.submit({inout(Y)}, [&] { Ran = true; });
    M.wait();
    EXPECT_TRUE(Ran);
  }
}

TEST(Bundles, AFailedItemFailsAWaitOnItsData) {
  Bundling M;
  int X = 0, Y = 0;
  M.submit({out(X)}, [] { throw std::runtime_error("failed"); });
  M.submit({out(Y)}, [&] { Y = 1; });
  Access OnY[] = {in(Y)}, OnX[] = {in(X)};
  M.Exec->taskwaitOn(threadState(), OnY, true);
  EXPECT_EQ(Y, 1);
  EXPECT_THROW(M.Exec->taskwaitOn(threadState(), OnX, true), std::runtime_error);
  M.wait();
}

} // namespace
