// Events: of users, their failures, callbacks, profiling.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace icdtest {
namespace {

using EventTest = Platform;

TEST_F(EventTest, UserEventHoldsBack) {
  cl_mem M = ints({1});
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 1);
  for (cl_command_queue Q : Queues) {
    cl_int Error;
    cl_event User = clCreateUserEvent(Context, &Error), Done = nullptr;
    EXPECT_EQ(status(User), CL_SUBMITTED);
    EXPECT_EQ(info<cl_command_type>(clGetEventInfo, User, cl_event_info(CL_EVENT_COMMAND_TYPE)),
              cl_uint(CL_COMMAND_USER));
    run(Q, K, 1, {User}, &Done);
    ok(clFlush(Q)); // Returns, whatever the vendor's does.
    EXPECT_EQ(status(Done), CL_QUEUED);
    ok(clSetUserEventStatus(User, CL_COMPLETE));
    ok(clWaitForEvents(1, &Done));
    EXPECT_EQ(clSetUserEventStatus(User, CL_COMPLETE), CL_INVALID_OPERATION);
    clReleaseEvent(User);
    clReleaseEvent(Done);
  }
  EXPECT_EQ(read(Queues[0], M, 1)[0], 1 + static_cast<int>(Queues.size()));
  clReleaseKernel(K);
}

