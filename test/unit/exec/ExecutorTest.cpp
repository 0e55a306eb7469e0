// Submission, waiting, the window, threads that are not workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <array>
#include <condition_variable>
#include <set>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// A gate that a task waits at until the test opens it.
class Gate {
public:
  void open() {
    std::lock_guard Guard(Lock);
    Open = true;
    Changed.notify_all();
  }
  void wait() {
    std::unique_lock Guard(Lock);
    Changed.wait(Guard, [this] { return Open; });
  }

private:
  std::mutex Lock;
  std::condition_variable Changed;
  bool Open = false;
};

struct Executing : testing::TestWithParam<std::tuple<unsigned, const char *>> {
  MachineOptions options() {
    MachineOptions O;
    O.Cpus = std::get<0>(GetParam());
    O.Policy = std::get<1>(GetParam());
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Executing,
                         testing::Combine(testing::Values(1u, 2u, 4u),
                                          testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws")),
                         [](const auto &Info) {
                           return std::string(std::get<1>(Info.param)) + std::to_string(std::get<0>(Info.param));
                         });

TEST_P(Executing, AChainRunsInOrder) {
  Machine M(options());
  long X = 1;
  for (int I = 0; I < 1000; ++I)
    M.submit({inout(X)}, [&X] { X = X * 3 % 1000003; });
  M.wait();
  long Y = 1;
  for (int I = 0; I < 1000; ++I)
    Y = Y * 3 % 1000003;
  EXPECT_EQ(X, Y);
}

TEST_P(Executing, ManyIndependentTasksAllRunOnce) {
  Machine M(options());
  std::vector<int> Counts(20000);
  for (int &C : Counts)
    M.submit({inout(C)}, [&C] { ++C; });
  M.wait();
  EXPECT_EQ(std::ranges::count(Counts, 1), 20000);
}

TEST_P(Executing, ForkAndJoin) {
  Machine M(options());
  for (int Round = 0; Round < 50; ++Round) {
    int Source = 0, Sum = 0;
    std::array<int, 16> Parts{};
    M.submit({out(Source)}, [&] { Source = Round; });
    for (int &P : Parts)
      M.submit({in(Source), out(P)}, [&] { P = Source + 1; });
    std::vector<Access> All{out(Sum)};
    for (int &P : Parts)
      All.push_back(in(P));
    M.submit(All, [&] {
      for (int P : Parts)
        Sum += P;
    });
    M.wait();
    ASSERT_EQ(Sum, 16 * (Round + 1));
  }
}

TEST_P(Executing, WaitingOnOneDatumLeavesTheRest) {
  Machine M(options());
  if (M.Workers.Workers.size() == 1)
    GTEST_SKIP() << "needs a second worker";
  Gate G;
  std::atomic<bool> SlowDone{false};
  int X = 0, Y = 0;
  // The thread that waits may take the slow task itself: keep it away until the fast one has run.
  std::thread::id Me = std::this_thread::get_id();
  M.submit({inout(X)}, [&] { X = 1; });
  M.submit({inout(Y)}, [&] {
    if (std::this_thread::get_id() != Me)
      G.wait();
    SlowDone = true;
  });
  Access Named[] = {in(X)};
  M.Exec->taskwaitOn(threadState(), Named, true);
  EXPECT_EQ(X, 1);
  G.open();
  M.wait();
  EXPECT_TRUE(SlowDone);
}

TEST_P(Executing, WaitingOnADatumWaitsForItsReadersToo) {
  Machine M(options());
  int X = 1, Seen = 0;
  for (int I = 0; I < 200; ++I) {
    M.submit({in(X), out(Seen)}, [&] { Seen = X; });
    Access Named[] = {in(X)};
    M.Exec->taskwaitOn(threadState(), Named, true);
    ASSERT_EQ(Seen, X);
    ++X; // The host may write now.
  }
}

TEST_P(Executing, TheWindowBoundsWhatIsOutstanding) {
  auto O = options();
  O.Exec.Window = 8;
  std::atomic<int> Submitted{0}, Ended{0};
  int Most = 0;
  {
    Machine M(O);
    std::vector<int> Data(1000);
    for (int &D : Data) {
      TaskNode &T = M.Exec->begin(threadState(), M.Functions.Type, 1); // There is room after this.
      Most = std::max(Most, Submitted - Ended.load() + 1);
      new (T.Args) FunctionType::Args{[&] { ++Ended; }};
      T.AccessList[0] = inout(D);
      M.Exec->submit(threadState(), T, hsched_submit_options{});
      ++Submitted;
    }
    M.wait();
  }
  EXPECT_EQ(Ended, 1000);
  EXPECT_LE(Most, 8);
}

TEST_P(Executing, ForeignThreadsSubmitAndWait) {
  auto O = options();
  O.Exec.Window = 16;
  Machine M(O);
  std::array<long, 4> Sums{};
  std::vector<std::thread> Threads;
  for (long &Sum : Sums)
    Threads.emplace_back([&M, &Sum] {
      for (int I = 0; I < 500; ++I)
        M.submit({inout(Sum)}, [&Sum] { ++Sum; });
      M.wait();
      EXPECT_EQ(Sum, 500);
    });
  // The main thread blocks here: worker 0's seat has to be theirs.
  for (std::thread &T : Threads)
    T.join();
}

TEST_P(Executing, SubmittingWithoutEverWaiting) {
  std::atomic<int> Ran{0};
  {
    Machine M(options());
    int X;
    for (int I = 0; I < 100; ++I)
      M.submit({inout(X)}, [&] { ++Ran; });
  }
  EXPECT_EQ(Ran, 100);
}

TEST_P(Executing, ParkedWorkersAreWoken) {
  Machine M(options());
  int X = 0;
  for (int I = 0; I < 300; ++I) {
    M.submit({inout(X)}, [&] { ++X; });
    if (I % 3 == 0)
      std::this_thread::yield();
    M.wait();
  }
  EXPECT_EQ(X, 300);
}

TEST(Executor, WorkersRunTasksWhileTheMainThreadIsAway) {
  MachineOptions O;
  O.Cpus = 2;
  for (const char *Policy : {"eager", "versioning"}) {
    O.Policy = Policy;
    Machine M(O);
    for (int Round = 0; Round < 20; ++Round) {
      Gate G;
      int X = 0;
      M.submit({inout(X)}, [&] { G.open(); });
      G.wait(); // The main thread does not work here.
      M.wait();
    }
  }
}

struct Recorder : Observer {
  std::mutex Lock;
  std::multiset<TaskId> Submitted, Ran;
  std::set<std::pair<TaskId, TaskId>> Edges;
  std::set<RowId> Rows;
  void rowAdded(const RowRecord &R) override { Rows.insert(R.Id); }
  void submitted(const SubmitRecord &R) override {
    std::lock_guard Guard(Lock);
    Submitted.insert(R.Id);
    EXPECT_EQ(R.DataBytes, sizeof(int));
    EXPECT_STREQ(R.Label, "named");
  }
  void dependence(TaskId From, TaskId To) override {
    std::lock_guard Guard(Lock);
    EXPECT_TRUE(Edges.emplace(From, To).second);
  }
  void ran(const RunRecord &R) override {
    std::lock_guard Guard(Lock);
    Ran.insert(R.Id);
    EXPECT_TRUE(Rows.contains(R.Row));
    EXPECT_GE(R.Ran.End, R.Ran.Begin);
    EXPECT_EQ(R.How, Outcome::Done);
  }
};

TEST(Executor, TheObserverReceivesEachEventOnce) {
  Recorder R;
  MachineOptions O;
  O.Watch = &R;
  {
    Machine M(O);
    int X = 0;
    for (int I = 0; I < 100; ++I)
      M.submit({inout(X)}, [&] { ++X; }, "named");
    M.wait();
  }
  EXPECT_EQ(R.Submitted.size(), 100u);
  EXPECT_EQ(R.Ran, R.Submitted);
  EXPECT_EQ(R.Edges.size(), 99u);
}

TEST(Executor, ArgumentsLiveUntilTheTaskIsComplete) {
  auto Shared = std::make_shared<int>(0);
  Machine M;
  int X;
  for (int I = 0; I < 10; ++I)
    M.submit({inout(X)}, [Shared] { ++*Shared; });
  M.wait();
  EXPECT_EQ(*Shared, 10);
  EXPECT_EQ(Shared.use_count(), 1);
}

TEST(Executor, AnAbandonedTaskNeverHappened) {
  Machine M;
  int X = 0;
  M.Exec->abandon(threadState(), M.Exec->begin(threadState(), M.Functions.Type, 3));
  M.submit({inout(X)}, [&] { X = 1; });
  M.wait();
  EXPECT_EQ(X, 1);
}

} // namespace
