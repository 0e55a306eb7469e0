// Order across queues, completion, and profile times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#include <thread>

#include <CL/cl.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

class EventsTest : public OpenClTest {
protected:
  void SetUp() override {
    setenv("HSCHED_OPENCL_COPY", "1", 1); // Transfers are wanted.
    setenv("HSCHED_QUEUES", "3", 1);
  }
  status step(const BufferRef &X, uint32_t V, uint32_t Rounds, std::vector<EventRef> Wait, EventRef &Done,
              CompletionReport When = CompletionReport::Soon, unsigned Queue = AnyQueue) {
    std::vector<BoundArg> Args = {buffer(X), value(V), value(Rounds)};
    return Dev->launch(Kernel, range(1), Args, Wait, Done, When, Queue);
  }
  // A chain of N kernels whose ends may be reported late, from 1: the final value of X.
  uint32_t chain(std::vector<EventRef> &Steps, uint32_t N) {
    uint32_t Expected = 1;
    EventRef Up;
    EXPECT_TRUE(Dev->write(X, 0, &One, sizeof(One), {}, Up).ok());
    for (uint32_t I = 0; I < N; ++I) {
      EventRef Done;
      EXPECT_TRUE(step(X, I, 100, {Steps.empty() ? Up : Steps.back()}, Done, CompletionReport::Late).ok());
      Expected = Expected * 3 + I;
      Steps.push_back(std::move(Done));
    }
    return Expected;
  }
  const uint32_t One = 1;
  void begin() {
    OPEN_DEVICE();
    Kernel = kernel(describe(Step, "advance_one"));
    ASSERT_TRUE(Kernel);
    ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), X).ok());
  }
  KernelRef Kernel;
  BufferRef X;
};

#define BEGIN()                                                                                                        \
  do {                                                                                                                 \
    begin();                                                                                                           \
    if (HasFatalFailure() || IsSkipped())                                                                              \
      return;                                                                                                          \
  } while (false)

} // namespace

TEST_F(EventsTest, QueuesAreAsAskedFor) {
  BEGIN();
  EXPECT_EQ(Dev->computeQueues(), 3u);
}

TEST_F(EventsTest, WaitListsOrderAcrossLanes) {
  BEGIN();
  // Upload, a diamond of kernels over several queues, download; never waited for in between. Each round reads what
  // the one before it left behind, so any lost order shows in the numbers.
  std::vector<uint32_t> In(30), Got(30);
  std::vector<EventRef> All;
  EventRef Last;
  BufferRef Y;
  ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), Y).ok());
  for (uint32_t I = 0; I < 30; ++I) {
    In[I] = I;
    EventRef Up, UpY, Left, Right, Join, Down;
    ASSERT_TRUE(Dev->write(X, 0, &In[I], 4, std::vector{Last}, Up).ok());
    ASSERT_TRUE(Dev->write(Y, 0, &In[I], 4, std::vector{Last}, UpY).ok());
    ASSERT_TRUE(step(X, 1, 20000, {Up}, Left).ok());
    ASSERT_TRUE(step(Y, 2, 20000, {UpY}, Right).ok());
    ASSERT_TRUE(Dev->copy(Y, 0, X, 0, 4, std::vector{Left, Right}, Join).ok());
    ASSERT_TRUE(step(X, 5, 20000, {Join}, Join).ok());
    ASSERT_TRUE(Dev->read(X, 0, &Got[I], 4, std::vector{Join}, Down).ok());
    Last = Down;
  }
  ASSERT_TRUE(Last->wait().ok());
  for (uint32_t I = 0; I < 30; ++I)
    ASSERT_EQ(Got[I], (I * 3 + 2) * 3 + 5) << I;
}

