// The policies that put tasks on workers' lists: where each puts a task, who may take it, who is woken for it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

using Woken = std::vector<WorkerId>;

// Workers 0 to 2: CPU, node 0; 3 and 4: GPU, nodes 1 and 2.
struct Lists : testing::Test {
  Lists() { Host.apart(); }
  void start(const char *Name) {
    P = makePolicy(Name);
    P->start(Host);
  }
  Task &task(TestType &T, int32_t Priority = 0) { return Host.task(T, 1024, Priority); }
  // With one section in each mode of Modes; the I-th begins at Data[I].
  Task &withData(TestType &T, std::initializer_list<unsigned> Modes) {
    Task &New = task(T);
    auto &Of = Accesses.emplace_back();
    for (unsigned Mode : Modes)
      Of.push_back({&Data[Of.size()], sizeof(Data[0]), 1, 0, Mode, 0});
    New.AccessList = Of.data();
    New.NumAccesses = static_cast<uint32_t>(Of.size());
    return New;
  }
  // Reads these of Data.
  Task &reading(TestType &T, std::initializer_list<size_t> Which, int32_t Priority = 0) {
    Task &New = task(T, Priority);
    auto &Of = Accesses.emplace_back();
    for (size_t I : Which)
      Of.push_back({&Data[I], sizeof(Data[0]), 1, 0, HSCHED_IN, 0});
    New.AccessList = Of.data();
    New.NumAccesses = static_cast<uint32_t>(Of.size());
    return New;
  }
  TaskId pop(WorkerId W) {
    Assignment A;
    if (!P->pop(W, A))
      return 0;
    EXPECT_TRUE(Platform::suits(Host.P.Workers[W], *A.V));
    EXPECT_EQ(A.T->Chosen, A.V);
    EXPECT_EQ(A.T->ChosenWorker, W);
    Popped[A.T->Id] = A;
    return A.T->Id;
  }
  void end(TaskId Id) {
    Assignment A = Popped[Id];
    P->completed(*A.T, *A.V, A.T->ChosenWorker, 1us);
  }
  void idle() {
    for (WorkerId W = 0; W < 5; ++W)
      EXPECT_EQ(pop(W), 0u);
    (void)Host.takeWoken();
  }
  void measured(TestType &T, unsigned Version, Duration Ran) {
    for (unsigned I = 0; I < Host.Lambda; ++I)
      Host.Known.record(T.Type, 1024, Version, CpuModel, Ran);
  }

  FakeHost Host{3, 2};
  std::unique_ptr<Policy> P;
  TestType Cpu, Gpu, Both;
  const Version &CpuOnly = Cpu.add(HSCHED_DEVICE_CPU), &GpuOnly = Gpu.add(HSCHED_DEVICE_OPENCL),
                &BothCpu = Both.add(HSCHED_DEVICE_CPU), &BothGpu = Both.add(HSCHED_DEVICE_OPENCL);
  std::array<std::array<char, 256>, 4> Data;
  std::deque<std::vector<Access>> Accesses;
  std::map<TaskId, Assignment> Popped;
};

TEST_F(Lists, RoundRobinTakesTurnsAndLeavesOutWhoCannot) {
  start("round-robin");
  for (int I = 0; I < 5; ++I)
    P->push(task(Both), NoWorker);
  P->push(task(Gpu), NoWorker);
  P->push(task(Both), NoWorker);
  EXPECT_EQ(pop(1), 2u);
  EXPECT_EQ(pop(2), 3u);
  EXPECT_EQ(pop(3), 4u);
  EXPECT_EQ(pop(3), 6u);
  EXPECT_EQ(pop(4), 5u);
  EXPECT_EQ(pop(4), 7u);
  EXPECT_EQ(pop(4), 0u) << "a device takes nothing of another list";
  EXPECT_EQ(pop(2), 1u) << "the main thread may not come";
}

TEST_F(Lists, RandomUsesAllThatCanAndRepeatsItself) {
  auto homes = [&](uint64_t Seed) {
    Host.Seed = Seed;
    start("random");
    std::vector<WorkerId> Homes;
    for (TaskId Id = 1; Id <= 100; ++Id) {
      Task &T = task(Id % 2 ? Both : Gpu);
      T.Id = Id;
      P->push(T, NoWorker);
      Homes.push_back(T.ChosenWorker);
    }
    return Homes;
  };
  std::vector<WorkerId> First = homes(1);
  std::set<WorkerId> OfBoth, OfGpu;
  for (size_t I = 0; I < First.size(); ++I)
    (I % 2 ? OfGpu : OfBoth).insert(First[I]);
  EXPECT_EQ(OfBoth, (std::set<WorkerId>{0, 1, 2, 3, 4}));
  EXPECT_EQ(OfGpu, (std::set<WorkerId>{3, 4}));
  EXPECT_EQ(homes(1), First);
  EXPECT_NE(homes(2), First);
}

