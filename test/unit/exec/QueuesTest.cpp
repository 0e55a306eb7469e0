// The deque that thieves rob, and threads' own queues and counters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"
#include "exec/OwnQueues.h"
#include "exec/StealOrder.h"
#include "exec/ThreadState.h"

#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

TEST(WorkDeque, LastInFirstOutForTheOwnerAndTheOtherWayForThieves) {
  WorkDeque<int> D(4);
  int Items[10];
  EXPECT_EQ(D.pop(), nullptr);
  EXPECT_EQ(D.steal(), nullptr);
  for (int &I : Items) // Grows on the way.
    D.push(&I);
  EXPECT_EQ(D.size(), 10);
  EXPECT_EQ(D.pop(), &Items[9]);
  EXPECT_EQ(D.steal(), &Items[0]);
  EXPECT_EQ(D.steal(), &Items[1]);
  for (int I = 8; I >= 2; --I)
    EXPECT_EQ(D.pop(), &Items[I]);
  EXPECT_EQ(D.pop(), nullptr);
  EXPECT_EQ(D.steal(), nullptr);
  EXPECT_EQ(D.size(), 0);
}

TEST(WorkDeque, EveryItemComesOutOnce) {
  constexpr size_t Items = 20000;
  constexpr unsigned Thieves = 3;
  std::vector<std::atomic<int>> Taken(Items);
  WorkDeque<std::atomic<int>> D(2);
  std::atomic<size_t> Left{Items};
  std::latch Start(Thieves + 1);
  auto take = [&](std::atomic<int> *Item) {
    if (!Item)
      return;
    Item->fetch_add(1);
    Left.fetch_sub(1);
  };
  std::vector<std::thread> All;
  for (unsigned T = 0; T < Thieves; ++T)
    All.emplace_back([&] {
      Start.arrive_and_wait();
      while (Left.load() > 0) {
        take(D.steal());
        std::this_thread::yield();
      }
    });
  Start.arrive_and_wait();
  for (size_t I = 0; I < Items; ++I) {
    D.push(&Taken[I]);
    if (I % 3 == 0)
      take(D.pop());
  }
  while (Left.load() > 0)
    take(D.pop());
  for (std::thread &T : All)
    T.join();
  EXPECT_TRUE(std::ranges::all_of(Taken, [](const auto &N) { return N == 1; }));
}

TEST(OwnQueues, WhatAThreadGivesBackAnotherTakes) {
  auto Table = std::make_shared<OwnQueues>(2);
  OwnQueue *Mine = &queueOfThread(threadState(), Table), *Others = nullptr;
  EXPECT_EQ(&queueOfThread(threadState(), Table), Mine);
  giveQueueBack(threadState());
  std::latch Taken(1), Seen(1);
  std::thread Other([&] {
    Others = &queueOfThread(threadState(), Table);
    Taken.count_down();
    Seen.wait();
  });
  Taken.wait();
  EXPECT_EQ(Others, Mine);
  EXPECT_NE(&queueOfThread(threadState(), Table), Mine);
  Seen.count_down();
  Other.join();
}

TEST(StealOrder, TheNearestComeFirstAndAmongThemWhoWasRobbedLast) {
  const uint32_t Distances[] = {7, 0, 3, 7, 3, 7};
  StealOrder Order;
  Order.set(Distances, 5);
  EXPECT_EQ(Order.known(), 5u);
  auto seen = [&](unsigned Gives) { // Up to the one that gives something.
    std::vector<unsigned> Seen;
    EXPECT_EQ(Order.find([&](unsigned Q) {
      Seen.push_back(Q);
      return Q == Gives;
    }),
              Gives < std::size(Distances));
    return Seen;
  };
  using Seen = std::vector<unsigned>;
  EXPECT_EQ(seen(99), (Seen{1, 2, 4, 0, 3, 5}));
  EXPECT_EQ(seen(3), (Seen{1, 2, 4, 0, 3}));
  EXPECT_EQ(seen(4), (Seen{1, 2, 4}));
  EXPECT_EQ(seen(99), (Seen{1, 4, 2, 3, 5, 0}));
  Order.set({}, 6);
  EXPECT_EQ(seen(99), Seen{});
}

