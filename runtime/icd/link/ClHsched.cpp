// The functions of CL/cl_hsched.h for programs that link with them: they call the platform of their object.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_hsched.h>

namespace {

constexpr unsigned MostDevices = 256; // Most devices of a context.

// A function of the device's platform. Null: another platform, which does not have it.
template <class F> F find(cl_device_id D, const char *Name) {
  cl_platform_id Of = nullptr;
  if (clGetDeviceInfo(D, CL_DEVICE_PLATFORM, sizeof(Of), &Of, nullptr) != CL_SUCCESS)
    return nullptr;
  return reinterpret_cast<F>(clGetExtensionFunctionAddressForPlatform(Of, Name));
}

} // namespace

extern "C" {

cl_int CL_API_CALL clSetCommandQueueSchedProperty(cl_command_queue Queue, cl_queue_sched_hsched Properties) {
  cl_device_id D = nullptr;
  if (cl_int Error = clGetCommandQueueInfo(Queue, CL_QUEUE_DEVICE, sizeof(D), &D, nullptr))
    return Error;
  auto *Set = find<clSetCommandQueueSchedPropertyHSCHED_fn>(D, "clSetCommandQueueSchedPropertyHSCHED");
  return Set ? Set(Queue, Properties) : CL_INVALID_OPERATION;
}

cl_int CL_API_CALL clSetKernelWorkGroupInfo(cl_kernel Kernel, cl_device_id Device, cl_uint Dimensions,
                                            const size_t *Global, const size_t *Local) {
  cl_context Of = nullptr;
  if (cl_int Error = clGetKernelInfo(Kernel, CL_KERNEL_CONTEXT, sizeof(Of), &Of, nullptr))
    return Error;
  cl_device_id All[MostDevices] = {};
  if (cl_int Error = clGetContextInfo(Of, CL_CONTEXT_DEVICES, sizeof(All), All, nullptr))
    return Error;
  auto *Set = find<clSetKernelWorkGroupInfoHSCHED_fn>(All[0], "clSetKernelWorkGroupInfoHSCHED");
  return Set ? Set(Kernel, Device, Dimensions, Global, Local) : CL_INVALID_OPERATION;
}

} // extern "C"
