// Kernels, memory and transfers on a device, sharing the host's memory and with memory of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#include <atomic>
#include <numeric>
#include <thread>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

const char *const Add = R"(
kernel void add(global const int *a, global int *b, int c, ulong offset_a, ulong offset_b) {
  global const int *p = (global const int *)((global const char *)a + offset_a);
  global int *q = (global int *)((global char *)b + offset_b);
  size_t i = get_global_id(0);
  q[i] += p[i] + c;
})";

const char *const Rotate = R"(
kernel void rotate_groups(global int *x, local int *tile) {
  size_t l = get_local_id(0), n = get_local_size(0);
  tile[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = tile[(l + 1) % n];
})";

// The same tests on host memory in place and, where the device can choose, on memory of its own.
class DeviceTest : public OpenClTest, public testing::WithParamInterface<bool> {
protected:
  void SetUp() override { setenv("HSCHED_OPENCL_COPY", GetParam() ? "1" : "0", 1); }
};

INSTANTIATE_TEST_SUITE_P(Modes, DeviceTest, testing::Bool(),
                         [](const auto &Info) { return std::string(Info.param ? "Copy" : "Shared"); });

} // namespace

TEST_P(DeviceTest, CopyModeIsObeyed) {
  OPEN_DEVICE();
  if (Dev->info().Type == DeviceType::Cpu) {
    EXPECT_EQ(Dev->info().SharesHostMemory, !GetParam());
  } else {
    EXPECT_FALSE(Dev->info().SharesHostMemory);
  }
}

TEST_P(DeviceTest, KernelWithOffsets) {
  OPEN_DEVICE();
  // The sections begin inside the arrays, at element 3 and, by a wrapping offset, before the buffer's first element.
  std::vector<int> A(100), B(100, 1000);
  std::iota(A.begin(), A.end(), 0);
  BufferRef MA = bufferOf(A.data(), A.size() * sizeof(int));
  BufferRef MB = bufferOf(B.data() + 10, 90 * sizeof(int));
  KernelRef K = kernel(describe(Add, "add", HSCHED_KERNEL_OFFSETS));
  ASSERT_TRUE(K);
  int C = 5;
  // q[i] of the kernel is B[i + 10 - 10]: work-item i writes B[20 + i] with offset 40 bytes from B[10].
  std::vector<BoundArg> Args = {buffer(MA, 3 * sizeof(int)), buffer(MB, 10 * sizeof(int)), value(C)};
  EventRef Done;
  status S = Dev->launch(K, range(50), Args, {}, Done);
  ASSERT_TRUE(S.ok()) << S.message();
  S = Done->wait();
  ASSERT_TRUE(S.ok()) << S.message();
  bringBack(MB, B.data() + 10, 90 * sizeof(int));
  for (int I = 0; I < 100; ++I)
    ASSERT_EQ(B[I], I >= 20 && I < 70 ? 1000 + (I - 20 + 3) + 5 : 1000) << I;
}

TEST_P(DeviceTest, OffsetsWrap) {
  OPEN_DEVICE();
  // The kernel indexes p from 0, but accesses only p[32...]: the buffer begins there.
  const char *Source = R"(
kernel void high(global int *x, int lo, ulong off) {
  global int *p = (global int *)((global char *)x + off);
  p[lo + get_global_id(0)] = (int)get_global_id(0);
})";
  std::vector<int> X(64, -1);
  BufferRef M = bufferOf(X.data() + 32, 32 * sizeof(int));
  int Lo = 32;
  std::vector<BoundArg> Args = {buffer(M, static_cast<uint64_t>(-32 * static_cast<int64_t>(sizeof(int)))), value(Lo)};
  EventRef Done;
  status S = Dev->launch(kernel(describe(Source, "high", HSCHED_KERNEL_OFFSETS)), range(32), Args, {}, Done);
  ASSERT_TRUE(S.ok()) << S.message();
  ASSERT_TRUE(Done->wait().ok());
  bringBack(M, X.data() + 32, 32 * sizeof(int));
  for (int I = 0; I < 64; ++I)
    ASSERT_EQ(X[I], I < 32 ? -1 : I - 32);
}

TEST_P(DeviceTest, GlobalSizeIsRoundedUp) {
  OPEN_DEVICE();
  const char *Source = "kernel void mark(global int *x) { x[get_global_id(0)] = (int)get_global_size(0); }";
  std::vector<int> X(16, 0);
  BufferRef M = bufferOf(X.data(), X.size() * sizeof(int));
  EventRef Done;
  std::vector<BoundArg> Args = {buffer(M)};
  status S = Dev->launch(kernel(describe(Source, "mark")), range(9, 8), Args, {}, Done);
  ASSERT_TRUE(S.ok()) << S.message();
  ASSERT_TRUE(Done->wait().ok());
  bringBack(M, X.data(), X.size() * sizeof(int));
  EXPECT_EQ(X, std::vector<int>(16, 16));
}

TEST_P(DeviceTest, EmptyRangeDoesNothing) {
  OPEN_DEVICE();
  int X = 7;
  BufferRef M = bufferOf(&X, sizeof(X));
  EventRef Done;
  std::vector<BoundArg> Args = {buffer(M)};
  status S =
      Dev->launch(kernel(describe("kernel void k(global int *x) { *x = 1; }", "k")), range(0, 8), Args, {}, Done);
  ASSERT_TRUE(S.ok()) << S.message();
  EXPECT_TRUE(Done->wait().ok());
  EXPECT_TRUE(Done->done());
  bringBack(M, &X, sizeof(X));
  EXPECT_EQ(X, 7);
}

