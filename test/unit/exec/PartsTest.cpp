// The engine's small parts, each by itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include "exec/RootFailures.h"
#include "exec/SpillList.h"
#include "exec/Waiters.h"

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;
using namespace std::chrono_literals;

namespace {

// --- failures outside any task

std::exception_ptr failure(const char *Text) { return std::make_exception_ptr(std::runtime_error(Text)); }
std::string textOf(const std::exception_ptr &Failure) {
  if (!Failure)
    return "";
  try {
    std::rethrow_exception(Failure);
  } catch (const std::exception &E) {
    return E.what();
  }
}
bool record(RootFailures &F, const char *Text, uint32_t By) {
  std::exception_ptr What = failure(Text);
  return F.record(What, By);
}

TEST(RootFailures, TheFirstWaiterAndTheSubmitterReceiveTheFailure) {
  RootFailures F;
  EXPECT_FALSE(F.any());
  EXPECT_TRUE(record(F, "a", 1));
  EXPECT_FALSE(F.allThrown());
  EXPECT_EQ(textOf(F.report(2)), "a");
  EXPECT_TRUE(F.allThrown());
  EXPECT_TRUE(F.any()); // Its submitter has yet to come.
  EXPECT_EQ(textOf(F.report(2)), "");
  EXPECT_EQ(textOf(F.report(1)), "a");
  EXPECT_FALSE(F.any());
  EXPECT_EQ(textOf(F.report(1)), "");
}

TEST(RootFailures, OneFailureOfAThreadIsKeptUntilItIsReported) {
  RootFailures F;
  EXPECT_TRUE(record(F, "a", 1));
  EXPECT_FALSE(record(F, "b", 1));
  EXPECT_TRUE(record(F, "c", 2));
  EXPECT_EQ(textOf(F.report(3)), "a");
  EXPECT_TRUE(record(F, "d", 1)); // In place of a, which another thread has.
  EXPECT_EQ(textOf(F.report(1)), "d");
  EXPECT_EQ(textOf(F.report(0)), "c");
  EXPECT_TRUE(F.allThrown());
}

TEST(RootFailures, OfThreadsWithoutANumberAndOfManyThatDoNotCome) {
  RootFailures F;
  EXPECT_TRUE(record(F, "a", 0));
  EXPECT_EQ(textOf(F.report(0)), "a");
  EXPECT_FALSE(F.any());
  for (uint32_t By = 1; By <= RootFailures::MostThrown + 10; ++By) {
    EXPECT_TRUE(record(F, "x", By));
    EXPECT_EQ(textOf(F.report(0)), "x");
  }
  EXPECT_EQ(textOf(F.report(1)), ""); // Forgotten.
  EXPECT_EQ(textOf(F.report(RootFailures::MostThrown + 10)), "x");
}

// --- waits

TEST(Waiters, WhoSleepsIsWoken) {
  Waiters W;
  std::atomic<bool> Done{false}, Over{false};
  EXPECT_FALSE(W.any());
  std::thread Sleeper([&] {
    while (!Done)
      W.sleep(ownParker(), [&] { return Done.load(); }, -1, Parker::Forever);
    Over = true;
  });
  while (!W.any())
    std::this_thread::yield();
  EXPECT_FALSE(W.anyFor([] { return 0u; })); // It does not wait for few tasks.
  Done = true;
  W.notify();
  Sleeper.join();
  EXPECT_TRUE(Over);
  EXPECT_FALSE(W.any());
}

TEST(Waiters, TheGreatestNumberOfTasksCounts) {
  Waiters W;
  auto never = [] { return ADD_FAILURE() << "nobody waits", 0u; };
  EXPECT_FALSE(W.anyFor(never));
  std::atomic<bool> Done{false};
  std::vector<std::thread> Sleepers;
  for (int64_t At : {0, 5, -1})
    Sleepers.emplace_back([&, At] {
      while (!Done)
        W.sleep(ownParker(), [&] { return Done.load(); }, At, Parker::Forever);
    });
  while (!W.anyFor([] { return 5u; }))
    std::this_thread::yield();
  EXPECT_FALSE(W.anyFor([] { return 6u; }));
  EXPECT_TRUE(W.anyFor([] { return 0u; }));
  Done = true;
  // One that was about to sleep again sees that it is done.
  W.notify();
  for (std::thread &T : Sleepers)
    T.join();
}

TEST(Waiters, NoSleepIfTheConditionHolds) {
  Waiters W;
  W.sleep(ownParker(), [] { return true; }, -1, Parker::Forever);
  W.sleep(ownParker(), [] { return false; }, -1, 1ms);
  EXPECT_FALSE(W.any());
}

// --- tasks that no queue has room for

TEST(SpillList, NothingIsLostAmongThreads) {
  SpillList L;
  EXPECT_EQ(L.pop(), nullptr);
  constexpr int Each = 200;
  std::vector<TaskNode *> All;
  for (int I = 0; I < 2 * Each; ++I)
    All.push_back(createTask(nullptr, 0));
  std::atomic<int> Popped{0};
  auto work = [&](int First) {
    for (int I = First; I < First + Each; ++I) {
      L.push(*All[static_cast<size_t>(I)]);
      if (I % 2)
        Popped += L.pop() != nullptr;
    }
  };
  std::thread Other(work, Each);
  work(0);
  Other.join();
  EXPECT_TRUE(L.any());
  while (L.pop())
    ++Popped;
  EXPECT_FALSE(L.any());
  EXPECT_FALSE(L.seemsAny());
  EXPECT_EQ(Popped, 2 * Each);
  for (TaskNode *T : All)
    release(*T);
}

} // namespace