// Each direction of transfers has a queue of its own, and kernels have several: a blocked queue blocks no other.
TEST_F(EventsTest, ABlockedQueueBlocksNoOther) {
  BEGIN();
  BufferRef Y;
  ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), Y).ok());
  std::unique_ptr<NativeWork> Work;
  ASSERT_TRUE(Dev->beginNative("gate", {}, Work).ok());
  cl_int Code = CL_SUCCESS;
  cl_event Gate = clCreateUserEvent(static_cast<cl_context>(Work->context()), &Code);
  ASSERT_EQ(Code, CL_SUCCESS);
  EXPECT_EQ(clEnqueueBarrierWithWaitList(static_cast<cl_command_queue>(Work->queue()), 1, &Gate, nullptr), CL_SUCCESS);
  EventRef BlockedRun, BlockedDown, BlockedUp, Up, Ran, Down;
  ASSERT_TRUE(Work->end(BlockedRun).ok());
  Dev->flush();

  // Beside a kernel that runs on: up, another kernel, down.
  uint32_t Out = 0, Other = 0;
  ASSERT_TRUE(Dev->write(X, 0, &One, sizeof(One), {}, Up).ok());
  EXPECT_TRUE(Up->wait().ok());
  ASSERT_TRUE(step(X, 2, 10, {Up}, Ran).ok());
  EXPECT_NE(Dev->streamOf(*Ran), Dev->streamOf(*BlockedRun));
  EXPECT_TRUE(Ran->wait().ok());
  ASSERT_TRUE(Dev->read(X, 0, &Out, sizeof(Out), std::vector{Ran}, Down).ok());
  EXPECT_TRUE(Down->wait().ok());
  EXPECT_EQ(Out, 5u);
  // Beside a transfer down that has to wait: one up. Beside one up that has to wait: a kernel.
  ASSERT_TRUE(Dev->read(X, 0, &Other, sizeof(Other), std::vector{BlockedRun}, BlockedDown).ok());
  ASSERT_TRUE(Dev->write(Y, 0, &One, sizeof(One), {}, Up).ok());
  EXPECT_TRUE(Up->wait().ok());
  ASSERT_TRUE(Dev->write(Y, 0, &Out, sizeof(Out), std::vector{BlockedRun}, BlockedUp).ok());
  ASSERT_TRUE(step(X, 0, 10, {}, Ran).ok());
  EXPECT_TRUE(Ran->wait().ok());
  EXPECT_FALSE(BlockedRun->done() || BlockedDown->done() || BlockedUp->done());

  EXPECT_EQ(clSetUserEventStatus(Gate, CL_COMPLETE), CL_SUCCESS);
  for (const EventRef &E : {BlockedRun, BlockedDown, BlockedUp})
    EXPECT_TRUE(E->wait().ok());
  EXPECT_EQ(Other, 15u);
  clReleaseEvent(Gate);
}

TEST_F(EventsTest, ChainStaysOnOneQueueAndForksSpread) {
  BEGIN();
  EventRef First, Second;
  ASSERT_TRUE(step(X, 1, 1000000, {}, First).ok());
  ASSERT_TRUE(step(X, 1, 10, {First}, Second).ok());
  if (!First->done()) {
    EXPECT_EQ(Dev->streamOf(*First), Dev->streamOf(*Second));
  }
  ASSERT_TRUE(Second->wait().ok());
  std::vector<EventRef> Independent(3);
  std::vector<bool> Seen(3);
  for (EventRef &E : Independent) {
    ASSERT_TRUE(step(X, 1, 10, {}, E).ok()); // The ends were not queried: all count as outstanding.
    Seen[Dev->streamOf(*E)] = true;
  }
  EXPECT_EQ(Seen, std::vector<bool>(3, true));
  for (EventRef &E : Independent)
    ASSERT_TRUE(E->wait().ok());
}

