// Programs: built for all vendors, from source and binaries, compiled and linked; kernels' information.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <atomic>

namespace icdtest {
namespace {

using ProgramTest = Platform;

TEST_F(ProgramTest, BinariesOfAllDevices) {
  cl_program P = build(AddSource);
  auto N = info<cl_uint>(clGetProgramInfo, P, cl_program_info(CL_PROGRAM_NUM_DEVICES));
  ASSERT_EQ(N, Devices.size());
  std::vector<size_t> Sizes(N);
  ok(clGetProgramInfo(P, CL_PROGRAM_BINARY_SIZES, N * sizeof(size_t), Sizes.data(), nullptr));
  std::vector<std::vector<unsigned char>> Data;
  std::vector<unsigned char *> Pointers;
  for (size_t S : Sizes) {
    ASSERT_GT(S, 0u);
    Data.emplace_back(S);
    Pointers.push_back(Data.back().data());
  }
  ok(clGetProgramInfo(P, CL_PROGRAM_BINARIES, N * sizeof(void *), Pointers.data(), nullptr));
  std::vector<const unsigned char *> Const(Pointers.begin(), Pointers.end());
  std::vector<cl_int> Status(N, -1);
  cl_int Error;
  cl_program Q =
      clCreateProgramWithBinary(Context, N, Devices.data(), Sizes.data(), Const.data(), Status.data(), &Error);
  ok(Error);
  EXPECT_EQ(Status, std::vector<cl_int>(N, CL_SUCCESS));
  ok(clBuildProgram(Q, 0, nullptr, "", nullptr, nullptr));
  cl_kernel K = clCreateKernel(Q, "add", &Error);
  ok(Error);
  cl_mem M = ints({1});
  arg(K, 0, M);
  arg(K, 1, 1);
  for (cl_command_queue Each : Queues) {
    run(Each, K, 1);
    ok(clFinish(Each));
  }
  EXPECT_EQ(read(Queues[0], M, 1)[0], 1 + static_cast<int>(Queues.size()));
  clReleaseKernel(K);
  clReleaseProgram(Q);
  clReleaseProgram(P);
}

TEST_F(ProgramTest, ErrorsAreReported) {
  const char *Wrong = "kernel void f(global int *x) { x[0] = undeclared; }";
  cl_int Error;
  cl_program P = clCreateProgramWithSource(Context, 1, &Wrong, nullptr, &Error);
  cl_kernel K = clCreateKernel(P, "f", &Error);
  EXPECT_EQ(K, nullptr);
  EXPECT_EQ(Error, CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(clBuildProgram(P, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  bool Said = false; // PoCL keeps the log of the first of two devices.
  for (cl_device_id D : Devices) {
    EXPECT_EQ(info<cl_build_status>(clGetProgramBuildInfo, P, D, cl_program_build_info(CL_PROGRAM_BUILD_STATUS)),
              CL_BUILD_ERROR);
    Said |= text(clGetProgramBuildInfo, P, D, CL_PROGRAM_BUILD_LOG).find("undeclared") != std::string::npos;
  }
  EXPECT_TRUE(Said);
  clReleaseProgram(P);
}

TEST_F(ProgramTest, OptionsAreThePrograms) {
  cl_program P = build(AddSource);
  ok(clBuildProgram(P, 0, nullptr, "-DX=3", nullptr, nullptr));
  EXPECT_EQ(text(clGetProgramBuildInfo, P, Devices[0], CL_PROGRAM_BUILD_OPTIONS), "-DX=3");
  EXPECT_EQ(text(clGetProgramInfo, P, CL_PROGRAM_SOURCE), AddSource);
  clReleaseProgram(P);
}

TEST_F(ProgramTest, CallbackAtTheEnd) {
  const char *Source = AddSource;
  cl_int Error;
  cl_program P = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
  std::atomic<int> Called{0};
  ok(clBuildProgram(
      P, 0, nullptr, "",
      [](cl_program, void *To) {
        auto *Own = static_cast<std::atomic<int> *>(To);
        *Own = 1;
        Own->notify_all();
      },
      &Called));
  Called.wait(0);
  for (cl_device_id D : Devices)
    EXPECT_EQ(info<cl_build_status>(clGetProgramBuildInfo, P, D, cl_program_build_info(CL_PROGRAM_BUILD_STATUS)),
              CL_BUILD_SUCCESS);
  clReleaseProgram(P);
}

TEST_F(ProgramTest, CompileAndLink) {
  const char *Header = "int twice(int x);", *Library = "int twice(int x) { return 2 * x; }",
             *Main = "#include \"twice.h\"\nkernel void f(global int *x) { x[0] = twice(x[0]); }";
  cl_int Error;
  cl_program H = clCreateProgramWithSource(Context, 1, &Header, nullptr, &Error),
             L = clCreateProgramWithSource(Context, 1, &Library, nullptr, &Error),
             M = clCreateProgramWithSource(Context, 1, &Main, nullptr, &Error);
  // Oclgrind and PoCL each compile; a vendor that cannot link says so.
  const char *Name = "twice.h";
  ok(clCompileProgram(M, 0, nullptr, "", 1, &H, &Name, nullptr, nullptr));
  ok(clCompileProgram(L, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  cl_program Both[] = {M, L};
  cl_program P = clLinkProgram(Context, 0, nullptr, "", 2, Both, nullptr, nullptr, &Error);
  ok(Error);
  cl_kernel K = clCreateKernel(P, "f", &Error);
  ok(Error);
  cl_mem X = ints({1});
  arg(K, 0, X);
  for (cl_command_queue Q : Queues) {
    run(Q, K, 1);
    ok(clFinish(Q));
  }
  EXPECT_EQ(read(Queues[0], X, 1)[0], 1 << Queues.size());
  clReleaseKernel(K);
  for (cl_program Each : {H, L, M, P})
    clReleaseProgram(Each);
}

// The platform asks vendors for it in any case.
TEST_F(ProgramTest, KernelArgumentInfoNeedsTheBuildOption) {
  cl_int Error;
  const char *Source = AddSource;
  cl_program P = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
  ok(Error);
  for (const char *Options : {"", "-cl-kernel-arg-info"}) {
    ok(clBuildProgram(P, 0, nullptr, Options, nullptr, nullptr));
    cl_kernel K = clCreateKernel(P, "add", &Error);
    ok(Error);
    cl_kernel_arg_address_qualifier Space;
    EXPECT_EQ(clGetKernelArgInfo(K, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(Space), &Space, nullptr),
              *Options ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    clReleaseKernel(K);
  }
  clReleaseProgram(P);
}

TEST_F(ProgramTest, AnEmptySourceCompiles) {
  cl_int Error;
  const char *Source = "";
  cl_program P = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
  ok(Error);
  EXPECT_EQ(clCompileProgram(P, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  clReleaseProgram(P);
}

TEST_F(ProgramTest, KernelInformation) {
  cl_program P = build(AddSource, "-cl-kernel-arg-info");
  cl_kernel All[8];
  cl_uint N = 0;
  ok(clCreateKernelsInProgram(P, 8, All, &N));
  EXPECT_EQ(N, 3u);
  for (cl_uint I = 0; I != N; ++I)
    clReleaseKernel(All[I]);
  cl_int Error;
  cl_kernel K = clCreateKernel(P, "sum", &Error);
  EXPECT_EQ(text(clGetKernelInfo, K, CL_KERNEL_FUNCTION_NAME), "sum");
  EXPECT_EQ(info<cl_uint>(clGetKernelInfo, K, cl_kernel_info(CL_KERNEL_NUM_ARGS)), 3u);
  EXPECT_EQ(info<cl_program>(clGetKernelInfo, K, cl_kernel_info(CL_KERNEL_PROGRAM)), P);
  EXPECT_EQ(text(clGetKernelArgInfo, K, cl_uint(1), CL_KERNEL_ARG_NAME), "b");
  for (cl_device_id D : Devices)
    EXPECT_GT(info<size_t>(clGetKernelWorkGroupInfo, K, D, cl_kernel_work_group_info(CL_KERNEL_WORK_GROUP_SIZE)), 0u);
  size_t Bytes;
  EXPECT_EQ(clGetKernelWorkGroupInfo(K, nullptr, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, &Bytes), CL_INVALID_DEVICE);
  clReleaseKernel(K);
  clReleaseProgram(P);
}

} // namespace
} // namespace icdtest
