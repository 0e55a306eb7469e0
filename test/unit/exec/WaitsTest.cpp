// What a wait inside a task runs, and that the machine works on meanwhile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"
#include "exec/OwnQueues.h"

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <ostream>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct : Observer {
} Bystander;

// A mutex that notices where its owner would wait for itself.
class CheckedLock {
public:
  bool lock() {
    if (Owner.load() == std::this_thread::get_id())
      return false;
    M.lock();
    Owner = std::this_thread::get_id();
    return true;
  }
  void unlock() {
    Owner = std::thread::id();
    M.unlock();
  }

private:
  std::mutex M;
  std::atomic<std::thread::id> Owner{};
};

struct Setting {
  const char *Name;
  unsigned Cpus;
  const char *Policy;
  bool Watched;
  int Priority; // Priority of the children: not 0 sends them through the policy.
};
std::ostream &operator<<(std::ostream &Out, const Setting &S) { return Out << S.Name; }
struct Waits : testing::TestWithParam<Setting> {
  static MachineOptions options() {
    MachineOptions O;
    O.Cpus = GetParam().Cpus;
    O.Policy = GetParam().Policy;
    O.Watch = GetParam().Watched ? &Bystander : nullptr;
    return O;
  }
  static void submit(Machine &M, std::vector<Access> Accesses, std::function<void()> Body, unsigned Flags = 0) {
    hsched_submit_options How{};
    How.priority = GetParam().Priority;
    How.flags = Flags;
    M.submitTo(M.Functions.Type, Accesses, FunctionType::Args{std::move(Body)}, How);
  }
};
INSTANTIATE_TEST_SUITE_P(
    All, Waits,
    testing::Values(Setting{"eager1", 1, "eager", false, 0}, Setting{"eager2", 2, "eager", false, 0},
                    Setting{"eager4", 4, "eager", false, 0}, Setting{"eager1priority", 1, "eager", false, 1},
                    Setting{"eager2priority", 2, "eager", false, 1}, Setting{"eager1watched", 1, "eager", true, 0},
                    Setting{"eager2watched", 2, "eager", true, 0}, Setting{"versioning2", 2, "versioning", false, 0},
                    Setting{"versioning1watched", 1, "versioning", true, 0},
                    Setting{"versioning4watched", 4, "versioning", true, 0}),
    [](const auto &Info) { return std::string(Info.param.Name); });

void dawdle(int Pauses) {
  for (int I = 0; I < Pauses; ++I)
    Parker::pause();
}

// Each wait in turn: for children, for data, for a child that runs in place behind another one.
TEST_P(Waits, ATaskMayWaitUnderAMutex) {
  Machine M(options());
  CheckedLock L;
  std::atomic<int> Finished{0}, Met{0};
  long First = 0;
  M.submit({out(First)}, [] { dawdle(20000); });
  for (int I = 0; I < 200; ++I)
    submit(M, {in(First)}, [&, I] {
      if (!L.lock())
        return void(++Met);
      long X = 0, Y = 0;
      submit(M, {out(X)}, [&X] {
        dawdle(500);
        X = 1;
      });
      submit(M, {in(X), out(Y)}, [&] { Y = X; });
      if (I % 3 == 1) {
        Access Named[] = {in(Y)};
        M.Exec->taskwaitOn(threadState(), Named, true);
        EXPECT_EQ(Y, 1);
      } else if (I % 3 == 2) {
        submit(M, {inout(Y)}, [&Y] { ++Y; }, HSCHED_SUBMIT_UNDEFERRED);
        EXPECT_EQ(Y, 2);
      }
      M.wait();
      ++Finished;
      L.unlock();
    });
  M.wait();
  EXPECT_EQ(Met, 0) << "tasks met a lock that their own thread held";
  EXPECT_EQ(Finished, 200);
}