TEST_F(EventsTest, ALaunchGoesToTheQueueThatItNames) {
  BEGIN();
  EventRef First, Second;
  for (unsigned Queue : {2u, 0u, 0u, 1u}) {
    ASSERT_TRUE(step(X, 1, 1000, {}, First, CompletionReport::Soon, Queue).ok());
    EXPECT_EQ(Dev->streamOf(*First), Queue);
    ASSERT_TRUE(step(X, 1, 10, {First}, Second, CompletionReport::Tiny, (Queue + 1) % 3).ok());
    EXPECT_EQ(Dev->streamOf(*Second), (Queue + 1) % 3);
    ASSERT_TRUE(Second->wait().ok());
  }
  const hsched::status Refused = step(X, 1, 10, {}, First, CompletionReport::Soon, 3);
  EXPECT_EQ(Refused.code(), hsched::errc::invalid_argument);
  EXPECT_NE(Refused.message().find("has no queue 3, it has 3"), std::string::npos) << Refused.message();
}

// A short write has no event there. Kernels on its queue and on others come behind it, and its end can be asked for.
TEST_F(EventsTest, AShortWriteGoesAheadOfItsKernel) {
  Options.TimeTransfers = false;
  BEGIN();
  const uint32_t Two = 2;
  EventRef Up, Kernel, Down;
  uint32_t Out = 0;
  for (unsigned Queue : {1u, 2u}) {
    Dev->preferQueue(1);
    ASSERT_TRUE(Dev->write(X, 0, &Two, sizeof(Two), {}, Up).ok());
    Dev->preferQueue(AnyQueue);
    EXPECT_EQ(Dev->streamOf(*Up), 1u);
    EXPECT_FALSE(Dev->isReported(*Up));
    ASSERT_TRUE(step(X, 5, 1000, {Up}, Kernel, CompletionReport::Soon, Queue).ok());
    ASSERT_TRUE(Dev->read(X, 0, &Out, sizeof(Out), {&Kernel, 1}, Down).ok());
    ASSERT_TRUE(Down->wait().ok());
    EXPECT_EQ(Out, 11u);
  }
  // Nothing comes behind this one.
  Dev->preferQueue(1);
  ASSERT_TRUE(Dev->write(X, 0, &Two, sizeof(Two), {}, Up).ok());
  Dev->preferQueue(AnyQueue);
  while (!Up->done())
    std::this_thread::yield();
  EXPECT_TRUE(Up->outcome().ok());
  ASSERT_TRUE(Dev->write(X, 0, &Two, sizeof(Two), {}, Up).ok());
  EXPECT_TRUE(Dev->isReported(*Up)) << "without a preference";
  ASSERT_TRUE(Up->wait().ok());
}

// One command reports all of them; the next ones run on other queues.
TEST_F(EventsTest, TinyLaunchesComeOntoOneQueueSixteenAtATime) {
  BEGIN();
  std::vector<EventRef> Steps(64);
  std::vector<unsigned> On;
  for (EventRef &E : Steps) {
    ASSERT_TRUE(step(X, 1, 10, {}, E, CompletionReport::Tiny).ok());
    On.push_back(Dev->streamOf(*E));
  }
  for (size_t I = 0; I < On.size(); ++I)
    EXPECT_EQ(On[I], On[I / 16 * 16]) << I;
  EXPECT_NE(On[0], On[16]);
  Dev->requestReport(Steps.back());
  for (EventRef &E : Steps)
    ASSERT_TRUE(E->wait().ok());
}

// On each queue one launch in so many has an event, as requested; the other launches have none until a query.
TEST_F(EventsTest, ReportBatchesHaveTheRequestedSize) {
  BEGIN();
  for (unsigned Together : {1u, 3u, 24u}) {
    Dev->setReportBatch(Together);
    // Others' may be open still, on whichever queue: they count.
    std::vector<EventRef> Steps(3 * Together);
    for (size_t I = 0; I < Steps.size(); ++I) {
      ASSERT_TRUE(step(X, 1, 10, I ? std::vector<EventRef>{Steps[I - 1]} : std::vector<EventRef>{}, Steps[I],
                       CompletionReport::Late)
                      .ok());
      if (I % Together == Together - 1) {
        EXPECT_TRUE(Dev->isReported(*Steps[I])) << Together;
        EXPECT_TRUE(Dev->isReported(*Steps[I / Together * Together])) << Together;
      } else {
        EXPECT_FALSE(Dev->isReported(*Steps[I])) << Together;
      }
    }
    EventRef More;
    ASSERT_TRUE(step(X, 1, 10, {Steps.back()}, More, CompletionReport::Late).ok());
    EXPECT_EQ(Dev->isReported(*More), Together == 1);
    Dev->requestReport(More);
    EXPECT_TRUE(Dev->isReported(*More));
    ASSERT_TRUE(More->wait().ok());
  }
}

