// Kernels of a command: it has the kernel's settings of the time when it was enqueued, and goes where it is accepted.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <atomic>
#include <map>
#include <mutex>

namespace icdtest {
namespace {

// The sets of shared pointers that PoCL's kernels have been given, and those at each launch.
struct PassedPointers {
  static inline std::mutex Lock;
  static inline std::map<cl_kernel, void *> Last;
  static inline std::vector<void *> Launched;

  static cl_int CL_API_CALL setExecInfo(cl_kernel K, cl_kernel_exec_info What, size_t Bytes, const void *Value);
  static cl_int CL_API_CALL enqueue(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                    const size_t *Global, const size_t *Local, cl_uint N, const cl_event *List,
                                    cl_event *Event);
};

class KernelTest : public Hooked {
public:
  using Hooked::deviceNameOf;
  static cl_icd_dispatch &real() { return Real; }
};

cl_int CL_API_CALL PassedPointers::setExecInfo(cl_kernel K, cl_kernel_exec_info What, size_t Bytes, const void *Value) {
  std::lock_guard Hold(Lock);
  Last[K] = Bytes ? *static_cast<void *const *>(Value) : nullptr;
  return KernelTest::real().clSetKernelExecInfo(K, What, Bytes, Value);
}

cl_int CL_API_CALL PassedPointers::enqueue(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                           const size_t *Global, const size_t *Local, cl_uint N, const cl_event *List,
                                           cl_event *Event) {
  {
    std::lock_guard Hold(Lock);
    auto I = Last.find(K);
    Launched.push_back(I == Last.end() ? nullptr : I->second);
  }
  return KernelTest::real().clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, N, List, Event);
}

// Refuses launches of one device with the error of a kernel that needs too many registers.
struct Registers {
  static inline std::atomic<int> Refused{0};
  static cl_int CL_API_CALL enqueue(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                    const size_t *Global, const size_t *Local, cl_uint N, const cl_event *List,
                                    cl_event *Event) {
    if (KernelTest::deviceNameOf(Q).compare(0, 5, "basic") == 0) {
      Refused.fetch_add(1);
      return CL_INVALID_WORK_GROUP_SIZE;
    }
    return KernelTest::real().clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, N, List, Event);
  }
};

