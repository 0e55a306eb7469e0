// Error names, build logs, the division of cores, settings; memory and transfers that a driver refuses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Captured.h"
#include "AnyDevice.h"
#include "backends/opencl/Backend.h"
#include "backends/opencl/ClDevice.h"
#include "backends/opencl/CpuCores.h"
#include "backends/opencl/Errors.h"
#include "backends/opencl/Programs.h"
#include "device/Topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <thread>

#include <dlfcn.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::opencl;

using Cores = std::vector<unsigned>;

// How many of the next buffers the driver is to refuse.
static std::atomic<int> RefusedBuffers{0};

extern "C" cl_mem CL_API_CALL clCreateBuffer(cl_context Context, cl_mem_flags Flags, size_t Bytes, void *Host,
                                             cl_int *Code) {
  if (RefusedBuffers > 0) {
    --RefusedBuffers;
    if (Code)
      *Code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  static auto *Real = reinterpret_cast<decltype(&clCreateBuffer)>(dlsym(RTLD_NEXT, "clCreateBuffer"));
  return Real(Context, Flags, Bytes, Host, Code);
}

// How many of the next flushes, and of the next markers.
static std::atomic<int> RefusedFlushes{0}, RefusedMarkers{0};

static std::function<void(cl_command_queue)> AtFlush; // Called before each flush, unless it is empty.

extern "C" cl_int CL_API_CALL clFlush(cl_command_queue Queue) {
  if (AtFlush)
    AtFlush(Queue);
  if (RefusedFlushes > 0) {
    --RefusedFlushes;
    return CL_OUT_OF_RESOURCES;
  }
  static auto *Real = reinterpret_cast<decltype(&clFlush)>(dlsym(RTLD_NEXT, "clFlush"));
  return Real(Queue);
}

extern "C" cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue Queue, cl_uint N, const cl_event *Wait,
                                                          cl_event *Done) {
  if (RefusedMarkers > 0) {
    --RefusedMarkers;
    return CL_OUT_OF_RESOURCES;
  }
  static auto *Real =
      reinterpret_cast<decltype(&clEnqueueMarkerWithWaitList)>(dlsym(RTLD_NEXT, "clEnqueueMarkerWithWaitList"));
  return Real(Queue, N, Wait, Done);
}

