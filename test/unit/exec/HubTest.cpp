// The hub by itself: a policy of the test's own, no threads but those that a test starts, no bodies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include "exec/Hub.h"

#include <deque>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// First in, first out; as the first version.
struct InOrder final : Policy {
  explicit InOrder(unsigned Claims = 0) : Claims(Claims) {}
  unsigned capabilities() const override { return Claims; }
  void start(PolicyHost &) override {}
  void push(Task &T, WorkerId) override { All.push_back(&T); }
  bool pop(WorkerId, Assignment &Out) override {
    return popMatching(0, [](const Task &) { return true; }, Out);
  }
  bool popMatching(WorkerId, const std::function<bool(const Task &)> &Wanted, Assignment &Out) override {
    auto It = std::ranges::find_if(All, [&](Task *T) { return Wanted(*T); });
    if (It == All.end())
      return false;
    Out = {*It, &(*It)->Type->Versions[0]};
    All.erase(It);
    return true;
  }
  void busy(WorkerId) override { ++Busy; }
  const unsigned Claims;
  std::deque<Task *> All;
  int Busy = 0;
};

constexpr unsigned AllClaims = StealsAlike | RunsCalls | MakesBundles;

class HubAlone : public testing::Test, protected HubHost {
protected:
  void start(unsigned Cpus, unsigned Claims = AllClaims) {
    for (unsigned I = 0; I < Cpus; ++I) {
      Worker W;
      W.Id = I;
      W.Name = "CPU " + std::to_string(I);
      Machine.Workers.push_back(std::move(W));
    }
    Scheduler.emplace(Claims);
    Table = std::make_shared<OwnQueues>(Cpus);
    H.emplace(Hub::Setup{Machine, *Scheduler, Time, *this, Table, Roots, Options, nullptr, false, Cpus,
                         fastPaths(*Scheduler, Machine, Options, false)});
    for (const Worker &W : Machine.Workers)
      Seats.emplace_back().W = &W;
    settleOnly(Kind.Type);
  }
  ~HubAlone() override {
    for (TaskNode *T : Made)
      release(*T);
  }

  TaskNode &task(int32_t Priority = 0, TaskNode *Parent = nullptr) {
    TaskNode &T = *Made.emplace_back(createTask(&Kind.Type, 0));
    T.Priority = Priority;
    T.Parent = Parent;
    return T;
  }
  TaskNode &task(const Access &A) {
    TaskNode &T = task();
    T.Data = footprintOf({&A, 1});
    return T;
  }
  void ready(TaskNode &T) {
    if (!H->keep(threadState(), T, false))
      H->push(T, NoWorker, false);
  }
  // What worker W finds; null: nothing. It goes on to other things then.
  TaskNode *find(WorkerId W) {
    FoundTask F;
    return H->find(threadState(), Seats[W], F, false) ? F.T : nullptr;
  }
  // The same by a thread of its own.
  TaskNode *findElsewhere(WorkerId W) {
    TaskNode *T = nullptr;
    std::thread([&] {
      T = find(W);
      giveQueueBack(threadState());
    }).join();
    return T;
  }
  // W finds nothing, and would sleep.
  void goIdle(WorkerId W) {
    std::thread([&] {
      FoundTask F;
      EXPECT_FALSE(H->find(threadState(), Seats[W], F, true));
      giveQueueBack(threadState());
    }).join();
  }

  void wakeWorker(WorkerId W) override { Woken.push_back(W); }
  void attendSeat0() override { ++Attended; }
  void notifyChoice(Task &, const Version &, WorkerId, const char *) override {}
  void redirectTask(ThreadState &, TaskNode &T, const Version &, WorkerId) override { Sent.push_back(&T); }

  Platform Machine;
  ExecutorOptions Options;
  SteadyClock Time;
  DependenceDomain Roots{true};
  FunctionType Kind;
  std::optional<InOrder> Scheduler;
  std::shared_ptr<OwnQueues> Table;
  std::optional<Hub> H;
  std::deque<Seat> Seats;
  std::vector<TaskNode *> Made, Sent;
  std::vector<WorkerId> Woken;
  int Attended = 0;
};

