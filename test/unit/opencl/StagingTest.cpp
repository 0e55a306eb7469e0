// Transfers by way of pinned memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <vector>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

class StagingTest : public OpenClTest, public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    setenv("HSCHED_OPENCL_COPY", "1", 1);
    setenv("HSCHED_PIN_MEMORY", "0", 1); // What is pinned does not go through the ring.
    setenv("HSCHED_STAGING", GetParam(), 1);
  }
};
// Without the ring, with one copying thread, with several.
INSTANTIATE_TEST_SUITE_P(Threads, StagingTest, testing::Values("0", "1", "3"),
                         [](const auto &Info) { return std::string("Copying") + Info.param; });

std::vector<uint32_t> numbers(size_t N, uint32_t Seed) {
  std::vector<uint32_t> V(N);
  for (uint32_t &X : V)
    X = Seed = Seed * 1664525u + 1013904223u;
  return V;
}

// Several times around the ring, sizes that fill no block, sources and destinations off every boundary.
TEST_P(StagingTest, EveryByteArrives) {
  OPEN_DEVICE();
  for (size_t Bytes : {size_t(256) << 10, (size_t(1) << 20) + 4, (size_t(39) << 20) + 12345}) {
    std::vector<uint32_t> Sent = numbers(Bytes / 4 + 2, static_cast<uint32_t>(Bytes));
    auto *From = reinterpret_cast<unsigned char *>(Sent.data()) + 1;
    std::vector<unsigned char> Back(Bytes + 3, 7);
    BufferRef B;
    ASSERT_TRUE(Dev->allocate(Bytes + 3, B).ok());
    EventRef Edges, Done, Read;
    ASSERT_TRUE(Dev->write(B, 0, Back.data(), Back.size(), {}, Edges).ok());
    ASSERT_TRUE(Dev->write(B, 2, From, Bytes, {}, Done).ok());
    ASSERT_TRUE(Done->wait().ok());
    ASSERT_TRUE(Done->times());
    EXPECT_LT(Done->times()->Begin, Done->times()->End);
    std::fill(Back.begin(), Back.end(), static_cast<unsigned char>(0));
    ASSERT_TRUE(Dev->read(B, 0, Back.data(), Back.size(), {}, Read).ok());
    ASSERT_TRUE(Read->wait().ok());
    EXPECT_EQ(std::memcmp(Back.data() + 2, From, Bytes), 0) << Bytes;
    EXPECT_EQ(Back[0], 7);
    EXPECT_EQ(Back[1], 7);
    EXPECT_EQ(Back[Bytes + 2], 7);
  }
}

// Tiles with more rows than a block takes, and with rows longer than a block. Rows that are packed on the device. A
// tile that ends at the buffer's end.
TEST_P(StagingTest, EveryRowArrives) {
  OPEN_DEVICE();
  const RowLayout Tiles[] = {{700, 4 * 1024, 5000, 4500},
                             {100000, 12, 20, 16},
                             {3, (size_t(5) << 20) + 4, 6 << 20, 7 << 20},
                             {1000, 2000, 2048, 2000},
                             {2, 300 << 10, 400 << 10, 301 << 10}};
  for (const RowLayout &T : Tiles) {
    const size_t HostBytes = (T.Rows - 1) * T.HostStride + T.Bytes, DeviceBytes = T.deviceBytes() + 2;
    std::vector<uint32_t> Sent = numbers(HostBytes / 4 + 2, static_cast<uint32_t>(HostBytes));
    auto *From = reinterpret_cast<unsigned char *>(Sent.data()) + 1;
    std::vector<unsigned char> Want(DeviceBytes, 7), Back(DeviceBytes);
    BufferRef B;
    ASSERT_TRUE(Dev->allocate(DeviceBytes, B).ok());
    EventRef Edges, Done, Read;
    ASSERT_TRUE(Dev->write(B, 0, Want.data(), Want.size(), {}, Edges).ok());
    ASSERT_TRUE(Edges->wait().ok());
    ASSERT_TRUE(Dev->writeRows(B, 2, From, T, {}, Done).ok());
    for (size_t R = 0; R < T.Rows; ++R)
      std::memcpy(Want.data() + 2 + R * T.DeviceStride, From + R * T.HostStride, T.Bytes);
    ASSERT_TRUE(Done->wait().ok());
    ASSERT_TRUE(Done->times());
    EXPECT_LT(Done->times()->Begin, Done->times()->End);
    ASSERT_TRUE(Dev->read(B, 0, Back.data(), Back.size(), {}, Read).ok());
    ASSERT_TRUE(Read->wait().ok());
    EXPECT_TRUE(Back == Want) << T.Rows << " rows of " << T.Bytes;
    std::vector<unsigned char> Home(HostBytes + 2, 9), WantHome = Home;
    for (size_t R = 0; R < T.Rows; ++R)
      std::memcpy(WantHome.data() + 1 + R * T.HostStride, From + R * T.HostStride, T.Bytes);
    ASSERT_TRUE(Dev->readRows(B, 2, Home.data() + 1, T, {}, Read).ok());
    ASSERT_TRUE(Read->wait().ok());
    ASSERT_TRUE(Read->times());
    EXPECT_LT(Read->times()->Begin, Read->times()->End);
    EXPECT_TRUE(Home == WantHome) << T.Rows << " rows of " << T.Bytes << " home";
  }
}

