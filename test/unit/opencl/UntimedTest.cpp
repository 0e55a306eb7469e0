// Launches without times, and flushes of several queues together: what the driver is called for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <CL/cl.h>
#include <dlfcn.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

static std::atomic<int> Flushes{0}, Barriers{0}, KernelEvents{0};
static std::atomic<bool> LastMeasures{false}; // Whether the queue of the last kernel has profiling.

#pragma GCC visibility push(default) // In place of the loader's.
extern "C" cl_int CL_API_CALL clFlush(cl_command_queue Queue) {
  ++Flushes;
  static auto *Real = reinterpret_cast<decltype(&clFlush)>(dlsym(RTLD_NEXT, "clFlush"));
  return Real(Queue);
}
extern "C" cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue Queue, cl_uint N, const cl_event *Wait,
                                                           cl_event *Done) {
  ++Barriers;
  static auto *Real =
      reinterpret_cast<decltype(&clEnqueueBarrierWithWaitList)>(dlsym(RTLD_NEXT, "clEnqueueBarrierWithWaitList"));
  return Real(Queue, N, Wait, Done);
}
extern "C" cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue Queue, cl_kernel K, cl_uint Dims,
                                                     const size_t *Offset, const size_t *Global, const size_t *Local,
                                                     cl_uint N, const cl_event *Wait, cl_event *Done) {
  cl_command_queue_properties P = 0;
  clGetCommandQueueInfo(Queue, CL_QUEUE_PROPERTIES, sizeof(P), &P, nullptr);
  LastMeasures = (P & CL_QUEUE_PROFILING_ENABLE) != 0;
  KernelEvents += Done != nullptr;
  static auto *Real = reinterpret_cast<decltype(&clEnqueueNDRangeKernel)>(dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel"));
  return Real(Queue, K, Dims, Offset, Global, Local, N, Wait, Done);
}
#pragma GCC visibility pop

namespace {

class UntimedTest : public OpenClTest {
protected:
  void SetUp() override {
    setenv("HSCHED_OPENCL_COPY", "1", 1); // Transfers are wanted.
    setenv("HSCHED_QUEUES", "3", 1);
    Options.TimeTransfers = false;
    open();
    if (HasFatalFailure() || IsSkipped())
      return;
    Kernel = kernel(describe(Step, "advance_one"));
    ASSERT_TRUE(Kernel);
    ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), X).ok());
    EventRef Up;
    ASSERT_TRUE(Dev->write(X, 0, &Zero, sizeof(Zero), {}, Up).ok());
    ASSERT_TRUE(Up->wait().ok());
  }
  // A launch on queue 1, without a predecessor, and whether its native queue measures times.
  bool step(EventRef &Done, CompletionReport When, uint32_t Rounds = 10) {
    const uint32_t V = Expected % 7;
    std::vector<BoundArg> Args = {buffer(X), value(V), value(Rounds)};
    EXPECT_TRUE(Dev->launch(Kernel, range(1), Args, {}, Done, When, 1).ok());
    Expected = Expected * 3 + V;
    return LastMeasures;
  }
  // Many launches whose times are not needed, one by one.
  void warmUp() {
    for (int I = 0; I < 40; ++I) {
      EventRef Done;
      step(Done, CompletionReport::Untimed);
      ASSERT_TRUE(Done->wait().ok());
    }
  }
  void checkResult() {
    uint32_t Got = 0;
    EventRef Down;
    ASSERT_TRUE(Dev->read(X, 0, &Got, sizeof(Got), {}, Down).ok());
    ASSERT_TRUE(Down->wait().ok());
    EXPECT_EQ(Got, Expected);
  }
  const uint32_t Zero = 0;
  uint32_t Expected = 0;
  KernelRef Kernel;
  BufferRef X;
};

} // namespace

