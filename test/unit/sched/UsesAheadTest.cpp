// What a transfer is worth: how many tasks use the data, and what policy adaptive makes of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/UsesAhead.h"
#include "FakeHost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Uses : testing::Test {
  hsched_access access(size_t At, size_t Bytes, unsigned Mode) const { return {&Memory[At], Bytes, 1, Bytes, Mode, 0}; }
  // A task that lives as long as the test.
  Task &with(Task &T, std::vector<hsched_access> Of) {
    std::vector<hsched_access> &Kept = Accesses.emplace_back(std::move(Of));
    T.AccessList = Kept.data();
    T.NumAccesses = static_cast<uint32_t>(Kept.size());
    return T;
  }
  Task &task(std::vector<hsched_access> Of) { return with(Tasks.emplace_back(), std::move(Of)); }

  std::array<char, 4096> Memory{};
  std::deque<std::vector<hsched_access>> Accesses;
  std::deque<Task> Tasks;
};

TEST_F(Uses, ATransferIsSharedByTheTasksThatUseItsData) {
  UsesAhead Ahead;
  Task &First = task({access(0, 1000, HSCHED_IN), access(1000, 1000, HSCHED_OUT)});
  EXPECT_EQ(Ahead.share(First), 1) << "none is counted yet";
  Ahead.submitted(First);
  EXPECT_EQ(Ahead.share(First), 1);
  // Two more use what it reads; what begins there and is longer is something else.
  Task &Reads = task({access(0, 1000, HSCHED_IN)}), &Writes = task({access(0, 1000, HSCHED_OUT)}),
       &Longer = task({access(0, 1001, HSCHED_IN)});
  for (Task *T : {&Reads, &Writes, &Longer})
    Ahead.submitted(*T);
  EXPECT_DOUBLE_EQ(Ahead.share(First), 1.0 / 3);
  Ahead.ended(Reads);
  EXPECT_DOUBLE_EQ(Ahead.share(First), 1.0 / 2);
  Ahead.ended(Writes);
  EXPECT_EQ(Ahead.share(First), 1);
  EXPECT_EQ(Ahead.share(Writes), 1) << "it reads nothing";
}

TEST_F(Uses, ManyBytesCountForMore) {
  UsesAhead Ahead;
  Task &Step = task({access(0, 3000, HSCHED_IN), access(3000, 1000, HSCHED_INOUT)}),
       &Next = task({access(3000, 1000, HSCHED_INOUT)});
  Ahead.submitted(Step), Ahead.submitted(Next);
  EXPECT_DOUBLE_EQ(Ahead.share(Step), (3000 + 1000 / 2.0) / 4000);
}

// A core and a device with its own memory. The device ends the task 2 ms earlier, and its data are on the way for 1 ms,
// and as long on their way home.
struct Moves : Uses {
  Moves() {
    for (Worker &W : Host.P.Workers)
      W.Model = Host.P.modelOf(W.Kind == DeviceKind::Cpu ? "CPU" : "GPU");
    Host.apart();
    P->start(Host);
    Type.add(HSCHED_DEVICE_CPU), Type.add(HSCHED_DEVICE_OPENCL);
    Host.Known.record(Type.Type, 1024, 0, CpuModel, 5ms);
    Host.Known.record(Type.Type, 1024, 1, ModelId(1), 1ms);
    Host.Travel = {0ms, 1ms};
  }
  Task &submit() {
    Task &T = with(Host.task(Type), {access(0, 1000, HSCHED_IN), access(1000, 1000, HSCHED_OUT)});
    P->submitted(T, 0);
    return T;
  }

  FakeHost Host{1, 1};
  std::unique_ptr<Policy> P = makePolicy("adaptive");
  TestType Type;
};

TEST_F(Moves, AGainThatIsWorthTheLinksTime) {
  Host.Back = {0ms, 900us};
  Task &T = submit();
  P->push(T, NoWorker);
  EXPECT_EQ(T.ChosenWorker, 1u) << "3 ms there, 5 ms here; the links are busy for 1.9 ms";
}