// Two workers with tasks in their queues; a third one, free at last, robs the nearer one first.
static void robsFirst(unsigned Near, unsigned Far) {
  constexpr unsigned Each = 8;
  MachineOptions O;
  O.Cpus = 4; // Worker 0 runs nothing, since the main thread does not wait.
  O.Exec.BundleBelow = 0;
  O.Exec.CoreOf = {0, 1, 1, 3};
  O.Exec.CoreOf[Near] = 2;
  O.Exec.Distance = [](unsigned Core, unsigned Other) { return Core > Other ? Core - Other : Other - Core; };
  Machine M(O);
  std::barrier Sync(3);
  std::atomic<unsigned> Left{2 * Each};
  std::mutex Lock;
  std::vector<unsigned> StealScope; // Seats whose tasks the third worker ran.
  int Holds[3] = {};
  for (int &Hold : Holds)
    M.submit({inout(Hold)}, [&] {
      unsigned Me = threadState().S->W->Id;
      Sync.arrive_and_wait(); // Each worker has one.
      if (Me != 3)
        for (unsigned I = 0; I < Each; ++I)
          M.submit({}, [&, Me] {
            {
              std::lock_guard Guard(Lock);
              StealScope.push_back(Me);
            }
            Left.fetch_sub(1);
          });
      Sync.arrive_and_wait(); // Their tasks are there.
      while (Me != 3 && Left.load() != 0)
        std::this_thread::yield();
    });
  while (Left.load() != 0) // Not by a wait, which would make this thread a thief.
    std::this_thread::yield();
  std::vector<unsigned> Expected(Each, Near);
  Expected.insert(Expected.end(), Each, Far);
  EXPECT_EQ(StealScope, Expected);
  M.wait();
}

TEST(Stealing, NearWorkersAreRobbedFirst) {
  robsFirst(2, 1);
  robsFirst(1, 2);
}

TEST(OwnQueues, AThreadKeepsItsOwnUntilItEnds) {
  auto Table = std::make_shared<OwnQueues>(1);
  OwnQueue *Mine = &queueOfThread(threadState(), Table), *Other = nullptr;
  EXPECT_EQ(&queueOfThread(threadState(), Table), Mine);
  std::thread([&] { Other = &queueOfThread(threadState(), Table); }).join();
  EXPECT_NE(Other, Mine);
  std::thread([&] { EXPECT_EQ(&queueOfThread(threadState(), Table), Other); }).join(); // Given back, and given again.
  EXPECT_EQ(Table->used().size(), 2u);
  (void)queueOfThread(threadState(), std::make_shared<OwnQueues>(1)); // Gives this thread's back.
  EXPECT_EQ(&queueOfThread(threadState(), Table), Mine);
}

TEST(OwnQueues, WhenNoneIsLeftThereIsOneForAll) {
  auto Table = std::make_shared<OwnQueues>(0);
  std::barrier Sync(OwnQueues::Foreign + 3);
  std::vector<std::thread> All;
  std::atomic<unsigned> Shared{0};
  for (unsigned I = 0; I < OwnQueues::Foreign + 2; ++I)
    All.emplace_back([&] {
      Shared += &queueOfThread(threadState(), Table) == &Table->shared();
      queueOfThread(threadState(), Table).Submitted.fetch_add(2);
      queueOfThread(threadState(), Table).Completed.fetch_add(1);
      Sync.arrive_and_wait();
    });
  Sync.arrive_and_wait();
  for (std::thread &T : All)
    T.join();
  EXPECT_EQ(Shared.load(), 2u);
  EXPECT_EQ(Table->outstanding(), OwnQueues::Foreign + 2);
}

// --- in an executor

// More threads than there are queues for submit at once.
TEST(Stealing, ManyForeignThreads) {
  MachineOptions O;
  O.Cpus = 3;
  O.Policy = "versioning";
  Machine M(O);
  constexpr unsigned Threads = OwnQueues::Foreign + 6, Each = 50;
  std::atomic<unsigned> Runs{0};
  std::vector<std::thread> All;
  for (unsigned T = 0; T < Threads; ++T)
    All.emplace_back([&] {
      int X = 0, Seen = 0;
      for (unsigned I = 0; I < Each; ++I)
        M.submit({inout(X)}, [&] {
          ++X;
          ++Runs;
        });
      M.submit({in(X), out(Seen)}, [&] { Seen = X; });
      M.wait();
      EXPECT_EQ(Seen, static_cast<int>(Each));
    });
  for (std::thread &T : All)
    T.join();
  EXPECT_EQ(Runs.load(), Threads * Each);
}

