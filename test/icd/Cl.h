// What the tests of the platform share: one context over all its devices, and short names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_ICD_CL_H
#define HSCHED_TEST_ICD_CL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <CL/cl.h>
#include <CL/cl_hsched.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace icdtest {

inline void ok(cl_int Error, const char *What = "") { ASSERT_EQ(Error, CL_SUCCESS) << What; }

template <class T, class F, class... A> T info(F Get, A... Of) {
  T Value{};
  EXPECT_EQ(Get(Of..., sizeof(T), &Value, nullptr), CL_SUCCESS);
  return Value;
}
template <class F, class... A> std::string text(F Get, A... Of) {
  size_t Bytes = 0;
  EXPECT_EQ(Get(Of..., 0, nullptr, &Bytes), CL_SUCCESS);
  std::string S(Bytes, '\0');
  EXPECT_EQ(Get(Of..., Bytes, S.data(), nullptr), CL_SUCCESS);
  S.resize(S.find('\0'));
  return S;
}

// The platform, its vendors' devices and "hsched auto", and a context of the former.
class Platform : public ::testing::Test {
protected:
  void SetUp() override {
    cl_uint N = 0;
    ok(clGetPlatformIDs(1, &Id, &N));
    ASSERT_EQ(N, 1u);
    ok(clGetDeviceIDs(Id, CL_DEVICE_TYPE_ALL, 0, nullptr, &N));
    std::vector<cl_device_id> All(N);
    ok(clGetDeviceIDs(Id, CL_DEVICE_TYPE_ALL, N, All.data(), nullptr));
    for (cl_device_id D : All)
      if (text(clGetDeviceInfo, D, CL_DEVICE_NAME) == "hsched auto")
        Auto = D;
      else
        Devices.push_back(D);
    ASSERT_GE(Devices.size(), 2u);
    cl_int Error;
    Context = clCreateContext(nullptr, static_cast<cl_uint>(Devices.size()), Devices.data(), nullptr, nullptr, &Error);
    ok(Error);
    for (cl_device_id D : Devices) {
      Queues.push_back(clCreateCommandQueue(Context, D, 0, &Error));
      ok(Error);
    }
  }
  void TearDown() override {
    for (cl_command_queue Q : Queues)
      EXPECT_EQ(clReleaseCommandQueue(Q), CL_SUCCESS);
    for (cl_mem M : Made)
      EXPECT_EQ(clReleaseMemObject(M), CL_SUCCESS);
    if (Context) {
      EXPECT_EQ(clReleaseContext(Context), CL_SUCCESS);
    }
  }

  cl_program build(const char *Source, const char *Options = "") {
    cl_int Error;
    cl_program P = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error);
    EXPECT_EQ(Error, CL_SUCCESS);
    EXPECT_EQ(clBuildProgram(P, 0, nullptr, Options, nullptr, nullptr), CL_SUCCESS)
        << text(clGetProgramBuildInfo, P, Devices[0], CL_PROGRAM_BUILD_LOG);
    return P;
  }
  cl_kernel kernel(const char *Source, const char *Name) {
    cl_int Error;
    cl_program P = build(Source);
    cl_kernel K = clCreateKernel(P, Name, &Error);
    EXPECT_EQ(Error, CL_SUCCESS);
    clReleaseProgram(P);
    return K;
  }
  cl_mem buffer(size_t Bytes, cl_mem_flags Flags = CL_MEM_READ_WRITE, void *Data = nullptr) {
    cl_int Error;
    Made.push_back(clCreateBuffer(Context, Flags, Bytes, Data, &Error));
    EXPECT_EQ(Error, CL_SUCCESS);
    return Made.back();
  }
  cl_mem ints(const std::vector<int> &V) {
    return buffer(V.size() * sizeof(int), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, const_cast<int *>(V.data()));
  }
  std::vector<int> read(cl_command_queue Q, cl_mem M, size_t N, size_t First = 0) {
    std::vector<int> V(N, -1);
    EXPECT_EQ(clEnqueueReadBuffer(Q, M, CL_TRUE, First * sizeof(int), N * sizeof(int), V.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return V;
  }
  void run(cl_command_queue Q, cl_kernel K, size_t N, std::vector<cl_event> After = {}, cl_event *Event = nullptr) {
    EXPECT_EQ(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &N, nullptr, static_cast<cl_uint>(After.size()),
                                     After.empty() ? nullptr : After.data(), Event),
              CL_SUCCESS);
  }
  static void arg(cl_kernel K, cl_uint I, cl_mem M) { EXPECT_EQ(clSetKernelArg(K, I, sizeof(M), &M), CL_SUCCESS); }
  static void arg(cl_kernel K, cl_uint I, int V) { EXPECT_EQ(clSetKernelArg(K, I, sizeof(V), &V), CL_SUCCESS); }
  static cl_int status(cl_event E) {
    return info<cl_int>(clGetEventInfo, E, cl_event_info(CL_EVENT_COMMAND_EXECUTION_STATUS));
  }

  // A command's end. Its four times come in order, and after Before.
  static cl_ulong lastTimeOf(cl_event E, cl_ulong Before) {
    for (cl_profiling_info What : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                   CL_PROFILING_COMMAND_END}) {
      auto Time = info<cl_ulong>(clGetEventProfilingInfo, E, What);
      EXPECT_LE(Before, Time) << What;
      Before = Time;
    }
    return Before;
  }

  cl_platform_id Id = nullptr;
  cl_device_id Auto = nullptr;
  std::vector<cl_device_id> Devices;
  cl_context Context = nullptr;
  std::vector<cl_command_queue> Queues; // In order, one a device.
  std::vector<cl_mem> Made;
};

constexpr const char *AddSource =
    "kernel void add(global int *x, int d) { x[get_global_id(0)] += d; }\n"
    "kernel void put(global int *x, int first, int v) { x[first + get_global_id(0)] = v; }\n"
    "kernel void sum(global const int *a, global const int *b, global int *c) {\n"
    "  size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n";

// The rest of a program that knows nothing of the platform: P, which has been built from AddSource, adds 1 eight times.
// Step runs behind each launch. All objects are released.
inline void addsEightTimes(cl_context C, cl_command_queue Q, cl_program P, const std::function<void()> &Step) {
  cl_int Error;
  cl_kernel K = clCreateKernel(P, "add", &Error);
  ok(Error);
  std::vector<int> X(256, 0);
  cl_mem M = clCreateBuffer(C, CL_MEM_COPY_HOST_PTR, X.size() * sizeof(int), X.data(), &Error);
  ok(Error);
  const int One = 1;
  const size_t Items = X.size();
  ok(clSetKernelArg(K, 0, sizeof(M), &M));
  ok(clSetKernelArg(K, 1, sizeof(One), &One));
  for (int I = 0; I != 8; ++I) {
    ok(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr));
    Step();
  }
  ok(clEnqueueReadBuffer(Q, M, CL_TRUE, 0, X.size() * sizeof(int), X.data(), 0, nullptr, nullptr));
  EXPECT_EQ(X, std::vector<int>(256, 8));
  clReleaseMemObject(M);
  clReleaseKernel(K);
  clReleaseProgram(P);
  clReleaseCommandQueue(Q);
  clReleaseContext(C);
}

} // namespace icdtest
#endif