TEST_F(HubAlone, TheQueuesThreadTakesTheLastAThiefTheFirst) {
  start(2);
  TaskNode &A = task(), &B = task(), &C = task();
  for (TaskNode *T : {&A, &B, &C})
    ready(*T);
  EXPECT_TRUE(Scheduler->All.empty());
  EXPECT_EQ(findElsewhere(1), &A);
  EXPECT_EQ(find(0), &C);
  EXPECT_EQ(find(0), &B);
  EXPECT_EQ(find(0), nullptr);
}

TEST_F(HubAlone, APriorityGoesThroughThePolicyBeforeOrAfterTheRest) {
  start(2);
  TaskNode &Plain = task(), &Low = task(-1), &High = task(3);
  for (TaskNode *T : {&Low, &Plain, &High})
    ready(*T);
  EXPECT_EQ(Scheduler->All.size(), 2u);
  Scheduler->All = {&High, &Low};
  EXPECT_EQ(find(0), &High);
  EXPECT_EQ(find(0), &Plain);
  EXPECT_EQ(find(0), &Low);
}

TEST_F(HubAlone, WithoutAClaimAllIsThePolicys) {
  start(2, 0);
  TaskNode &A = task(), &B = task();
  ready(A);
  ready(B);
  EXPECT_EQ(Scheduler->All.size(), 2u);
  EXPECT_EQ(find(0), &A);
  EXPECT_EQ(findElsewhere(1), &B);
}

TEST_F(HubAlone, TheFirstThatACompletionReleasesIsNextOnItsThread) {
  start(2);
  TaskNode &A = task(), &B = task();
  threadState().MayKeepNext = true;
  EXPECT_TRUE(H->keep(threadState(), A, true));
  EXPECT_TRUE(H->keep(threadState(), B, true));
  threadState().MayKeepNext = false;
  EXPECT_EQ(findElsewhere(1), &B); // A is out of its reach.
  EXPECT_EQ(findElsewhere(1), nullptr);
  H->requeueNext(threadState());
  EXPECT_EQ(findElsewhere(1), &A);
}

TEST_F(HubAlone, ATaskGoesToTheWorkerThatWroteItsData) {
  start(2);
  const std::vector<char> Blocks(2 * 65536);
  auto block = [&](size_t I) { return on(HSCHED_INOUT, Blocks.data() + I * 65536, 65536); };
  TaskNode &First = task(block(0)), &Second = task(block(1));
  H->ranAt(First, 0);
  H->ranAt(Second, 1);
  for (bool Turned : {false, true}) { // One of the orders is that of a queue.
    TaskNode &A = task(block(0)), &B = task(block(1));
    ready(Turned ? B : A);
    ready(Turned ? A : B);
    EXPECT_EQ(find(0), &A);
    EXPECT_EQ(findElsewhere(1), &B);
  }
}

TEST_F(HubAlone, AWorkerTakesTheOldestOfItsTasksAThiefTheNewest) {
  start(2);
  const std::vector<char> Block(65536);
  TaskNode &Ran = task(on(HSCHED_OUT, Block.data(), Block.size()));
  H->ranAt(Ran, 1);
  std::array<TaskNode *, 3> All;
  for (TaskNode *&T : All)
    ready(*(T = &task(on(HSCHED_IN, Block.data(), Block.size()))));
  TaskNode &Plain = task();
  ready(Plain);
  EXPECT_EQ(find(0), &Plain); // Its own first.
  EXPECT_EQ(find(0), All[2]);
  EXPECT_EQ(findElsewhere(1), All[0]);
  EXPECT_EQ(find(0), All[1]); // The last one too: a worker without work does not rest.
  EXPECT_EQ(find(0), nullptr);
}

TEST_F(HubAlone, TheWorkerThatWroteTheDataIsWoken) {
  start(3);
  const std::vector<char> Block(65536);
  TaskNode &Ran = task(on(HSCHED_OUT, Block.data(), Block.size()));
  (void)find(0);
  goIdle(1);
  goIdle(2);
  for (WorkerId W : {2u, 1u}) {
    H->ranAt(Ran, W);
    ready(task(on(HSCHED_IN, Block.data(), Block.size())));
    ASSERT_FALSE(Woken.empty());
    EXPECT_EQ(Woken.back(), W);
  }
}