TEST_F(KernelTest, ALaunchThatOneVendorRefusesGoesElsewhere) {
  Table->clEnqueueNDRangeKernel = Registers::enqueue;
  cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
  cl_int Error;
  cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
  ok(Error);
  cl_kernel K = kernel(AddSource, "add");
  cl_mem M = ints({0});
  arg(K, 0, M);
  arg(K, 1, 1);
  for (int I = 0; I != 8; ++I) {
    run(Q, K, 1);
    ok(clFinish(Q));
  }
  EXPECT_EQ(read(Q, M, 1), std::vector<int>{8});
  EXPECT_EQ(Registers::Refused, 1); // It is not asked again.
  putBack();
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

// A vendor's table may lack functions of its version: rusticl of Mesa 22 lacks these.
TEST_F(KernelTest, FunctionsThatAVendorLacks) {
  Table->clCreateSubDevices = nullptr;
  Table->clCreateProgramWithBuiltInKernels = nullptr;
  Table->clEnqueueNativeKernel = nullptr;
  const cl_device_partition_property P[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id Its[64];
  cl_uint N = 0;
  EXPECT_EQ(clCreateSubDevices(Devices[0], P, 64, Its, &N), CL_INVALID_VALUE);
  cl_int Error = CL_SUCCESS;
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(Context, 1, Devices.data(), "none", &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueNativeKernel(
                Queues[0], [](void *) {}, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  putBack();
}

// A vendor may accept more offsets of sub-buffers than it says: rusticl does.
struct Alignment {
  static cl_int CL_API_CALL deviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *To, size_t *Needed) {
    const cl_int Error = KernelTest::real().clGetDeviceInfo(D, What, Bytes, To, Needed);
    if (What == CL_DEVICE_MEM_BASE_ADDR_ALIGN && To && !Error)
      *static_cast<cl_uint *>(To) = 8 * 4096;
    return Error;
  }
};

TEST_F(KernelTest, TheVendorDecidesOnOffsetsOfSubBuffers) {
  Table->clGetDeviceInfo = Alignment::deviceInfo;
  cl_mem M = ints(std::vector<int>(512, 1));
  cl_buffer_region R{1024, 16};
  cl_int Error;
  cl_mem Part = clCreateSubBuffer(M, 0, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error);
  ASSERT_EQ(Error, CL_SUCCESS);
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, Part);
  arg(K, 1, 1);
  run(Queues[0], K, 4);
  EXPECT_EQ(read(Queues[0], M, 6, 255), (std::vector<int>{1, 2, 2, 2, 2, 1}));
  R.origin = 4; // PoCL does not accept it.
  EXPECT_EQ(clCreateSubBuffer(M, 0, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error), nullptr);
  EXPECT_EQ(Error, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  putBack();
  clReleaseKernel(K);
  clReleaseMemObject(Part);
}

// Where launches go, and how many events they wait for. Refuses markers.
struct Lanes {
  static inline std::vector<std::pair<cl_command_queue, cl_uint>> Launched;
  static cl_int CL_API_CALL enqueue(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                    const size_t *Global, const size_t *Local, cl_uint N, const cl_event *List,
                                    cl_event *Event) {
    Launched.emplace_back(Q, N);
    return KernelTest::real().clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, N, List, Event);
  }
  static cl_int CL_API_CALL marker(cl_command_queue, cl_uint, const cl_event *, cl_event *) {
    return CL_OUT_OF_RESOURCES;
  }
};

TEST_F(KernelTest, ARefusedMarkerLosesNoOrder) {
  Lanes::Launched.clear();
  Table->clEnqueueNDRangeKernel = Lanes::enqueue;
  cl_kernel Put = kernel(AddSource, "put"), Sum = kernel(AddSource, "sum");
  cl_mem A = ints({1}), B = ints({2}), C = ints({0});
  const size_t One = 1;
  arg(Put, 1, 0);
  arg(Put, 2, 5);
  for (cl_mem M : {A, B}) { // They run side by side.
    arg(Put, 0, M);
    run(Queues[0], Put, 1);
  }
  ASSERT_EQ(Lanes::Launched.size(), 2u);
  ASSERT_NE(Lanes::Launched[0].first, Lanes::Launched[1].first);
  arg(Sum, 0, A);
  arg(Sum, 1, B);
  arg(Sum, 2, C);
  Table->clEnqueueMarkerWithWaitList = Lanes::marker;
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], Sum, 1, nullptr, &One, nullptr, 0, nullptr, nullptr),
            CL_OUT_OF_RESOURCES);
  Table->clEnqueueMarkerWithWaitList = Real.clEnqueueMarkerWithWaitList;
  run(Queues[0], Put, 1); // On B, after the second one.
  ASSERT_EQ(Lanes::Launched.size(), 3u);
  EXPECT_TRUE(Lanes::Launched[2].first == Lanes::Launched[1].first || Lanes::Launched[2].second != 0);
  ok(clFinish(Queues[0]));
  putBack();
  clReleaseKernel(Put);
  clReleaseKernel(Sum);
}

