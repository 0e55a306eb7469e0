// The order of commands in queues, and what a program sees of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <atomic>

namespace icdtest {
namespace {

class OrderTest : public Platform {
protected:
  // A queue of the device that runs commands of an in-order queue side by side.
  cl_command_queue capable() const {
    for (size_t I = 0; I != Devices.size(); ++I)
      if (text(clGetDeviceInfo, Devices[I], CL_DEVICE_NAME).find("Oclgrind") == std::string::npos)
        return Queues[I];
    return nullptr;
  }
  static void await(int &Place, int Value) {
    while (std::atomic_ref<int>(Place).load(std::memory_order_acquire) != Value)
      ;
  }
};

// The second command has run, as its effect shows, and does not count as complete before the first one.
TEST_F(OrderTest, IndependentCommandsRunSideBySideAndEndInOrder) {
  cl_command_queue Q = capable();
  cl_mem A = ints({1}), B = ints({2});
  cl_int Error;
  cl_event User = clCreateUserEvent(Context, &Error), First = nullptr, Second = nullptr;
  int X = 0, Y = 0;
  ok(clEnqueueReadBuffer(Q, A, CL_FALSE, 0, sizeof(X), &X, 1, &User, &First));
  ok(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, sizeof(Y), &Y, 0, nullptr, &Second));
  ok(clFlush(Q));
  await(Y, 2);
  EXPECT_NE(status(Second), CL_COMPLETE);
  EXPECT_EQ(X, 0);
  ok(clSetUserEventStatus(User, CL_COMPLETE));
  ok(clWaitForEvents(1, &Second));
  EXPECT_EQ(status(First), CL_COMPLETE);
  EXPECT_EQ(X, 1);
  for (cl_event E : {User, First, Second})
    clReleaseEvent(E);
}

// What another queue waits for includes what came before it in its own.
TEST_F(OrderTest, EventsOfAnInOrderQueueIncludeWhatIsBeforeThem) {
  cl_command_queue Q = capable();
  cl_mem A = ints({1}), B = ints({2});
  cl_int Error;
  cl_event User = clCreateUserEvent(Context, &Error), Second = nullptr, Third = nullptr;
  int Ten = 10, Y = 0;
  ok(clEnqueueWriteBuffer(Q, A, CL_FALSE, 0, sizeof(Ten), &Ten, 1, &User, nullptr));
  ok(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, sizeof(Y), &Y, 0, nullptr, &Second));
  ok(clFlush(Q));
  await(Y, 2);
  int X = 0;
  for (cl_command_queue Other : Queues)
    if (Other != Q && !Third) {
      ok(clEnqueueReadBuffer(Other, A, CL_FALSE, 0, sizeof(X), &X, 1, &Second, &Third));
      ok(clFlush(Other));
    }
  for (int I = 0; I != 100000; ++I) // Long enough for a command that waits for nothing.
    ASSERT_NE(status(Third), CL_COMPLETE);
  ok(clSetUserEventStatus(User, CL_COMPLETE));
  ok(clWaitForEvents(1, &Third));
  EXPECT_EQ(X, 10);
  for (cl_event E : {User, Second, Third})
    clReleaseEvent(E);
}

// Kernels that share a variable of the program's keep their order, whatever its declaration looks like.
TEST_F(OrderTest, VariablesOfTheProgramKeepCommandsInOrder) {
  cl_command_queue Q = capable();
  auto D = info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_DEVICE));
  const char *Source = "global int C __attribute__((aligned(16)));\n"
                       "kernel void use(global int *x, int set) { if (set) C = x[0]; else x[0] = C; }\n";
  cl_int Error;
  cl_program P = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
  ok(Error);
  if (clBuildProgram(P, 1, &D, "-cl-std=CL2.0", nullptr, nullptr) != CL_SUCCESS) {
    clReleaseProgram(P);
    GTEST_SKIP() << "the vendor has no variables of programs";
  }
  cl_kernel K = clCreateKernel(P, "use", &Error); // One kernel: each has variables of its own in PoCL.
  ok(Error);
  cl_mem A = ints({5}), B = ints({-1});
  cl_event User = clCreateUserEvent(Context, &Error), Last = nullptr;
  arg(K, 0, A);
  arg(K, 1, 1);
  run(Q, K, 1, {User});
  arg(K, 0, B);
  arg(K, 1, 0);
  run(Q, K, 1, {}, &Last);
  ok(clFlush(Q));
  for (int I = 0; I != 100000; ++I) // Long enough for a command that waits for nothing.
    ASSERT_NE(status(Last), CL_COMPLETE);
  ok(clSetUserEventStatus(User, CL_COMPLETE));
  EXPECT_EQ(read(Q, B, 1)[0], 5);
  for (cl_event E : {User, Last})
    clReleaseEvent(E);
  clReleaseKernel(K);
  clReleaseProgram(P);
}