TEST_F(HubAlone, WhatACompletionReleasesIsNextOnItsThreadOnlyIfItsDataAreThere) {
  start(2);
  const std::vector<char> Blocks(2 * 65536);
  auto block = [&](size_t I) { return on(HSCHED_INOUT, Blocks.data() + I * 65536, 65536); };
  TaskNode &A = task(block(0)), &B = task(block(1)), &C = task(block(0));
  H->ranAt(A, 1);
  H->ranAt(B, 0);
  threadState().MayKeepNext = true;
  for (TaskNode *T : {&A, &B, &C})
    EXPECT_TRUE(H->keep(threadState(), *T, true));
  threadState().MayKeepNext = false;
  EXPECT_EQ(findElsewhere(1), &A);
  EXPECT_EQ(findElsewhere(1), &C);
  EXPECT_EQ(find(0), &B);
}

// Otherwise a pipeline's first stage runs ahead until its buffers are full, and waits for the older tasks that free
// them.
TEST_F(HubAlone, AnOlderTaskOfTheSameParentComesBeforeANextOneThatReadsNothing) {
  start(2);
  const std::vector<char> Block(65536);
  auto made = [&](TaskId Id, TaskNode *Parent, unsigned Mode) -> TaskNode & {
    TaskNode &T = task(on(Mode, Block.data(), Block.size()));
    T.Id = Id;
    T.Parent = Parent;
    return T;
  };
  TaskNode &Parent = task(), &Other = task();
  struct {
    TaskNode &Waiting, &Next;
    bool OlderFirst;
  } Cases[] = {{made(4, &Parent, HSCHED_IN), made(5, &Parent, HSCHED_OUT), true},
               {made(7, &Parent, HSCHED_IN), made(6, &Parent, HSCHED_OUT), false},
               {made(8, &Other, HSCHED_IN), made(9, &Parent, HSCHED_OUT), false},
               {made(10, &Parent, HSCHED_IN), made(11, &Parent, HSCHED_INOUT), false}};
  H->ranAt(Cases[0].Next, 0);
  for (auto &[Waiting, Next, OlderFirst] : Cases) {
    ready(Waiting);
    threadState().MayKeepNext = true;
    EXPECT_TRUE(H->keep(threadState(), Next, true));
    threadState().MayKeepNext = false;
    EXPECT_EQ(find(0), OlderFirst ? &Waiting : &Next) << Next.Id;
    EXPECT_EQ(find(0), OlderFirst ? &Next : &Waiting) << Next.Id;
    EXPECT_EQ(find(0), nullptr);
  }
}

TEST_F(HubAlone, OneIdleWorkerIsWokenForATaskAndPassesOnWhatItDoesNotTake) {
  start(3);
  ready(task());
  EXPECT_TRUE(Woken.empty()); // No worker is idle.
  (void)find(0);
  goIdle(1);
  goIdle(2);
  ready(task());
  ASSERT_EQ(Woken.size(), 1u);
  const WorkerId First = Woken[0], Other = 3 - First;
  std::thread([&] { // It has something else to do.
    H->cancelIdle(Seats[First]);
    giveQueueBack(threadState());
  })
      .join();
  ASSERT_EQ(Woken.size(), 2u);
  EXPECT_EQ(Woken[1], Other);
  EXPECT_GE(Scheduler->Busy, 1);
}

TEST_F(HubAlone, WithOneWorkerItsSeatIsAttended) {
  start(1);
  EXPECT_TRUE(H->OneCpu);
  ready(task());
  EXPECT_EQ(Attended, 1);
}

TEST_F(HubAlone, ADetourGoesFirstAndToWhoIsNotExcluded) {
  start(2, 0);
  TaskNode &Plain = task(), &Lost = task(), &Nowhere = task();
  ready(Plain);
  Lost.extras().Excluded.emplace_back(0, 0);
  EXPECT_TRUE(H->detour(Lost));
  EXPECT_EQ(Woken, (std::vector<WorkerId>{0, 1})); // CPU workers share them.
  for (WorkerId W : {0u, 1u})
    Nowhere.extras().Excluded.emplace_back(0, W);
  EXPECT_FALSE(H->detour(Nowhere));
  EXPECT_EQ(find(1), &Lost);
  EXPECT_EQ(find(1), &Plain);
  EXPECT_EQ(find(1), nullptr);
}

