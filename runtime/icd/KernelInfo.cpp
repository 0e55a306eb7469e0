// Queries of kernels and samplers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Kernel.h"

namespace hsched::icd {

void Kernel::info(cl_kernel_info What, const Answer &To) const {
  switch (What) {
  case CL_KERNEL_FUNCTION_NAME:
    return To.text(Name);
  case CL_KERNEL_NUM_ARGS:
    return To.value(Count);
  case CL_KERNEL_REFERENCE_COUNT:
    return To.value(userRefs());
  case CL_KERNEL_CONTEXT:
    return To.value(Of->In->handle<cl_context>());
  case CL_KERNEL_PROGRAM:
    return To.value(Of->handle<cl_program>());
  default:
    break;
  }
  for (const auto &P : Parts)
    if (P->K)
      return check(table(P->K).clGetKernelInfo(P->K, What, To.Size, To.To, To.Needed));
}

void Kernel::argInfo(cl_uint Number, cl_kernel_arg_info What, const Answer &To) const {
  require(Number < Count, CL_INVALID_ARG_INDEX);
  require(Of->hasArgumentInfo(), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  for (const auto &P : Parts)
    if (P->K)
      return check(table(P->K).clGetKernelArgInfo(P->K, Number, What, To.Size, To.To, To.Needed));
}

std::pair<cl_kernel, const Device *> Kernel::on(const Device *D) const {
  const Context &In = *Of->In;
  if (!D) {
    require(In.Devices.size() == 1, CL_INVALID_DEVICE);
    D = In.Devices.front().get();
  }
  require(Of->isFor(D), CL_INVALID_DEVICE);
  if (D->isAuto()) {
    for (Device *V : D->RealDevices)
      if (cl_kernel K = Parts[In.partOf(V)->Number]->K; K && Of->isBuiltFor(*V))
        return {K, V};
    throw Failure{CL_INVALID_DEVICE};
  }
  cl_kernel K = Parts[In.partOf(D)->Number]->K;
  require(K, CL_INVALID_DEVICE);
  return {K, D};
}

void Kernel::workGroupInfo(const Device *D, cl_kernel_work_group_info What, const Answer &To) const {
  auto [K, V] = on(D);
  if (What == CL_KERNEL_LOCAL_MEM_SIZE) // Arguments reach the vendor at a launch, but these count.
    applyLocal(*Parts[Of->In->partOf(V)->Number]);
  check(table(K).clGetKernelWorkGroupInfo(K, V->Id, What, To.Size, To.To, To.Needed));
}

void Kernel::applyLocal(Vendors &V) const {
  std::shared_ptr<const Arguments> Its;
  {
    std::lock_guard Hold(Lock);
    Its = Values;
  }
  std::lock_guard Hold(V.Lock);
  for (cl_uint I = 0; I != Count; ++I)
    if (const Argument &A = (*Its)[I]; A.What == Argument::Local && !(V.Applied[I] == A)) {
      V.Applied[I] = {};
      check(table(V.K).clSetKernelArg(V.K, I, A.LocalBytes, nullptr));
      V.Applied[I] = A;
    }
}

void Kernel::subGroupInfo(const Device *D, cl_kernel_sub_group_info What, size_t InputBytes, const void *Input,
                          const Answer &To) const {
  auto [K, V] = on(D);
  if (V->Of->has(210) && table(K).clGetKernelSubGroupInfo)
    return check(table(K).clGetKernelSubGroupInfo(K, V->Id, What, InputBytes, Input, To.Size, To.To, To.Needed));
  // Tables of OpenCL 1.2 end before this function.
  require(V->Of->has(200) && table(K).clGetKernelSubGroupInfoKHR, CL_INVALID_OPERATION);
  check(table(K).clGetKernelSubGroupInfoKHR(K, V->Id, What, InputBytes, Input, To.Size, To.To, To.Needed));
}

Sampler::Sampler(Ref<Context> Of, const cl_sampler_properties *Its, bool Given) : Object(Tag), In(std::move(Of)) {
  for (const cl_sampler_properties *P = Its; P && *P; P += 2) {
    for (const cl_sampler_properties *Q = Its; Q != P; Q += 2)
      require(*Q != *P, CL_INVALID_VALUE); // Twice.
    if (Given)
      Properties.insert(Properties.end(), P, P + 2);
    switch (*P) {
    case CL_SAMPLER_NORMALIZED_COORDS:
      Normalized = static_cast<cl_bool>(P[1]);
      break;
    case CL_SAMPLER_ADDRESSING_MODE:
      Addressing = static_cast<cl_addressing_mode>(P[1]);
      break;
    case CL_SAMPLER_FILTER_MODE:
      Filter = static_cast<cl_filter_mode>(P[1]);
      break;
    default:
      throw Failure{CL_INVALID_VALUE};
    }
  }
  if (Given && Its)
    Properties.push_back(0);
  require(Normalized <= 1 && Addressing >= CL_ADDRESS_NONE && Addressing <= CL_ADDRESS_MIRRORED_REPEAT &&
              (Filter == CL_FILTER_NEAREST || Filter == CL_FILTER_LINEAR),
          CL_INVALID_VALUE);
  try {
    for (const auto &P : In->Parts) {
      cl_int Error = CL_SUCCESS;
      cl_sampler S = P->cl().clCreateSampler(P->Id, Normalized, Addressing, Filter, &Error);
      Vendors.push_back(S);
      // A vendor without images has no samplers; kernels that need one cannot run there.
      require(Error != CL_INVALID_VALUE, Error);
      require(S || !In->isSingle(), Error);
    }
  } catch (...) {
    for (cl_sampler S : Vendors)
      if (S)
        table(S).clReleaseSampler(S);
    throw;
  }
}

Sampler::~Sampler() {
  for (cl_sampler S : Vendors)
    if (S)
      table(S).clReleaseSampler(S);
}

void Sampler::info(cl_sampler_info What, const Answer &To) const {
  switch (What) {
  case CL_SAMPLER_REFERENCE_COUNT:
    return To.value(userRefs());
  case CL_SAMPLER_CONTEXT:
    return To.value(In->handle<cl_context>());
  case CL_SAMPLER_NORMALIZED_COORDS:
    return To.value(Normalized);
  case CL_SAMPLER_ADDRESSING_MODE:
    return To.value(Addressing);
  case CL_SAMPLER_FILTER_MODE:
    return To.value(Filter);
  case CL_SAMPLER_PROPERTIES:
    return To.list(Properties);
  default:
    throw Failure{CL_INVALID_VALUE};
  }
}

} // namespace hsched::icd