TEST_F(Lists, PrioIsOneListInOrderOfPriorityThenOfArrival) {
  start("prio");
  P->push(task(Both), 1);
  P->push(task(Both, 1), 2);
  P->pushActivated(task(Both), 3);
  P->push(task(Gpu, 5), 0);
  P->push(task(Both, 1), 0);
  EXPECT_EQ(pop(2), 2u) << "what it cannot run does not stop it";
  EXPECT_EQ(pop(4), 4u);
  EXPECT_EQ(pop(3), 5u);
  EXPECT_EQ(pop(1), 1u);
  EXPECT_EQ(pop(1), 3u);
  EXPECT_EQ(pop(1), 0u);
}

TEST_F(Lists, WorkStealingTakesTheNewestOfItsOwnAndTheOldestOfOthers) {
  start("ws");
  for (int I = 0; I < 4; ++I)
    P->pushActivated(task(Both), 1);
  P->pushActivated(task(Gpu), 1); // Where it cannot run.
  EXPECT_EQ(pop(1), 4u);
  EXPECT_EQ(pop(2), 1u);
  EXPECT_EQ(pop(3), 2u);
  EXPECT_EQ(pop(4), 3u);
  EXPECT_EQ(pop(2), 0u);
  EXPECT_EQ(pop(3), 5u);
}

TEST_F(Lists, WorkStealingWakesOneThatCanRunIt) {
  start("ws");
  idle();
  P->pushActivated(task(Gpu), 1);
  EXPECT_EQ(Host.takeWoken(), (Woken{3}));
  P->pushActivated(task(Both), 1);
  EXPECT_EQ(Host.takeWoken(), (Woken{1})) << "the list's own worker";
  P->pushActivated(task(Cpu), 1);
  EXPECT_EQ(Host.takeWoken(), (Woken{2})) << "it has been woken for the first";
  P->busy(2); // It does something else: another one has to come.
  EXPECT_EQ(Host.takeWoken(), (Woken{4, 0})) << "one for each list's tasks";
}

TEST_F(Lists, DataAwareGoesWhereMostBytesAreValid) {
  start("ws-data");
  Host.Valid[&Data[0]] = {256, 0, 256};
  Host.Valid[&Data[1]] = {0, 256, 256};
  Task &OnTwo = withData(Both, {HSCHED_IN, HSCHED_IN});
  P->pushActivated(OnTwo, 1);
  EXPECT_EQ(OnTwo.ChosenWorker, 4u);
  Task &CpuTask = withData(Cpu, {HSCHED_IN, HSCHED_IN});
  P->pushActivated(CpuTask, 2);
  EXPECT_EQ(CpuTask.ChosenWorker, 2u) << "of cores, all tied, the one that made it ready";
  Task &AtSubmission = withData(Both, {HSCHED_IN, HSCHED_IN});
  P->push(AtSubmission, 1);
  EXPECT_EQ(AtSubmission.ChosenWorker, 1u) << "only completions are looked at";
  EXPECT_EQ(pop(4), 1u);
  EXPECT_EQ(pop(3), 3u) << "what is meant for another one may be stolen";
}

TEST_F(Lists, LocalityAwareGoesToAnOwnerOfWhatIsWritten) {
  start("ws-locality");
  Host.Valid[&Data[0]] = {256, 256, 0};
  Host.Valid[&Data[1]] = {0, 0, 256};
  Task &Owned = withData(Both, {HSCHED_IN, HSCHED_INOUT});
  P->pushActivated(Owned, 1);
  EXPECT_EQ(Owned.ChosenWorker, 4u);
  Host.Valid[&Data[1]] = {0, 0, 128};
  Task &PartlyOwned = withData(Both, {HSCHED_IN, HSCHED_INOUT});
  P->pushActivated(PartlyOwned, 3);
  EXPECT_EQ(PartlyOwned.ChosenWorker, 3u) << "no valid copy is whole";
  Task &OnlyReads = withData(Both, {HSCHED_IN});
  P->pushActivated(OnlyReads, 2);
  EXPECT_EQ(OnlyReads.ChosenWorker, 2u);
}

