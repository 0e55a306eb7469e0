// Which threads wake which: what test/model/idle.pml found, on real threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// True once N threads have called this; false if they have not within 20 s, which no machine needs.
bool meet(std::atomic<int> &Here, int N) {
  auto End = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  ++Here;
  while (Here.load() < N) {
    if (std::chrono::steady_clock::now() > End)
      return false;
    std::this_thread::yield();
  }
  return true;
}

void dawdle(int Pauses) {
  for (int I = 0; I < Pauses; ++I)
    Parker::pause();
}

// Two ready tasks and two workers. Neither task waits for the other's end, at whatever point of falling asleep the
// workers are when the tasks come.
TEST(Waking, AReadyTaskDoesNotWaitForABusyWorker) {
  MachineOptions O;
  O.Cpus = 3;
  O.Exec.BundleBelow = 0; // Tasks of one bundle never meet.
  Machine M(O);
  for (int Round = 0; Round < 1000; ++Round) {
    std::atomic<int> Here{0}, Done{0};
    std::atomic<bool> Met{true};
    for (int I = 0; I < 2; ++I)
      M.submit({}, [&] {
        if (!meet(Here, 2))
          Met = false;
        ++Done;
      });
    while (Done.load() < 2) // The main thread is away.
      std::this_thread::yield();
    M.wait();
    ASSERT_TRUE(Met.load()) << "round " << Round;
    dawdle(Round % 50 * 20);
  }
}

// A body that has waited and goes on is no idle worker: what it submits wakes another one. Submit(Body) submits,
// AwayUntil(Done) waits with the main thread away.
template <class SubmitFn, class AwayFn>
void goesOnAfterAWait(Machine &M, int Rounds, SubmitFn Submit, AwayFn AwayUntil) {
  for (int Round = 0; Round < Rounds; ++Round) {
    std::atomic<int> Here{0};
    std::atomic<bool> Met{true}, Done{false};
    Submit([&] {
      std::atomic<bool> Running{false};
      Submit([&Running, Round] {
        Running = true;
        dawdle(Round % 10 * 20000); // A thread that waits goes to sleep.
      });
      while (!Running.load()) // Another worker has it.
        std::this_thread::yield();
      M.wait();
      dawdle(Round % 7 * 20000); // The others go to sleep.
      Submit([&] {
        if (!meet(Here, 2))
          Met = false;
      });
      if (!meet(Here, 2))
        Met = false;
      Done = true;
    });
    AwayUntil(Done);
    ASSERT_TRUE(Met.load()) << "round " << Round;
  }
}

TEST(Waking, AWorkerThatHasWaitedIsNotTakenForAnIdleOne) {
  MachineOptions O;
  O.Cpus = 3;
  Machine M(O);
  goesOnAfterAWait(
      M, 300, [&](auto Body) { M.submit({}, Body); },
      [&](const std::atomic<bool> &Done) {
        while (!Done.load())
          std::this_thread::yield();
        M.wait();
      });
}

// What goes through a policy's queues, and who is idle by its notes.
struct Way {
  const char *Name, *Policy;
  bool Watched;
  int Priority;
};
class ThroughThePolicy : public testing::TestWithParam<Way> {
protected:
  static MachineOptions options() {
    static struct : Observer {
    } Bystander;
    MachineOptions O;
    O.Cpus = 3;
    O.Policy = GetParam().Policy;
    O.Watch = GetParam().Watched ? &Bystander : nullptr;
    return O;
  }
  void submit(std::function<void()> Body, int Priority = GetParam().Priority) {
    hsched_submit_options How{};
    How.priority = Priority;
    M.submitTo(M.Functions.Type, {}, FunctionType::Args{std::move(Body)}, How);
  }
  // The main thread is away until Done.
  void awayUntil(const std::atomic<bool> &Done) {
    while (!Done.load())
      std::this_thread::yield();
    M.wait();
  }
  Machine M{options()};
};

TEST_P(ThroughThePolicy, AWorkerThatHasWaitedIsNotTakenForAnIdleOne) {
  goesOnAfterAWait(M, 100, [this](auto Body) { submit(Body); }, [this](std::atomic<bool> &Done) { awayUntil(Done); });
}

// Its work did not come from the policy, or was meant for another one.
TEST_P(ThroughThePolicy, AWorkerThatFoundOtherWorkIsNotTakenForAnIdleOne) {
  for (int Round = 0; Round < 200; ++Round) {
    std::atomic<int> Here{0};
    std::atomic<bool> Met{true}, Done{false};
    submit(
        [&] {
          dawdle(Round % 7 * 10000);
          submit([&] {
            if (!meet(Here, 2))
              Met = false;
          });
          if (!meet(Here, 2))
            Met = false;
          Done = true;
        },
        0);
    awayUntil(Done);
    ASSERT_TRUE(Met.load()) << "round " << Round;
    dawdle(Round % 50 * 200);
  }
}

