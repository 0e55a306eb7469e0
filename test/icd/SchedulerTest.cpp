// Queues that the platform maps to devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <set>

namespace icdtest {
namespace {

class SchedulerTest : public Platform {
protected:
  cl_command_queue scheduled(cl_context In, cl_device_id On, cl_ulong Sched) {
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, Sched, 0};
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueueWithProperties(In, On, P, &Error);
    EXPECT_EQ(Error, CL_SUCCESS);
    return Q;
  }
  static cl_device_id deviceOf(cl_command_queue Q) {
    return info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
  }
};

// Each kernel runs on each device once, as part of the program. TimedTest.cpp tests the mapping after that.
TEST_F(SchedulerTest, KernelsAreMeasuredWhereTheyRun) {
  cl_command_queue Q = scheduled(Context, Devices[0], CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED);
  EXPECT_EQ(deviceOf(Q), nullptr);
  constexpr size_t N = 1024;
  cl_mem M = ints(std::vector<int>(N, 0));
  cl_kernel K = kernel("kernel void unseen(global int *x, int d) { x[get_global_id(0)] += d; }", "unseen");
  arg(K, 0, M);
  arg(K, 1, 1);
  std::set<cl_device_id> Seen;
  int Runs = 0;
  for (; Runs != static_cast<int>(Devices.size()); ++Runs) {
    run(Q, K, N);
    ok(clFinish(Q));
    Seen.insert(deviceOf(Q));
  }
  EXPECT_EQ(Seen.size(), Devices.size());
  for (; Runs != 10; ++Runs) {
    run(Q, K, N);
    ok(clFinish(Q));
  }
  EXPECT_EQ(read(Q, M, N), std::vector<int>(N, Runs));
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

TEST_F(SchedulerTest, EventsOfDelayedCommands) {
  cl_command_queue Q = scheduled(Context, Devices[0], CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED);
  cl_mem M = ints({0});
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 1);
  cl_event E = nullptr;
  run(Q, K, 1, {}, &E);
  EXPECT_EQ(info<cl_command_queue>(clGetEventInfo, E, cl_event_info(CL_EVENT_COMMAND_QUEUE)), Q);
  arg(K, 1, 10);
  run(Queues[0], K, 1, {E}); // A queue that is not scheduled waits for one that is.
  ok(clFinish(Queues[0]));
  EXPECT_EQ(read(Queues[0], M, 1)[0], 11);
  clReleaseEvent(E);
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

TEST_F(SchedulerTest, RoundRobin) {
  cl_context_properties P[] = {CL_CONTEXT_SCHEDULER_HSCHED, CL_CONTEXT_SCHEDULER_ROUND_ROBIN_HSCHED, 0};
  cl_int Error;
  cl_context C = clCreateContext(P, static_cast<cl_uint>(Devices.size()), Devices.data(), nullptr, nullptr, &Error);
  ok(Error);
  std::set<cl_device_id> Seen;
  std::vector<cl_command_queue> All;
  cl_mem M = clCreateBuffer(C, 0, 64 * Devices.size(), nullptr, &Error);
  for (size_t I = 0; I != Devices.size(); ++I) {
    All.push_back(scheduled(C, Devices[0], CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED));
    int Value = 1;
    ok(clEnqueueFillBuffer(All.back(), M, &Value, sizeof(Value), 64 * I, 64, 0, nullptr, nullptr));
    ok(clFinish(All.back()));
    Seen.insert(deviceOf(All.back()));
  }
  EXPECT_EQ(Seen.size(), Devices.size());
  for (cl_command_queue Q : All)
    clReleaseCommandQueue(Q);
  clReleaseMemObject(M);
  clReleaseContext(C);
}

TEST_F(SchedulerTest, OffAgain) {
  cl_command_queue Q =
      scheduled(Context, Devices[1], CL_QUEUE_SCHED_AUTO_STATIC_HSCHED | CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED);
  cl_mem M = ints({3});
  int Value = 4;
  ok(clEnqueueFillBuffer(Q, M, &Value, sizeof(Value), 0, sizeof(Value), 0, nullptr, nullptr));
  ok(clSetCommandQueueSchedProperty(Q, CL_QUEUE_SCHED_OFF_HSCHED));
  EXPECT_EQ(deviceOf(Q), Devices[1]);
  EXPECT_EQ(read(Q, M, 1)[0], 4);
  EXPECT_EQ(clSetCommandQueueSchedProperty(Q, 1 << 12), CL_INVALID_VALUE);
  EXPECT_EQ(clSetCommandQueueSchedProperty(nullptr, 0), CL_INVALID_COMMAND_QUEUE);
  clReleaseCommandQueue(Q);
}

// A program that knows nothing of all this takes the device "hsched auto".
TEST_F(SchedulerTest, TheDeviceAuto) {
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 1, &Auto, nullptr, nullptr, &Error);
  ok(Error);
  cl_command_queue Q = clCreateCommandQueue(C, Auto, 0, &Error);
  ok(Error);
  const char *Source = AddSource;
  cl_program P = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(P, 1, &Auto, "", nullptr, nullptr));
  EXPECT_EQ(info<cl_build_status>(clGetProgramBuildInfo, P, Auto, cl_program_build_info(CL_PROGRAM_BUILD_STATUS)),
            CL_BUILD_SUCCESS);
  // Its binary holds those of all devices.
  auto Bytes = info<size_t>(clGetProgramInfo, P, cl_program_info(CL_PROGRAM_BINARY_SIZES));
  std::vector<unsigned char> Binary(Bytes);
  auto *Pointer = Binary.data();
  ok(clGetProgramInfo(P, CL_PROGRAM_BINARIES, sizeof(Pointer), &Pointer, nullptr));
  clReleaseProgram(P);
  const unsigned char *Const = Binary.data();
  P = clCreateProgramWithBinary(C, 1, &Auto, &Bytes, &Const, nullptr, &Error);
  ok(Error);
  ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
  addsEightTimes(C, Q, P, [&] { ok(clFlush(Q)); });
}

// "hsched auto" beside a device that it stands for, as programs have it that take all devices: PyOpenCL's cache of
// binaries does this.
TEST_F(SchedulerTest, BinariesOfAutoAndADeviceOfIts) {
  cl_device_id Both[] = {Devices[0], Auto};
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 2, Both, nullptr, nullptr, &Error);
  ok(Error);
  const char *Source = AddSource;
  cl_program P = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
  size_t Sizes[2];
  ok(clGetProgramInfo(P, CL_PROGRAM_BINARY_SIZES, sizeof(Sizes), Sizes, nullptr));
  std::vector<unsigned char> First(Sizes[0]), Second(Sizes[1]);
  unsigned char *Data[] = {First.data(), Second.data()};
  ok(clGetProgramInfo(P, CL_PROGRAM_BINARIES, sizeof(Data), Data, nullptr));
  const unsigned char *Const[] = {Data[0], Data[1]};
  cl_program Q = clCreateProgramWithBinary(C, 2, Both, Sizes, Const, nullptr, &Error);
  ok(Error);
  ok(clBuildProgram(Q, 0, nullptr, "", nullptr, nullptr));
  for (cl_program Each : {P, Q})
    clReleaseProgram(Each);
  clReleaseContext(C);
}

} // namespace
} // namespace icdtest