// It needs no event then, and what came in between takes less time than one.
TEST_F(EventsTest, ATinyOneGoesToTheQueueOfItsPredecessor) {
  BEGIN();
  EventRef First, Between, Tiny, Late;
  ASSERT_TRUE(step(X, 1, 1000, {}, First, CompletionReport::Soon, 1).ok());
  ASSERT_TRUE(step(X, 1, 1000, {First}, Between, CompletionReport::Soon, 1).ok());
  ASSERT_TRUE(step(X, 1, 10, {First}, Late, CompletionReport::Late).ok());
  ASSERT_TRUE(step(X, 1, 10, {First}, Tiny, CompletionReport::Tiny).ok());
  EXPECT_EQ(Dev->streamOf(*Tiny), 1u);
  EXPECT_NE(Dev->streamOf(*Late), 1u);
  EXPECT_TRUE(Between->wait().ok() && Tiny->wait().ok() && Late->wait().ok());
}

// Short transfers have queues of their own if their times are not needed. They are ordered as before.
TEST_F(EventsTest, ShortTransfersWithoutTimes) {
  Options.TimeTransfers = false;
  BEGIN();
  uint32_t Got = 0;
  EventRef Up, Stepped, Down, Again;
  ASSERT_TRUE(Dev->write(X, 0, &One, sizeof(One), {}, Up).ok());
  ASSERT_TRUE(step(X, 5, 100000, {Up}, Stepped).ok());
  ASSERT_TRUE(Dev->read(X, 0, &Got, sizeof(Got), std::vector<EventRef>{Stepped}, Down).ok());
  ASSERT_TRUE(Dev->write(X, 0, &One, sizeof(One), std::vector<EventRef>{Down}, Again).ok());
  ASSERT_TRUE(Again->wait().ok());
  EXPECT_EQ(Got, 8u);
  EXPECT_TRUE(Up->done() && Down->done() && Down->outcome().ok());
  EXPECT_FALSE(Up->times() || Down->times());
  EXPECT_TRUE(Stepped->times());
  // A long one behind a short one to the same buffer.
  std::vector<unsigned char> Long(4 << 20, 7), Back(Long.size());
  BufferRef Y;
  ASSERT_TRUE(Dev->allocate(Long.size(), Y).ok());
  EventRef Short, All, Home;
  ASSERT_TRUE(Dev->write(Y, 64, &One, sizeof(One), {}, Short).ok());
  ASSERT_TRUE(Dev->write(Y, 0, Long.data(), Long.size(), std::vector<EventRef>{Short}, All).ok());
  ASSERT_TRUE(Dev->read(Y, 0, Back.data(), Back.size(), std::vector<EventRef>{All}, Home).ok());
  ASSERT_TRUE(Home->wait().ok());
  EXPECT_TRUE(All->times() && Home->times());
  EXPECT_EQ(Back, Long);
}

