// Memory objects and samplers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <algorithm>

namespace hsched::icd {
namespace {

std::vector<cl_mem_properties> listOf(const cl_mem_properties *P) {
  std::vector<cl_mem_properties> All;
  if (!P)
    return All;
  for (; *P; P += 2)
    All.insert(All.end(), P, P + 2);
  All.push_back(0);
  return All;
}

cl_mem CL_API_CALL createBufferWithProperties(cl_context C, const cl_mem_properties *P, cl_mem_flags Flags,
                                              size_t Bytes, void *HostData, cl_int *Error) {
  return guardedMake<cl_mem>(Error, [&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    return Memory::buffer(&In, listOf(P), Flags, Bytes, HostData)->handle<cl_mem>();
  });
}
cl_mem CL_API_CALL createBuffer(cl_context C, cl_mem_flags Flags, size_t Bytes, void *HostData, cl_int *Error) {
  return createBufferWithProperties(C, nullptr, Flags, Bytes, HostData, Error);
}
cl_mem CL_API_CALL createSubBuffer(cl_mem Of, cl_mem_flags Flags, cl_buffer_create_type Type, const void *Info,
                                   cl_int *Error) {
  return guardedMake<cl_mem>(Error, [&] {
    Memory &M = need<Memory>(Of, CL_INVALID_MEM_OBJECT);
    require(Type == CL_BUFFER_CREATE_TYPE_REGION && Info, CL_INVALID_VALUE);
    const auto *R = static_cast<const cl_buffer_region *>(Info);
    return Memory::subBuffer(&M, Flags, R->origin, R->size)->handle<cl_mem>();
  });
}

cl_mem CL_API_CALL createImageWithProperties(cl_context C, const cl_mem_properties *P, cl_mem_flags Flags,
                                             const cl_image_format *Format, const cl_image_desc *Description,
                                             void *HostData, cl_int *Error) {
  return guardedMake<cl_mem>(Error, [&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    require(Format, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    require(Description, CL_INVALID_IMAGE_DESCRIPTOR);
    return Memory::image(&In, listOf(P), Flags, *Format, *Description, HostData)->handle<cl_mem>();
  });
}
cl_mem CL_API_CALL createImage(cl_context C, cl_mem_flags Flags, const cl_image_format *Format,
                               const cl_image_desc *Description, void *HostData, cl_int *Error) {
  return createImageWithProperties(C, nullptr, Flags, Format, Description, HostData, Error);
}
cl_mem CL_API_CALL createImage2D(cl_context C, cl_mem_flags Flags, const cl_image_format *Format, size_t Width,
                                 size_t Height, size_t RowPitch, void *HostData, cl_int *Error) {
  cl_image_desc D{};
  D.image_type = CL_MEM_OBJECT_IMAGE2D;
  D.image_width = Width;
  D.image_height = Height;
  D.image_row_pitch = RowPitch;
  return createImage(C, Flags, Format, &D, HostData, Error);
}
cl_mem CL_API_CALL createImage3D(cl_context C, cl_mem_flags Flags, const cl_image_format *Format, size_t Width,
                                 size_t Height, size_t Depth, size_t RowPitch, size_t SlicePitch, void *HostData,
                                 cl_int *Error) {
  cl_image_desc D{};
  D.image_type = CL_MEM_OBJECT_IMAGE3D;
  D.image_width = Width;
  D.image_height = Height;
  D.image_depth = Depth;
  D.image_row_pitch = RowPitch;
  D.image_slice_pitch = SlicePitch;
  return createImage(C, Flags, Format, &D, HostData, Error);
}
cl_mem CL_API_CALL createPipe(cl_context C, cl_mem_flags Flags, cl_uint PacketBytes, cl_uint MaxPackets,
                              const cl_pipe_properties *Properties, cl_int *Error) {
  return guardedMake<cl_mem>(Error, [&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    require(!Properties, CL_INVALID_VALUE);
    return Memory::pipe(&In, Flags, PacketBytes, MaxPackets)->handle<cl_mem>();
  });
}

cl_int CL_API_CALL retainMemObject(cl_mem M) {
  return guarded([&] { need<Memory>(M, CL_INVALID_MEM_OBJECT).retainUser(); });
}
cl_int CL_API_CALL releaseMemObject(cl_mem M) {
  return guarded([&] { need<Memory>(M, CL_INVALID_MEM_OBJECT).releaseUser(); });
}
cl_int CL_API_CALL getMemObjectInfo(cl_mem M, cl_mem_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Memory>(M, CL_INVALID_MEM_OBJECT).info(What, {Bytes, To, Needed}); });
}
cl_int CL_API_CALL getImageInfo(cl_mem M, cl_image_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Memory>(M, CL_INVALID_MEM_OBJECT).imageInfo(What, {Bytes, To, Needed}); });
}
cl_int CL_API_CALL getPipeInfo(cl_mem M, cl_pipe_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] {
    Memory &Its = need<Memory>(M, CL_INVALID_MEM_OBJECT);
    require(Its.Type == CL_MEM_OBJECT_PIPE, CL_INVALID_MEM_OBJECT);
    cl_mem V = Its.in(Its.In->first());
    check(table(V).clGetPipeInfo(V, What, Bytes, To, Needed));
  });
}
cl_int CL_API_CALL setMemObjectDestructorCallback(cl_mem M, void(CL_CALLBACK *Notified)(cl_mem, void *),
                                                  void *UserData) {
  return guarded([&] {
    Memory &Its = need<Memory>(M, CL_INVALID_MEM_OBJECT);
    require(Notified, CL_INVALID_VALUE);
    Its.onDestruction([=] { Notified(M, UserData); });
  });
}

