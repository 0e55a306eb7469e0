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

TEST(MemoryAccountTest, NeverBeyondTheLimit) {
  MemoryAccount A;
  A.Limit = 100;
  EXPECT_TRUE(A.take(60));
  EXPECT_FALSE(A.take(41));
  EXPECT_TRUE(A.take(40));
  A.giveBack(60);
  EXPECT_FALSE(A.take(61));
  EXPECT_FALSE(A.take(UINT64_MAX));
  EXPECT_TRUE(A.take(60));
}
