// Error names, build logs, the division of cores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/ClDevice.h"
#include "backends/opencl/CpuCores.h"
#include "backends/opencl/Errors.h"
#include "backends/opencl/Programs.h"

#include <gtest/gtest.h>

using namespace hsched;
using namespace hsched::rt::opencl;

using Cores = std::vector<unsigned>;

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
  cl::Context Context;
  std::vector<cl::Platform> Platforms;
  std::vector<cl::Device> Devices;
  cl::Platform::get(&Platforms);
  for (const cl::Platform &P : Platforms)
    if (Devices.empty())
      P.getDevices(CL_DEVICE_TYPE_ALL, &Devices);
  if (Devices.empty())
    GTEST_SKIP() << "no OpenCL device on this machine";
  Context = cl::Context(Devices[0]);
  auto S = std::make_shared<Stream>();
  Blocks B(1000);
  B.usedOn({S});
  cl::Buffer One(Context, CL_MEM_READ_WRITE, 100), Two(Context, CL_MEM_READ_WRITE, 200), Out;
  cl_mem First = One(), Second = Two();
  ASSERT_TRUE(B.take(100, Out));
  EXPECT_EQ(Out(), nullptr);
  ASSERT_TRUE(B.take(200, Out));
  B.giveBack(100, std::move(One));
  EXPECT_EQ(B.unused(), 1u);
  B.giveBack(200, std::move(Two)); // no more than a quarter of all: the first one goes
  EXPECT_EQ(B.unused(), 1u);
  ASSERT_TRUE(B.take(100, Out));
  EXPECT_EQ(Out(), nullptr);
  ASSERT_TRUE(B.take(200, Out));
  EXPECT_EQ(Out(), Second);
  EXPECT_NE(Out(), First);
  B.giveBack(200, std::move(Out));
  ASSERT_TRUE(B.take(850, Out)); // with 200 unused that is too much
  EXPECT_EQ(B.unused(), 0u);
  EXPECT_EQ(B.used(), 950u);
  // An event has gone that nobody saw the end of: perhaps it is still at work.
  S->Abandoned = 7;
  S->SeenToEnd = 6;
  B.giveBack(100, cl::Buffer(Context, CL_MEM_READ_WRITE, 100));
  EXPECT_EQ(B.unused(), 0u);
  S->SeenToEnd = 7;
  ASSERT_TRUE(B.take(100, Out));
  B.giveBack(100, cl::Buffer(Context, CL_MEM_READ_WRITE, 100));
  EXPECT_EQ(B.unused(), 1u);
  B.close();
  EXPECT_EQ(B.unused(), 0u);
}