// What PoCL gets for a sampler. It is not run: PoCL 3.1 ends the process if a sampler's type has another name.
struct Samplers {
  static inline cl_sampler Made = nullptr, Given = nullptr;
  static cl_sampler CL_API_CALL create(cl_context C, cl_bool Normalized, cl_addressing_mode Addressing,
                                       cl_filter_mode Filter, cl_int *Error) {
    return Made = KernelTest::real().clCreateSampler(C, Normalized, Addressing, Filter, Error);
  }
  static cl_int CL_API_CALL setArg(cl_kernel K, cl_uint Number, size_t Bytes, const void *Value) {
    if (Number != 0)
      return KernelTest::real().clSetKernelArg(K, Number, Bytes, Value);
    Given = *static_cast<const cl_sampler *>(Value);
    return CL_SUCCESS;
  }
  static cl_int CL_API_CALL enqueue(cl_command_queue Q, cl_kernel, cl_uint, const size_t *, const size_t *,
                                    const size_t *, cl_uint N, const cl_event *List, cl_event *Event) {
    return KernelTest::real().clEnqueueMarkerWithWaitList(Q, N, List, Event);
  }
};

TEST_F(KernelTest, ASamplerWhoseTypeHasAnotherName) {
  if (!info<cl_bool>(clGetDeviceInfo, Devices[0], cl_device_info(CL_DEVICE_IMAGE_SUPPORT)))
    GTEST_SKIP() << "the device has no images";
  Table->clCreateSampler = Samplers::create;
  Table->clSetKernelArg = Samplers::setArg;
  Table->clEnqueueNDRangeKernel = Samplers::enqueue;
  cl_int Error;
  cl_sampler S = clCreateSampler(Context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &Error);
  ok(Error);
  cl_kernel K = kernel("typedef sampler_t Looks; typedef ulong Number;\n"
                       "kernel void look(Looks s, Number n, global int *out) { out[0] = n; }",
                       "look");
  ok(clSetKernelArg(K, 0, sizeof(S), &S));
  const cl_ulong Five = 5;
  ok(clSetKernelArg(K, 1, sizeof(Five), &Five));
  arg(K, 2, ints({0}));
  run(Queues[0], K, 1);
  EXPECT_EQ(Samplers::Given, Samplers::Made);
  const size_t One = 1;
  clReleaseSampler(S);
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], K, 1, nullptr, &One, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
  putBack();
  clReleaseKernel(K);
}

TEST_F(KernelTest, SharedPointersBelongToTheCommand) {
  if (!Real.clSetKernelExecInfo)
    GTEST_SKIP() << "the vendor has no shared memory";
  void *A = clSVMAlloc(Context, CL_MEM_READ_WRITE, 64, 0), *B = clSVMAlloc(Context, CL_MEM_READ_WRITE, 64, 0);
  if (!A || !B)
    GTEST_SKIP() << "the devices share no memory";
  PassedPointers::Last.clear();
  PassedPointers::Launched.clear();
  Table->clSetKernelExecInfo = PassedPointers::setExecInfo;
  Table->clEnqueueNDRangeKernel = PassedPointers::enqueue;
  cl_kernel K = kernel(AddSource, "add");
  cl_mem M = ints({0});
  arg(K, 0, M);
  arg(K, 1, 1);
  // It is enqueued with A, and begins when the kernel has B.
  cl_int Error;
  cl_event Gate = clCreateUserEvent(Context, &Error);
  ok(clSetKernelExecInfo(K, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(A), &A));
  run(Queues[0], K, 1, {Gate});
  ok(clSetKernelExecInfo(K, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(B), &B));
  cl_kernel Copy = clCloneKernel(K, &Error); // It has B, too.
  ok(Error);
  ok(clSetUserEventStatus(Gate, CL_COMPLETE));
  ok(clFinish(Queues[0]));
  run(Queues[0], Copy, 1);
  ok(clFinish(Queues[0]));
  run(Queues[0], K, 1);
  ok(clFinish(Queues[0]));
  EXPECT_EQ(PassedPointers::Launched, (std::vector<void *>{A, B, B}));
  EXPECT_EQ(read(Queues[0], M, 1), std::vector<int>{3});
  putBack();
  clReleaseEvent(Gate);
  clReleaseKernel(K);
  clReleaseKernel(Copy);
  clSVMFree(Context, A);
  clSVMFree(Context, B);
}

} // namespace
} // namespace icdtest