TEST_F(Moves, AGainThatIsNot) {
  Host.Back = {0ms, 1100us};
  Task &T = submit();
  P->push(T, NoWorker);
  EXPECT_EQ(T.ChosenWorker, 0u) << "the links are busy for 2.1 ms";
}

TEST_F(Moves, LaterTasksPayTheirShare) {
  Host.Back = {0ms, 1100us};
  Task &T = submit(), &Later = submit();
  P->push(T, NoWorker);
  EXPECT_EQ(T.ChosenWorker, 1u) << "1.05 ms for each of the two";
  Assignment A;
  ASSERT_TRUE(P->pop(1, A));
  P->completed(*A.T, *A.V, 1, 1ms);
  P->complete(*A.T);
  Host.Time.advance(10ms);
  P->push(Later, NoWorker);
  EXPECT_EQ(Later.ChosenWorker, 0u) << "it is the only one";
}

// Three cores and a device. Chains of tasks on blocks of data, one block each, of which the first tasks are ready. A
// core takes 20 ms for a task; to move a block takes 5 ms, for which a plan counts 10 ms behind the queued transfers.
struct Waves : Uses {
  Waves() {
    for (Worker &W : Host.P.Workers)
      W.Model = Host.P.modelOf(W.Kind == DeviceKind::Cpu ? "CPU" : "GPU");
    Host.apart();
    P->start(Host);
    Type.add(HSCHED_DEVICE_CPU), Type.add(HSCHED_DEVICE_OPENCL);
    Host.Travel = {0ms, 5ms};
  }
  // Submits the chains, and returns the workers of their first tasks.
  std::vector<WorkerId> plan(size_t Chains, size_t Length, Duration OnDevice = 1ms) {
    Host.Known.record(Type.Type, 1024, 0, CpuModel, 20ms);
    Host.Known.record(Type.Type, 1024, 1, ModelId(1), OnDevice);
    std::vector<Task *> Firsts, Before(Chains);
    for (size_t Step = 0; Step < Length; ++Step)
      for (size_t Chain = 0; Chain < Chains; ++Chain) {
        Task &T = with(Host.task(Type), {access(100 * Chain, 100, HSCHED_INOUT)});
        P->submitted(T, 0);
        if (Task *Last = std::exchange(Before[Chain], &T))
          P->edge(Last->Id, T.Id);
        else
          Firsts.push_back(&T);
      }
    std::vector<WorkerId> On;
    for (Task *T : Firsts) {
      P->push(*T, NoWorker);
      On.push_back(T->ChosenWorker);
    }
    return On;
  }
  size_t onCores(const std::vector<WorkerId> &On) const {
    return static_cast<size_t>(std::ranges::count_if(On, [](WorkerId W) { return W < 3; }));
  }

  FakeHost Host{3, 1};
  std::unique_ptr<Policy> P = makePolicy("adaptive");
  TestType Type;
};

TEST_F(Waves, BlocksMoveAtOneTimeIfDevicesWouldWaitForCores) {
  EXPECT_EQ(plan(6, 8), std::vector<WorkerId>(6, 3u)) << "all but two would end after 20 ms";
  Assignment A;
  for (WorkerId Core = 0; Core < 3; ++Core)
    EXPECT_FALSE(P->pop(Core, A)) << "an idle core leaves them there";
}

TEST_F(Waves, NotForAFewUses) { EXPECT_GT(onCores(plan(6, 5)), 0u); }

TEST_F(Waves, NotIfEachCoreHasManyTasks) { EXPECT_GT(onCores(plan(7, 8, 500us)), 0u) << "seven for three cores"; }

TEST_F(Waves, NotIfDevicesAreBusyMeanwhile) {
  EXPECT_GT(onCores(plan(6, 8, 2ms)), 0u) << "96 ms of work on the device, 160 ms on cores";
}

} // namespace
