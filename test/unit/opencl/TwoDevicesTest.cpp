// Two devices of one platform: events and data of one that the other waits for and works on. PoCL offers a second CPU
// device for the asking.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"
#include "data/Directory.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// Two devices of one platform with memory of their own. ctest runs each test in a process of its own: the environment
// is read once.
struct TwoDevicesTest : testing::Test {
  void find(const char *Context) {
    setenv("POCL_DEVICES", "pthread pthread", 1);
    setenv("HSCHED_OPENCL_COPY", "1", 1);
    setenv("HSCHED_OPENCL_CONTEXT", Context, 1);
    setenv("HSCHED_PLUGIN_PATH", TEST_PLUGINS, 1);
    BackendOptions Options;
    Options.Selection = "all";
    Options.HostCores = discoverTopology().Cores;
    status S = loadBackends({"opencl"}, Options, Devices);
    if (S.code() == errc::unsupported)
      GTEST_SKIP() << S.message();
    ASSERT_TRUE(S.ok()) << S.message();
    if (Devices.size() < 2)
      GTEST_SKIP() << "only " << Devices.size() << " OpenCL device(s) on this machine";
    Devices.resize(2);
  }
  void waitForEachOther();
  void passDataToAndFro(bool Reach);

  std::vector<std::unique_ptr<Device>> Devices;
};

void TwoDevicesTest::waitForEachOther() {
  const char *Source =
      "kernel void inc(global int *x) { for (int i = 0; i < 100000; ++i) ++*(volatile global int *)x; }";
  int Value = 0;
  BufferRef Mem[2];
  KernelRef K[2];
  for (int I = 0; I < 2; ++I) {
    ASSERT_TRUE(Devices[I]->allocate(sizeof(int), Mem[I]).ok());
    ASSERT_TRUE(Devices[I]->kernel(describe(Source, "inc"), K[I]).ok());
  }
  // Back and forth through host memory, nothing waited for until the end.
  EventRef Last;
  for (int Round = 0; Round < 6; ++Round) {
    int D = Round % 2;
    EventRef Up, Run;
    std::vector<BoundArg> Args = {buffer(Mem[D])};
    ASSERT_TRUE(Devices[D]->write(Mem[D], 0, &Value, sizeof(int), std::vector{Last}, Up).ok());
    ASSERT_TRUE(Devices[D]->launch(K[D], range(1), Args, std::vector{Up}, Run).ok());
    ASSERT_TRUE(Devices[D]->read(Mem[D], 0, &Value, sizeof(int), std::vector{Run}, Last).ok());
    Devices[D]->flush();
  }
  status S = Last->wait();
  ASSERT_TRUE(S.ok()) << S.message();
  EXPECT_EQ(Value, 600000);
}

struct Sum final : Observer {
  void transferred(const TransferRecord &R) override { Bytes[static_cast<size_t>(R.Kind)] += R.Bytes; }
  uint64_t of(TransferKind Kind) const { return Bytes[static_cast<size_t>(Kind)]; }
  std::array<uint64_t, NumTransferKinds> Bytes{};
};

// A directory over both: each device in turn adds 1, to all, then to a tile.
void TwoDevicesTest::passDataToAndFro(bool Reach) {
  EXPECT_EQ(Devices[0]->reaches(*Devices[1]), Reach);
  EXPECT_EQ(Devices[1]->reaches(*Devices[0]), Reach);
  constexpr size_t N = 3 << 20, Row = 1 << 10; // 12 MiB: several pieces.
  std::vector<int> X(N, 5);
  const char *Source =
      "kernel void inc(global int *x, ulong row, ulong stride, ulong offset) {"
      "  ulong i = get_global_id(0); ++((global int *)((global char *)x + offset))[i / row * stride + i % row]; }";
  KernelRef K[2];
  for (int I = 0; I < 2; ++I)
    ASSERT_TRUE(Devices[I]->kernel(describe(Source, "inc"), K[I]).ok());
  SteadyClock Time;
  Sum Seen;
  Directory Dir({{nullptr, 0}, {Devices[0].get(), 1}, {Devices[1].get(), 2}}, Time, &Seen);
  auto add = [&](MemoryNode Node, Access A) {
    Task T;
    T.Id = 1;
    T.AccessList = &A;
    T.NumAccesses = 1;
    Acquisition Acquired;
    ASSERT_TRUE(Dir.acquire(T, Node, Acquired).ok());
    for (const EventRef &E : Acquired.Before)
      ASSERT_TRUE(E->wait().ok());
    uint64_t Values[] = {A.bytes / sizeof(int), A.stride / sizeof(int), beginOf(A) - Acquired.Placements[0].HostBegin};
    std::vector<BoundArg> Args{buffer(Acquired.Placements[0].Mem)};
    for (uint64_t &V : Values)
      Args.push_back(value(V));
    EventRef Done;
    ASSERT_TRUE(Devices[Node - 1]->launch(K[Node - 1], range(A.rows * Values[0]), Args, Acquired.Wait, Done).ok());
    Dir.launched(T, Acquired, Done);
    status S = Done->wait();
    ASSERT_TRUE(S.ok()) << S.message();
    Dir.release(T, Acquired, false);
  };
  Access All{X.data(), N * sizeof(int), 1, N * sizeof(int), HSCHED_INOUT, 0};
  Access Tile{X.data() + 100, 64 * sizeof(int), N / Row, Row * sizeof(int), HSCHED_INOUT, 0};
  for (MemoryNode I = 0; I < 4; ++I)
    add(1 + I % 2, All);
  for (MemoryNode I = 0; I < 3; ++I)
    add(1 + I % 2, Tile);
  ASSERT_TRUE(Dir.flush({}, true, true).ok());
  for (size_t I = 0; I < N; ++I)
    ASSERT_EQ(X[I], 9 + 3 * (I % Row >= 100 && I % Row < 164)) << I;
  ASSERT_TRUE(Dir.shutdown().ok());
  EXPECT_EQ(Seen.of(TransferKind::HostToDevice), N * sizeof(int));
  EXPECT_EQ(Seen.of(TransferKind::DeviceToDevice), 3 * N * sizeof(int) + 3 * N / Row * 64 * sizeof(int));
  EXPECT_EQ(Seen.of(TransferKind::DeviceToHost), N * sizeof(int));
}

