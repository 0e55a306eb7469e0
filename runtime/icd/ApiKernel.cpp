// Kernels and their arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <sstream>

namespace hsched::icd {
namespace {

cl_kernel CL_API_CALL createKernel(cl_program P, const char *Name, cl_int *Error) {
  return guardedMake<cl_kernel>(Error, [&] {
    Program &Of = need<Program>(P, CL_INVALID_PROGRAM);
    require(Name, CL_INVALID_VALUE);
    return (new Kernel(&Of, Name))->handle<cl_kernel>();
  });
}

cl_int CL_API_CALL createKernelsInProgram(cl_program P, cl_uint N, cl_kernel *To, cl_uint *Found) {
  return guarded([&] {
    Program &Of = need<Program>(P, CL_INVALID_PROGRAM);
    std::string Names = textOf([&](size_t Bytes, void *Text, size_t *Needed) {
      return guarded([&] { Of.info(CL_PROGRAM_KERNEL_NAMES, {Bytes, Text, Needed}); });
    });
    std::vector<std::string> All;
    std::istringstream In(Names);
    for (std::string Name; std::getline(In, Name, ';');)
      All.push_back(Name);
    require(!All.empty(), CL_INVALID_PROGRAM_EXECUTABLE);
    require(!To || N >= All.size(), CL_INVALID_VALUE);
    if (Found)
      *Found = static_cast<cl_uint>(All.size());
    struct Give {
      void operator()(Kernel *K) const { K->releaseUser(); }
    };
    std::vector<std::unique_ptr<Kernel, Give>> Made;
    for (size_t I = 0; To && I != All.size(); ++I)
      Made.emplace_back(new Kernel(&Of, All[I]));
    for (size_t I = 0; I != Made.size(); ++I)
      To[I] = Made[I].release()->handle<cl_kernel>();
  });
}

cl_kernel CL_API_CALL cloneKernel(cl_kernel K, cl_int *Error) {
  return guardedMake<cl_kernel>(Error,
                                [&] { return (new Kernel(need<Kernel>(K, CL_INVALID_KERNEL)))->handle<cl_kernel>(); });
}
cl_int CL_API_CALL retainKernel(cl_kernel K) {
  return guarded([&] { need<Kernel>(K, CL_INVALID_KERNEL).retainUser(); });
}
cl_int CL_API_CALL releaseKernel(cl_kernel K) {
  return guarded([&] { need<Kernel>(K, CL_INVALID_KERNEL).releaseUser(); });
}
cl_int CL_API_CALL setKernelArg(cl_kernel K, cl_uint Number, size_t Bytes, const void *Value) {
  return guarded([&] { need<Kernel>(K, CL_INVALID_KERNEL).set(Number, Bytes, Value); });
}
cl_int CL_API_CALL setKernelArgSvmPointer(cl_kernel K, cl_uint Number, const void *Value) {
  return guarded([&] { need<Kernel>(K, CL_INVALID_KERNEL).setPointer(Number, Value); });
}
cl_int CL_API_CALL setKernelExecInfo(cl_kernel K, cl_kernel_exec_info What, size_t Bytes, const void *Value) {
  return guarded([&] { need<Kernel>(K, CL_INVALID_KERNEL).setExecInfo(What, Bytes, Value); });
}
cl_int CL_API_CALL getKernelInfo(cl_kernel K, cl_kernel_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Kernel>(K, CL_INVALID_KERNEL).info(What, {Bytes, To, Needed}); });
}
cl_int CL_API_CALL getKernelArgInfo(cl_kernel K, cl_uint Number, cl_kernel_arg_info What, size_t Bytes, void *To,
                                    size_t *Needed) {
  return guarded([&] { need<Kernel>(K, CL_INVALID_KERNEL).argInfo(Number, What, {Bytes, To, Needed}); });
}
Device *optional(cl_device_id D) { return D ? &need<Device>(D, CL_INVALID_DEVICE) : nullptr; }

cl_int CL_API_CALL getKernelWorkGroupInfo(cl_kernel K, cl_device_id D, cl_kernel_work_group_info What, size_t Bytes,
                                          void *To, size_t *Needed) {
  return guarded([&] {
    Kernel &Its = need<Kernel>(K, CL_INVALID_KERNEL);
    Its.workGroupInfo(optional(D), What, {Bytes, To, Needed});
  });
}
cl_int CL_API_CALL getKernelSubGroupInfo(cl_kernel K, cl_device_id D, cl_kernel_sub_group_info What, size_t InputBytes,
                                         const void *Input, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] {
    Kernel &Its = need<Kernel>(K, CL_INVALID_KERNEL);
    Its.subGroupInfo(optional(D), What, InputBytes, Input, {Bytes, To, Needed});
  });
}

} // namespace

cl_int CL_API_CALL setKernelWorkGroupInfo(cl_kernel K, cl_device_id D, cl_uint Dimensions, const size_t *Global,
                                          const size_t *Local) {
  return guarded([&] {
    Kernel &Its = need<Kernel>(K, CL_INVALID_KERNEL);
    Device &On = need<Device>(D, CL_INVALID_DEVICE);
    require(Its.Of->In->has(&On) || Its.Of->In->partOf(&On), CL_INVALID_DEVICE);
    require(Dimensions >= 1 && Dimensions <= 3, CL_INVALID_WORK_DIMENSION);
    require(Global, CL_INVALID_VALUE);
    Kernel::Launch L{{Global, Global + Dimensions}, {}};
    if (Local)
      L.Local.assign(Local, Local + Dimensions);
    Its.setLaunch(&On, std::move(L));
  });
}

void addKernels(cl_icd_dispatch &T) {
  T.clCreateKernel = createKernel;
  T.clCreateKernelsInProgram = createKernelsInProgram;
  T.clCloneKernel = cloneKernel;
  T.clRetainKernel = retainKernel;
  T.clReleaseKernel = releaseKernel;
  T.clSetKernelArg = setKernelArg;
  T.clSetKernelArgSVMPointer = setKernelArgSvmPointer;
  T.clSetKernelExecInfo = setKernelExecInfo;
  T.clGetKernelInfo = getKernelInfo;
  T.clGetKernelArgInfo = getKernelArgInfo;
  T.clGetKernelWorkGroupInfo = getKernelWorkGroupInfo;
  T.clGetKernelSubGroupInfo = getKernelSubGroupInfo;
  T.clGetKernelSubGroupInfoKHR = getKernelSubGroupInfo;
}

} // namespace hsched::icd
