// Data that several devices use, of one vendor and of several.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <numeric>

namespace icdtest {
namespace {

using VendorsTest = Platform;

TEST_F(VendorsTest, DataFollowTheKernels) {
  constexpr size_t N = 1000;
  std::vector<int> X(N);
  std::iota(X.begin(), X.end(), 0);
  cl_mem M = ints(X);
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  for (int Round = 0; Round != 6; ++Round) {
    cl_command_queue Q = Queues[static_cast<size_t>(Round) % Queues.size()];
    arg(K, 1, Round);
    run(Q, K, N);
    ok(clFinish(Q));
  }
  for (cl_command_queue Q : Queues) {
    auto Got = read(Q, M, N);
    for (size_t I = 0; I != N; ++I)
      ASSERT_EQ(Got[I], X[I] + 15) << I;
  }
  clReleaseKernel(K);
}

TEST_F(VendorsTest, EventsOrderDevicesOfDifferentVendors) {
  constexpr size_t N = 256;
  cl_mem M = ints(std::vector<int>(N, 1));
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  std::vector<cl_event> Events;
  for (int Round = 0; Round != 10; ++Round) { // Nothing is waited for, or flushed, in between.
    arg(K, 1, 1 << Round);
    cl_event E = nullptr;
    run(Queues[static_cast<size_t>(Round) % Queues.size()], K, N,
        Events.empty() ? Events : std::vector<cl_event>{Events.back()}, &E);
    Events.push_back(E);
  }
  ok(clWaitForEvents(1, &Events.back()));
  EXPECT_EQ(read(Queues[1], M, N), std::vector<int>(N, 1024));
  for (cl_event E : Events) {
    EXPECT_EQ(status(E), CL_COMPLETE);
    clReleaseEvent(E);
  }
  clReleaseKernel(K);
}

// Each device overwrites a part of a buffer that kernels may only write; nothing of the other parts is lost.
TEST_F(VendorsTest, PartialWritesLoseNothing) {
  constexpr size_t N = 300;
  std::vector<int> X(N, 7);
  cl_mem M = buffer(N * sizeof(int), CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR, X.data());
  cl_kernel K = kernel(AddSource, "put");
  arg(K, 0, M);
  for (size_t D = 0; D != Queues.size(); ++D) {
    arg(K, 1, static_cast<int>(100 * D));
    arg(K, 2, static_cast<int>(D));
    run(Queues[D], K, 50);
    ok(clFinish(Queues[D]));
    for (size_t I = 0; I != 50; ++I)
      X[100 * D + I] = static_cast<int>(D);
  }
  EXPECT_EQ(read(Queues[0], M, N), X);
  EXPECT_EQ(read(Queues.back(), M, N), X);
  clReleaseKernel(K);
}

// Disjoint sub-buffers are written on different devices at the same time, then the whole is read.
TEST_F(VendorsTest, SubBuffersOnDifferentDevices) {
  constexpr size_t Part = 1024, Bytes = Part * sizeof(int);
  std::vector<int> X(3 * Part, 5);
  cl_mem Whole = ints(X);
  cl_kernel K = kernel(AddSource, "add");
  std::vector<cl_mem> Subs;
  for (size_t I = 0; I != 3; ++I) {
    cl_buffer_region R{I * Bytes, Bytes};
    cl_int Error;
    Subs.push_back(clCreateSubBuffer(Whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error));
    ok(Error);
    EXPECT_EQ(info<cl_mem>(clGetMemObjectInfo, Subs[I], cl_mem_info(CL_MEM_ASSOCIATED_MEMOBJECT)), Whole);
    EXPECT_EQ(info<size_t>(clGetMemObjectInfo, Subs[I], cl_mem_info(CL_MEM_OFFSET)), I * Bytes);
  }
  for (int Round = 0; Round != 3; ++Round) {
    for (size_t I = 0; I != 3; ++I) {
      arg(K, 0, Subs[I]);
      arg(K, 1, static_cast<int>(I + 1));
      run(Queues[(I + static_cast<size_t>(Round)) % Queues.size()], K, Part);
    }
    for (cl_command_queue Q : Queues)
      ok(clFinish(Q));
  }
  auto Got = read(Queues[0], Whole, 3 * Part);
  for (size_t I = 0; I != 3 * Part; ++I)
    ASSERT_EQ(Got[I], 5 + 3 * static_cast<int>(I / Part + 1)) << I;
  // Written through the whole, read through a part, on another device.
  int Value = 42;
  ok(clEnqueueFillBuffer(Queues[0], Whole, &Value, sizeof(Value), Bytes, Bytes, 0, nullptr, nullptr));
  ok(clFinish(Queues[0]));
  EXPECT_EQ(read(Queues.back(), Subs[1], Part), std::vector<int>(Part, 42));
  EXPECT_EQ(read(Queues.back(), Subs[2], Part), std::vector<int>(Part, 14));
  for (cl_mem S : Subs)
    clReleaseMemObject(S);
  clReleaseKernel(K);
}

TEST_F(VendorsTest, ConstantInputsStayWhereTheyAre) {
  constexpr size_t N = 512;
  cl_mem A = ints(std::vector<int>(N, 3)), B = ints(std::vector<int>(N, 4)), C = buffer(N * sizeof(int));
  cl_kernel K = kernel(AddSource, "sum");
  arg(K, 0, A);
  arg(K, 1, B);
  arg(K, 2, C);
  for (cl_command_queue Q : Queues) {
    run(Q, K, N);
    EXPECT_EQ(read(Q, C, N), std::vector<int>(N, 7));
    ok(clEnqueueCopyBuffer(Q, C, A, 0, 0, N * sizeof(int) / 2, 0, nullptr, nullptr));
    ok(clFinish(Q));
    ok(clEnqueueCopyBuffer(Q, B, A, 0, 0, N * sizeof(int) / 2, 0, nullptr, nullptr));
    std::vector<int> Three(N / 2, 3);
    ok(clEnqueueWriteBuffer(Q, A, CL_TRUE, 0, N * sizeof(int) / 2, Three.data(), 0, nullptr, nullptr));
  }
  clReleaseKernel(K);
}

TEST_F(VendorsTest, HostPointerBuffers) {
  constexpr size_t N = 1024;
  alignas(4096) static int X[N];
  std::fill(X, X + N, 1);
  cl_mem M = buffer(sizeof(X), CL_MEM_USE_HOST_PTR, X);
  EXPECT_EQ(info<void *>(clGetMemObjectInfo, M, cl_mem_info(CL_MEM_HOST_PTR)), X);
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 2);
  for (cl_command_queue Q : Queues) {
    run(Q, K, N);
    cl_int Error;
    void *P = clEnqueueMapBuffer(Q, M, CL_TRUE, CL_MAP_READ, 16, 64, 0, nullptr, nullptr, &Error);
    ok(Error);
    EXPECT_EQ(P, reinterpret_cast<char *>(X) + 16); // The program's own memory, as the specification wants.
    ok(clEnqueueUnmapMemObject(Q, M, P, 0, nullptr, nullptr));
    ok(clFinish(Q));
  }
  int Sum = 1 + 2 * static_cast<int>(Queues.size());
  EXPECT_EQ(X[4], Sum);
  EXPECT_EQ(read(Queues[0], M, N), std::vector<int>(N, Sum));
  clReleaseKernel(K);
}

TEST_F(VendorsTest, RectanglesKeepWhatLiesBetween) {
  constexpr size_t W = 16, H = 8;
  std::vector<int> X(W * H, 0);
  cl_mem M = ints(X);
  std::vector<int> Patch(W * H, 0);
  for (size_t D = 0; D != Queues.size(); ++D) {
    std::fill(Patch.begin(), Patch.end(), static_cast<int>(D + 1));
    size_t To[3] = {4 * sizeof(int), D, 0}, From[3] = {0, 0, 0}, Region[3] = {4 * sizeof(int), 3, 1};
    ok(clEnqueueWriteBufferRect(Queues[D], M, CL_TRUE, To, From, Region, W * sizeof(int), 0, W * sizeof(int), 0,
                                Patch.data(), 0, nullptr, nullptr));
    for (size_t R = D; R != D + 3; ++R)
      std::fill_n(X.begin() + static_cast<long>(R * W + 4), 4, static_cast<int>(D + 1));
  }
  EXPECT_EQ(read(Queues[0], M, W * H), X);
  EXPECT_EQ(read(Queues.back(), M, W * H), X);
}

// PoCL refuses kernels with a built-in function's name, Oclgrind does not: the kernel runs where it is.
TEST_F(VendorsTest, AKernelThatOneVendorDoesNotHave) {
  cl_int Error;
  cl_program P = build("kernel void step(global int *x) { x[get_global_id(0)] = 3; }\n");
  cl_kernel K = clCreateKernel(P, "step", &Error);
  clReleaseProgram(P);
  if (Error) {
    EXPECT_EQ(Error, CL_INVALID_KERNEL_NAME); // No vendor has it.
    return;
  }
  constexpr size_t N = 8;
  cl_mem M = ints(std::vector<int>(N, 1));
  arg(K, 0, M);
  size_t Ran = 0;
  for (cl_command_queue Q : Queues) {
    cl_int Code = clEnqueueNDRangeKernel(Q, K, 1, nullptr, &N, nullptr, 0, nullptr, nullptr);
    EXPECT_TRUE(Code == CL_SUCCESS || Code == CL_INVALID_PROGRAM_EXECUTABLE) << Code;
    Ran += Code == CL_SUCCESS;
    ok(clFinish(Q));
  }
  EXPECT_GE(Ran, 1u);
  const cl_queue_properties Dynamic[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
  cl_command_queue Mapped = clCreateCommandQueueWithProperties(Context, Devices[0], Dynamic, &Error);
  ok(Error);
  for (int Epoch = 0; Epoch != 4; ++Epoch) { // On every device that has it, and on no other.
    run(Mapped, K, N);
    ok(clFinish(Mapped));
    EXPECT_EQ(read(Mapped, M, N), std::vector<int>(N, 3));
    std::vector<int> Ones(N, 1);
    ok(clEnqueueWriteBuffer(Mapped, M, CL_TRUE, 0, N * sizeof(int), Ones.data(), 0, nullptr, nullptr));
  }
  clReleaseCommandQueue(Mapped);
  clReleaseKernel(K);
}

} // namespace
} // namespace icdtest
