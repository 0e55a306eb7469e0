// "hsched auto": it is what all its devices have in common, and its commands go to devices that they fit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <algorithm>
#include <sstream>

namespace icdtest {
namespace {

class CommonTest : public Platform {
protected:
  void SetUp() override {
    Platform::SetUp();
    cl_int Error;
    Own = clCreateContext(nullptr, 1, &Auto, nullptr, nullptr, &Error);
    ok(Error);
    Q = clCreateCommandQueue(Own, Auto, 0, &Error);
    ok(Error);
    const char *Source = "kernel void add(global int *x) { x[get_global_id(0)] += 1; }\n"
                         "kernel void local_add(global int *x, local int *t) {\n"
                         "  t[get_local_id(0)] = 1; x[get_global_id(0)] += t[get_local_id(0)]; }";
    P = clCreateProgramWithSource(Own, 1, &Source, nullptr, &Error);
    ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
  }
  void TearDown() override {
    clReleaseProgram(P);
    clReleaseCommandQueue(Q);
    clReleaseContext(Own);
    Platform::TearDown();
  }
  template <class T> T greatest(cl_device_info What) const {
    T Its = 0;
    for (cl_device_id D : Devices)
      Its = std::max(Its, info<T>(clGetDeviceInfo, D, What));
    return Its;
  }
  template <class T> void expectLeast(cl_device_info What) const {
    T Its = info<T>(clGetDeviceInfo, Devices[0], What);
    for (cl_device_id D : Devices)
      Its = std::min(Its, info<T>(clGetDeviceInfo, D, What));
    EXPECT_EQ(info<T>(clGetDeviceInfo, Auto, What), Its) << What;
  }
  // More epochs than it takes to measure all devices. Returns element 0, which began as 0.
  int epochs(cl_kernel K, cl_mem M, size_t Items, const size_t *Local) {
    const int Zero = 0;
    EXPECT_EQ(clEnqueueFillBuffer(Q, M, &Zero, sizeof(Zero), 0, Items * sizeof(int), 0, nullptr, nullptr), CL_SUCCESS);
    arg(K, 0, M);
    for (size_t I = 0; I != 3 * Devices.size(); ++I) {
      EXPECT_EQ(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Items, Local, 0, nullptr, nullptr), CL_SUCCESS);
      ok(clFinish(Q));
    }
    int X = -1;
    ok(clEnqueueReadBuffer(Q, M, CL_TRUE, 0, sizeof(X), &X, 0, nullptr, nullptr));
    return X;
  }
  int each() const { return static_cast<int>(3 * Devices.size()); }

  cl_context Own = nullptr;
  cl_command_queue Q = nullptr;
  cl_program P = nullptr;
};

TEST_F(CommonTest, Limits) {
  expectLeast<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  expectLeast<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE);
  expectLeast<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  expectLeast<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  expectLeast<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  expectLeast<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
  expectLeast<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS);
  expectLeast<cl_uint>(CL_DEVICE_MAX_WRITE_IMAGE_ARGS);
  expectLeast<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH);
  expectLeast<cl_bool>(CL_DEVICE_IMAGE_SUPPORT);
  EXPECT_EQ(info<cl_uint>(clGetDeviceInfo, Auto, cl_device_info(CL_DEVICE_MEM_BASE_ADDR_ALIGN)),
            greatest<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  size_t Sizes[3] = {}, Its[3] = {};
  ok(clGetDeviceInfo(Auto, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(Sizes), Sizes, nullptr));
  for (cl_device_id D : Devices) {
    ok(clGetDeviceInfo(D, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(Its), Its, nullptr));
    for (unsigned I = 0; I != 3; ++I)
      EXPECT_LE(Sizes[I], Its[I]);
  }
}

TEST_F(CommonTest, Versions) {
  auto VersionOf = [](cl_device_id D) {
    const std::string Text = text(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_VERSION)); // "OpenCL 1.2 ..."
    return Text.substr(0, Text.find(' ', 7));
  };
  std::string Oldest = VersionOf(Devices[0]);
  for (cl_device_id D : Devices)
    Oldest = std::min(Oldest, VersionOf(D));
  EXPECT_EQ(VersionOf(Auto), Oldest);
}

TEST_F(CommonTest, Extensions) {
  std::istringstream In(text(clGetDeviceInfo, Auto, cl_device_info(CL_DEVICE_EXTENSIONS)));
  for (std::string E; In >> E;)
    for (cl_device_id D : Devices)
      EXPECT_NE((" " + text(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_EXTENSIONS)) + " ").find(" " + E + " "),
                std::string::npos)
          << E;
}

// Launches were lost that the vendor of the chosen device refused.
TEST_F(CommonTest, LargeWorkGroupsGoWhereTheyFit) {
  cl_int Error;
  const auto Local = greatest<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  cl_kernel K = clCreateKernel(P, "add", &Error);
  cl_mem M = clCreateBuffer(Own, CL_MEM_READ_WRITE, Local * sizeof(int), nullptr, &Error);
  EXPECT_EQ(epochs(K, M, Local, &Local), each());
  clReleaseMemObject(M);
  clReleaseKernel(K);
}

TEST_F(CommonTest, LocalMemoryGoesWhereItFits) {
  cl_int Error;
  const size_t Local = 16;
  cl_kernel K = clCreateKernel(P, "local_add", &Error);
  cl_mem M = clCreateBuffer(Own, CL_MEM_READ_WRITE, Local * sizeof(int), nullptr, &Error);
  ok(clSetKernelArg(K, 1, greatest<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), nullptr));
  EXPECT_EQ(epochs(K, M, Local, &Local), each());
  clReleaseMemObject(M);
  clReleaseKernel(K);
}

TEST_F(CommonTest, LargeObjectsGoWhereTheyFit) {
  cl_int Error;
  cl_ulong Least = info<cl_ulong>(clGetDeviceInfo, Auto, cl_device_info(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  if (Least == greatest<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE) || Least > (1u << 28))
    GTEST_SKIP() << "objects are as large on all devices";
  cl_kernel K = clCreateKernel(P, "add", &Error);
  cl_mem M = clCreateBuffer(Own, CL_MEM_READ_WRITE, Least + 4096, nullptr, &Error);
  ok(Error);
  EXPECT_EQ(epochs(K, M, 16, nullptr), each());
  clReleaseMemObject(M);
  clReleaseKernel(K);
}

TEST_F(CommonTest, ALaunchThatFitsNoDeviceIsRefused) {
  cl_int Error;
  const size_t Local = size_t(1) << 24, Zero = 0, One = 1;
  cl_kernel K = clCreateKernel(P, "local_add", &Error);
  cl_mem M = clCreateBuffer(Own, CL_MEM_READ_WRITE, 64, nullptr, &Error);
  arg(K, 0, M);
  ok(clSetKernelArg(K, 1, 64, nullptr));
  EXPECT_EQ(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Local, &Local, 0, nullptr, nullptr), CL_INVALID_WORK_ITEM_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &One, &Zero, 0, nullptr, nullptr), CL_INVALID_WORK_GROUP_SIZE);
  ok(clSetKernelArg(K, 1, size_t(1) << 40, nullptr));
  EXPECT_EQ(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &One, &One, 0, nullptr, nullptr), CL_OUT_OF_RESOURCES);
  clReleaseMemObject(M);
  clReleaseKernel(K);
}

} // namespace
} // namespace icdtest