// The kernel behind an upload sees all of it, also of the second while the first is still on its way.
TEST_P(StagingTest, WhatFollowsIsOrderedBehind) {
  OPEN_DEVICE();
  KernelRef K =
      kernel(describe("kernel void last(global const uint *x, uint n, global uint *y) { *y = x[n - 1]; }", "last"));
  ASSERT_TRUE(K);
  constexpr uint32_t N = 3u << 20;
  BufferRef Y;
  ASSERT_TRUE(Dev->allocate(4, Y).ok());
  for (uint32_t Round = 0; Round < 5; ++Round) {
    std::vector<uint32_t> Sent = numbers(N, Round);
    BufferRef X;
    ASSERT_TRUE(Dev->allocate(N * 4, X).ok());
    EventRef Uploaded, Ran, Read;
    uint32_t Got = 0;
    ASSERT_TRUE(Dev->write(X, 0, Sent.data(), N * 4, {}, Uploaded).ok());
    std::vector<BoundArg> Args = {buffer(X), value(N), buffer(Y)};
    ASSERT_TRUE(Dev->launch(K, range(1), Args, std::vector{Uploaded}, Ran).ok());
    ASSERT_TRUE(Dev->read(Y, 0, &Got, 4, std::vector{Ran}, Read).ok());
    ASSERT_TRUE(Read->wait().ok());
    EXPECT_EQ(Got, Sent.back());
  }
}

// A thread that submits an upload does not wait in the ring for the work of another queue.
TEST_P(StagingTest, NoUploadWaitsBehindABlockedCopy) {
  OPEN_DEVICE();
  if (!Dev->takesNativeWork())
    GTEST_SKIP() << "no events of the test's own on this device";
  constexpr size_t Bytes = size_t(40) << 20; // More than the ring has.
  std::vector<uint32_t> Sent = numbers(Bytes / 4, 1), Back(Bytes / 4);
  BufferRef A, B;
  ASSERT_TRUE(Dev->allocate(64, A).ok());
  ASSERT_TRUE(Dev->allocate(Bytes, B).ok());
  std::unique_ptr<NativeWork> Work;
  ASSERT_TRUE(Dev->beginNative("work", {}, Work).ok());
  cl_event Gate = clCreateUserEvent(static_cast<cl_context>(Work->context()), nullptr);
  ASSERT_NE(Gate, nullptr);
  EventRef Opened, Copied, Done, Read;
  ASSERT_TRUE(Work->await(Gate).ok());
  ASSERT_TRUE(Work->end(Opened).ok());
  ASSERT_TRUE(Dev->copy(A, 0, B, 0, 64, std::vector{Opened}, Copied).ok());
  Dev->flush();
  auto Given = std::async(std::launch::async, [&] { return Dev->write(B, 0, Sent.data(), Bytes, {}, Done).ok(); });
  EXPECT_EQ(Given.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_FALSE(Copied->done());
  clSetUserEventStatus(Gate, CL_COMPLETE);
  clReleaseEvent(Gate);
  ASSERT_TRUE(Given.get());
  ASSERT_TRUE(Dev->read(B, 0, Back.data(), Bytes, std::vector{Done}, Read).ok());
  ASSERT_TRUE(Read->wait().ok());
  EXPECT_EQ(Back, Sent);
}

} // namespace
