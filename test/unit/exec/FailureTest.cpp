// Exceptions, cancellation, tasks that nothing can run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <hsched/hsched.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Oops {
  int Code;
};

struct Failing : testing::TestWithParam<unsigned> {
  MachineOptions options() {
    MachineOptions O;
    O.Cpus = GetParam();
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Failing, testing::Values(1u, 3u));

TEST_P(Failing, AnExceptionArrivesAtTheWaitAsItWasThrown) {
  Machine M(options());
  int X = 0;
  M.submit({inout(X)}, [] { throw Oops{7}; });
  try {
    M.wait();
    FAIL() << "nothing was thrown";
  } catch (const Oops &E) {
    EXPECT_EQ(E.Code, 7);
  }
  M.wait(); // It has been claimed.
}

TEST_P(Failing, DependantsAreCancelledAndTheRestFinishes) {
  Machine M(options());
  int X = 0, Y = 0, Z = 0, Apart = 0;
  M.submit({out(X)}, [] { throw Oops{1}; });
  M.submit({in(X), out(Y)}, [&] { Y = 1; });
  M.submit({in(Y), out(Z)}, [&] { Z = 1; });
  for (int I = 0; I < 100; ++I)
    M.submit({inout(Apart)}, [&] { ++Apart; });
  EXPECT_THROW(M.wait(), Oops);
  EXPECT_EQ(Y + Z, 0);
  EXPECT_EQ(Apart, 100);
  // The data may be used again.
  M.submit({in(X), out(Y)}, [&] { Y = 1; });
  M.wait();
  EXPECT_EQ(Y, 1);
}

TEST_P(Failing, ALongChainIsCancelledWithoutDeepRecursion) {
  auto O = options();
  O.Exec.Window = 1000000;
  Machine M(O);
  int X = 0;
  M.submit({inout(X)}, [] { throw Oops{1}; });
  for (int I = 0; I < 200000; ++I)
    M.submit({inout(X)}, [&] { ++X; });
  EXPECT_THROW(M.wait(), Oops);
  EXPECT_EQ(X, 0);
}

TEST_P(Failing, TheFirstIsThrownTheOthersAreLogged) {
  Captured Log;
  Machine M(options());
  int X = 0, Y = 0;
  M.submit({inout(X)}, [] { throw std::runtime_error("one"); }, "first");
  M.submit({inout(Y)}, [] { throw std::runtime_error("two"); }, "second");
  EXPECT_THROW(M.wait(), std::runtime_error);
  EXPECT_EQ(Log.count(LogLevel::Warning, "failed"), 1u);
}

TEST_P(Failing, AnUnclaimedFailureOfAChildIsItsParents) {
  Machine M(options());
  int X = 0, Y = 0;
  M.submit({inout(X)}, [&] { M.submit({inout(X)}, [] { throw Oops{3}; }); });
  M.submit({in(X), out(Y)}, [&] { Y = 1; });
  EXPECT_THROW(M.wait(), Oops);
  EXPECT_EQ(Y, 0);
}

TEST_P(Failing, AParentMayClaimAChildsFailure) {
  Machine M(options());
  int X = 0, Y = 0;
  M.submit({inout(X)}, [&] {
    M.submit({inout(X)}, [] { throw Oops{3}; });
    EXPECT_THROW(M.wait(), Oops);
    X = 5;
  });
  M.submit({in(X), out(Y)}, [&] { Y = X; });
  M.wait();
  EXPECT_EQ(Y, 5);
}

TEST_P(Failing, WaitingOnFailedDataThrows) {
  Machine M(options());
  int X = 0, Y = 0;
  M.submit({inout(X)}, [] { throw Oops{3}; });
  M.submit({inout(Y)}, [&] { Y = 1; });
  Access OnY[] = {in(Y)}, OnX[] = {in(X)};
  EXPECT_NO_THROW(M.Exec->taskwaitOn(threadState(), OnY, true));
  EXPECT_THROW(M.Exec->taskwaitOn(threadState(), OnX, true), Oops);
  M.wait();
}

// And nowhere else: a task, which may live on for as long as something names it, keeps nothing of what it threw.
TEST_P(Failing, AnExceptionEndsWhereItWasCaught) {
  Machine M(options());
  int X = 0;
  auto Alive = std::make_shared<int>(1);
  std::weak_ptr<int> Carried = Alive;
  TaskNode &T = M.Exec->begin(threadState(), M.Functions.Type, 1);
  new (T.Args) FunctionType::Args{[&Alive] { throw std::exchange(Alive, nullptr); }};
  T.AccessList[0] = inout(X);
  retain(T);
  M.Exec->submit(threadState(), T, hsched_submit_options{});
  EXPECT_THROW(M.wait(), std::shared_ptr<int>);
  EXPECT_TRUE(Carried.expired());
  release(T);
}

// A wait that ends while another thread's task fails has not received that failure, so it does not clear it. The
// observer holds the first thread's submission, after which failures are cleared, until the other's task has failed.
TEST(Failures, AnothersWaitDoesNotForgetThem) {
  struct Holding : Observer {
    void dependence(TaskId, TaskId) override {
      InCallback = true;
      pass(); // Until the other thread's wait has come so far.
      MayFail = true;
      while (!Ran.load())
        std::this_thread::yield();
      pass();
    }
    void ran(const RunRecord &Info) override {
      if (Info.How == Outcome::Failed && MayFail)
        Ran = true;
    }
    static void pass() {
      for (int I = 0; I < 500; ++I)
        std::this_thread::yield();
    }
    std::atomic<bool> InCallback{false}, MayFail{false}, Ran{false};
  } Watch;
  MachineOptions O;
  O.Cpus = 3;
  O.Watch = &Watch;
  Machine M(O);
  int X = 0, Y = 0;
  std::atomic<int> After{0};
  M.submit({out(Y)}, [] { throw Oops{1}; });
  std::thread Other([&] {
    M.submit({out(X)}, [&] {
      while (!Watch.MayFail)
        std::this_thread::yield();
      throw Oops{2};
    });
    M.submit({in(X)}, [&] { ++After; });
  });
  while (!Watch.InCallback)
    std::this_thread::yield();
  Access OnX[] = {in(X)}, OnY[] = {in(Y)};
  EXPECT_THROW(M.Exec->taskwaitOn(threadState(), OnY, true), Oops);
  Other.join();
  M.submit({in(X)}, [&] { ++After; });
  EXPECT_THROW(M.Exec->taskwaitOn(threadState(), OnX, true), Oops);
  EXPECT_EQ(After, 0);
  EXPECT_NO_THROW(M.wait());
}

TEST_P(Failing, AFailureWithoutAWaitIsLogged) {
  Captured Log;
  {
    Machine M(options());
    int X = 0;
    M.submit({inout(X)}, [] { throw std::runtime_error("lost words"); });
  }
  EXPECT_EQ(Log.count(LogLevel::Error, "lost words"), 1u);
}

TEST_P(Failing, ATaskThatNothingCanRunSaysWhy) {
  Machine M(options());
  FunctionType Foreign("elsewhere");
  hsched_version_desc Cl = Foreign.Cpu;
  Cl.device = HSCHED_DEVICE_OPENCL;
  Cl.name = "elsewhere_cl";
  Foreign.Type.Versions[0].Desc = &Cl;
  int X = 0, Y = 0;
  M.submitTo(Foreign.Type, {inout(X)}, FunctionType::Args{[] {}});
  M.submit({in(X), out(Y)}, [&] { Y = 1; });
  try {
    M.wait();
    FAIL() << "nothing was thrown";
  } catch (const hsched::task_error &E) {
    EXPECT_EQ(E.task(), "elsewhere");
    EXPECT_NE(E.cause().find("elsewhere_cl"), std::string::npos);
    EXPECT_NE(E.cause().find("OpenCL"), std::string::npos);
  }
  EXPECT_EQ(Y, 0);
}

TEST_P(Failing, ATaskWithoutAnyVersionSaysSo) {
  Machine M(options());
  FunctionType Empty("empty");
  Empty.Type.NumVersions = 0;
  int X = 0;
  M.submitTo(Empty.Type, {inout(X)}, FunctionType::Args{[] {}});
  EXPECT_THROW(M.wait(), hsched::task_error);
}

TEST_P(Failing, ManyFailuresAtOnceAreCountedOnce) {
  Captured Log;
  Machine M(options());
  std::vector<int> Data(500);
  int Thrown = 0;
  for (int Round = 0; Round < 5; ++Round) {
    for (int &D : Data)
      M.submit({inout(D)}, [] { throw Oops{1}; });
    try {
      M.wait();
    } catch (const Oops &) {
      ++Thrown;
    }
  }
  EXPECT_EQ(Thrown, 5);
  EXPECT_EQ(Log.count(LogLevel::Warning), 5u * 499u);
}

} // namespace