// A task that is ready because its predecessor ended runs next on the same worker, though another one is idle.
TEST(Stealing, TheSuccessorStaysWithItsWorker) {
  MachineOptions O;
  O.Cpus = 2;
  Machine M(O);
  std::latch Submitted(1);
  std::vector<std::thread::id> Where;
  int X = 0;
  M.submit({inout(X)}, [&] {
    Submitted.wait();
    Where.push_back(std::this_thread::get_id());
  });
  for (int I = 0; I < 200; ++I)
    M.submit({inout(X)}, [&] { Where.push_back(std::this_thread::get_id()); });
  Submitted.count_down();
  M.wait();
  ASSERT_EQ(Where.size(), 201u);
  EXPECT_TRUE(std::ranges::all_of(Where, [&](auto Id) { return Id == Where[0]; }));
}

// What has a priority is the policy's, and comes first.
TEST(Stealing, PrioritiesComeFirst) {
  MachineOptions O;
  O.Cpus = 2;
  Machine M(O);
  std::latch Occupied(1), Go(1);
  M.submit({}, [&] { // Holds the one worker that is not this thread.
    Occupied.count_down();
    Go.wait();
  });
  Occupied.wait();
  std::mutex Lock;
  std::vector<int> Order;
  auto note = [&](int Which) {
    std::lock_guard Guard(Lock);
    Order.push_back(Which);
  };
  for (int I = 0; I < 5; ++I)
    M.submit({}, [&] { note(0); });
  hsched_submit_options How{};
  How.struct_bytes = sizeof(How);
  How.priority = 7;
  M.submitTo(M.Functions.Type, {}, FunctionType::Args{[&] {
               note(7);
               Go.count_down();
             }},
             How);
  M.wait();
  ASSERT_EQ(Order.size(), 6u);
  EXPECT_EQ(Order[0], 7);
}

// Less than others' comes after them.
TEST(Stealing, NegativePrioritiesComeLast) {
  MachineOptions O;
  O.Cpus = 2;
  Machine M(O);
  std::latch Occupied(1), Go(1);
  M.submit({}, [&] { // Holds the one worker that is not this thread.
    Occupied.count_down();
    Go.wait();
  });
  Occupied.wait();
  std::vector<int> Order; // By this thread alone.
  auto with = [&](int Priority) {
    hsched_submit_options How{};
    How.struct_bytes = sizeof(How);
    How.priority = Priority;
    M.submitTo(M.Functions.Type, {}, FunctionType::Args{[&, Priority] {
                 Order.push_back(Priority);
                 if (Order.size() == 8)
                   Go.count_down();
               }},
               How);
  };
  for (int Priority : {-7, 0, 0, 0, -7, 0, 3, 0})
    with(Priority);
  M.wait();
  ASSERT_EQ(Order.size(), 8u);
  EXPECT_EQ(Order[0], 3);
  EXPECT_EQ(Order[6], -7);
  EXPECT_EQ(Order[7], -7);
}

// A task of which nothing but its arguments is kept: accesses end with the submission.
TEST(Stealing, AccessesAreNotKept) {
  MachineOptions O;
  O.Cpus = 2;
  Machine M(O);
  settleOnly(M.Functions.Type);
  int X = 0;
  TaskNode &T = M.Exec->begin(threadState(), M.Functions.Type, 3);
  EXPECT_TRUE(T.At == Stage::Staged);
  EXPECT_LE(T.BlockBytes, sizeof(TaskNode) + 3 * sizeof(SuccessorLink) + sizeof(FunctionType::Args));
  Executor::abandon(threadState(), T);
  for (int I = 0; I < 100; ++I)
    M.submit({inout(X), in(M), in(O)}, [&X] { ++X; });
  M.wait();
  EXPECT_EQ(X, 100);
}

} // namespace