TEST_F(UntimedTest, LaunchesLeaveTheQueueThatMeasuresOnceHardlyAnyNeedTimes) {
  EventRef Done;
  EXPECT_TRUE(step(Done, CompletionReport::Untimed)) << "few launches so far";
  ASSERT_TRUE(Done->wait().ok());
  warmUp();
  for (CompletionReport When : {CompletionReport::Untimed, CompletionReport::Late}) {
    EXPECT_FALSE(step(Done, When));
    ASSERT_TRUE(Done->wait().ok());
    EXPECT_FALSE(Done->times());
  }
  // The queue has nothing to do, so a launch with times costs nothing more.
  EXPECT_TRUE(step(Done, CompletionReport::Soon));
  ASSERT_TRUE(Done->wait().ok());
  EXPECT_TRUE(Done->times());
  EXPECT_FALSE(step(Done, CompletionReport::Untimed));
  ASSERT_TRUE(Done->wait().ok());
  EXPECT_EQ(Barriers, 0);
  checkResult();
}

// An event without times is cheap, and others wait for the ends that it reports.
TEST_F(UntimedTest, AQueueThatDoesNotMeasureReportsMoreOften) {
  Dev->setReportBatch(16);
  std::vector<EventRef> Ends(16);
  for (const bool Measures : {true, false}) {
    if (!Measures)
      warmUp();
    const int Before = KernelEvents;
    for (size_t I = 0; I < Ends.size(); ++I) {
      EXPECT_EQ(step(Ends[I], CompletionReport::Late), Measures);
      EXPECT_EQ(Dev->isReported(*Ends[I]), (I + 1) % (Measures ? 16 : 8) == 0) << I;
    }
    EXPECT_EQ(KernelEvents - Before, Measures ? 1 : 2);
    for (const EventRef &E : Ends)
      ASSERT_TRUE(E->wait().ok());
  }
  checkResult();
}

// No launch names its predecessors: the queue's order alone counts.
TEST_F(UntimedTest, BothNativeQueuesKeepTheOrder) {
  for (int Round = 0; Round < 20; ++Round) {
    warmUp();
    const int Before = Barriers;
    std::vector<EventRef> Steps(6);
    EXPECT_FALSE(step(Steps[0], CompletionReport::Late, 200000));
    EXPECT_FALSE(step(Steps[1], CompletionReport::Late));
    EXPECT_TRUE(step(Steps[2], CompletionReport::Soon));
    EXPECT_EQ(Barriers, Before + 1);
    EXPECT_TRUE(step(Steps[3], CompletionReport::Untimed)) << "the queue is changed back only while it is empty";
    EXPECT_TRUE(step(Steps[4], CompletionReport::Late));
    EXPECT_TRUE(step(Steps[5], CompletionReport::Soon));
    for (const EventRef &E : Steps)
      ASSERT_TRUE(E->wait().ok());
    EXPECT_TRUE(Steps[2]->times() && Steps[5]->times());
    checkResult();
  }
}

TEST_F(UntimedTest, AWriteAheadGoesToTheNativeQueueOfItsKernel) {
  warmUp();
  for (const bool Timed : {false, true, false}) {
    EventRef Up, Done;
    Dev->preferQueue(1, Timed);
    ASSERT_TRUE(Dev->write(X, 0, &Zero, sizeof(Zero), {}, Up).ok());
    Dev->preferQueue(AnyQueue);
    Expected = 0;
    EXPECT_EQ(step(Done, Timed ? CompletionReport::Soon : CompletionReport::Untimed), Timed);
    ASSERT_TRUE(Done->wait().ok());
    EXPECT_EQ(Done->times().has_value(), Timed);
    EXPECT_TRUE(Up->done());
    checkResult();
  }
  EXPECT_EQ(Barriers, 0);
}