TEST_F(HubAlone, AWaitTakesNothingButDescendants) {
  start(2);
  TaskNode &Waits = task(), &Child = task(0, &Waits), &Grandchild = task(0, &Child), &Other = task();
  ready(Child);
  ready(Grandchild);
  EXPECT_EQ(H->takeChild(threadState(), Waits), &Grandchild);
  ready(Other);
  EXPECT_EQ(H->takeChild(threadState(), Waits), nullptr); // The last one is another's: it stays.
  EXPECT_EQ(find(0), &Other);
  EXPECT_EQ(H->takeChild(threadState(), Waits), &Child);
  // In the policy, and in another thread's queue.
  TaskNode &Urgent = task(1, &Waits), &Strange = task(1);
  ready(Strange);
  ready(Urgent);
  FoundTask F;
  EXPECT_TRUE(H->findInside(threadState(), 0, Waits, F));
  EXPECT_EQ(F.T, &Urgent);
  EXPECT_FALSE(H->findInside(threadState(), 0, Waits, F = {}));
  TaskNode &StealScope = task(0, &Waits), &Before = task();
  std::thread([&] {
    ready(Before);
    ready(StealScope);
  }).join();
  EXPECT_TRUE(H->stealInside(threadState(), Waits, F = {}));
  EXPECT_EQ(F.T, &StealScope);
  EXPECT_EQ(find(0), &Strange); // The policy's first.
  EXPECT_EQ(find(0), &Before);  // It was moved, and is not lost.
}

TEST_F(HubAlone, WhatAWorkerIsNotToRunIsSentOn) {
  start(2, 0);
  TaskNode &Placed = task(), &Free = task();
  Placed.extras().Named = std::make_unique<NamedTask>();
  auto Where = std::make_unique<TaskPlace>();
  add(Where->Workers, 1);
  Placed.Extras->Named->Where = std::move(Where);
  Placed.Placed = true;
  ready(Placed);
  ready(Free);
  EXPECT_EQ(find(0), &Free);
  EXPECT_EQ(Sent, std::vector<TaskNode *>{&Placed});
}

TEST(FastPaths, AreThePolicysClaimsWhereThePlatformAllowsThem) {
  Platform P;
  Worker W;
  P.Workers.push_back(W);
  const InOrder All(AllClaims), Steals(StealsAlike), None;
  ExecutorOptions O;
  EXPECT_TRUE(fastPaths(All, P, O, false).Calls);
  EXPECT_FALSE(fastPaths(All, P, O, false).Bundles); // There is one worker.
  EXPECT_FALSE(fastPaths(All, P, O, true).Stealing); // An observer receives each task.
  EXPECT_FALSE(fastPaths(None, P, O, false).Stealing);
  W.Id = 1;
  P.Workers.push_back(W);
  EXPECT_TRUE(fastPaths(All, P, O, false).Bundles);
  EXPECT_FALSE(fastPaths(All, P, O, false).Calls);
  EXPECT_TRUE(fastPaths(Steals, P, O, false).Stealing);
  EXPECT_FALSE(fastPaths(Steals, P, O, false).Bundles);
  O.Hosted = true; // Calls and bundles are begun by functions that name no engine.
  EXPECT_TRUE(fastPaths(All, P, O, false).Stealing);
  EXPECT_FALSE(fastPaths(All, P, O, false).Bundles);
  P.Workers.pop_back();
  EXPECT_FALSE(fastPaths(All, P, O, false).Calls);
  P.Workers.push_back(W);
  O = {};
  O.BundleBelow = 0;
  EXPECT_FALSE(fastPaths(All, P, O, false).Bundles);
  sim::SimDevice Dev(0, {});
  W.Id = 2;
  W.Dev = &Dev;
  P.Workers.push_back(W);
  EXPECT_FALSE(fastPaths(All, P, {}, false).Stealing);
}

TEST_F(HubAlone, AWaitTakesBackWhatAnotherThreadStole) {
  start(2);
  TaskNode &Waits = task(), &Child = task(0, &Waits), &Other = task(), &Grandchild = task(0, &Child);
  (void)H->ownQueue(threadState());
  std::thread([&] {
    ready(Grandchild);
    ready(Other);
    ready(Child);
    giveQueueBack(threadState());
  }).join();
  EXPECT_EQ(H->stealBack(threadState(), Waits), &Grandchild);
  EXPECT_EQ(H->stealBack(threadState(), Waits), nullptr); // It ends with a task that this wait must not run.
  EXPECT_EQ(H->stealBack(threadState(), Waits), &Child);
  EXPECT_EQ(findElsewhere(1), &Other);
  EXPECT_EQ(H->stealBack(threadState(), Waits), nullptr);
}

} // namespace
