// The dispatch table, and the symbols that a loader requires.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <string_view>
#include <tuple>
#include <type_traits>

namespace hsched::icd {
namespace {

cl_int CL_API_CALL platformIds(cl_uint N, cl_platform_id *To, cl_uint *Found);

const cl_icd_dispatch &makeTable() {
  static cl_icd_dispatch &T = *new cl_icd_dispatch{};
  addPlatform(T);
  addQueues(T);
  addMemory(T);
  addPrograms(T);
  addKernels(T);
  addEvents(T);
  addBufferCommands(T);
  addRectCommands(T);
  addImageCommands(T);
  addMapCommands(T);
  addKernelCommands(T);
  addOrderCommands(T);
  addSvm(T);
  addRefusals(T);
  return T;
}

// Returns an error code, or a null object with the code stored through the last argument.
template <class F> struct Refusal;
template <class R, class... A> struct Refusal<R(CL_API_CALL *)(A...)> {
  static R CL_API_CALL call(A... Given) {
    if constexpr (std::is_same_v<R, cl_int>) {
      return CL_INVALID_OPERATION;
    } else {
      auto Last = std::get<sizeof...(A) - 1>(std::tuple<A...>(Given...));
      if constexpr (std::is_same_v<decltype(Last), cl_int *>)
        if (Last)
          *Last = CL_INVALID_OPERATION;
      return R();
    }
  }
};
template <> struct Refusal<void *> { // Windows' functions: their types are unknown here.
  static cl_int CL_API_CALL call() { return CL_INVALID_OPERATION; }
};
template <class Slot> void refuse(Slot &S) {
  if (!S)
    S = reinterpret_cast<Slot>(&Refusal<Slot>::call);
}

cl_int CL_API_CALL platformIds(cl_uint N, cl_platform_id *To, cl_uint *Found) {
  return guarded([&] {
    require(N || !To, CL_INVALID_VALUE);
    require(To || Found, CL_INVALID_VALUE);
    bool Any = !Platform::get().devices().empty();
    if (Found)
      *Found = Any ? 1 : 0;
    require(Any, CL_PLATFORM_NOT_FOUND_KHR);
    if (To)
      *To = Platform::get().handle<cl_platform_id>();
  });
}

} // namespace

const cl_icd_dispatch &Dispatch = makeTable();

void addRefusals(cl_icd_dispatch &T) {
  T.clGetPlatformIDs = platformIds;
  refuse(T.clCreateFromGLBuffer);
  refuse(T.clCreateFromGLTexture2D);
  refuse(T.clCreateFromGLTexture3D);
  refuse(T.clCreateFromGLRenderbuffer);
  refuse(T.clGetGLObjectInfo);
  refuse(T.clGetGLTextureInfo);
  refuse(T.clEnqueueAcquireGLObjects);
  refuse(T.clEnqueueReleaseGLObjects);
  refuse(T.clGetGLContextInfoKHR);
  refuse(T.clGetDeviceIDsFromD3D10KHR);
  refuse(T.clCreateFromD3D10BufferKHR);
  refuse(T.clCreateFromD3D10Texture2DKHR);
  refuse(T.clCreateFromD3D10Texture3DKHR);
  refuse(T.clEnqueueAcquireD3D10ObjectsKHR);
  refuse(T.clEnqueueReleaseD3D10ObjectsKHR);
  refuse(T.clCreateEventFromGLsyncKHR);
  refuse(T.clCreateFromGLTexture);
  refuse(T.clGetDeviceIDsFromD3D11KHR);
  refuse(T.clCreateFromD3D11BufferKHR);
  refuse(T.clCreateFromD3D11Texture2DKHR);
  refuse(T.clCreateFromD3D11Texture3DKHR);
  refuse(T.clCreateFromDX9MediaSurfaceKHR);
  refuse(T.clEnqueueAcquireD3D11ObjectsKHR);
  refuse(T.clEnqueueReleaseD3D11ObjectsKHR);
  refuse(T.clGetDeviceIDsFromDX9MediaAdapterKHR);
  refuse(T.clEnqueueAcquireDX9MediaSurfacesKHR);
  refuse(T.clEnqueueReleaseDX9MediaSurfacesKHR);
  refuse(T.clCreateFromEGLImageKHR);
  refuse(T.clEnqueueAcquireEGLObjectsKHR);
  refuse(T.clEnqueueReleaseEGLObjectsKHR);
  refuse(T.clCreateEventFromEGLSyncKHR);
}

void *functionNamed(const char *Name) {
  std::string_view N = Name ? Name : "";
  if (N == "clIcdGetPlatformIDsKHR")
    return reinterpret_cast<void *>(platformIds);
  if (N == "clSetCommandQueueSchedProperty" || N == "clSetCommandQueueSchedPropertyHSCHED")
    return reinterpret_cast<void *>(setCommandQueueSchedProperty);
  if (N == "clSetKernelWorkGroupInfo" || N == "clSetKernelWorkGroupInfoHSCHED")
    return reinterpret_cast<void *>(setKernelWorkGroupInfo);
  // Functions of extensions that have become part of OpenCL since.
  if (N == "clGetPlatformInfo")
    return reinterpret_cast<void *>(Dispatch.clGetPlatformInfo);
  if (N == "clCreateCommandQueueWithPropertiesKHR")
    return reinterpret_cast<void *>(Dispatch.clCreateCommandQueueWithProperties);
  if (N == "clCreateProgramWithILKHR")
    return reinterpret_cast<void *>(Dispatch.clCreateProgramWithIL);
  if (N == "clGetKernelSubGroupInfoKHR")
    return reinterpret_cast<void *>(Dispatch.clGetKernelSubGroupInfoKHR);
  return nullptr;
}

} // namespace hsched::icd
