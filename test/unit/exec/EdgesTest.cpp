// Threads that end, failures of several threads, tasks in place behind unfinished ones, memory over many tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include "base/BlockPool.h"

#include <array>
#include <barrier>
#include <future>
#include <numeric>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Oops {
  int Code;
};

struct Edges : testing::TestWithParam<unsigned> {
  MachineOptions options() {
    MachineOptions O;
    O.Cpus = GetParam();
    O.Policy = "versioning";
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Edges, testing::Values(1u, 2u, 4u));

// --- the end of a thread

struct AtTheEnd {
  std::function<void()> Do;
  ~AtTheEnd() {
    if (Do)
      Do();
  }
};

// A thread's objects that are older than its first task are destroyed after what the runtime keeps for the thread.
TEST_P(Edges, WhatAThreadHasIsNoLongerItsOwnAtItsEnd) {
  Machine M(options());
  int X = 0;
  std::thread([&] {
    static thread_local AtTheEnd Last;
    Last.Do = [&] {
      std::promise<void> Taken, Go;
      OwnQueue *Others = nullptr;
      Parker *OthersParker = nullptr;
      std::thread Other([&] {
        hsched_submit_options Prior{};
        Prior.priority = 1;
        int Y = 0;
        M.submitTo(M.Functions.Type, {inout(Y)}, FunctionType::Args{[] {}}, Prior);
        M.wait();
        OthersParker = &ownParker();
        M.submit({inout(Y)}, [] {});
        M.wait();
        Others = threadState().Own;
        Taken.set_value();
        Go.get_future().wait();
      });
      Taken.get_future().wait();
      EXPECT_NE(&ownParker(), OthersParker);
      for (int I = 0; I < 10; ++I)
        M.submit({inout(X)}, [&X] { ++X; });
      M.wait();
      EXPECT_EQ(X, 11);
      if (Others) {
        EXPECT_NE(threadState().Own, Others);
      }
      Go.set_value();
      Other.join();
    };
    (void)ownParker();
    M.submit({inout(X)}, [&X] { ++X; });
    M.wait();
  }).join();
  EXPECT_EQ(X, 11);
}

// --- failures of several threads

TEST_P(Edges, EachThreadReceivesItsOwnFailure) {
  Captured Log;
  Machine M(options());
  constexpr int Threads = 4;
  for (int Round = 0; Round < 20; ++Round) {
    std::barrier Sync(Threads);
    std::vector<std::thread> All;
    for (int T = 0; T < Threads; ++T)
      All.emplace_back([&M, &Sync, T] {
        int X = 0, Y = 0;
        M.submit({inout(X)}, [T] { throw Oops{T}; });
        M.submit({in(X), out(Y)}, [&Y] { Y = 1; });
        Sync.arrive_and_wait();
        try {
          M.wait();
          ADD_FAILURE() << "nothing was thrown";
        } catch (const Oops &E) {
          EXPECT_EQ(E.Code, T);
        }
        EXPECT_EQ(Y, 0);
        Sync.arrive_and_wait(); // All ends have been reported.
        M.submit({in(X), out(Y)}, [&Y] { Y = 1; });
        M.wait();
        EXPECT_EQ(Y, 1);
      });
    for (std::thread &T : All)
      T.join();
    M.wait();
  }
  M.stop();
  EXPECT_EQ(Log.count(LogLevel::Warning) + Log.count(LogLevel::Error), 0u);
}

TEST_P(Edges, TheFirstWaiterAndTheSubmitterReceiveTheFailure) {
  Captured Log;
  Machine M(options());
  std::promise<void> Submitted, MainReceived;
  int X = 0;
  std::thread Other([&] {
    M.submit({inout(X)}, [] { throw Oops{3}; });
    Submitted.set_value();
    MainReceived.get_future().wait();
    EXPECT_THROW(M.wait(), Oops);
    M.wait();
  });
  Submitted.get_future().wait();
  EXPECT_THROW(M.wait(), Oops);
  M.wait(); // Once each.
  MainReceived.set_value();
  Other.join();
  M.wait();
  // A failure whose thread does not wait is lost.
  std::thread([&] { M.submit({inout(X)}, [] { throw Oops{4}; }); }).join();
  EXPECT_THROW(M.wait(), Oops);
  M.wait();
  M.stop();
  EXPECT_EQ(Log.count(LogLevel::Warning) + Log.count(LogLevel::Error), 0u);
}

TEST_P(Edges, FailuresOfEndedThreadsAreForgotten) {
  Machine M(options());
  for (int I = 0; I < 200; ++I) {
    int X = 0;
    std::thread([&] { M.submit({inout(X)}, [] { throw Oops{4}; }); }).join();
    EXPECT_THROW(M.wait(), Oops);
    M.submit({inout(X)}, [&X] { X = 1; });
    M.wait();
    EXPECT_EQ(X, 1);
  }
}

TEST_P(Edges, EachFailureWithoutAWaitIsLogged) {
  Captured Log;
  {
    Machine M(options());
    int X = 0, Y = 0;
    std::thread([&] { M.submit({inout(X)}, [] { throw std::runtime_error("one"); }); }).join();
    std::thread([&] { M.submit({inout(Y)}, [] { throw std::runtime_error("two"); }); }).join();
  }
  EXPECT_EQ(Log.count(LogLevel::Error, "nothing waited for a task that failed: one"), 1u);
  EXPECT_EQ(Log.count(LogLevel::Error, "nothing waited for a task that failed: two"), 1u);
}

// --- in place

TEST_P(Edges, InPlaceBehindWhatIsUnfinished) {
  for (unsigned Flag : {HSCHED_SUBMIT_UNDEFERRED, HSCHED_SUBMIT_FINAL})
    for (bool Inside : {false, true}) {
      Machine M(options());
      int X = 0, Y = 0;
      std::promise<void> Began, Go;
      std::atomic<bool> Submitting{false};
      std::thread First;
      auto Rest = [&] {
        hsched_submit_options InPlace{};
        InPlace.flags = Flag;
        std::thread::id Here = std::this_thread::get_id();
        Submitting = true;
        M.submitTo(M.Functions.Type, {inout(X), out(Y)}, FunctionType::Args{[&] {
                     if (GetParam() > 1) { // Else the one place to work at may be the other thread's.
                       EXPECT_EQ(std::this_thread::get_id(), Here);
                     }
                     EXPECT_EQ(X, 1);
                     int Z = 0;
                     M.submit({inout(Z)}, [&] { Z = 1; });
                     M.wait();
                     Y = X + Z;
                   }},
                   InPlace);
        EXPECT_EQ(Y, 2); // Submission has not returned before.
      };
      auto Slow = [&] {
        Began.set_value();
        Go.get_future().wait();
        X = 1;
      };
      std::thread Opens([&] {
        while (!Submitting)
          std::this_thread::yield();
        Go.set_value();
      });
      if (!Inside) {
        // On one worker, another thread's call; else another worker's task.
        First = std::thread([&] {
          M.submit({inout(X)}, Slow);
          if (GetParam() == 1)
            M.wait();
        });
        Began.get_future().wait();
        Rest();
        First.join();
      } else if (GetParam() > 1) {
        M.submit({}, [&] {
          M.submit({inout(X)}, Slow);
          Rest();
        });
        M.wait();
      } else {
        Submitting = true;
      }
      M.wait();
      Opens.join();
    }
}

TEST_P(Edges, InPlaceBehindWhatFails) {
  Machine M(options());
  int X = 0, Y = 0;
  M.submit({inout(X)}, [] { throw Oops{1}; });
  hsched_submit_options InPlace{};
  InPlace.flags = HSCHED_SUBMIT_UNDEFERRED;
  M.submitTo(M.Functions.Type, {in(X), out(Y)}, FunctionType::Args{[&] { Y = 1; }}, InPlace);
  EXPECT_EQ(Y, 0);
  EXPECT_THROW(M.wait(), Oops);
}

// --- memory

// What the pool has taken depends on the window, not on how many tasks there are, nor on how many data.
TEST_P(Edges, ManyTasksTakeNoMoreMemoryThanFew) {
  MachineOptions O = options();
  O.Exec.Window = 256;
  Machine M(O);
  constexpr size_t Data = 5000, Few = 20000, Many = 300000;
  std::vector<int> Numbers(Data);
  size_t Before = pooledBytes(), AfterFew = 0;
  for (size_t I = 0; I < Many; ++I) {
    if (I == Few)
      AfterFew = pooledBytes();
    int &A = Numbers[I * 7919 % Data], &B = Numbers[I % 11];
    M.submit({inout(A), in(B)}, [&A] { ++A; });
  }
  // Threads keep free blocks in slabs, whose number varies with the threads' timing. A byte a task would be more.
  EXPECT_LE(pooledBytes(), AfterFew + std::min<size_t>(1u << 20, Many)) << "after " << Few << " tasks: " << AfterFew;
  EXPECT_LE(pooledBytes(), Before + (4u << 20));
  M.wait();
  EXPECT_EQ(std::accumulate(Numbers.begin(), Numbers.end(), size_t(0)), Many);
}

// The same where each datum is seen once.
TEST_P(Edges, DataThatAreSeenOnceAreForgotten) {
  MachineOptions O = options();
  O.Exec.Window = 256;
  Machine M(O);
  constexpr size_t Few = 20000, Many = 300000;
  std::vector<char> Numbers(Many);
  size_t AfterFew = 0;
  for (size_t I = 0; I < Many; ++I) {
    if (I == Few)
      AfterFew = pooledBytes();
    char &A = Numbers[I];
    M.submit({inout(A)}, [&A] { ++A; });
  }
  // Threads keep free blocks in slabs, whose number varies with the threads' timing. A byte a task would be more.
  EXPECT_LE(pooledBytes(), AfterFew + std::min<size_t>(1u << 20, Many)) << "after " << Few << " tasks: " << AfterFew;
  M.wait();
  EXPECT_EQ(std::accumulate(Numbers.begin(), Numbers.end(), size_t(0)), Many);
}

} // namespace
