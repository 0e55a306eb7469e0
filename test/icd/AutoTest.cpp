// HSCHED_OPENCL_AUTO=1: a program that knows nothing of the platform has one device, and its queues are scheduled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

namespace icdtest {
namespace {

TEST(AutoTest, OneDeviceOfTheFirstOnesType) {
  cl_platform_id Id = nullptr;
  ok(clGetPlatformIDs(1, &Id, nullptr));
  cl_device_id D[4] = {};
  cl_uint N = 0;
  ok(clGetDeviceIDs(Id, CL_DEVICE_TYPE_ALL, 4, D, &N));
  ASSERT_EQ(N, 1u);
  EXPECT_EQ(text(clGetDeviceInfo, D[0], CL_DEVICE_NAME), "hsched auto");
  ok(clGetDeviceIDs(Id, CL_DEVICE_TYPE_DEFAULT, 4, D, &N)); // As most programs ask.
  const auto Type = info<cl_device_type>(clGetDeviceInfo, D[0], cl_device_info(CL_DEVICE_TYPE));
  ok(clGetDeviceIDs(Id, Type, 4, D, &N));
  ASSERT_EQ(N, 1u);
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 1, D, nullptr, nullptr, &Error);
  ok(Error);
  cl_command_queue Q = clCreateCommandQueue(C, D[0], 0, &Error);
  ok(Error);
  const char *Source = AddSource;
  cl_program P = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
  const auto On = cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED);
  EXPECT_EQ(info<cl_device_id>(clGetCommandQueueInfo, Q, On), nullptr);
  addsEightTimes(C, Q, P, [&] {
    ok(clFinish(Q));
    const auto Real = info<cl_device_id>(clGetCommandQueueInfo, Q, On); // It has been mapped.
    EXPECT_NE(Real, nullptr);
    EXPECT_NE(Real, D[0]);
  });
}

} // namespace
} // namespace icdtest
