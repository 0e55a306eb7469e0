// The embedded source of kernels/entries.cl on a real device: it builds there, and entries add their offsets. Made
// beforehand by PrintEmbedded, because OpenCL libraries bring an LLVM of their own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace {

class KernelRun : public testing::Test {
protected:
  void SetUp() override {
    cl_platform_id Platforms[8];
    cl_uint N = 0;
    if (clGetPlatformIDs(8, Platforms, &N) != CL_SUCCESS || N == 0)
      GTEST_SKIP() << "no OpenCL platform";
    for (cl_uint I = 0; I != N && !Device; ++I)
      if (clGetDeviceIDs(Platforms[I], CL_DEVICE_TYPE_ALL, 1, &Device, nullptr) != CL_SUCCESS)
        Device = nullptr;
    if (!Device)
      GTEST_SKIP() << "no OpenCL device";
    cl_int Error = 0;
    Context = clCreateContext(nullptr, 1, &Device, nullptr, nullptr, &Error);
    ASSERT_EQ(Error, CL_SUCCESS);
    Queue = clCreateCommandQueue(Context, Device, 0, &Error);
    ASSERT_EQ(Error, CL_SUCCESS);
  }

  void TearDown() override {
    if (Program)
      clReleaseProgram(Program);
    if (Queue)
      clReleaseCommandQueue(Queue);
    if (Context)
      clReleaseContext(Context);
  }

  void build(const std::string &Options = "") {
    std::ifstream In(HSCHED_TEST_EMBEDDED);
    const std::string Embedded((std::istreambuf_iterator<char>(In)), {});
    const char *Text = Embedded.data();
    const std::size_t Bytes = Embedded.size();
    cl_int Error = 0;
    Program = clCreateProgramWithSource(Context, 1, &Text, &Bytes, &Error);
    ASSERT_EQ(Error, CL_SUCCESS);
    if (clBuildProgram(Program, 1, &Device, Options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
      std::string Log(1 << 16, '\0');
      clGetProgramBuildInfo(Program, Device, CL_PROGRAM_BUILD_LOG, Log.size(), Log.data(), nullptr);
      FAIL() << Log.c_str() << Embedded;
    }
  }

  cl_mem buffer(std::vector<float> &Data) {
    cl_int Error = 0;
    cl_mem M = clCreateBuffer(Context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, Data.size() * 4, Data.data(), &Error);
    EXPECT_EQ(Error, CL_SUCCESS);
    return M;
  }

  void read(cl_mem M, std::vector<float> &Data) {
    EXPECT_EQ(clEnqueueReadBuffer(Queue, M, CL_TRUE, 0, Data.size() * 4, Data.data(), 0, nullptr, nullptr), CL_SUCCESS);
    clReleaseMemObject(M);
  }

  template <class T> static void arg(cl_kernel K, unsigned &At, const T &Value) {
    ASSERT_EQ(clSetKernelArg(K, At++, sizeof(T), &Value), CL_SUCCESS) << "argument " << At - 1;
  }

  void launch(cl_kernel K, std::size_t Global, std::size_t Local) {
    ASSERT_EQ(clEnqueueNDRangeKernel(Queue, K, 1, nullptr, &Global, &Local, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(Queue), CL_SUCCESS);
    clReleaseKernel(K);
  }

  cl_kernel kernel(const std::string &Name) {
    cl_int Error = 0;
    cl_kernel K = clCreateKernel(Program, ("hsched_entry_" + Name).c_str(), &Error);
    EXPECT_EQ(Error, CL_SUCCESS) << Name;
    return K;
  }

  cl_device_id Device = nullptr;
  cl_context Context = nullptr;
  cl_command_queue Queue = nullptr;
  cl_program Program = nullptr;
};

TEST_F(KernelRun, EntriesAddTheirOffsets) {
  ASSERT_NO_FATAL_FAILURE(build());
  std::vector<float> Coefficients = {100, 200}, In(16), Out(16, -1), Last(4, -1);
  std::iota(In.begin(), In.end(), 0.f);
  cl_mem C = buffer(Coefficients), I = buffer(In), O = buffer(Out), L = buffer(Last);
  cl_kernel K = kernel("shift");
  unsigned At = 0;
  arg(K, At, C);
  arg(K, At, I);
  arg(K, At, cl_int(8));
  arg(K, At, O);
  ASSERT_EQ(clSetKernelArg(K, At++, 4 * sizeof(float), nullptr), CL_SUCCESS);
  arg(K, At, L);
  // Element i of the kernel's `in` is In[i + 4], and so on, in the order of the parameters.
  for (cl_ulong Elements : {1, 4, 5, 2})
    arg(K, At, Elements * sizeof(float));
  launch(K, 8, 4);
  clReleaseMemObject(C);
  clReleaseMemObject(I);
  read(O, Out);
  read(L, Last);
  for (int N = 0; N != 16; ++N) {
    const int J = N - 5, Mirrored = J / 4 * 4 + 3 - J % 4;
    EXPECT_EQ(Out[N], J >= 0 && J < 8 ? In[Mirrored + 4] * 2 + 200 : -1) << N;
  }
  EXPECT_EQ(Last, (std::vector<float>{-1, -1, 7, -1}));
}

TEST_F(KernelRun, OffsetsWrap) {
  ASSERT_NO_FATAL_FAILURE(build());
  // The kernel runs over elements 8 to 11 of an array whose device buffer begins at element 8.
  std::vector<float> Data(4, -1);
  cl_mem D = buffer(Data);
  cl_kernel K = kernel("listed");
  unsigned At = 0;
  arg(K, At, D);
  arg(K, At, cl_int(3));
  arg(K, At, cl_ulong(0) - 8 * sizeof(float));
  const std::size_t Start = 8, Global = 4;
  ASSERT_EQ(clEnqueueNDRangeKernel(Queue, K, 1, &Start, &Global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  clReleaseKernel(K);
  read(D, Data);
  EXPECT_EQ(Data, std::vector<float>(4, 3));
}

TEST_F(KernelRun, EntriesThatCall) {
  ASSERT_NO_FATAL_FAILURE(build());
  std::vector<float> Data(8, -1);
  cl_mem D = buffer(Data);
  cl_kernel K = kernel("set_f");
  unsigned At = 0;
  arg(K, At, D);
  arg(K, At, cl_float(6));
  arg(K, At, cl_ulong(2 * sizeof(float)));
  launch(K, 4, 1);
  read(D, Data);
  EXPECT_EQ(Data, (std::vector<float>{-1, -1, 6, 6, 6, 6, -1, -1}));
}

TEST_F(KernelRun, BuildsUnderEveryUsualOption) {
  ASSERT_NO_FATAL_FAILURE(build("-cl-std=CL1.2 -cl-fast-relaxed-math -Werror"));
}

} // namespace