// An argument that is as it was last is not given to the driver again: those that change have to be.
TEST_F(EventsTest, ArgumentsThatChangeAreSet) {
  BEGIN();
  BufferRef Y;
  ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), Y).ok());
  uint32_t Zero = 0, InX = 0, InY = 0, GotX = 1, GotY = 1;
  EventRef E;
  for (const BufferRef &B : {X, Y}) {
    ASSERT_TRUE(Dev->write(B, 0, &Zero, sizeof(Zero), {}, E).ok());
    ASSERT_TRUE(E->wait().ok());
  }
  for (uint32_t I = 0; I < 60; ++I) {
    bool OnX = I % 4 < 2, Renew = I == 30;
    uint32_t V = I / 3; // The same three times running, whatever the buffer.
    if (Renew) {        // The handle may be the old one's.
      Y = nullptr;
      ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), Y).ok());
      ASSERT_TRUE(Dev->write(Y, 0, &Zero, sizeof(Zero), {}, E).ok());
      ASSERT_TRUE(E->wait().ok());
      InY = 0;
    }
    ASSERT_TRUE(step(OnX ? X : Y, V, 10, {}, E).ok());
    ASSERT_TRUE(E->wait().ok());
    uint32_t &Now = OnX ? InX : InY;
    Now = Now * 3 + V;
  }
  ASSERT_TRUE(Dev->read(X, 0, &GotX, sizeof(GotX), {}, E).ok());
  ASSERT_TRUE(E->wait().ok());
  ASSERT_TRUE(Dev->read(Y, 0, &GotY, sizeof(GotY), {}, E).ok());
  ASSERT_TRUE(E->wait().ok());
  EXPECT_EQ(GotX, InX);
  EXPECT_EQ(GotY, InY);
}

TEST_F(EventsTest, PollingAloneMakesProgress) {
  BEGIN();
  EventRef Up, Done;
  uint32_t V = 4;
  ASSERT_TRUE(Dev->write(X, 0, &V, 4, {}, Up).ok());
  ASSERT_TRUE(step(X, 1, 10, {Up}, Done).ok());
  while (!Done->done()) // Neither flush() nor wait(): done() must see to it.
    std::this_thread::yield();
  EXPECT_TRUE(Done->outcome().ok());
  EXPECT_TRUE(Up->done());
}

TEST_F(EventsTest, EndsAreSeenByEveryThread) {
  BEGIN();
  EventRef Done;
  ASSERT_TRUE(step(X, 1, 2000000, {}, Done).ok());
  std::vector<std::thread> Pool;
  std::vector<int> Ok(4);
  for (int &O : Ok)
    Pool.emplace_back([&] { O = Done->wait().ok() && Done->done() && Done->times().has_value(); });
  for (std::thread &T : Pool)
    T.join();
  EXPECT_EQ(Ok, std::vector<int>(4, 1));
}

TEST_F(EventsTest, TimesLieInsideTheHostsInterval) {
  BEGIN();
  SteadyClock Host;
  TimePoint LastEnd{};
  EventRef Warm;
  ASSERT_TRUE(step(X, 1, 1, {}, Warm).ok());
  ASSERT_TRUE(Warm->wait().ok());
  for (int I = 0; I < 50; ++I) {
    EventRef Done;
    TimePoint Before = Host.now();
    ASSERT_TRUE(step(X, 1, 10000, {}, Done).ok());
    EXPECT_TRUE(Done->done() || !Done->times()) << "no times before the end";
    ASSERT_TRUE(Done->wait().ok());
    TimePoint After = Host.now();
    std::optional<Interval> Ran = Done->times();
    ASSERT_TRUE(Ran);
    EXPECT_GE(Ran->Begin, Before);
    EXPECT_LE(Ran->End, After);
    EXPECT_LE(Ran->Begin, Ran->End);
    EXPECT_GE(Ran->Begin, LastEnd) << "one after the other, whatever the queue";
    EXPECT_EQ(Done->times()->Begin, Ran->Begin) << "asked again";
    LastEnd = Ran->End;
  }
}

