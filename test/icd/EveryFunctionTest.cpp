// Every function of the table with handles that are null, stale or of another kind, in each place where it takes a
// handle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <CL/cl_icd.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace icdtest {
namespace {

template <class T> constexpr cl_int Refusal = CL_SUCCESS; // For types that are no handles.
template <> constexpr cl_int Refusal<cl_platform_id> = CL_INVALID_PLATFORM;
template <> constexpr cl_int Refusal<cl_device_id> = CL_INVALID_DEVICE;
template <> constexpr cl_int Refusal<cl_context> = CL_INVALID_CONTEXT;
template <> constexpr cl_int Refusal<cl_command_queue> = CL_INVALID_COMMAND_QUEUE;
template <> constexpr cl_int Refusal<cl_mem> = CL_INVALID_MEM_OBJECT;
template <> constexpr cl_int Refusal<cl_program> = CL_INVALID_PROGRAM;
template <> constexpr cl_int Refusal<cl_kernel> = CL_INVALID_KERNEL;
template <> constexpr cl_int Refusal<cl_event> = CL_INVALID_EVENT;
template <> constexpr cl_int Refusal<cl_sampler> = CL_INVALID_SAMPLER;

class EveryFunctionTest : public Platform {
protected:
  void SetUp() override {
    Platform::SetUp();
    cl_int Error;
    Program = build(AddSource);
    Kernel = clCreateKernel(Program, "add", &Error);
    User = clCreateUserEvent(Context, &Error);
    Sampler = clCreateSampler(Context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &Error);
    M = buffer(64);
    cl_event Stale = clCreateUserEvent(Context, &Error);
    clReleaseEvent(Stale);
    Bad = {nullptr, Stale, Id, Devices[0], Context, Queues[0], M, Program, Kernel, User, Sampler};
  }
  void TearDown() override {
    clReleaseSampler(Sampler);
    clReleaseEvent(User);
    clReleaseKernel(Kernel);
    clReleaseProgram(Program);
    Platform::TearDown();
  }

  template <class T> T good() {
    if constexpr (Refusal<T> == CL_SUCCESS)
      return T{};
    else
      return std::get<T>(std::tuple(Id, Devices[0], Context, Queues[0], M, Program, Kernel, User, Sampler));
  }

  // Place: position of the bad handle among the arguments. Arguments behind it are 0.
  template <size_t Place, class R, class... A, size_t... I>
  void callWith(const char *Name, R(CL_API_CALL *F)(A...), std::index_sequence<I...>) {
    using H = std::tuple_element_t<Place, std::tuple<A...>>;
    if constexpr (Refusal<H> != CL_SUCCESS) {
      constexpr bool IsFirst = Place == 0;
      for (size_t B = 0; B != Bad.size(); ++B) {
        if (Bad[B] == static_cast<void *>(good<H>()) || (!Bad[B] && std::is_same_v<H, cl_platform_id>))
          continue; // Null may be a platform.
        cl_int Error = CL_SUCCESS;
        std::tuple<A...> All((I < Place ? good<A>() : A{})...);
        std::get<Place>(All) = static_cast<H>(Bad[B]);
        using Last = std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>;
        if constexpr (std::is_same_v<Last, cl_int *>)
          std::get<sizeof...(A) - 1>(All) = &Error;
        if constexpr (std::is_same_v<R, cl_int>)
          Error = std::apply(F, All);
        else
          (void)std::apply(F, All);
        if (!std::is_same_v<R, cl_int> && !std::is_same_v<Last, cl_int *>)
          continue; // It returns a pointer, and reports nothing.
        if (IsFirst) {
          EXPECT_EQ(Error, Refusal<H>) << Name << ", handle " << B;
        } else {
          EXPECT_LT(Error, 0) << Name << ", place " << Place << ", handle " << B;
        }
      }
    }
  }
  template <class R, class... A> void call(const char *Name, R(CL_API_CALL *F)(A...)) {
    [&]<size_t... I>(std::index_sequence<I...> All) {
      (callWith<I>(Name, F, All), ...);
    }(std::index_sequence_for<A...>());
  }

