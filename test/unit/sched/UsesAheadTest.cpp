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

TEST_F(Uses, BytesAreOnTheHostOrOnDevices) {
  UsesAhead Ahead;
  Task &Step = task({access(0, 1000, HSCHED_IN), access(1000, 300, HSCHED_INOUT)}),
       &Next = task({access(1000, 300, HSCHED_INOUT)});
  EXPECT_EQ(Ahead.holderOf(Step), NoWorker);
  Ahead.submitted(Step), Ahead.submitted(Next);
  EXPECT_EQ(Ahead.bytes().OnHost, 1300u);
  EXPECT_EQ(Ahead.bytes().OnDevices, 0u);
  Ahead.planned(Step, 2);
  EXPECT_EQ(Ahead.bytes().OnHost, 0u);
  EXPECT_EQ(Ahead.bytes().OnDevices, 1300u);
  EXPECT_EQ(Ahead.holderOf(Next), 2u);
  Ahead.planned(Next, NoWorker); // A core fetches it.
  EXPECT_EQ(Ahead.holderOf(Next), NoWorker);
  EXPECT_EQ(Ahead.bytes().OnDevices, 1000u);
  Ahead.ended(Step);
  EXPECT_EQ(Ahead.bytes().OnHost, 300u);
  EXPECT_EQ(Ahead.bytes().OnDevices, 0u);
  Ahead.ended(Next);
  EXPECT_EQ(Ahead.bytes().OnHost, 0u);
}

// Only what a task updates says where it belongs: others may read the rest.
TEST_F(Uses, ADeviceHoldsWhatIsUpdated) {
  UsesAhead Ahead;
  Task &Reads = task({access(0, 1000, HSCHED_IN), access(2000, 10, HSCHED_OUT)}),
       &Updates = task({access(0, 1000, HSCHED_IN), access(1000, 300, HSCHED_INOUT)});
  Ahead.submitted(Reads), Ahead.submitted(Updates);
  Ahead.planned(Reads, 1);
  EXPECT_EQ(Ahead.holderOf(Updates), NoWorker);
  EXPECT_EQ(Ahead.holderOf(Reads), NoWorker);
}

TEST_F(Uses, WhatIsReadComesBackIfLaterTasksWriteIt) {
  UsesAhead Ahead;
  Task &Step = task({access(0, 1000, HSCHED_IN), access(1000, 3000, HSCHED_IN), access(4000, 90, HSCHED_OUT)}),
       &Next = task({access(0, 1000, HSCHED_OUT)});
  Ahead.submitted(Step);
  EXPECT_EQ(Ahead.writtenShare(Step), 0);
  Ahead.submitted(Next);
  EXPECT_DOUBLE_EQ(Ahead.writtenShare(Step), 0.25);
  Ahead.ended(Next);
  EXPECT_EQ(Ahead.writtenShare(Step), 0);
  EXPECT_EQ(Ahead.writtenShare(task({access(0, 1000, HSCHED_OUT)})), 1) << "it reads nothing";
}

