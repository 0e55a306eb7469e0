// Mapping buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <algorithm>

namespace icdtest {
namespace {

using MapTest = Platform;

TEST_F(MapTest, WhatIsWrittenArrivesEverywhere) {
  constexpr size_t N = 1024;
  cl_mem M = ints(std::vector<int>(N, 1));
  int Expected = 1;
  for (cl_command_queue Q : Queues) {
    cl_int Error;
    auto *P = static_cast<int *>(
        clEnqueueMapBuffer(Q, M, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, N * sizeof(int), 0, nullptr, nullptr, &Error));
    ok(Error);
    EXPECT_EQ(info<cl_uint>(clGetMemObjectInfo, M, cl_mem_info(CL_MEM_MAP_COUNT)), 1u);
    for (size_t I = 0; I != N; ++I) {
      ASSERT_EQ(P[I], Expected);
      P[I] += 10;
    }
    Expected += 10;
    ok(clEnqueueUnmapMemObject(Q, M, P, 0, nullptr, nullptr));
    ok(clFinish(Q));
    EXPECT_EQ(info<cl_uint>(clGetMemObjectInfo, M, cl_mem_info(CL_MEM_MAP_COUNT)), 0u);
  }
  for (cl_command_queue Q : Queues)
    EXPECT_EQ(read(Q, M, N), std::vector<int>(N, Expected));
}

TEST_F(MapTest, PartsThatAreOverwritten) {
  constexpr size_t N = 1024;
  cl_mem M = ints(std::vector<int>(N, 1));
  std::vector<int> X(N, 1);
  for (size_t D = 0; D != Queues.size(); ++D) {
    cl_int Error;
    auto *P =
        static_cast<int *>(clEnqueueMapBuffer(Queues[D], M, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                              D * 64 * sizeof(int), 32 * sizeof(int), 0, nullptr, nullptr, &Error));
    ok(Error);
    for (size_t I = 0; I != 32; ++I)
      X[64 * D + I] = P[I] = static_cast<int>(100 + D);
    ok(clEnqueueUnmapMemObject(Queues[D], M, P, 0, nullptr, nullptr));
    ok(clFinish(Queues[D]));
  }
  EXPECT_EQ(read(Queues[0], M, N), X);
}

// The pointer of a map that does not block comes at once, also when the command cannot run yet.
TEST_F(MapTest, NotBlockingBehindAnEvent) {
  constexpr size_t N = 256;
  for (cl_command_queue Q : Queues) {
    cl_mem M = ints(std::vector<int>(N, 3));
    cl_int Error;
    cl_event User = clCreateUserEvent(Context, &Error), Mapped = nullptr;
    auto *P = static_cast<int *>(
        clEnqueueMapBuffer(Q, M, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, N * sizeof(int), 1, &User, &Mapped, &Error));
    ok(Error);
    ASSERT_NE(P, nullptr);
    EXPECT_GT(status(Mapped), CL_COMPLETE);
    ok(clSetUserEventStatus(User, CL_COMPLETE));
    ok(clWaitForEvents(1, &Mapped));
    for (size_t I = 0; I != N; ++I)
      ASSERT_EQ(P[I]++, 3);
    ok(clEnqueueUnmapMemObject(Q, M, P, 0, nullptr, nullptr));
    EXPECT_EQ(read(Q, M, N), std::vector<int>(N, 4));
    clReleaseEvent(User);
    clReleaseEvent(Mapped);
  }
}

TEST_F(MapTest, Errors) {
  cl_mem M = buffer(64), Hidden = buffer(64, CL_MEM_HOST_NO_ACCESS);
  cl_int Error;
  auto Map = [&](cl_mem Of, cl_map_flags Flags, size_t First, size_t Bytes) {
    EXPECT_EQ(clEnqueueMapBuffer(Queues[0], Of, CL_TRUE, Flags, First, Bytes, 0, nullptr, nullptr, &Error), nullptr);
    return Error;
  };
  EXPECT_EQ(Map(M, CL_MAP_READ, 32, 64), CL_INVALID_VALUE);
  EXPECT_EQ(Map(M, CL_MAP_READ, 0, 0), CL_INVALID_VALUE);
  EXPECT_EQ(Map(M, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64), CL_INVALID_VALUE);
  EXPECT_EQ(Map(Hidden, CL_MAP_READ, 0, 64), CL_INVALID_OPERATION);
  int Elsewhere;
  EXPECT_EQ(clEnqueueUnmapMemObject(Queues[0], M, &Elsewhere, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

// Host memory of the implementation's, with and without contents; each device updates what the program has mapped.
TEST_F(MapTest, MemoryThatTheImplementationAllocates) {
  constexpr size_t N = 256;
  std::vector<int> Host(N, 5);
  cl_mem With = buffer(N * sizeof(int), CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, Host.data()),
         Without = buffer(N * sizeof(int), CL_MEM_ALLOC_HOST_PTR);
  Host.assign(N, 0); // It has been copied.
  EXPECT_EQ(info<void *>(clGetMemObjectInfo, With, cl_mem_info(CL_MEM_HOST_PTR)), nullptr);
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 1, 2);
  int Expected = 5;
  for (size_t D = 0; D != Queues.size(); ++D) {
    cl_command_queue Q = Queues[D];
    cl_int Error;
    auto *P = static_cast<int *>(clEnqueueMapBuffer(Q, Without, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                                    N * sizeof(int), 0, nullptr, nullptr, &Error));
    ok(Error);
    std::fill_n(P, N, static_cast<int>(D) * 100);
    ok(clEnqueueUnmapMemObject(Q, Without, P, 0, nullptr, nullptr));
    for (cl_mem M : {With, Without}) {
      arg(K, 0, M);
      run(Q, K, N);
    }
    ok(clFinish(Q));
    Expected += 2;
    cl_command_queue Other = Queues[(D + 1) % Queues.size()];
    auto *Its = static_cast<int *>(
        clEnqueueMapBuffer(Other, With, CL_TRUE, CL_MAP_READ, 0, N * sizeof(int), 0, nullptr, nullptr, &Error));
    ok(Error);
    EXPECT_EQ(std::vector<int>(Its, Its + N), std::vector<int>(N, Expected));
    ok(clEnqueueUnmapMemObject(Other, With, Its, 0, nullptr, nullptr));
    EXPECT_EQ(read(Other, Without, N), std::vector<int>(N, static_cast<int>(D) * 100 + 2));
    ok(clFinish(Other));
  }
  // What is undefined by the program's word needs no copy, and is written anew.
  for (cl_command_queue Q : Queues) {
    ok(clEnqueueMigrateMemObjects(Q, 1, &With, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, nullptr));
    const int Seven = 7;
    ok(clEnqueueFillBuffer(Q, With, &Seven, sizeof(Seven), 0, N * sizeof(int), 0, nullptr, nullptr));
    EXPECT_EQ(read(Q, With, N), std::vector<int>(N, 7));
  }
  clReleaseKernel(K);
}

} // namespace
} // namespace icdtest