TEST(ErrorNamesTest, NameAndNumber) {
  EXPECT_EQ(describeError(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES (-5)");
  EXPECT_EQ(describeError(CL_INVALID_WORK_GROUP_SIZE), "CL_INVALID_WORK_GROUP_SIZE (-54)");
  EXPECT_EQ(describeError(-1001), "CL_PLATFORM_NOT_FOUND_KHR (-1001)");
  EXPECT_EQ(describeError(-123456), "error -123456");
}

TEST(ErrorNamesTest, Meaning) {
  status S = clError(errc::launch_failed, CL_OUT_OF_RESOURCES, "kernel 'k'");
  EXPECT_EQ(S.code(), errc::launch_failed);
  EXPECT_EQ(S.native_code(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(S.message(), "kernel 'k': CL_OUT_OF_RESOURCES (-5)");
  EXPECT_EQ(clError(errc::launch_failed, CL_MEM_OBJECT_ALLOCATION_FAILURE, "").code(), errc::out_of_memory);
  EXPECT_EQ(clError(errc::launch_failed, CL_DEVICE_NOT_AVAILABLE, "").code(), errc::device_lost);
  EXPECT_EQ(clError(errc::transfer_failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "").code(), errc::cancelled);
}

TEST(BuildLogTest, Trimmed) {
  EXPECT_EQ(trimLog("\n\n  error: x\n    ^\n\n"), "  error: x\n    ^");
  EXPECT_EQ(trimLog(std::string("one\0two", 7)), "one");
  EXPECT_EQ(trimLog(" \n"), "(the driver gave no build log)");
  EXPECT_EQ(trimLog("first line\nsecond line\nthird", 15), "first line\n...");
  EXPECT_EQ(trimLog("oneverylongline", 5), "oneve\n...");
}

TEST(CpuCoresTest, WorkersGetWhatTheyAskForButTheLast) {
  Cores Four = {0, 2, 1, 3};
  EXPECT_EQ(coresForDevice(Four, 0), (Cores{1, 3})) << "half, the last ones";
  EXPECT_EQ(coresForDevice(Four, 1), (Cores{2, 1, 3}));
  EXPECT_EQ(coresForDevice(Four, 3), Cores{3});
  EXPECT_EQ(coresForDevice(Four, 4), Cores{3});
  EXPECT_EQ(coresForDevice(Four, 100), Cores{3});
  EXPECT_EQ(coresForDevice({5, 6, 7}, 0), Cores{7});
  EXPECT_EQ(coresForDevice({5}, 0), Cores{}) << "one core is shared";
  EXPECT_EQ(coresForDevice({5}, 1), Cores{});
  EXPECT_EQ(coresForDevice({}, 0), Cores{});
}

TEST(CpuCoresTest, PartsGetTheirsFirst) {
  EXPECT_EQ(coresForDevice({0, 1, 2, 3}, 0, 3), (Cores{1, 2, 3}));
  EXPECT_EQ(coresForDevice({0, 1, 2, 3}, 3, 2), (Cores{2, 3}));
  EXPECT_EQ(coresForDevice({0, 1, 2, 3}, 0, 1), (Cores{2, 3})) << "no fewer than without parts";
  EXPECT_EQ(coresForDevice({0, 1}, 1, 99), (Cores{0, 1})) << "all there are";
}

TEST(CpuCoresTest, ThreadsOfOtherDevicesGetCores) {
  Cores Many(16);
  std::iota(Many.begin(), Many.end(), 0u);
  EXPECT_EQ(coresForDevice(Many, 1).size(), 15u);
  EXPECT_EQ(coresForDevice(Many, 1, 0, 1), (Cores{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(coresForDevice(Many, 1, 0, 8).size(), 11u) << "a quarter at most";
  EXPECT_EQ(coresForDevice(Many, 1, 15, 1).size(), 15u) << "parts get theirs first";
  EXPECT_EQ(coresForDevice(Many, 0, 0, 1).size(), 8u) << "half is left anyway";
  EXPECT_EQ(coresForDevice({0, 1, 2, 3}, 1, 0, 1), (Cores{1, 2, 3})) << "a core of few is worth more";
}

TEST(BlocksTest, NeverBeyondTheLimit) {
  Blocks B(100);
  cl::Buffer Out;
  EXPECT_TRUE(B.take(60, Out));
  EXPECT_FALSE(B.take(41, Out));
  EXPECT_TRUE(B.take(40, Out));
  B.giveBack(60, cl::Buffer());
  EXPECT_FALSE(B.take(61, Out));
  EXPECT_FALSE(B.take(UINT64_MAX, Out));
  EXPECT_TRUE(B.take(60, Out));
  EXPECT_EQ(B.used(), 100u);
}

// Blocks go to the next of their size; what is unused makes room for what is wanted.
TEST(BlocksTest, WhatIsUnusedIsUsedAgain) {
  cl::Device Native = anyDevice();
  if (!Native())
    GTEST_SKIP() << "no OpenCL device on this machine";
  cl::Context Context(Native);
  auto S = std::make_shared<Stream>();
  Blocks B(1000);
  B.usedOn(S);
  cl::Buffer One(Context, CL_MEM_READ_WRITE, 100), Two(Context, CL_MEM_READ_WRITE, 200), Out;
  cl_mem First = One(), Second = Two();
  ASSERT_TRUE(B.take(100, Out));
  EXPECT_EQ(Out(), nullptr);
  ASSERT_TRUE(B.take(200, Out));
  B.giveBack(100, std::move(One));
  EXPECT_EQ(B.unused(), 1u);
  B.giveBack(200, std::move(Two)); // No more than a quarter of all: the first one goes.
  EXPECT_EQ(B.unused(), 1u);
  ASSERT_TRUE(B.take(100, Out));
  EXPECT_EQ(Out(), nullptr);
  ASSERT_TRUE(B.take(200, Out));
  EXPECT_EQ(Out(), Second);
  EXPECT_NE(Out(), First);
  B.giveBack(200, std::move(Out));
  ASSERT_TRUE(B.take(850, Out)); // With 200 unused that is too much.
  EXPECT_EQ(B.unused(), 0u);
  EXPECT_EQ(B.used(), 950u);
  // An event was dropped before its end was noticed: its command may still run.
  S->Abandoned = 7;
  S->NumObservedEnds = 6;
  B.giveBack(100, cl::Buffer(Context, CL_MEM_READ_WRITE, 100));
  EXPECT_EQ(B.unused(), 0u);
  S->NumObservedEnds = 7;
  ASSERT_TRUE(B.take(100, Out));
  B.giveBack(100, cl::Buffer(Context, CL_MEM_READ_WRITE, 100));
  EXPECT_EQ(B.unused(), 1u);
  B.close();
  EXPECT_EQ(B.unused(), 0u);
}

TEST(BlocksTest, WhatIsUnusedMakesRoomWhereTheDriverHasNone) {
  cl::Device Native = anyDevice();
  if (!Native())
    GTEST_SKIP() << "no OpenCL device on this machine";
  DeviceSettings Settings;
  Settings.Copy = true;
  std::unique_ptr<Device> D;
  ASSERT_TRUE(ClDevice::open(Native, Settings, D).ok());
  BufferRef B, C;
  ASSERT_TRUE(D->allocate(1 << 20, B).ok());
  B.reset(); // Is kept.
  RefusedBuffers = 1;
  EXPECT_TRUE(D->allocate(2 << 20, B).ok());
  RefusedBuffers = 1; // With nothing that could go, that is all there is to say.
  EXPECT_EQ(D->allocate(3 << 20, C).code(), errc::out_of_memory);
  EXPECT_EQ(RefusedBuffers, 0);
}

// After the report that a transfer has not begun, the memory may be reused.
TEST(StagingErrorTest, NothingIsUnderWayWhenItHasFailed) {
  cl::Device Native = anyDevice();
  if (!Native())
    GTEST_SKIP() << "no OpenCL device on this machine";
  cl::Context Context(Native);
  cl::CommandQueue Queue(Context, Native);
  cl_int Code = CL_SUCCESS;
  std::unique_ptr<Staging> Stage = Staging::make(Context, Queue, 1, Code);
  ASSERT_TRUE(Stage) << Code;
  constexpr size_t Piece = 2 << 20;
  std::vector<char> From(3 * Piece);
  cl::Buffer To(Context, CL_MEM_READ_WRITE, 2 * Piece); // Has no room for the third.
  cl::UserEvent Gate(Context);
  std::vector<cl::Event> Behind{Gate};
  ASSERT_EQ(Queue.enqueueBarrierWithWaitList(&Behind), CL_SUCCESS);
  std::atomic<bool> Returned{false};
  std::thread Opener([&] {
    auto End = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (!Returned && std::chrono::steady_clock::now() < End)
      std::this_thread::yield();
    Gate.setStatus(CL_COMPLETE);
  });
  std::vector<cl::Event> Earlier;
  cl_event Last = nullptr;
  cl_int Refused =
      Stage->write(From.data(), {1, From.size(), From.size(), From.size()}, Earlier, &Last,
                   [&](const std::byte *Block, const Staging::Chunk &C, cl_event *E) {
                     return clEnqueueWriteBuffer(Queue(), To(), CL_FALSE, C.At, C.Bytes, Block, 0, nullptr, E);
                   });
  EXPECT_NE(Refused, CL_SUCCESS);
  EXPECT_EQ(Earlier.size(), 2u);
  for (const cl::Event &E : Earlier)
    EXPECT_EQ(E.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(), CL_COMPLETE);
  Returned = true;
  Opener.join();
}

// A driver may look at it once more.
TEST(FailedEventsTest, OfAMarkAreKeptToo) {
  cl::Device Native = anyDevice();
  if (!Native())
    GTEST_SKIP() << "no OpenCL device on this machine";
  cl::Context Context(Native);
  auto S = std::make_shared<Stream>();
  S->Context = Context;
  S->Queue = cl::CommandQueue(Context, Native);
  S->Current = S->Queue();
  S->Enqueued = S->Outstanding = 1;
  cl::UserEvent End(Context);
  auto M = std::make_shared<Mark>();
  M->E = End;
  M->Number = 1;
  M->Set = true;
  auto E = makeEvent(S, uint64_t(1), M, errc::launch_failed, CommandName("a kernel"), OwnedRefs(), PriorEvents());
  EXPECT_FALSE(E->done());
  End.setStatus(CL_OUT_OF_RESOURCES);
  bool Ended = false; // The first polls do not ask the driver, because the command is not flushed.
  for (int Polls = 0; Polls < 16 && !Ended; ++Polls)
    Ended = E->done();
  EXPECT_TRUE(Ended);
  EXPECT_EQ(E->outcome().code(), errc::launch_failed);
  ASSERT_EQ(S->Failed.size(), 1u);
  EXPECT_EQ(S->Failed[0](), End());
}

// Two streams on one device, and commands of one that wait for the other's.
struct StreamsTest : testing::Test {
  void SetUp() override {
    cl::Device Native = anyDevice();
    if (!Native())
      GTEST_SKIP() << "no OpenCL device on this machine";
    cl::Context Context(Native);
    for (std::shared_ptr<Stream> &S : Two) {
      S = std::make_shared<Stream>();
      S->Context = Context;
      S->Queue = cl::CommandQueue(Context, Native);
      S->Current = S->Queue();
    }
  }
  // A command of Of that waits for After.
  cl::Event command(Stream &Of, const cl::Event &After = {}) {
    cl_event Raw = nullptr;
    EXPECT_EQ(clEnqueueBarrierWithWaitList(Of.native(), After() ? 1 : 0, After() ? &After() : nullptr, &Raw),
              CL_SUCCESS);
    ++Of.Enqueued;
    return cl::Event(Raw);
  }
  // The second waits for the first, whose next command waits for that.
  void mutual() {
    cl::Event First = command(*Two[0]);
    Two[1]->needs(Two[0], 1, First);
    cl::Event Second = command(*Two[1], First);
    Two[0]->needs(Two[1], 1, Second);
    Last = command(*Two[0], Second);
  }
  std::array<std::shared_ptr<Stream>, 2> Two;
  cl::Event Last;
};

TEST_F(StreamsTest, ThatNeedEachOtherAreFlushedTogether) {
  mutual();
  EXPECT_TRUE(Two[0]->flushTo(2));
  EXPECT_EQ(Two[0]->Flushed, 2u);
  EXPECT_EQ(Two[1]->Flushed, 1u);
  EXPECT_TRUE(Two[0]->Needs.empty());
  EXPECT_EQ(Last.wait(), CL_SUCCESS);
}

// One thread is on its way to flush the first, for the second, when another thread flushes the second.
TEST_F(StreamsTest, AnotherThreadFlushesWhatIsNeededToo) {
  cl::Event First = command(*Two[0]);
  Two[1]->needs(Two[0], 1, First);
  Last = command(*Two[1], First);
  std::atomic<int> Depth{0};
  std::vector<cl_command_queue> Order;
  AtFlush = [&](cl_command_queue Queue) {
    if (Depth++ == 0)
      std::thread([&] { EXPECT_TRUE(Two[1]->flushTo(1)); }).join();
    Order.push_back(Queue);
  };
  EXPECT_TRUE(Two[1]->flushTo(1));
  AtFlush = nullptr;
  ASSERT_FALSE(Order.empty());
  EXPECT_EQ(Order[0], Two[0]->native());
  EXPECT_TRUE(Two[1]->Needs.empty());
  EXPECT_EQ(Last.wait(), CL_SUCCESS);
}

// What is refused is awaited, also by a thread that holds the lock of one of them. Neither keeps the other.
TEST_F(StreamsTest, ThatNeedEachOtherMayBeRefused) {
  for (int Refused : {1, 2, 3}) {
    SetUp();
    if (IsSkipped())
      return;
    mutual();
    {
      std::lock_guard Guard(Two[0]->Lock);
      RefusedFlushes = Refused;
      EXPECT_EQ(Two[0]->flushTo(2), Refused < 3);
      EXPECT_EQ(RefusedFlushes.exchange(0), 0);
      EXPECT_EQ(Last.wait(), CL_SUCCESS);
    }
    for (const std::shared_ptr<Stream> &S : Two)
      S->finish();
    EXPECT_TRUE(Two[0]->Needs.empty());
    EXPECT_TRUE(Two[1]->Needs.empty());
  }
}

// The commands before it are awaited, so what these wait for is flushed.
TEST_F(StreamsTest, AReportThatIsRefusedFlushesWhatIsNeeded) {
  cl::Event First = command(*Two[0]);
  Two[1]->needs(Two[0], 1, First);
  Last = command(*Two[1], First);
  auto M = Two[1]->Open = std::make_shared<Mark>();
  RefusedMarkers = 1;
  Two[1]->requestReport(*M);
  EXPECT_EQ(RefusedMarkers.exchange(0), 0);
  EXPECT_EQ(M->Status, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(Two[0]->Flushed, 1u);
}

// Treated as unset, with a message to the user.
TEST(OpenClSettingsTest, WhatIsNotUnderstood) {
  auto Queues = [](std::vector<std::unique_ptr<Device>> &Devices) {
    std::vector<unsigned> Numbers;
    for (const auto &D : Devices)
      Numbers.push_back(D->computeQueues());
    return Numbers;
  };
  BackendOptions Options;
  Options.Selection = "all";
  Options.HostCores = discoverTopology().Cores;
  std::vector<std::unique_ptr<Device>> Devices;
  ASSERT_TRUE(OpenClBackend().enumerate(Options, Devices).ok());
  if (Devices.empty())
    GTEST_SKIP() << "no OpenCL device on this machine";
  std::vector<unsigned> Want = Queues(Devices);
  Devices.clear();
  rt::test::Captured Log;
  setenv("HSCHED_QUEUES", "many", 1);
  setenv("HSCHED_STAGING", "some", 1);
  setenv("HSCHED_PIN_MEMORY", "perhaps", 1);
  setenv("HSCHED_OPENCL_CONTEXT", "Shared", 1);
  ASSERT_TRUE(OpenClBackend().enumerate(Options, Devices).ok());
  EXPECT_EQ(Queues(Devices), Want);
  for (const char *IsReported : {"HSCHED_QUEUES=many is not a number from 1 to 32; using the default",
                                 "HSCHED_STAGING=some is not a number from 0 to 64; using the default",
                                 "HSCHED_PIN_MEMORY=perhaps is neither 0 nor 1; using the default",
                                 "HSCHED_OPENCL_CONTEXT=Shared is neither own nor shared; using own"})
    EXPECT_EQ(std::ranges::count(Log.Lines, IsReported), 1) << IsReported;
  for (const char *Name : {"HSCHED_QUEUES", "HSCHED_STAGING", "HSCHED_PIN_MEMORY", "HSCHED_OPENCL_CONTEXT"})
    unsetenv(Name);
}