// It also holds for work that a body enqueues, which may take the host long.
TEST_F(EventsTest, TimesOfNativeWorkAndOfWhatFollows) {
  BEGIN();
  using namespace std::chrono_literals;
  SteadyClock Host;
  constexpr size_t Bytes = 16 << 20;
  constexpr uint32_t Rounds = 500000;
  BufferRef Filled;
  ASSERT_TRUE(Dev->allocate(Bytes, Filled).ok());
  auto lengthOfStep = [&] {
    EventRef Done;
    EXPECT_TRUE(step(X, 1, Rounds, {}, Done).ok());
    EXPECT_TRUE(Done->wait().ok());
    return Done->times() ? Done->times()->length() : Duration(0);
  };
  Duration Known = lengthOfStep();
  for (int I = 0; I < 6; ++I)
    Known = std::min(Known, lengthOfStep());
  for (int I = 0; I < 6; ++I) { // On each queue.
    TimePoint Before = Host.now();
    std::unique_ptr<NativeWork> Work;
    ASSERT_TRUE(Dev->beginNative("fill", {}, Work).ok());
    cl_event Fill = nullptr;
    ASSERT_EQ(clEnqueueFillBuffer(static_cast<cl_command_queue>(Work->queue()),
                                  static_cast<cl_mem>(Work->memory(Filled)), &I, sizeof(I), 0, Bytes, 0, nullptr,
                                  &Fill),
              CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, &Fill), CL_SUCCESS);
    TimePoint FilledBy = Host.now();
    while (Host.now() - FilledBy < 5ms) // Work for the host.
      ;
    EventRef Done, Next;
    ASSERT_TRUE(Work->end(Done).ok());
    ASSERT_TRUE(step(X, 1, Rounds, {Done}, Next).ok());
    EXPECT_EQ(Dev->streamOf(*Next), Dev->streamOf(*Done));
    ASSERT_TRUE(Next->wait().ok());
    while (Host.now() - FilledBy < 20ms) // The end is seen late.
      ;
    ASSERT_TRUE(Done->done());
    TimePoint After = Host.now();
    std::optional<Interval> Ran = Done->times();
    ASSERT_TRUE(Ran);
    cl_ulong Begin = 0, End = 0;
    EXPECT_EQ(clGetEventProfilingInfo(Fill, CL_PROFILING_COMMAND_START, sizeof(Begin), &Begin, nullptr), CL_SUCCESS);
    EXPECT_EQ(clGetEventProfilingInfo(Fill, CL_PROFILING_COMMAND_END, sizeof(End), &End, nullptr), CL_SUCCESS);
    EXPECT_GE(Ran->length() + 1us, Duration(static_cast<int64_t>(End - Begin)));
    EXPECT_GE(Ran->Begin, Before);
    EXPECT_LE(Ran->Begin, FilledBy);
    EXPECT_LE(Ran->End, After);
    ASSERT_TRUE(Next->times());
    EXPECT_GE(Next->times()->length(), Known / 2);
    clReleaseEvent(Fill);
  }
}

TEST_F(EventsTest, OneQueuesOperationsDoNotOverlap) {
  BEGIN();
  std::vector<uint32_t> V(40);
  std::vector<EventRef> Done(40);
  for (size_t I = 0; I < V.size(); ++I)
    ASSERT_TRUE(Dev->write(X, 0, &V[I], 4, {}, Done[I]).ok());
  TimePoint LastEnd{};
  for (const EventRef &E : Done) {
    ASSERT_TRUE(E->wait().ok());
    ASSERT_TRUE(E->times());
    EXPECT_GE(E->times()->Begin, LastEnd);
    EXPECT_GE(E->times()->End, E->times()->Begin);
    LastEnd = E->times()->End;
  }
}

TEST_F(EventsTest, BuffersMayBeDroppedWhileInUse) {
  BEGIN();
  EventRef Up, Done, Down;
  uint32_t V = 11, Got = 0;
  {
    BufferRef Short;
    ASSERT_TRUE(Dev->allocate(4, Short).ok());
    ASSERT_TRUE(Dev->write(Short, 0, &V, 4, {}, Up).ok());
    ASSERT_TRUE(step(Short, 1, 1000000, {Up}, Done).ok());
    ASSERT_TRUE(Dev->read(Short, 0, &Got, 4, std::vector{Done}, Down).ok());
  }
  Kernel.reset();
  ASSERT_TRUE(Down->wait().ok());
  EXPECT_EQ(Got, 34u);
}