TEST_F(Lists, HeftSortsWhatOneCompletionReleasedBySpeedUp) {
  start("heft");
  TestType Slow, Fast;
  for (TestType *T : {&Slow, &Fast})
    T->add(HSCHED_DEVICE_CPU), T->add(HSCHED_DEVICE_OPENCL);
  measured(Slow, 0, 10us), measured(Slow, 1, 8us);
  measured(Fast, 0, 100us), measured(Fast, 1, 10us);
  EXPECT_TRUE(P->hooks() & HookActivated);
  for (TestType *T : {&Slow, &Slow, &Fast, &Fast})
    P->pushActivated(task(*T), 1);
  EXPECT_EQ(pop(3) + pop(4) + pop(1), 0u) << "not all of them are known yet";
  P->activated(1);
  // Tasks 3 and 4 gain most, and have the devices; then the cores end first.
  EXPECT_EQ(pop(3) + pop(4), 7u);
  EXPECT_EQ(pop(1) + pop(2), 3u);
}

TEST_F(Lists, HeftWeighsTransfersByTheNumberOfAccelerators) {
  start("heft");
  measured(Both, 0, 30us), measured(Both, 1, 10us);
  Host.Travel = {0us, 9us, 11us};
  P->push(task(Both), NoWorker);
  EXPECT_EQ(pop(3), 1u) << "9 times 2 and 10 is less than 30";
  end(1);
  Host.Travel = {0us, 11us, 11us};
  P->push(task(Both), NoWorker);
  EXPECT_EQ(pop(3) + pop(4), 0u);
  EXPECT_EQ(pop(1), 2u);
}

TEST_F(Lists, WhatIsUnknownIsTriedLambdaTimesEach) {
  for (const char *Name : {"heft", "dmdas"}) {
    start(Name);
    TestType T;
    T.add(HSCHED_DEVICE_CPU), T.add(HSCHED_DEVICE_OPENCL);
    unsigned On[2] = {};
    for (unsigned I = 0; I < 2 * Host.Lambda; ++I) {
      Task &New = task(T);
      P->push(New, NoWorker);
      ++On[New.Chosen->Index];
    }
    EXPECT_EQ(On[0], Host.Lambda) << Name;
    EXPECT_EQ(On[1], Host.Lambda) << Name;
    measured(T, 0, 1us), measured(T, 1, 1ms);
    Task &New = task(T);
    P->push(New, NoWorker);
    EXPECT_EQ(New.Chosen->Index, 0u) << Name;
  }
}

TEST_F(Lists, DmdasTakesTheMostUrgentAndOfThoseWhatIsThere) {
  start("dmdas");
  TestType OnGpu;
  OnGpu.add(HSCHED_DEVICE_OPENCL);
  measured(OnGpu, 0, 10us);
  Host.P.Workers.pop_back(); // One device.
  start("dmdas");
  for (int32_t Priority : {0, 1, 1, 1})
    P->push(task(OnGpu, Priority), NoWorker);
  // The third needs the fewest bytes of transfers.
  struct Far final : FakeHost {
    using FakeHost::FakeHost;
    Duration transferTime(const Task &T, MemoryNode) override { return T.Id == 3 ? 1us : 5us; }
  } Other(1, 1);
  Other.apart();
  P = makePolicy("dmdas");
  P->start(Other);
  for (int32_t Priority : {0, 1, 1, 1})
    P->push(Other.task(OnGpu, 1024, Priority), NoWorker);
  Assignment A;
  std::vector<TaskId> Order;
  while (P->pop(1, A))
    Order.push_back(A.T->Id);
  EXPECT_EQ(Order, (std::vector<TaskId>{3, 2, 4, 1}));
}

// On a list that no other worker takes from, it would wait for ever.
TEST_F(Lists, AVersionIsDisabledWhileItIsChosen) {
  struct Failing final : FakeHost {
    using FakeHost::FakeHost;
    Duration transferTime(const Task &T, MemoryNode Node) override {
      if (Node == 1)
        T.Type->Versions[1].disableOn(2);
      return 0us;
    }
  };
  for (const char *Name : {"heft", "dmdas"}) {
    Failing Other(2, 2);
    Other.apart();
    TestType T;
    T.add(HSCHED_DEVICE_CPU), T.add(HSCHED_DEVICE_OPENCL);
    for (unsigned I = 0; I < Other.Lambda; ++I)
      Other.Known.record(T.Type, 1024, 0, CpuModel, 10us), Other.Known.record(T.Type, 1024, 1, CpuModel, 1us);
    P = makePolicy(Name);
    P->start(Other);
    P->push(Other.task(T), NoWorker);
    Assignment A;
    EXPECT_TRUE(P->pop(3, A)) << Name;
  }
}

