// What a device says of sources, launches and allocations that cannot be.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#include <thread>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

class ErrorsTest : public OpenClTest {
protected:
  // Launches Source's kernel k on one int and gives the launch's status.
  status launchOn(const hsched_kernel_desc &Desc, const hsched_ndrange &Range, std::vector<BoundArg> More = {}) {
    KernelRef K;
    if (status S = Dev->kernel(Desc, K); !S.ok())
      return S;
    std::vector<BoundArg> Args = {buffer(bufferOf(&Cell, sizeof(Cell)))};
    Args.insert(Args.end(), More.begin(), More.end());
    EventRef Done;
    status S = Dev->launch(K, Range, Args, {}, Done);
    EXPECT_EQ(S.ok(), Done != nullptr);
    return S.ok() ? Done->wait() : S;
  }
  int Cell = 0;
};

const char *const Good = "kernel void k(global int *x) { *x = 1; }";

} // namespace

TEST_F(ErrorsTest, BuildFailureCarriesTheLog) {
  OPEN_DEVICE();
  KernelRef K;
  hsched_kernel_desc Desc = describe("kernel void k(global int *x) { *x = no_such_name; }", "k");
  status S = Dev->kernel(Desc, K);
  EXPECT_EQ(S.code(), errc::build_failed);
  EXPECT_NE(S.native_code(), 0);
  EXPECT_FALSE(K);
  for (const char *Part : {"test.cl", "'k'", Dev->info().Name.c_str(), "no_such_name"})
    EXPECT_TRUE(contains(S.message(), Part)) << Part << " in: " << S.message();
  EXPECT_EQ(Dev->kernel(Desc, K).message(), S.message()) << "the second time from memory";
}

TEST_F(ErrorsTest, OptionsReachTheCompiler) {
  OPEN_DEVICE();
  const char *Source = "kernel void k(global int *x) { *x = VALUE; }";
  EXPECT_EQ(launchOn(describe(Source, "k"), range(1)).code(), errc::build_failed);
  status S = launchOn(describe(Source, "k", 0, "-DVALUE=42"), range(1));
  EXPECT_TRUE(S.ok()) << S.message();
  EXPECT_TRUE(launchOn(describe(Source, "k", 0, "-DVALUE=43"), range(1)).ok());
  if (Dev->info().SharesHostMemory) {
    EXPECT_EQ(Cell, 43);
  }
}

TEST_F(ErrorsTest, UnknownKernelNamesTheOnesThere) {
  OPEN_DEVICE();
  KernelRef K;
  status S = Dev->kernel(describe(Good, "absent"), K);
  EXPECT_EQ(S.code(), errc::build_failed);
  EXPECT_TRUE(contains(S.message(), "'absent'") && contains(S.message(), "it has: k")) << S.message();
}

TEST_F(ErrorsTest, OneProgramManyThreads) {
  OPEN_DEVICE();
  std::string Source = std::string(Good) + " // another one";
  hsched_kernel_desc Desc = describe(Source.c_str(), "k");
  std::vector<KernelRef> Kernels(4);
  std::vector<std::thread> Pool;
  for (KernelRef &K : Kernels)
    Pool.emplace_back([&] { (void)Dev->kernel(Desc, K); });
  for (std::thread &T : Pool)
    T.join();
  ASSERT_TRUE(Kernels[0]);
  for (const KernelRef &K : Kernels)
    EXPECT_EQ(K, Kernels[0]);
}

TEST_F(ErrorsTest, WorkGroupTooLarge) {
  OPEN_DEVICE();
  hsched_ndrange Cube = {3, {1024, 1024, 1024}, {1024, 1024, 64}, {}};
  status S = launchOn(describe(Good, "k"), Cube);
  EXPECT_EQ(S.code(), errc::unsupported);
  EXPECT_TRUE(contains(S.message(), "'k'") && contains(S.message(), "1024 x 1024 x 64")) << S.message();
  size_t Huge = size_t(1) << 40;
  S = launchOn(describe(Good, "k"), range(Huge, Huge));
  EXPECT_EQ(S.code(), errc::unsupported);
  EXPECT_EQ(launchOn(describe(Good, "k"), hsched_ndrange{2, {8, 8, 1}, {8, 0, 1}, {}}).code(), errc::unsupported);
  EXPECT_EQ(launchOn(describe(Good, "k"), hsched_ndrange{4, {8, 8, 1}, {}, {}}).code(), errc::unsupported);
  EXPECT_TRUE(launchOn(describe(Good, "k"), range(1)).ok()) << "the device still works";
}