// The formats that all vendors of the context support.
cl_int CL_API_CALL getSupportedImageFormats(cl_context C, cl_mem_flags Flags, cl_mem_object_type Type, cl_uint N,
                                            cl_image_format *To, cl_uint *Found) {
  return guarded([&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    require(!(To && !N) && isImageType(Type), CL_INVALID_VALUE);
    std::vector<cl_image_format> All;
    bool First = true;
    for (const auto &P : In.Parts) {
      cl_uint Count = 0;
      cl_int Error = P->cl().clGetSupportedImageFormats(P->Id, Flags, Type, 0, nullptr, &Count);
      if (Error < 0 && !In.isSingle())
        continue; // A vendor without images.
      check(Error);
      std::vector<cl_image_format> Its(Count);
      if (Count)
        check(P->cl().clGetSupportedImageFormats(P->Id, Flags, Type, Count, Its.data(), nullptr));
      if (First)
        All = Its;
      else
        std::erase_if(All, [&](const cl_image_format &F) {
          return std::none_of(Its.begin(), Its.end(), [&](const cl_image_format &G) {
            return F.image_channel_order == G.image_channel_order &&
                   F.image_channel_data_type == G.image_channel_data_type;
          });
        });
      First = false;
    }
    if (Found)
      *Found = static_cast<cl_uint>(All.size());
    for (size_t I = 0; To && I != std::min<size_t>(N, All.size()); ++I)
      To[I] = All[I];
  });
}

cl_sampler makeSampler(cl_context C, const cl_sampler_properties *P, bool Given, cl_int *Error) {
  return guardedMake<cl_sampler>(
      Error, [&] { return (new Sampler(&need<Context>(C, CL_INVALID_CONTEXT), P, Given))->handle<cl_sampler>(); });
}
cl_sampler CL_API_CALL createSamplerWithProperties(cl_context C, const cl_sampler_properties *P, cl_int *Error) {
  return makeSampler(C, P, true, Error);
}
cl_sampler CL_API_CALL createSampler(cl_context C, cl_bool Normalized, cl_addressing_mode Addressing,
                                     cl_filter_mode Filter, cl_int *Error) {
  cl_sampler_properties P[] = {CL_SAMPLER_NORMALIZED_COORDS,
                               Normalized,
                               CL_SAMPLER_ADDRESSING_MODE,
                               Addressing,
                               CL_SAMPLER_FILTER_MODE,
                               Filter,
                               0};
  return makeSampler(C, P, false, Error);
}
cl_int CL_API_CALL retainSampler(cl_sampler S) {
  return guarded([&] { need<Sampler>(S, CL_INVALID_SAMPLER).retainUser(); });
}
cl_int CL_API_CALL releaseSampler(cl_sampler S) {
  return guarded([&] { need<Sampler>(S, CL_INVALID_SAMPLER).releaseUser(); });
}
cl_int CL_API_CALL getSamplerInfo(cl_sampler S, cl_sampler_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Sampler>(S, CL_INVALID_SAMPLER).info(What, {Bytes, To, Needed}); });
}

} // namespace

void addMemory(cl_icd_dispatch &T) {
  T.clCreateBuffer = createBuffer;
  T.clCreateBufferWithProperties = createBufferWithProperties;
  T.clCreateSubBuffer = createSubBuffer;
  T.clCreateImage = createImage;
  T.clCreateImageWithProperties = createImageWithProperties;
  T.clCreateImage2D = createImage2D;
  T.clCreateImage3D = createImage3D;
  T.clCreatePipe = createPipe;
  T.clRetainMemObject = retainMemObject;
  T.clReleaseMemObject = releaseMemObject;
  T.clGetMemObjectInfo = getMemObjectInfo;
  T.clGetImageInfo = getImageInfo;
  T.clGetPipeInfo = getPipeInfo;
  T.clSetMemObjectDestructorCallback = setMemObjectDestructorCallback;
  T.clGetSupportedImageFormats = getSupportedImageFormats;
  T.clCreateSampler = createSampler;
  T.clCreateSamplerWithProperties = createSamplerWithProperties;
  T.clRetainSampler = retainSampler;
  T.clReleaseSampler = releaseSampler;
  T.clGetSamplerInfo = getSamplerInfo;
}

} // namespace hsched::icd