// The second device is still to copy from memory of the first when the first device has no record of it any more.
TEST_F(TwoDevicesTest, MemoryIsNotUsedAgainWhileTheOtherCopiesFromIt) {
  find("shared");
  if (IsSkipped())
    return;
  constexpr size_t N = 1 << 16;
  const std::vector<int> Old(N, 1), New(N, 2);
  std::vector<int> Got(N);
  BufferRef Src, Dst;
  EventRef Done, Gone;
  ASSERT_TRUE(Devices[0]->allocate(N * sizeof(int), Src).ok());
  ASSERT_TRUE(Devices[1]->allocate(N * sizeof(int), Dst).ok());
  ASSERT_TRUE(Devices[0]->write(Src, 0, Old.data(), N * sizeof(int), {}, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  // The copy waits for work that ends when the test says so.
  std::unique_ptr<NativeWork> Work;
  ASSERT_TRUE(Devices[1]->beginNative("work", {}, Work).ok());
  cl_int Code = CL_SUCCESS;
  cl_event Gate = clCreateUserEvent(static_cast<cl_context>(Work->context()), &Code);
  ASSERT_EQ(Code, CL_SUCCESS);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(static_cast<cl_command_queue>(Work->queue()), 1, &Gate, nullptr), CL_SUCCESS);
  ASSERT_TRUE(Work->end(Done).ok());
  const RowLayout All{1, N * sizeof(int), N * sizeof(int), N * sizeof(int)};
  ASSERT_TRUE(Devices[1]->copyFrom(*Devices[0], Src, 0, Dst, 0, All, std::vector{Done}, Gone).ok());
  Devices[1]->flush();
  Gone.reset();
  Src.reset();
  BufferRef Other;
  EventRef Written;
  ASSERT_TRUE(Devices[0]->allocate(N * sizeof(int), Other).ok());
  ASSERT_TRUE(Devices[0]->write(Other, 0, New.data(), N * sizeof(int), {}, Written).ok());
  ASSERT_TRUE(Written->wait().ok());
  clSetUserEventStatus(Gate, CL_COMPLETE);
  clReleaseEvent(Gate);
  // On the queue of the copy, so behind it.
  ASSERT_TRUE(Devices[1]->copy(Dst, 0, Dst, 0, 0, {}, Written).ok());
  ASSERT_TRUE(Written->wait().ok());
  ASSERT_TRUE(Devices[1]->read(Dst, 0, Got.data(), N * sizeof(int), {}, Written).ok());
  ASSERT_TRUE(Written->wait().ok());
  EXPECT_EQ(Got, Old);
}

TEST_F(TwoDevicesTest, OneWaitsForTheOther) {
  find("own");
  if (!IsSkipped())
    waitForEachOther();
}

TEST_F(TwoDevicesTest, OneWaitsForTheOtherInOneContext) {
  find("shared");
  if (!IsSkipped())
    waitForEachOther();
}

TEST_F(TwoDevicesTest, DataGoThroughPinnedMemory) {
  find("own");
  if (!IsSkipped())
    passDataToAndFro(false);
}

TEST_F(TwoDevicesTest, DataGoDirectlyInOneContext) {
  find("shared");
  if (!IsSkipped())
    passDataToAndFro(true);
}

} // namespace