// The same where the task waits for room in the window.
TEST_P(Waits, ATaskMaySubmitManyUnderAMutex) {
  MachineOptions O = options();
  O.Exec.Window = 16;
  Machine M(O);
  CheckedLock L;
  std::atomic<int> Children{0}, Met{0};
  for (int I = 0; I < 30; ++I)
    submit(M, {}, [&] {
      if (!L.lock())
        return void(++Met);
      for (int Child = 0; Child < 50; ++Child)
        submit(M, {}, [&] { ++Children; });
      L.unlock();
    });
  M.wait();
  EXPECT_EQ(Met, 0);
  EXPECT_EQ(Children, 30 * 50);
}

// A body that waits for a child on another worker leaves its core to others: they run what the child waits for.
TEST_P(Waits, WhoWaitsIsReplaced) {
  if (GetParam().Cpus != 2)
    GTEST_SKIP() << "another worker would do it";
  Machine M(options());
  for (int Round = 0; Round < 100; ++Round) {
    std::atomic<bool> Taken{false}, Met{false};
    std::thread Other([&] {
      while (!Taken.load())
        std::this_thread::yield();
      submit(M, {}, [&] { Met = true; });
    });
    submit(M, {}, [&] {
      submit(M, {}, [&] {
        Taken = true;
        auto End = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!Met.load() && std::chrono::steady_clock::now() < End)
          std::this_thread::yield();
        EXPECT_TRUE(Met.load());
      });
      while (!Taken.load())
        std::this_thread::yield();
      M.wait();
    });
    M.wait();
    Other.join();
    M.wait();
    ASSERT_FALSE(HasFailure()) << "round " << Round;
  }
}

// At all levels, parents wait for children that other threads run. Meanwhile there is work for the threads that take
// the parents' seats.
TEST_P(Waits, SeatsComeAndGo) {
  Machine M(options());
  std::atomic<int> Ran{0};
  std::function<void(int)> Body = [&](int Level) {
    ++Ran;
    for (int I = 0; Level < 5 && I < 4; ++I)
      submit(M, {}, [&Body, Level] { Body(Level + 1); });
    dawdle(Level * 50);
    if (Level % 2 == 0)
      M.wait();
    dawdle(Level * 20);
    if (Level == 3) {
      submit(M, {}, [&Ran] { ++Ran; });
      M.wait();
    }
  };
  int Expected = 0;
  for (int Level = 0, N = 1; Level <= 5; ++Level, N *= 4)
    Expected += Level == 3 ? 2 * N : N;
  for (int Round = 0; Round < 20; ++Round) {
    Ran = 0;
    Body(0);
    M.wait();
    ASSERT_EQ(Ran, Expected);
  }
}

// What is not the waiting task's runs on another thread, also where there is one worker.
TEST_P(Waits, OnlyDescendantsRunOnTheWaitingThread) {
  Machine M(options());
  for (int Round = 0; Round < 50; ++Round) {
    std::atomic<int> Wrong{0};
    std::array<std::atomic<std::thread::id>, 8> Waiting{};
    for (auto &Mine : Waiting)
      submit(M, {}, [&] {
        for (auto &Other : Waiting)
          Wrong += Other.load() == std::this_thread::get_id();
        for (int I = 0; I < 3; ++I)
          submit(M, {}, [] { dawdle(300); });
        Mine = std::this_thread::get_id();
        M.wait();
        Mine = std::thread::id();
      });
    M.wait();
    ASSERT_EQ(Wrong, 0) << "round " << Round;
  }
}

// First come, first served; counts what it is given.
class Counting final : public Policy {
public:
  static inline std::atomic<int> Pushed{0};
  unsigned capabilities() const override { return StealsAlike; }
  void start(PolicyHost &H) override { Host = &H; }
  void push(Task &T, WorkerId) override {
    ++Pushed;
    {
      std::lock_guard Guard(Lock);
      Queue.push_back(&T);
    }
    for (const Worker &W : Host->platform().Workers)
      Host->wake(W.Id);
  }
  bool pop(WorkerId, Assignment &Out) override {
    std::lock_guard Guard(Lock);
    if (Queue.empty())
      return false;
    Out = {Queue.front(), &Queue.front()->Type->Versions[0]};
    Queue.pop_front();
    return true;
  }
  void completed(const Task &, const Version &, WorkerId, Duration) override {}

private:
  PolicyHost *Host = nullptr;
  std::mutex Lock;
  std::deque<Task *> Queue; // Guarded by Lock.
};
HSCHED_POLICY(Counting, "counting-waits", "for this test");