TEST_P(DeviceTest, LocalMemoryAndNullBuffers) {
  OPEN_DEVICE();
  std::vector<int> X(32);
  std::iota(X.begin(), X.end(), 0);
  BufferRef M = bufferOf(X.data(), X.size() * sizeof(int));
  std::vector<BoundArg> Args = {buffer(M), local(8 * sizeof(int))};
  EventRef Done;
  status S = Dev->launch(kernel(describe(Rotate, "rotate_groups")), range(32, 8), Args, {}, Done);
  ASSERT_TRUE(S.ok()) << S.message();
  ASSERT_TRUE(Done->wait().ok());
  bringBack(M, X.data(), X.size() * sizeof(int));
  for (int I = 0; I < 32; ++I)
    ASSERT_EQ(X[I], I / 8 * 8 + (I + 1) % 8);

  const char *Null = "kernel void isnull(global int *x, global int *n) { *x = n == 0; }";
  std::vector<BoundArg> NullArgs = {buffer(M), buffer(nullptr)};
  S = Dev->launch(kernel(describe(Null, "isnull")), range(1), NullArgs, {}, Done);
  ASSERT_TRUE(S.ok()) << S.message();
  ASSERT_TRUE(Done->wait().ok());
  bringBack(M, X.data(), X.size() * sizeof(int));
  EXPECT_EQ(X[0], 1);
}

TEST_P(DeviceTest, TransfersReachTheirBytes) {
  OPEN_DEVICE();
  std::vector<char> Home(64, 'h');
  BufferRef A = bufferOf(Home.data(), 64), B;
  if (Dev->info().SharesHostMemory)
    GTEST_SKIP() << "shares the host's memory: nothing is transferred";
  ASSERT_TRUE(Dev->allocate(64, B).ok());
  EventRef E1, E2, E3;
  char Text[] = "abcdef", Back[8] = {};
  ASSERT_TRUE(Dev->write(A, 10, Text, 6, {}, E1).ok());
  ASSERT_TRUE(Dev->copy(A, 11, B, 20, 4, std::vector{E1}, E2).ok());
  ASSERT_TRUE(Dev->read(B, 20, Back, 4, std::vector{E2, EventRef()}, E3).ok());
  ASSERT_TRUE(E3->wait().ok());
  EXPECT_STREQ(Back, "bcde");
  EXPECT_EQ(Dev->read(B, 62, Back, 4, {}, E3).code(), errc::invalid_argument);
  EXPECT_EQ(Dev->write(B, 65, Back, 0, {}, E3).code(), errc::invalid_argument);
  EXPECT_TRUE(Dev->write(B, 64, Back, 0, {}, E3).ok()) << "nothing, at the end";
  EXPECT_TRUE(E3->wait().ok());
}

TEST_P(DeviceTest, WrapIsForSharedMemoryOnly) {
  OPEN_DEVICE();
  int X[4] = {};
  BufferRef A, B;
  status S = Dev->wrap(X, sizeof(X), A);
  if (!Dev->info().SharesHostMemory) {
    EXPECT_EQ(S.code(), errc::unsupported);
    return;
  }
  ASSERT_TRUE(S.ok());
  ASSERT_TRUE(Dev->wrap(X, sizeof(X), B).ok());
  EXPECT_EQ(A, B) << "the same memory, the same buffer";
  ASSERT_TRUE(Dev->wrap(X, sizeof(int), B).ok());
  EXPECT_NE(A, B);
  EXPECT_EQ(B->bytes(), sizeof(int));
  for (size_t I = 0; I < 5000; ++I) // More than are remembered.
    ASSERT_TRUE(Dev->wrap(reinterpret_cast<char *>(X) + I % 15, 1 + I % 2, B).ok());
  EXPECT_FALSE(Dev->wrap(nullptr, 4, B).ok());
}

TEST_P(DeviceTest, ManyThreadsOneKernel) {
  OPEN_DEVICE();
  constexpr int Threads = 4, Launches = 50;
  hsched_kernel_desc Desc = describe("kernel void put(global int *x, int v) { *x += v; }", "put");
  std::vector<std::vector<int>> Sums(Threads, std::vector<int>(1, 0));
  std::vector<BufferRef> Buffers;
  for (std::vector<int> &S : Sums)
    Buffers.push_back(bufferOf(S.data(), sizeof(int)));
  std::atomic<int> Failures{0};
  std::vector<std::thread> Pool;
  for (int T = 0; T < Threads; ++T)
    Pool.emplace_back([&, T] {
      EventRef Last;
      for (int I = 0; I < Launches; ++I) {
        KernelRef K;
        int V = T + 1;
        std::vector<BoundArg> Args = {buffer(Buffers[T]), value(V)};
        std::vector<EventRef> Wait = {Last};
        if (!Dev->kernel(Desc, K).ok() || !Dev->launch(K, range(1), Args, Wait, Last).ok())
          return void(++Failures);
      }
      Failures += !Last->wait().ok();
    });
  for (std::thread &T : Pool)
    T.join();
  ASSERT_EQ(Failures, 0);
  for (int T = 0; T < Threads; ++T) {
    bringBack(Buffers[T], Sums[T].data(), sizeof(int));
    EXPECT_EQ(Sums[T][0], (T + 1) * Launches);
  }
}