TEST_F(Uses, DataAreWhereTheLastTaskIsPlanned) {
  UsesAhead Ahead;
  Task &First = task({access(0, 1000, HSCHED_INOUT), access(1000, 500, HSCHED_IN)}),
       &Second = task({access(0, 1000, HSCHED_INOUT)}), &Unknown = task({access(2000, 100, HSCHED_OUT)});
  Ahead.submitted(First), Ahead.submitted(Second);
  Ahead.planned(First, 2), Ahead.planned(Unknown, 2);
  EXPECT_EQ(Ahead.bytesAt(2), 1500u);
  Ahead.planned(Second, 1);
  EXPECT_EQ(Ahead.bytesAt(2), 500u);
  EXPECT_EQ(Ahead.bytesAt(1), 1000u);
  Ahead.ended(First);
  EXPECT_EQ(Ahead.bytesAt(2), 0u) << "no task uses it any more";
  Ahead.planned(Second, NoWorker);
  EXPECT_EQ(Ahead.bytesAt(1), 0u) << "it is planned for a core";
  EXPECT_EQ(Ahead.bytesAt(9), 0u);
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

// Three cores and a device. Tasks on blocks of data, one task for each block and step, of which the first step's are
// ready. A task waits for its block's last one, or for those of all blocks. A core takes 20 ms for a task; to move a
// block takes 5 ms, for which a plan counts 10 ms behind the queued transfers.
struct Waves : Uses {
  explicit Waves(unsigned Devices = 1) : Host(3, Devices) {
    for (Worker &W : Host.P.Workers)
      W.Model = Host.P.modelOf(W.Kind == DeviceKind::Cpu ? "CPU" : "GPU");
    Host.apart();
    P->start(Host);
    Type.add(HSCHED_DEVICE_CPU), Type.add(HSCHED_DEVICE_OPENCL);
    Host.Travel = {0ms, 5ms};
  }
  // Submits the tasks, and returns the workers of the first step.
  std::vector<WorkerId> plan(size_t Blocks, size_t Steps, Duration OnDevice = 1ms, bool OnAll = true) {
    Host.Known.record(Type.Type, 1024, 0, CpuModel, 20ms);
    Host.Known.record(Type.Type, 1024, 1, ModelId(1), OnDevice);
    std::vector<Task *> Firsts, Before, Now;
    for (size_t Step = 0; Step < Steps; ++Step, Before = std::exchange(Now, {}))
      for (size_t Block = 0; Block < Blocks; ++Block) {
        Task &T = with(Host.task(Type), {access(100 * Block, 100, HSCHED_INOUT)});
        P->submitted(T, 0);
        for (size_t Other = 0; Other < Before.size(); ++Other)
          if (OnAll || Other == Block)
            P->edge(Before[Other]->Id, T.Id);
        Now.push_back(&T);
        if (!Step)
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

  FakeHost Host;
  std::unique_ptr<Policy> P = makePolicy("adaptive");
  TestType Type;
};

// Six independent tasks for three cores. The device would only delay the end, but cores refuse these tasks.
TEST_F(Waves, WhatNoCoreTakesGoesToADeviceHoweverFar) {
  Host.Back = {0ms, 1000ms};
  Task &First = with(Host.task(Type), {access(3000, 100, HSCHED_INOUT)});
  P->submitted(First, 0);
  for (const WorkerId W : plan(6, 1, 1ms, false))
    EXPECT_LT(W, 3u) << "two seconds of the link save 7 ms";
  for (unsigned I = 0; I != Host.lambda(); ++I)
    P->refused(First, Type.version(0), 0);
  P->push(First, NoWorker);
  EXPECT_EQ(First.ChosenWorker, 3u);
}

TEST_F(Waves, BlocksMoveAtOneTimeIfDevicesWouldWaitForCores) {
  EXPECT_EQ(plan(6, 8), std::vector<WorkerId>(6, 3u)) << "all but two would end after 20 ms";
  Assignment A;
  for (WorkerId Core = 0; Core < 3; ++Core)
    EXPECT_FALSE(P->pop(Core, A)) << "an idle core leaves them there";
}

// The device alone would take longer than a core for a block's tasks, so each block is planned by itself.
TEST_F(Waves, NotForAFewUses) { EXPECT_GT(onCores(plan(6, 3)), 0u); }

TEST_F(Waves, NotIfEachCoreHasManyTasks) { EXPECT_GT(onCores(plan(13, 8, 500us)), 0u) << "13 for three cores"; }

TEST_F(Waves, NotIfDevicesAreBusyMeanwhile) {
  EXPECT_GT(onCores(plan(6, 8, 3ms)), 0u) << "204 ms on the device alone, 160 ms if each has half of the blocks";
}

// The device ends the first tasks sooner than cores. But as long as one block is on a core, the others wait for it.
TEST_F(Waves, BlocksStayOnCoresIfThatIsSoonerForAll) {
  Host.Travel = {0ms, 7ms};
  EXPECT_EQ(onCores(plan(3, 2)), 3u) << "40 ms on cores, 48 ms with transfers and work";
  Assignment A;
  EXPECT_FALSE(P->pop(3, A)) << "the idle device leaves them there";
}

TEST_F(Waves, AllMoveIfThatIsSooner) {
  Host.Travel = {0ms, 15ms};
  EXPECT_EQ(onCores(plan(3, 5, 100us)), 0u) << "100 ms on cores, 91.5 ms with transfers and work";
  Assignment A;
  EXPECT_FALSE(P->pop(0, A)) << "an idle core leaves them there";
}

// Links that return the data count, too.
TEST_F(Waves, WhatMovesHomeCounts) {
  Host.Travel = {0ms, 15ms};
  Host.Back = {0ms, 4ms};
  EXPECT_EQ(onCores(plan(3, 5, 100us)), 3u) << "103.5 ms with transfers and work";
}

TEST_F(Waves, NotIfBlocksDoNotWaitForEachOther) {
  Host.Travel = {0ms, 7ms};
  EXPECT_LT(onCores(plan(3, 2, 1ms, false)), 3u) << "a core is free for something else meanwhile";
}

TEST_F(Waves, NotIfADeviceAloneCanRunATask) {
  TestType OnDevice;
  OnDevice.add(HSCHED_DEVICE_OPENCL);
  P->submitted(with(Host.task(OnDevice), {access(2000, 100, HSCHED_INOUT)}), 0);
  EXPECT_GT(onCores(plan(3, 4, 100us)), 0u) << "the last block would wait for the others' transfers";
}

// Two devices. Each gets as many blocks as the other.
struct TwoDevices : Waves {
  TwoDevices() : Waves(2) {}
};

TEST_F(TwoDevices, GetEqualParts) {
  // The first device lacks less of each block: without an equal share it would get most.
  Host.Travel = {0ms, 4ms, 5ms};
  const std::vector<WorkerId> On = plan(4, 8, 10us);
  EXPECT_EQ(std::ranges::count(On, 3u), 2);
  EXPECT_EQ(std::ranges::count(On, 4u), 2);
}

} // namespace