  cl_program Program = nullptr;
  cl_kernel Kernel = nullptr;
  cl_event User = nullptr;
  cl_sampler Sampler = nullptr;
  cl_mem M = nullptr;
  std::vector<void *> Bad;
};

TEST_F(EveryFunctionTest, RefusesBadHandles) {
  const cl_icd_dispatch &T = **reinterpret_cast<cl_icd_dispatch **>(Id); // The loader has checks of its own.
#define CALL(NAME) call(#NAME, T.NAME);
  CALL(clGetPlatformInfo)
  CALL(clGetDeviceIDs)
  CALL(clGetDeviceInfo)
  CALL(clRetainContext)
  CALL(clReleaseContext)
  CALL(clGetContextInfo)
  CALL(clCreateCommandQueue)
  CALL(clRetainCommandQueue)
  CALL(clReleaseCommandQueue)
  CALL(clGetCommandQueueInfo)
  CALL(clSetCommandQueueProperty)
  CALL(clCreateBuffer)
  CALL(clCreateImage2D)
  CALL(clCreateImage3D)
  CALL(clRetainMemObject)
  CALL(clReleaseMemObject)
  CALL(clGetSupportedImageFormats)
  CALL(clGetMemObjectInfo)
  CALL(clGetImageInfo)
  CALL(clCreateSampler)
  CALL(clRetainSampler)
  CALL(clReleaseSampler)
  CALL(clGetSamplerInfo)
  CALL(clCreateProgramWithSource)
  CALL(clCreateProgramWithBinary)
  CALL(clRetainProgram)
  CALL(clReleaseProgram)
  CALL(clBuildProgram)
  CALL(clGetProgramInfo)
  CALL(clGetProgramBuildInfo)
  CALL(clCreateKernel)
  CALL(clCreateKernelsInProgram)
  CALL(clRetainKernel)
  CALL(clReleaseKernel)
  CALL(clSetKernelArg)
  CALL(clGetKernelInfo)
  CALL(clGetKernelWorkGroupInfo)
  CALL(clGetEventInfo)
  CALL(clRetainEvent)
  CALL(clReleaseEvent)
  CALL(clGetEventProfilingInfo)
  CALL(clFlush)
  CALL(clFinish)
  CALL(clEnqueueReadBuffer)
  CALL(clEnqueueWriteBuffer)
  CALL(clEnqueueCopyBuffer)
  CALL(clEnqueueReadImage)
  CALL(clEnqueueWriteImage)
  CALL(clEnqueueCopyImage)
  CALL(clEnqueueCopyImageToBuffer)
  CALL(clEnqueueCopyBufferToImage)
  CALL(clEnqueueMapBuffer)
  CALL(clEnqueueMapImage)
  CALL(clEnqueueUnmapMemObject)
  CALL(clEnqueueNDRangeKernel)
  CALL(clEnqueueTask)
  CALL(clEnqueueNativeKernel)
  CALL(clEnqueueMarker)
  CALL(clEnqueueWaitForEvents)
  CALL(clEnqueueBarrier)
  CALL(clSetEventCallback)
  CALL(clCreateSubBuffer)
  CALL(clSetMemObjectDestructorCallback)
  CALL(clCreateUserEvent)
  CALL(clSetUserEventStatus)
  CALL(clEnqueueReadBufferRect)
  CALL(clEnqueueWriteBufferRect)
  CALL(clEnqueueCopyBufferRect)
  CALL(clCreateSubDevices)
  CALL(clRetainDevice)
  CALL(clReleaseDevice)
  CALL(clCreateImage)
  CALL(clCreateProgramWithBuiltInKernels)
  CALL(clCompileProgram)
  CALL(clLinkProgram)
  CALL(clUnloadPlatformCompiler)
  CALL(clGetKernelArgInfo)
  CALL(clEnqueueFillBuffer)
  CALL(clEnqueueFillImage)
  CALL(clEnqueueMigrateMemObjects)
  CALL(clEnqueueMarkerWithWaitList)
  CALL(clEnqueueBarrierWithWaitList)
  CALL(clGetExtensionFunctionAddressForPlatform)
  CALL(clCreateCommandQueueWithProperties)
  CALL(clCreatePipe)
  CALL(clGetPipeInfo)
  CALL(clSVMAlloc)
  CALL(clEnqueueSVMFree)
  CALL(clEnqueueSVMMemcpy)
  CALL(clEnqueueSVMMemFill)
  CALL(clEnqueueSVMMap)
  CALL(clEnqueueSVMUnmap)
  CALL(clCreateSamplerWithProperties)
  CALL(clSetKernelArgSVMPointer)
  CALL(clSetKernelExecInfo)
  CALL(clCloneKernel)
  CALL(clCreateProgramWithIL)
  CALL(clEnqueueSVMMigrateMem)
  CALL(clGetKernelSubGroupInfo)
  CALL(clSetDefaultDeviceCommandQueue)
  CALL(clSetProgramSpecializationConstant)
  CALL(clCreateBufferWithProperties)
  CALL(clCreateImageWithProperties)
  CALL(clSetContextDestructorCallback)
#undef CALL
  // Nothing was released or broken.
  cl_mem X = ints({1});
  arg(Kernel, 0, X);
  arg(Kernel, 1, 2);
  run(Queues[0], Kernel, 1);
  EXPECT_EQ(read(Queues[0], X, 1)[0], 3);
}

} // namespace
} // namespace icdtest
