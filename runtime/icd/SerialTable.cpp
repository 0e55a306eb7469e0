// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/SerialTable.h"

#include <mutex>

namespace hsched::icd {
namespace {

using Table = cl_icd_dispatch;

// Recursive, because a vendor function may call the program, and the program the platform.
std::recursive_mutex Turn;

template <auto Slot> struct Serial;
template <class R, class... A, R (CL_API_CALL *Table::*Slot)(A...)> struct Serial<Slot> {
  static R CL_API_CALL call(A... Given) {
    std::lock_guard InTurn(Turn);
    return (SerialTable::Vendors.load(std::memory_order_relaxed)->*Slot)(Given...);
  }
};

template <auto... Slots> Table tableOf() {
  Table T{};
  ((T.*Slots = Serial<Slots>::call), ...);
  return T;
}

} // namespace

std::atomic<const cl_icd_dispatch *> SerialTable::Vendors{nullptr};

const cl_icd_dispatch &SerialTable::get() {
  // Without those for objects of OpenGL, Direct3D and EGL, which the platform never calls.
  static const Table &Only = *new Table(
      tableOf<
          &Table::clGetPlatformIDs, &Table::clGetPlatformInfo, &Table::clGetDeviceIDs, &Table::clGetDeviceInfo,
          &Table::clCreateContext, &Table::clCreateContextFromType, &Table::clRetainContext, &Table::clReleaseContext,
          &Table::clGetContextInfo, &Table::clCreateCommandQueue, &Table::clRetainCommandQueue,
          &Table::clReleaseCommandQueue, &Table::clGetCommandQueueInfo, &Table::clSetCommandQueueProperty,
          &Table::clCreateBuffer, &Table::clCreateImage2D, &Table::clCreateImage3D, &Table::clRetainMemObject,
          &Table::clReleaseMemObject, &Table::clGetSupportedImageFormats, &Table::clGetMemObjectInfo,
          &Table::clGetImageInfo, &Table::clCreateSampler, &Table::clRetainSampler, &Table::clReleaseSampler,
          &Table::clGetSamplerInfo, &Table::clCreateProgramWithSource, &Table::clCreateProgramWithBinary,
          &Table::clRetainProgram, &Table::clReleaseProgram, &Table::clBuildProgram, &Table::clUnloadCompiler,
          &Table::clGetProgramInfo, &Table::clGetProgramBuildInfo, &Table::clCreateKernel,
          &Table::clCreateKernelsInProgram, &Table::clRetainKernel, &Table::clReleaseKernel, &Table::clSetKernelArg,
          &Table::clGetKernelInfo, &Table::clGetKernelWorkGroupInfo, &Table::clWaitForEvents, &Table::clGetEventInfo,
          &Table::clRetainEvent, &Table::clReleaseEvent, &Table::clGetEventProfilingInfo, &Table::clFlush,
          &Table::clFinish, &Table::clEnqueueReadBuffer, &Table::clEnqueueWriteBuffer, &Table::clEnqueueCopyBuffer,
          &Table::clEnqueueReadImage, &Table::clEnqueueWriteImage, &Table::clEnqueueCopyImage,
          &Table::clEnqueueCopyImageToBuffer, &Table::clEnqueueCopyBufferToImage, &Table::clEnqueueMapBuffer,
          &Table::clEnqueueMapImage, &Table::clEnqueueUnmapMemObject, &Table::clEnqueueNDRangeKernel,
          &Table::clEnqueueTask, &Table::clEnqueueNativeKernel, &Table::clEnqueueMarker, &Table::clEnqueueWaitForEvents,
          &Table::clEnqueueBarrier, &Table::clGetExtensionFunctionAddress, &Table::clSetEventCallback,
          &Table::clCreateSubBuffer, &Table::clSetMemObjectDestructorCallback, &Table::clCreateUserEvent,
          &Table::clSetUserEventStatus, &Table::clEnqueueReadBufferRect, &Table::clEnqueueWriteBufferRect,
          &Table::clEnqueueCopyBufferRect, &Table::clCreateSubDevices, &Table::clRetainDevice, &Table::clReleaseDevice,
          &Table::clCreateImage, &Table::clCreateProgramWithBuiltInKernels, &Table::clCompileProgram,
          &Table::clLinkProgram, &Table::clUnloadPlatformCompiler, &Table::clGetKernelArgInfo,
          &Table::clEnqueueFillBuffer, &Table::clEnqueueFillImage, &Table::clEnqueueMigrateMemObjects,
          &Table::clEnqueueMarkerWithWaitList, &Table::clEnqueueBarrierWithWaitList,
          &Table::clGetExtensionFunctionAddressForPlatform, &Table::clCreateCommandQueueWithProperties,
          &Table::clCreatePipe, &Table::clGetPipeInfo, &Table::clSVMAlloc, &Table::clSVMFree, &Table::clEnqueueSVMFree,
          &Table::clEnqueueSVMMemcpy, &Table::clEnqueueSVMMemFill, &Table::clEnqueueSVMMap, &Table::clEnqueueSVMUnmap,
          &Table::clCreateSamplerWithProperties, &Table::clSetKernelArgSVMPointer, &Table::clSetKernelExecInfo,
          &Table::clGetKernelSubGroupInfoKHR, &Table::clCloneKernel, &Table::clCreateProgramWithIL,
          &Table::clEnqueueSVMMigrateMem, &Table::clGetDeviceAndHostTimer, &Table::clGetHostTimer,
          &Table::clGetKernelSubGroupInfo, &Table::clSetDefaultDeviceCommandQueue, &Table::clSetProgramReleaseCallback,
          &Table::clSetProgramSpecializationConstant, &Table::clCreateBufferWithProperties,
          &Table::clCreateImageWithProperties, &Table::clSetContextDestructorCallback>());
  return Only;
}

} // namespace hsched::icd