TEST_F(Lists, DartsBringsTheDatumThatEnablesMost) {
  start("darts");
  for (auto &Each : Data)
    Host.Valid[&Each] = {256, 0, 0};
  Host.Valid[&Data[0]] = {256, 256, 0}; // On worker 3.
  P->push(reading(Gpu, {1, 2}), NoWorker);
  P->push(reading(Gpu, {0, 1}), NoWorker);
  P->push(reading(Gpu, {0, 2}), NoWorker);
  P->push(reading(Gpu, {2, 0}), NoWorker);
  EXPECT_EQ(pop(3), 3u) << "datum 2 enables two tasks, datum 1 one";
  EXPECT_EQ(pop(3), 4u);
  Host.Valid[&Data[2]] = {256, 256, 0};
  P->push(reading(Gpu, {2}), NoWorker);
  EXPECT_EQ(pop(3), 5u) << "nothing has to be brought";
  EXPECT_EQ(pop(3), 1u) << "datum 1 enables both; the first one comes first";
  EXPECT_EQ(pop(4), 2u) << "the end of the work is shared";
  EXPECT_EQ(pop(3), 0u);
}

TEST_F(Lists, DartsBringsLeastWhereNoDatumIsEnough) {
  start("darts");
  for (auto &Each : Data)
    Host.Valid[&Each] = {256, 0, 0};
  P->push(reading(Gpu, {0, 1, 2}), NoWorker);
  P->push(reading(Gpu, {2, 3}), NoWorker);
  EXPECT_EQ(pop(4), 2u);
  EXPECT_EQ(pop(4), 1u);
}

TEST_F(Lists, DartsLeavesToCoresWhatTheyEndSooner) {
  start("darts");
  P->push(task(Both), NoWorker);
  EXPECT_EQ(pop(1), 0u) << "nothing is known of devices";
  measured(Both, 1, 10us);
  EXPECT_EQ(pop(1), 1u) << "once, to know";
  measured(Both, 0, 50us);
  for (int I = 0; I < 10; ++I)
    P->push(task(Both), NoWorker);
  EXPECT_EQ(pop(1), 0u) << "two devices end ten of them in 50 us";
  P->push(task(Both), NoWorker);
  EXPECT_EQ(pop(1), 2u);
  EXPECT_EQ(pop(2), 0u);
  P->push(task(Cpu), NoWorker);
  EXPECT_EQ(pop(3), 3u);
  EXPECT_EQ(pop(2), 13u) << "no device can run it";
}

// The policy must report a task that no worker can run any more to the executor.
TEST_F(Lists, WhatCannotRunAnyMoreComesOut) {
  for (const char *Name : {"random", "round-robin", "prio", "ws", "ws-data", "ws-locality", "heft", "dmdas", "darts"}) {
    start(Name);
    TestType T;
    T.add(HSCHED_DEVICE_OPENCL);
    Task &New = task(T);
    P->push(New, NoWorker);
    for (WorkerId W : {3, 4})
      T.version(0).disableOn(W);
    Assignment A;
    bool Out = false;
    for (int Round = 0; Round < 2 && !Out; ++Round)
      for (WorkerId W = 0; W < 5 && !Out; ++W)
        Out = P->pop(W, A);
    EXPECT_TRUE(Out && A.T == &New) << Name;
  }
}

TEST_F(Lists, AWaitingBodyFindsWhatItWants) {
  for (const char *Name : {"random", "round-robin", "prio", "ws", "ws-data", "ws-locality", "heft", "dmdas", "darts"}) {
    start(Name);
    Task &Other = task(Cpu), &Mine = task(Cpu), &Device = task(Gpu);
    for (Task *T : {&Other, &Mine, &Device})
      P->push(*T, 1);
    Assignment A;
    EXPECT_TRUE(P->popMatching(2, [&](const Task &T) { return &T == &Mine || &T == &Device; }, A)) << Name;
    EXPECT_EQ(A.T, &Mine) << Name;
    EXPECT_FALSE(P->popMatching(2, [&](const Task &T) { return &T == &Device; }, A)) << Name;
  }
}

} // namespace
