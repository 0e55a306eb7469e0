// The simulated accelerator itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/Sim.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>
#include <thread>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::sim;

namespace {

hsched_kernel_desc named(const char *Entry) {
  hsched_kernel_desc D{};
  D.struct_bytes = sizeof D;
  D.entry = Entry;
  return D;
}

// Adds a value to each item of a buffer.
const bool Registered = [] {
  simRegisterKernel("add", [](const hsched_ndrange &Range, std::span<const SimArg> Args) -> status {
    for (size_t I = 0; I < Range.global[0]; ++I)
      Args[0].pointer<int>()[I] += Args[1].value<int>();
    return {};
  });
  return true;
}();

SimOptions inMode(SimMode Mode) {
  SimOptions O;
  O.Mode = Mode;
  O.Time = Mode == SimMode::Virtual ? std::make_shared<ManualClock>() : nullptr;
  return O;
}

BoundArg buffer(const BufferRef &Mem, uint64_t Offset = 0) {
  BoundArg A;
  A.K = BoundArg::Kind::Buffer;
  A.Mem = Mem;
  A.Offset = Offset;
  return A;
}

BoundArg value(const int &V) {
  BoundArg A;
  A.Value = &V;
  A.Bytes = sizeof V;
  return A;
}

constexpr hsched_ndrange range(size_t Items, size_t Local = 0) { return {1, {Items, 0, 0}, {Local, 0, 0}, {}}; }

struct SimModes : testing::TestWithParam<SimMode> {};

TEST_P(SimModes, WriteLaunchCopyReadAcrossLanes) {
  SimDevice D(0, inMode(GetParam()));
  std::vector<int> In(16), Out(16);
  std::iota(In.begin(), In.end(), 0);
  BufferRef A, B;
  ASSERT_TRUE(D.allocate(64, A).ok());
  ASSERT_TRUE(D.allocate(128, B).ok());
  KernelRef K;
  ASSERT_TRUE(D.kernel(named("add"), K).ok());
  EventRef Wrote, Ran, Copied, Read;
  ASSERT_TRUE(D.write(A, 0, In.data(), 64, {}, Wrote).ok());
  int Five = 5;
  std::vector<BoundArg> Args{buffer(A), value(Five)};
  ASSERT_TRUE(D.launch(K, range(16), Args, std::vector{Wrote, EventRef()}, Ran).ok());
  Five = 0; // The value was taken at the launch.
  ASSERT_TRUE(D.copy(A, 0, B, 64, 64, std::vector{Ran}, Copied).ok());
  ASSERT_TRUE(D.read(B, 64, Out.data(), 64, std::vector{Copied}, Read).ok());
  ASSERT_TRUE(Read->wait().ok());
  EXPECT_TRUE(Wrote->done() && Ran->done() && Copied->done());
  for (int I = 0; I < 16; ++I)
    EXPECT_EQ(Out[I], I + 5);
  EXPECT_LE(Wrote->times()->End, Read->times()->End);
}

TEST_P(SimModes, MemoryIsFreedWhenTheLastOperationOnItIsDone) {
  SimDevice D(0, inMode(GetParam()));
  std::vector<std::byte> In(100);
  BufferRef A;
  ASSERT_TRUE(D.allocate(100, A).ok());
  EventRef Done;
  ASSERT_TRUE(D.write(A, 0, In.data(), 100, {}, Done).ok());
  A.reset();
  ASSERT_TRUE(Done->wait().ok());
  EXPECT_EQ(D.bytesInUse(), 0u);
}

TEST_P(SimModes, AFailureSpreadsAlongWaitLists) {
  SimOptions O = inMode(GetParam());
  O.Faults = {{SimOp::Write, 2, false, false}};
  SimDevice D(0, O);
  int In = 1, Out = 0;
  BufferRef A;
  ASSERT_TRUE(D.allocate(4, A).ok());
  EventRef First, Second, Third;
  ASSERT_TRUE(D.write(A, 0, &In, 4, {}, First).ok());
  ASSERT_TRUE(D.write(A, 0, &In, 4, {}, Second).ok());
  ASSERT_TRUE(D.read(A, 0, &Out, 4, std::vector{Second}, Third).ok());
  EXPECT_EQ(Third->wait().code(), errc::cancelled);
  EXPECT_TRUE(First->wait().ok());
  EXPECT_FALSE(Second->outcome().ok());
  EXPECT_EQ(Out, 0);
}

// Queues that run at the same time, on threads of their own.
TEST(Sim, QueuesRunBesideEachOther) {
  static std::atomic<int> Met;
  Met = 0;
  simRegisterKernel("meet", [](const hsched_ndrange &, std::span<const SimArg>) -> status {
    for (++Met; Met < 2;)
      std::this_thread::yield();
    return {};
  });
  SimOptions O;
  O.Queues = 2;
  SimDevice D(0, O);
  KernelRef K;
  ASSERT_TRUE(D.kernel(named("meet"), K).ok());
  EventRef First, Second;
  ASSERT_TRUE(D.launch(K, range(1), {}, {}, First).ok());
  ASSERT_TRUE(D.launch(K, range(1), {}, {}, Second).ok());
  EXPECT_TRUE(First->wait().ok());
  EXPECT_TRUE(Second->wait().ok());
}

INSTANTIATE_TEST_SUITE_P(Sim, SimModes, testing::Values(SimMode::Threads, SimMode::Manual, SimMode::Virtual));

TEST(Sim, MemoryAndLargestBlockAreLimited) {
  SimOptions O;
  O.MemoryBytes = 100;
  O.MaxAllocationBytes = 60;
  SimDevice D(0, O);
  BufferRef A, B, C;
  EXPECT_EQ(D.allocate(61, A).code(), errc::out_of_memory);
  ASSERT_TRUE(D.allocate(60, A).ok());
  EXPECT_EQ(D.allocate(41, B).code(), errc::out_of_memory);
  EXPECT_FALSE(B);
  A.reset();
  EXPECT_TRUE(D.allocate(41, B).ok());
}

TEST(Sim, NothingLeavesItsBuffer) {
  int In[4] = {};
  SimDevice D(0, {}), Other(1, {});
  BufferRef A;
  EventRef Done;
  ASSERT_TRUE(D.allocate(8, A).ok());
  EXPECT_EQ(D.write(A, 4, In, 8, {}, Done).code(), errc::invalid_argument);
  EXPECT_EQ(Other.write(A, 0, In, 8, {}, Done).code(), errc::invalid_argument);
  ASSERT_TRUE(D.write(A, 0, In, 8, {}, Done).ok());
  BufferRef B;
  ASSERT_TRUE(Other.allocate(8, B).ok());
  EventRef Mixed;
  EXPECT_EQ(Other.write(B, 0, In, 8, std::vector{Done}, Mixed).code(), errc::invalid_argument);
}

TEST(Sim, ManualExecutesWhatIsAskedFor) {
  SimDevice D(0, inMode(SimMode::Manual));
  int In = 7, Out[2] = {};
  BufferRef A, B;
  ASSERT_TRUE(D.allocate(4, A).ok());
  ASSERT_TRUE(D.allocate(4, B).ok());
  EventRef W1, W2, R1;
  ASSERT_TRUE(D.write(A, 0, &In, 4, {}, W1).ok());
  ASSERT_TRUE(D.write(B, 0, &In, 4, {}, W2).ok());
  ASSERT_TRUE(D.read(A, 0, Out, 4, std::vector{W1}, R1).ok());
  EXPECT_FALSE(D.step(Lane::DeviceToHost)); // Waits for the write.
  EXPECT_EQ(D.pending(), 3u);
  EXPECT_FALSE(R1->done());
  ASSERT_TRUE(R1->wait().ok());
  EXPECT_EQ(Out[0], 7);
  EXPECT_FALSE(W2->done()); // Nothing needed it.
  D.stepAll();
  EXPECT_TRUE(W2->done());
}

// Each in order, with no dependences except explicit waits.
TEST(Sim, KernelsHaveQueues) {
  SimOptions O = inMode(SimMode::Manual);
  O.Queues = 2;
  SimDevice D(0, O);
  EXPECT_EQ(D.computeQueues(), 2u);
  BufferRef A;
  ASSERT_TRUE(D.allocate(4, A).ok());
  KernelRef K;
  ASSERT_TRUE(D.kernel(named("add"), K).ok());
  int One = 1;
  std::vector<BoundArg> Args{buffer(A), value(One)};
  EventRef First, Second, Behind, Joined;
  ASSERT_TRUE(D.launch(K, range(1), Args, {}, First).ok());
  ASSERT_TRUE(D.launch(K, range(1), Args, {}, Second).ok());
  ASSERT_TRUE(D.launch(K, range(1), Args, std::vector{Second}, Behind).ok());
  ASSERT_TRUE(D.launch(K, range(1), Args, std::vector{First, Behind}, Joined).ok());
  EXPECT_EQ(D.streamOf(*First), 0u);
  EXPECT_EQ(D.streamOf(*Second), 1u);
  EXPECT_EQ(D.streamOf(*Behind), 1u) << "behind what it waits for";
  EXPECT_EQ(D.streamOf(*Joined), 0u);
  EXPECT_FALSE(D.step(Lane::Compute, 2)) << "there is none";
  EXPECT_TRUE(D.step(Lane::Compute, 1));
  EXPECT_TRUE(D.step(Lane::Compute, 1));
  EXPECT_TRUE(Second->done() && Behind->done());
  EXPECT_FALSE(First->done()) << "nobody has told it to";
  EXPECT_TRUE(Joined->wait().ok());
  EXPECT_TRUE(First->done());
  EXPECT_EQ(D.pending(), 0u);
}

TEST(Sim, VirtualTimeIsExact) {
  SimOptions O = inMode(SimMode::Virtual);
  O.Costs.PerOperation = Duration(10);
  O.Costs.UploadNsPerByte = 2;
  O.Costs.DownloadNsPerByte = 0.5;
  O.Costs.Kernel = [](const std::string &, const hsched_ndrange &R) { return Duration(100 * R.global[0]); };
  SimDevice D(0, O);
  std::vector<int> Data(16);
  BufferRef A, B;
  ASSERT_TRUE(D.allocate(64, A).ok());
  ASSERT_TRUE(D.allocate(64, B).ok());
  KernelRef K;
  ASSERT_TRUE(D.kernel(named("add"), K).ok());
  EventRef W1, W2, Ran, Read;
  int One = 1;
  std::vector<BoundArg> Args{buffer(A), value(One)};
  ASSERT_TRUE(D.write(A, 0, Data.data(), 64, {}, W1).ok());
  ASSERT_TRUE(D.launch(K, range(3, 4), Args, std::vector{W1}, Ran).ok()); // Rounded up to 4 items.
  ASSERT_TRUE(D.write(B, 0, Data.data(), 64, {}, W2).ok());               // Beside the kernel.
  ASSERT_TRUE(D.read(A, 0, Data.data(), 64, std::vector{Ran}, Read).ok());
  auto At = [](Duration::rep Ns) { return TimePoint(Duration(Ns)); };
  EXPECT_FALSE(W1->done());
  O.Time->advanceTo(At(137));
  EXPECT_FALSE(W1->done());
  O.Time->advanceTo(At(138));
  EXPECT_TRUE(W1->done());
  ASSERT_TRUE(Read->wait().ok());
  EXPECT_EQ(W2->times()->Begin, At(138));
  EXPECT_EQ(W2->times()->End, At(276));
  EXPECT_EQ(Ran->times()->Begin, At(138));
  EXPECT_EQ(Ran->times()->End, At(548));
  EXPECT_EQ(Read->times()->End, At(590));
  EXPECT_EQ(O.Time->now(), At(590));
  EXPECT_EQ(Data[3], 1);
}

TEST(Sim, OffsetsWrap) {
  SimDevice D(0, {});
  int Data[2] = {1, 2}, One = 1;
  BufferRef A;
  ASSERT_TRUE(D.allocate(8, A).ok());
  KernelRef K;
  ASSERT_TRUE(D.kernel(named("add"), K).ok());
  EventRef W, R, Done;
  simRegisterKernel("second", [](const hsched_ndrange &, std::span<const SimArg> Args) -> status {
    ++*reinterpret_cast<int *>(reinterpret_cast<uintptr_t>(Args[0].Pointer) + 104);
    return {};
  });
  ASSERT_TRUE(D.kernel(named("second"), K).ok());
  ASSERT_TRUE(D.write(A, 0, Data, 8, {}, W).ok());
  std::vector<BoundArg> Args{buffer(A, uint64_t(0) - 100), value(One)};
  ASSERT_TRUE(D.launch(K, range(1), Args, std::vector{W}, R).ok());
  ASSERT_TRUE(D.read(A, 0, Data, 8, std::vector{R}, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  EXPECT_EQ(Data[0], 1);
  EXPECT_EQ(Data[1], 3);
}

TEST(Sim, FaultsAreCountedPerKind) {
  SimOptions O;
  O.Faults = {{SimOp::Allocate, 2, false, false}, {SimOp::Build, 1, true, false}, {SimOp::Read, 1, false, true}};
  SimDevice D(0, O);
  BufferRef A;
  EXPECT_TRUE(D.allocate(4, A).ok());
  EXPECT_EQ(D.allocate(4, A).code(), errc::out_of_memory);
  EXPECT_TRUE(D.allocate(4, A).ok());
  KernelRef K;
  EXPECT_EQ(D.kernel(named("add"), K).code(), errc::build_failed);
  EXPECT_EQ(D.kernel(named("add"), K).code(), errc::build_failed);
  int Out;
  EventRef Done;
  EXPECT_EQ(D.read(A, 0, &Out, 4, {}, Done).code(), errc::transfer_failed);
  EXPECT_FALSE(Done);
}

TEST(Sim, PinnedMemoryIsRemembered) {
  std::vector<std::byte> Host(300);
  auto Dev = std::make_unique<SimDevice>(0, inMode(SimMode::Manual));
  BufferRef Mem;
  EventRef Done;
  ASSERT_TRUE(Dev->allocate(300, Mem).ok());
  ASSERT_TRUE(Dev->pin(Host.data() + 100, 100).ok());
  EXPECT_EQ(Dev->pinnedBytes(), 100u);
  EXPECT_TRUE(Dev->pinned(Host.data() + 150, 50));
  EXPECT_FALSE(Dev->pinned(Host.data() + 150, 51));
  EXPECT_FALSE(Dev->pinned(Host.data() + 99, 2));
  EXPECT_EQ(simPinnedOn(Host.data() + 100, 100), 1u);
  ASSERT_TRUE(Dev->write(Mem, 0, Host.data() + 100, 100, {}, Done).ok());
  ASSERT_TRUE(Dev->readRows(Mem, 0, Host.data() + 100, {2, 10, 90, 10}, {}, Done).ok());
  EXPECT_EQ(Dev->pinnedTransfers(), 0u); // They have not run.
  Dev->stepAll();
  EXPECT_EQ(Dev->pinnedTransfers(), 2u);
  ASSERT_TRUE(Dev->readRows(Mem, 0, Host.data() + 100, {2, 10, 91, 10}, {}, Done).ok()); // Leaves it.
  ASSERT_TRUE(Dev->write(Mem, 0, Host.data() + 100, 100, {}, Done).ok());
  Dev->unpin(Host.data() + 100);
  Dev->stepAll();
  EXPECT_EQ(Dev->pinnedTransfers(), 2u);
  EXPECT_EQ(Dev->pinnedBytes(), 0u);
  ASSERT_TRUE(Dev->pin(Host.data(), 1).ok());
  Dev.reset();
  EXPECT_EQ(simPinnedOn(Host.data(), 1), 0u);
}

TEST(Sim, AnUnknownKernelDoesNotBuild) {
  SimDevice D(0, {});
  KernelRef K;
  status S = D.kernel(named("nowhere"), K);
  EXPECT_EQ(S.code(), errc::build_failed);
  EXPECT_NE(S.message().find("nowhere"), std::string::npos);
}

TEST(Sim, BackendHonoursLimits) {
  SimOptions O;
  O.Devices = 3;
  O.MemoryBytes = 1000;
  SimBackend B(O);
  BackendOptions Limits;
  Limits.MemoryLimitPercent = 50;
  std::vector<std::unique_ptr<Device>> Devices;
  ASSERT_TRUE(B.enumerate(Limits, Devices).ok());
  ASSERT_EQ(Devices.size(), 3u);
  EXPECT_EQ(Devices[2]->info().MemoryBytes, 500u);
  EXPECT_EQ(Devices[2]->info().Index, 2u);
}

TEST(Sim, PluginLoads) {
  void *Handle = dlopen(HSCHED_SIM_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(Handle) << dlerror();
  auto Version = reinterpret_cast<unsigned (*)()>(dlsym(Handle, "hsched_backend_version"));
  auto Create = reinterpret_cast<Backend *(*)()>(dlsym(Handle, "hsched_backend_create"));
  ASSERT_TRUE(Version && Create && dlsym(Handle, "hsched_sim_register_kernel"));
  EXPECT_EQ(Version(), BackendInterfaceVersion);
  for (const char *Number : {"0", "2"}) {
    setenv("HSCHED_SIM", Number, 1);
    std::unique_ptr<Backend> B(Create());
    std::vector<std::unique_ptr<Device>> Devices;
    ASSERT_TRUE(B->enumerate({}, Devices).ok());
    EXPECT_EQ(std::to_string(Devices.size()), Number);
  }
}

} // namespace