// Many threads stand in for each other at once. When they are done, threads of the program find queues of their own.
TEST(Spares, LeaveTheirQueuesToOthers) {
  MachineOptions O;
  O.Cpus = 2;
  O.Policy = "counting-waits";
  Machine M(O);
  constexpr unsigned Many = OwnQueues::Foreign + 8;
  std::mutex Lock;
  std::vector<TaskNode *> Open;
  for (unsigned I = 0; I < Many; ++I)
    M.submit({}, [&] {
      M.submit({}, [&] {
        std::lock_guard Guard(Lock);
        Open.push_back(&M.Exec->detach(threadState()));
      });
      M.wait();
    });
  std::thread Ends([&] {
    for (bool All = false; !All;) {
      std::this_thread::yield();
      std::lock_guard Guard(Lock);
      All = Open.size() == Many;
    }
    for (TaskNode *T : Open)
      M.Exec->endDetached(threadState(), *T, nullptr);
  });
  M.wait();
  Ends.join();
  Counting::Pushed = 0;
  std::atomic<int> Ran{0};
  std::thread([&] {
    for (int I = 0; I < 100; ++I)
      M.submit({}, [&] { ++Ran; });
    M.wait();
  }).join();
  EXPECT_EQ(Ran, 100);
  EXPECT_EQ(Counting::Pushed, 0) << "the thread had no queue of its own";
}

// With one worker, a program may wait for its tasks by its own means.
TEST(WaitsByOwnMeans, OneWorkerWatched) {
  for (const char *Policy : {"eager", "versioning"}) {
    MachineOptions O;
    O.Cpus = 1;
    O.Policy = Policy;
    O.Watch = &Bystander;
    Machine M(O);
    for (int Round = 0; Round < 100; ++Round) {
      std::atomic<int> Done{0};
      long X = 0;
      M.submit({out(X)}, [&] { ++Done; });
      M.submit({in(X)}, [&] { ++Done; });
      while (Done.load() < 2)
        std::this_thread::yield();
      if (Round % 3 == 0)
        M.wait();
    }
    M.wait();
  }
}

TEST(WaitsByOwnMeans, OneWorkerAndADevice) {
  MachineOptions O;
  O.Cpus = 1;
  O.Devices = 1;
  Machine M(O);
  AddType OnDevice(AddType::Device);
  for (int Round = 0; Round < 50; ++Round) {
    std::atomic<bool> Done{false};
    std::array<long, 64> X{};
    OnDevice.submit(M, X.data(), X.size(), 1);
    M.submit({inout(X)}, [&] { Done = true; });
    while (!Done.load())
      std::this_thread::yield();
    EXPECT_EQ(X[5], 1);
    M.wait();
  }
}

// A task that another thread's call was in the way of.
TEST(WaitsByOwnMeans, OneWorkerAndCallsOfTwoThreads) {
  MachineOptions O;
  O.Cpus = 1;
  Machine M(O);
  for (int Round = 0; Round < 200; ++Round) {
    std::atomic<bool> Begun{false}, Go{false}, Done{false};
    long X = 0;
    std::thread Other([&] {
      M.submit({inout(X)}, [&] {
        Begun = true;
        while (!Go.load())
          std::this_thread::yield();
      });
      while (!Done.load())
        std::this_thread::yield();
    });
    while (!Begun.load())
      std::this_thread::yield();
    M.submit({inout(X)}, [&] { Done = true; });
    Go = true;
    while (!Done.load())
      std::this_thread::yield();
    Other.join();
    M.wait();
  }
}

} // namespace