TEST_F(EventTest, FailureGoesToThoseThatWait) {
  cl_mem M = ints({5});
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 1);
  cl_int Error;
  cl_event User = clCreateUserEvent(Context, &Error), First = nullptr, Second = nullptr;
  run(Queues[0], K, 1, {User}, &First);
  run(Queues[1], K, 1, {First}, &Second);
  ok(clSetUserEventStatus(User, -77));
  EXPECT_EQ(clWaitForEvents(1, &Second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status(User), -77);
  EXPECT_EQ(status(First), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status(Second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  int X = 0;
  EXPECT_EQ(clEnqueueReadBuffer(Queues[0], M, CL_TRUE, 0, sizeof(X), &X, 1, &Second, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(read(Queues[0], M, 1)[0], 5); // Neither ran, and the queue goes on.
  for (cl_event E : {User, First, Second})
    clReleaseEvent(E);
  clReleaseKernel(K);
}

// A long chain that fails at once.
TEST_F(EventTest, LongChainOfFailures) {
  cl_int Error;
  cl_event User = clCreateUserEvent(Context, &Error), Last = User;
  for (int I = 0; I != 5000; ++I) {
    cl_event Next = nullptr;
    ok(clEnqueueMarkerWithWaitList(Queues[static_cast<size_t>(I) % 2], 1, &Last, &Next));
    if (Last != User)
      clReleaseEvent(Last);
    Last = Next;
  }
  ok(clSetUserEventStatus(User, -1));
  EXPECT_EQ(clWaitForEvents(1, &Last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  clReleaseEvent(Last);
  clReleaseEvent(User);
}

struct Calls {
  std::mutex Lock;
  std::vector<cl_int> Seen;
  std::atomic<int> N{0};
  static void CL_CALLBACK note(cl_event, cl_int Status, void *To) {
    auto *Own = static_cast<Calls *>(To);
    {
      std::lock_guard Hold(Own->Lock);
      Own->Seen.push_back(Status);
    }
    ++Own->N;
    Own->N.notify_all();
  }
  void await(int Wanted) {
    for (int Now; (Now = N.load()) < Wanted;)
      N.wait(Now);
  }
};

TEST_F(EventTest, CallbacksOfEachStatus) {
  cl_mem M = ints({0});
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 1);
  for (cl_command_queue Q : Queues) {
    cl_int Error;
    cl_event User = clCreateUserEvent(Context, &Error), Done = nullptr;
    run(Q, K, 1, {User}, &Done);
    Calls C;
    for (cl_int From : {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED})
      ok(clSetEventCallback(Done, From, Calls::note, &C));
    EXPECT_EQ(clSetEventCallback(Done, CL_QUEUED, Calls::note, &C), CL_INVALID_VALUE);
    EXPECT_EQ(clSetEventCallback(Done, CL_COMPLETE, nullptr, &C), CL_INVALID_VALUE);
    EXPECT_EQ(C.N, 0);
    ok(clSetUserEventStatus(User, CL_COMPLETE));
    ok(clFlush(Q));
    C.await(3);
    EXPECT_EQ(C.Seen, (std::vector<cl_int>{CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}));
    ok(clSetEventCallback(Done, CL_COMPLETE, Calls::note, &C)); // At once.
    C.await(4);
    clReleaseEvent(User);
    clReleaseEvent(Done);
  }
  clReleaseKernel(K);
}

TEST_F(EventTest, CallbackOfAFailure) {
  cl_int Error;
  cl_event User = clCreateUserEvent(Context, &Error);
  Calls C;
  ok(clSetEventCallback(User, CL_COMPLETE, Calls::note, &C));
  ok(clSetUserEventStatus(User, -5));
  C.await(1);
  EXPECT_EQ(C.Seen, std::vector<cl_int>{-5});
  clReleaseEvent(User);
}

// Times are of one clock, on whichever device.
TEST_F(EventTest, TimesOfAllDevicesAreInOrder) {
  cl_mem M = ints(std::vector<int>(4096, 0));
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 1);
  cl_ulong Before = 0, DeviceTime = 0;
  ok(clGetDeviceAndHostTimer(Devices[0], &DeviceTime, &Before));
  for (size_t I = 0; I != 2 * Devices.size(); ++I) {
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueue(Context, Devices[I % Devices.size()], CL_QUEUE_PROFILING_ENABLE, &Error);
    ok(Error);
    cl_event E = nullptr;
    run(Q, K, 4096, {}, &E);
    ok(clWaitForEvents(1, &E));
    Before = lastTimeOf(E, Before);
    clReleaseEvent(E);
    clReleaseCommandQueue(Q);
  }
  cl_event E = nullptr;
  run(Queues[0], K, 1, {}, &E);
  ok(clWaitForEvents(1, &E));
  cl_ulong Time;
  EXPECT_EQ(clGetEventProfilingInfo(E, CL_PROFILING_COMMAND_END, sizeof(Time), &Time, nullptr),
            CL_PROFILING_INFO_NOT_AVAILABLE);
  clReleaseEvent(E);
  clReleaseKernel(K);
}

// The host's timer and each device's show the clock of profiling times.
TEST_F(EventTest, TimersOfHostAndDevices) {
  EXPECT_EQ(info<cl_ulong>(clGetPlatformInfo, Id, cl_platform_info(CL_PLATFORM_HOST_TIMER_RESOLUTION)), 1u);
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, ints({0}));
  arg(K, 1, 1);
  for (cl_device_id D : Devices) {
    cl_ulong Before = 0, DeviceTime = 0, HostTime = 0;
    ok(clGetHostTimer(D, &Before));
    EXPECT_GT(Before, 0u);
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueue(Context, D, CL_QUEUE_PROFILING_ENABLE, &Error);
    ok(Error);
    cl_event E = nullptr;
    run(Q, K, 1, {}, &E);
    ok(clWaitForEvents(1, &E));
    const cl_ulong End = lastTimeOf(E, Before);
    ok(clGetDeviceAndHostTimer(D, &DeviceTime, &HostTime));
    EXPECT_LE(End, DeviceTime);
    EXPECT_EQ(DeviceTime, HostTime);
    ok(clGetHostTimer(D, &Before));
    EXPECT_LE(HostTime, Before);
    EXPECT_EQ(clGetHostTimer(D, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(clGetDeviceAndHostTimer(D, nullptr, &HostTime), CL_INVALID_VALUE);
    EXPECT_EQ(clGetDeviceAndHostTimer(D, &DeviceTime, nullptr), CL_INVALID_VALUE);
    clReleaseEvent(E);
    clReleaseCommandQueue(Q);
  }
  cl_ulong Time = 0;
  ok(clGetHostTimer(Auto, &Time));
  EXPECT_GT(Time, 0u);
  // The loader reads the handle, so it is another object's.
  EXPECT_EQ(clGetHostTimer(reinterpret_cast<cl_device_id>(Context), &Time), CL_INVALID_DEVICE);
  EXPECT_EQ(clGetDeviceAndHostTimer(reinterpret_cast<cl_device_id>(Context), &Time, &Time), CL_INVALID_DEVICE);
  clReleaseKernel(K);
}

TEST_F(EventTest, ThreadsAtOnce) {
  cl_kernel K = kernel(AddSource, "add");
  std::vector<cl_mem> Buffers;
  for (int T = 0; T != 4; ++T)
    Buffers.push_back(ints(std::vector<int>(64, 0)));
  std::vector<std::thread> Threads;
  for (size_t T = 0; T != 4; ++T)
    Threads.emplace_back([&, T] {
      cl_int Error;
      cl_kernel Own = clCloneKernel(K, &Error); // Or the arguments would be shared.
      EXPECT_EQ(Error, CL_SUCCESS);
      arg(Own, 0, Buffers[T]);
      arg(Own, 1, 1);
      cl_event Last = nullptr;
      for (size_t I = 0; I != 50; ++I) {
        cl_event E = nullptr;
        run(Queues[(I + T) % Queues.size()], Own, 64, Last ? std::vector<cl_event>{Last} : std::vector<cl_event>{}, &E);
        if (Last)
          clReleaseEvent(Last);
        Last = E;
      }
      EXPECT_EQ(clWaitForEvents(1, &Last), CL_SUCCESS);
      clReleaseEvent(Last);
      clReleaseKernel(Own);
    });
  for (auto &T : Threads)
    T.join();
  for (cl_mem M : Buffers)
    EXPECT_EQ(read(Queues[0], M, 64), std::vector<int>(64, 50));
  clReleaseKernel(K);
}

} // namespace
} // namespace icdtest