TEST_F(EventsTest, EventsOutliveTheirDevice) {
  BEGIN();
  EventRef Done;
  ASSERT_TRUE(step(X, 1, 100000, {}, Done).ok());
  X.reset();
  Kernel.reset();
  Devices.clear(); // Waits for what is under way.
  EXPECT_TRUE(Done->done());
  EXPECT_TRUE(Done->wait().ok());
  EXPECT_TRUE(Done->times());
}

// One event is enough for those on its queue before it. Other queues, transfers and waits can still ask for one.
TEST_F(EventsTest, LateReportsComeInBatches) {
  BEGIN();
  std::vector<EventRef> Steps;
  uint32_t Expected = chain(Steps, 40), Out = 0;
  EventRef Down;
  ASSERT_TRUE(Dev->read(X, 0, &Out, sizeof(Out), {&Steps.back(), 1}, Down).ok());
  status S = Down->wait();
  ASSERT_TRUE(S.ok()) << S.message();
  EXPECT_EQ(Out, Expected);
  unsigned Timed = 0;
  for (EventRef &E : Steps) {
    EXPECT_TRUE(E->done());
    EXPECT_TRUE(E->outcome().ok());
    Timed += E->times().has_value();
  }
  EXPECT_EQ(Timed, 2u); // One of sixteen.
}

TEST_F(EventsTest, LateReportsComeOnRequest) {
  BEGIN();
  std::vector<EventRef> Steps;
  (void)chain(Steps, 5);
  Dev->flush();
  // No event reports these, nor the first ones.
  EXPECT_FALSE(Steps[0]->done());
  Dev->requestReport(Steps[2]); // A marker behind all of them.
  while (!Steps[4]->done())
    std::this_thread::yield();
  for (EventRef &E : Steps)
    EXPECT_TRUE(E->done());
  Dev->requestReport(Steps[2]); // A second request has no effect.
  EXPECT_FALSE(Steps[4]->times());

  std::vector<EventRef> More;
  uint32_t Expected = chain(More, 3), Out = 0;
  EXPECT_TRUE(More[1]->wait().ok());
  EXPECT_TRUE(More[2]->done());
  EventRef Down;
  ASSERT_TRUE(Dev->read(X, 0, &Out, sizeof(Out), {&More.back(), 1}, Down).ok());
  ASSERT_TRUE(Down->wait().ok());
  EXPECT_EQ(Out, Expected);
}

// A kernel with an immediate report also reports the late ones before it on its queue.
TEST_F(EventsTest, TheNextOneTells) {
  BEGIN();
  std::vector<EventRef> Steps;
  (void)chain(Steps, 4);
  EventRef Last;
  ASSERT_TRUE(step(X, 7, 100, {Steps.back()}, Last).ok());
  ASSERT_TRUE(Last->wait().ok());
  EXPECT_TRUE(Last->times());
  for (EventRef &E : Steps) {
    EXPECT_TRUE(E->done());
    EXPECT_FALSE(E->times());
  }
}

// Events and their buffer are released before the kernels' ends are reported, and without a request for it.
TEST_F(EventsTest, LateReportsWithoutARequest) {
  BEGIN();
  uint32_t Expected = 0, Out = 0;
  EventRef Last;
  for (uint32_t I = 1; I <= 10; ++I) {
    ASSERT_TRUE(Dev->allocate(sizeof(uint32_t), X).ok());
    std::vector<EventRef> Steps;
    Expected = chain(Steps, I);
    Last = Steps.back();
  }
  EventRef Down;
  ASSERT_TRUE(Dev->read(X, 0, &Out, sizeof(Out), {&Last, 1}, Down).ok());
  ASSERT_TRUE(Down->wait().ok());
  EXPECT_EQ(Out, Expected);
}