// A driver may wait in a long write for earlier commands of the queue, and these for other queues' commands.
TEST_F(UntimedTest, NothingThatALongWriteAheadMayWaitForIsUnflushed) {
  const std::vector<char> Long(100 << 10);
  BufferRef To;
  EventRef Up, Done, Ahead;
  ASSERT_TRUE(Dev->allocate(Long.size(), To).ok());
  for (const size_t Bytes : {sizeof(uint32_t), Long.size()}) {
    ASSERT_TRUE(Dev->write(X, 0, &Zero, sizeof(Zero), {}, Up).ok());
    Expected = 0;
    const uint32_t One = 1, Rounds = 10;
    std::vector<BoundArg> Args = {buffer(X), value(One), value(Rounds)};
    ASSERT_TRUE(Dev->launch(Kernel, range(1), Args, std::vector{Up}, Done, CompletionReport::Untimed, 1).ok());
    Expected = 1;
    const int Before = Flushes;
    Dev->preferQueue(1, false);
    ASSERT_TRUE(Dev->write(To, 0, Long.data(), Bytes, {}, Ahead).ok());
    Dev->preferQueue(AnyQueue);
    EXPECT_EQ(Flushes, Before + (Bytes == Long.size() ? 2 : 0));
    ASSERT_TRUE(Done->wait().ok());
    ASSERT_TRUE(Ahead->wait().ok());
  }
  checkResult();
}

// A program's own commands are measured.
TEST_F(UntimedTest, NativeWorkHasTimes) {
  warmUp();
  EventRef Kernel, Done;
  EXPECT_FALSE(step(Kernel, CompletionReport::Late, 100000));
  std::unique_ptr<NativeWork> Work;
  ASSERT_TRUE(Dev->beginNative("work", {}, Work, 1).ok());
  EXPECT_EQ(clFinish(static_cast<cl_command_queue>(Work->queue())), CL_SUCCESS);
  ASSERT_TRUE(Work->end(Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  EXPECT_TRUE(Done->times());
  EXPECT_TRUE(Kernel->done());
  checkResult();
}

// Kernels that wait for other queues' commands do not flush these one by one.
TEST_F(UntimedTest, QueuesAreFlushedTogether) {
  std::vector<BufferRef> Many(16);
  std::vector<EventRef> Ups(16), Ends(16);
  for (BufferRef &B : Many)
    ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), B).ok());
  const int Before = Flushes;
  const uint32_t One = 1, Rounds = 10;
  for (size_t I = 0; I < Many.size(); ++I) {
    ASSERT_TRUE(Dev->write(Many[I], 0, &One, sizeof(One), {}, Ups[I]).ok());
    std::vector<BoundArg> Args = {buffer(Many[I]), value(One), value(Rounds)};
    ASSERT_TRUE(Dev->launch(Kernel, range(1), Args, std::vector{Ups[I]}, Ends[I], CompletionReport::Untimed,
                            static_cast<unsigned>(I % 3))
                    .ok());
    (void)Ends[I]->done();
  }
  EXPECT_EQ(Flushes, Before);
  Dev->flush();
  EXPECT_LE(Flushes, Before + 4) << "the transfers' queue and three for kernels";
  for (size_t I = 0; I < Many.size(); ++I) {
    uint32_t Got = 0;
    EventRef Down;
    ASSERT_TRUE(Dev->read(Many[I], 0, &Got, sizeof(Got), std::vector{Ends[I]}, Down).ok());
    ASSERT_TRUE(Down->wait().ok());
    EXPECT_EQ(Got, 4u);
  }
  // Polls alone flush as well, and what a kernel waits for is flushed before it. A requested report is flushed at once.
  for (const CompletionReport When : {CompletionReport::Untimed, CompletionReport::Late}) {
    ASSERT_TRUE(Dev->write(X, 0, &Zero, sizeof(Zero), {}, Ups[0]).ok());
    Expected = 0;
    std::vector<BoundArg> Args = {buffer(X), value(One), value(Rounds)};
    ASSERT_TRUE(Dev->launch(Kernel, range(1), Args, std::vector{Ups[0]}, Ends[0], When, 2).ok());
    if (When == CompletionReport::Late) {
      const int Unflushed = Flushes;
      Dev->requestReport(Ends[0]);
      EXPECT_EQ(Flushes, Unflushed + 2) << "the transfers' queue and the kernel's";
    }
    while (!Ends[0]->done())
      std::this_thread::yield();
  }
  Expected = 1;
  checkResult();
}