// Also where the command between them, which writes the same, fails before it begins.
TEST_F(OrderTest, AFailedCommandKeepsItsNeighboursInOrder) {
  cl_command_queue Q = capable();
  for (int Round = 0; Round != 20; ++Round) {
    cl_mem A = ints({0});
    cl_int Error;
    cl_event First = clCreateUserEvent(Context, &Error), Second = clCreateUserEvent(Context, &Error);
    const int One = 1, Five = 5, Two = 2;
    ok(clEnqueueWriteBuffer(Q, A, CL_FALSE, 0, sizeof(One), &One, 1, &First, nullptr));
    ok(clEnqueueWriteBuffer(Q, A, CL_FALSE, 0, sizeof(Five), &Five, 1, &Second, nullptr));
    ok(clEnqueueWriteBuffer(Q, A, CL_FALSE, 0, sizeof(Two), &Two, 0, nullptr, nullptr));
    ok(clFlush(Q));
    ok(clSetUserEventStatus(Second, -1));
    ok(clSetUserEventStatus(First, CL_COMPLETE));
    clFinish(Q);
    EXPECT_EQ(read(Q, A, 1), std::vector{2});
    clReleaseEvent(First);
    clReleaseEvent(Second);
  }
}

// The same buffer, the same host memory, an overlapping sub-buffer: in order.
TEST_F(OrderTest, DependentCommandsStayInOrder) {
  for (cl_command_queue Q : Queues) {
    constexpr size_t N = 4096;
    cl_mem A = buffer(N * sizeof(int)), B = buffer(N * sizeof(int));
    cl_buffer_region R{0, N / 2 * sizeof(int)};
    cl_int Error;
    cl_mem Half = clCreateSubBuffer(A, 0, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error);
    ok(Error);
    cl_kernel K = kernel(AddSource, "add");
    std::vector<int> Host(N), Ones(N, 1);
    for (int Round = 0; Round != 20; ++Round) {
      ok(clEnqueueWriteBuffer(Q, A, CL_FALSE, 0, N * sizeof(int), Ones.data(), 0, nullptr, nullptr));
      arg(K, 0, Half);
      arg(K, 1, Round);
      run(Q, K, N / 2);
      ok(clEnqueueReadBuffer(Q, A, CL_FALSE, 0, N * sizeof(int), Host.data(), 0, nullptr, nullptr));
      ok(clEnqueueWriteBuffer(Q, B, CL_FALSE, 0, N * sizeof(int), Host.data(), 0, nullptr,
                              nullptr)); // Through the host.
      auto Got = read(Q, B, N);
      ASSERT_EQ(Got[0], 1 + Round);
      ASSERT_EQ(Got[N / 2 - 1], 1 + Round);
      ASSERT_EQ(Got[N / 2], 1);
    }
    clReleaseMemObject(Half);
    clReleaseKernel(K);
  }
}

TEST_F(OrderTest, OutOfOrderQueuesByEventsAndBarriers) {
  for (cl_device_id D : Devices) { // Also of a vendor that has none.
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueue(Context, D, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &Error);
    ok(Error);
    cl_mem M = ints({0}), Other = ints({7});
    cl_kernel K = kernel(AddSource, "add");
    arg(K, 0, M);
    cl_event User = clCreateUserEvent(Context, &Error), First = nullptr;
    arg(K, 1, 1);
    run(Q, K, 1, {User}, &First);
    int Y = 0;
    ok(clEnqueueReadBuffer(Q, Other, CL_TRUE, 0, sizeof(Y), &Y, 0, nullptr,
                           nullptr)); // Does not wait for the first one.
    EXPECT_EQ(Y, 7);
    ok(clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr));
    arg(K, 1, 10);
    run(Q, K, 1);
    cl_event Marker = nullptr;
    ok(clEnqueueMarkerWithWaitList(Q, 0, nullptr, &Marker));
    ok(clFlush(Q));
    EXPECT_NE(status(Marker), CL_COMPLETE);
    ok(clSetUserEventStatus(User, CL_COMPLETE));
    ok(clWaitForEvents(1, &Marker));
    EXPECT_EQ(read(Q, M, 1)[0], 11);
    ok(clFinish(Q));
    for (cl_event E : {User, First, Marker})
      clReleaseEvent(E);
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
  }
}

TEST_F(OrderTest, ManyCommandsInOneQueue) {
  for (cl_command_queue Q : Queues) {
    cl_mem A = ints({0}), B = ints({0});
    cl_kernel K = kernel(AddSource, "add");
    arg(K, 1, 1);
    for (int I = 0; I != 400; ++I) {
      arg(K, 0, I % 2 ? A : B);
      run(Q, K, 1);
    }
    EXPECT_EQ(read(Q, A, 1)[0], 200);
    EXPECT_EQ(read(Q, B, 1)[0], 200);
    clReleaseKernel(K);
  }
}

} // namespace
} // namespace icdtest