// Several at a time, from outside: each of those that are woken takes one, whichever it is.
TEST_P(ThroughThePolicy, AWakeUpIsPassedOn) {
  for (int Round = 0; Round < 500; ++Round) {
    std::atomic<int> Here{0}, Over{0};
    std::atomic<bool> Met{true}, Done{false};
    for (int I = 0; I < 2; ++I)
      submit(
          [&] {
            if (!meet(Here, 2))
              Met = false;
            if (++Over == 2)
              Done = true;
          },
          I ? GetParam().Priority : 0);
    awayUntil(Done);
    ASSERT_TRUE(Met.load()) << "round " << Round;
    dawdle(Round % 50 * 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Waking, ThroughThePolicy,
                         testing::Values(Way{"eager", "eager", false, 1}, Way{"eagerWatched", "eager", true, 0},
                                         Way{"versioning", "versioning", false, 1},
                                         Way{"versioningWatched", "versioning", true, 0},
                                         Way{"less", "eager", false, -1}),
                         [](const auto &Info) { return std::string(Info.param.Name); });

// One short task and a wait, repeatedly: no worker is woken any more. A task that its thread does not wait for is still
// found, and the watching worker goes to sleep when it is not needed.
TEST(Waking, NoWorkerIsWokenForOneShortTaskAndAWait) {
  MachineOptions O;
  O.Policy = "versioning";
  Machine M(O);
  M.Nanoseconds = 300;
  for (int Round = 0; Round < 3; ++Round) {
    int Ran = 0, Submitted = 0;
    while (!M.Exec->hasPoller()) {
      M.submit({}, [&] { ++Ran; });
      M.wait();
      ASSERT_EQ(Ran, ++Submitted);
    }
    std::atomic<bool> Done{false};
    M.submit({}, [&] { Done = true; });
    while (!Done.load()) // The main thread is away.
      std::this_thread::yield();
    M.wait();
    while (M.Exec->hasPoller())
      std::this_thread::yield();
  }
}

// A policy that gives a task to a worker after a while, and wakes no worker then.
template <int Microseconds> class Hesitant final : public Policy {
public:
  void start(PolicyHost &H) override { Host = &H; }
  void push(Task &T, WorkerId) override {
    {
      std::lock_guard Guard(Lock);
      Next = &T;
      Since = Host->clock().now();
    }
    for (const Worker &W : Host->platform().Workers)
      Host->wake(W.Id);
  }
  bool pop(WorkerId W, Assignment &Out) override {
    constexpr Duration While = std::chrono::microseconds(Microseconds);
    std::lock_guard Guard(Lock);
    if (!Next)
      return false;
    if (const Duration Passed = Host->clock().now() - Since; Passed < While) {
      Host->askAgain(W, While - Passed);
      return false;
    }
    Out = {Next, &Next->Type->Versions[0]};
    Next = nullptr;
    return true;
  }
  void completed(const Task &, const Version &, WorkerId, Duration) override {}

private:
  PolicyHost *Host = nullptr;
  std::mutex Lock; // Guards the fields below.
  Task *Next = nullptr;
  TimePoint Since{};
};
using HesitantForLittle = Hesitant<200>;
using HesitantForLong = Hesitant<4000>;
HSCHED_POLICY(HesitantForLittle, "hesitant", "for this test");
HSCHED_POLICY(HesitantForLong, "hesitant-for-long", "for this test");

// The main thread is away in even rounds, and waits in odd ones.
TEST(Waking, AWorkerThatAsksAgainIsNotWoken) {
  MachineOptions O;
  O.Cpus = 3;
  O.Policy = "hesitant";
  Machine M(O);
  for (int Round = 0; Round < 40; ++Round) {
    std::atomic<bool> Done{false};
    M.submit({}, [&] { Done = true; });
    while (Round % 2 == 0 && !Done.load())
      std::this_thread::yield();
    M.wait();
    ASSERT_TRUE(Done.load()) << "round " << Round;
  }
}

// The same for a body that waits for its child. Its wait begins with a search that lasts a millisecond. No other thread
// asks instead of it.
TEST(Waking, ABodyThatWaitsAsksAgain) {
  MachineOptions O;
  O.Cpus = 1;
  O.Policy = "hesitant-for-long";
  Machine M(O);
  std::atomic<int> Done{0};
  for (int Round = 0; Round < 10; ++Round) {
    M.submit({}, [&] {
      M.submit({}, [&] { ++Done; });
      M.wait();
      ++Done;
    });
    M.wait();
  }
  EXPECT_EQ(Done.load(), 20);
}

} // namespace