TEST_F(ErrorsTest, RequiredWorkGroupSize) {
  OPEN_DEVICE();
  hsched_kernel_desc Desc =
      describe("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global int *x) { *x = 1; }", "k");
  status S = launchOn(Desc, range(16, 4));
  EXPECT_EQ(S.code(), errc::unsupported);
  EXPECT_TRUE(contains(S.message(), "requires 8")) << S.message();
  S = launchOn(Desc, range(16, 8));
  EXPECT_TRUE(S.ok()) << S.message();
  S = launchOn(Desc, range(9));
  EXPECT_TRUE(S.ok()) << "left to the runtime: " << S.message();
}

TEST_F(ErrorsTest, WrongArguments) {
  OPEN_DEVICE();
  hsched_kernel_desc Desc = describe("kernel void k(global int *x, int v) { *x = v; }", "k");
  status S = launchOn(Desc, range(1));
  EXPECT_EQ(S.code(), errc::launch_failed);
  EXPECT_TRUE(contains(S.message(), "2 arguments taken, 1 given")) << S.message();
  char Small = 1;
  S = launchOn(Desc, range(1), {value(Small)});
  EXPECT_EQ(S.code(), errc::launch_failed);
  EXPECT_TRUE(contains(S.message(), "argument 1")) << S.message();
}

TEST_F(ErrorsTest, LocalMemoryBeyondTheDevices) {
  OPEN_DEVICE();
  hsched_kernel_desc Desc = describe("kernel void k(global int *x, local int *t) { t[0] = 1; *x = t[0]; }", "k");
  status S = launchOn(Desc, range(1, 1), {local(size_t(1) << 40)});
  EXPECT_EQ(S.code(), errc::unsupported);
  EXPECT_TRUE(contains(S.message(), "local memory")) << S.message();
}

TEST_F(ErrorsTest, MemoryLimitInBytes) {
  setenv("HSCHED_OPENCL_COPY", "1", 1);
  Options.MemoryLimitBytes = 1 << 20;
  OPEN_DEVICE();
  EXPECT_EQ(Dev->info().MemoryBytes, 1u << 20);
  BufferRef A, B, C;
  ASSERT_TRUE(Dev->allocate(600 << 10, A).ok());
  status S = Dev->allocate(600 << 10, B);
  EXPECT_EQ(S.code(), errc::out_of_memory);
  EXPECT_TRUE(contains(S.message(), "614400 bytes needed, 434176 bytes free")) << S.message();
  EXPECT_FALSE(B);
  A.reset();
  EXPECT_TRUE(Dev->allocate(600 << 10, B).ok()) << "what is freed is there again";
  S = Dev->allocate(2 << 20, C);
  EXPECT_EQ(S.code(), errc::out_of_memory);
  EXPECT_TRUE(contains(S.message(), "1048576 bytes there in all")) << S.message();
  EXPECT_EQ(Dev->allocate(0, C).code(), errc::invalid_argument);
}

TEST_F(ErrorsTest, MemoryLimitInPercent) {
  setenv("HSCHED_OPENCL_COPY", "1", 1);
  OPEN_DEVICE();
  uint64_t Whole = Dev->info().MemoryBytes;
  Devices.clear();
  Options.MemoryLimitPercent = 10;
  OPEN_DEVICE();
  EXPECT_LT(Dev->info().MemoryBytes, Whole / 9);
  EXPECT_GT(Dev->info().MemoryBytes, Whole / 11);
  BufferRef B;
  EXPECT_EQ(Dev->allocate(Whole, B).code(), errc::out_of_memory);
}

TEST_F(ErrorsTest, WaitingForAFailureIsCancelled) {
  OPEN_DEVICE();
  struct Failed final : Event {
    bool done() override { return true; }
    status wait() override { return outcome(); }
    status outcome() override { return status::error(errc::transfer_failed, "the cable is out"); }
    std::optional<Interval> times() override { return {}; }
  };
  KernelRef K = kernel(describe(Good, "k"));
  std::vector<BoundArg> Args = {buffer(bufferOf(&Cell, sizeof(Cell)))};
  std::vector<EventRef> Wait = {std::make_shared<Failed>()};
  EventRef Done;
  status S = Dev->launch(K, range(1), Args, Wait, Done);
  EXPECT_EQ(S.code(), errc::cancelled);
  EXPECT_TRUE(contains(S.message(), "the cable is out")) << S.message();
  EXPECT_FALSE(Done);
}
