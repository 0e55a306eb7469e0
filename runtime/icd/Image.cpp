// Images: formats, host layouts, queries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Memory.h"

#include <algorithm>

namespace hsched::icd {
namespace {

size_t channels(cl_channel_order Order) {
  switch (Order) {
  case CL_R:
  case CL_A:
  case CL_Rx:
  case CL_INTENSITY:
  case CL_LUMINANCE:
  case CL_DEPTH:
    return 1;
  case CL_RG:
  case CL_RA:
  case CL_RGx:
    return 2;
  case CL_RGB:
  case CL_RGBx:
  case CL_sRGB:
    return 3;
  case CL_RGBA:
  case CL_BGRA:
  case CL_ARGB:
  case CL_ABGR:
  case CL_sRGBx:
  case CL_sRGBA:
  case CL_sBGRA:
    return 4;
  default:
    return 0;
  }
}

bool isArray(cl_mem_object_type T) { return T == CL_MEM_OBJECT_IMAGE1D_ARRAY || T == CL_MEM_OBJECT_IMAGE2D_ARRAY; }

// A vendor of the context has such images.
bool isListed(const Context &In, cl_mem_flags Flags, cl_mem_object_type Type, const cl_image_format &Format) {
  for (const auto &P : In.Parts) {
    cl_uint Count = 0;
    if (P->cl().clGetSupportedImageFormats(P->Id, Flags, Type, 0, nullptr, &Count) != CL_SUCCESS || !Count)
      continue;
    std::vector<cl_image_format> All(Count);
    if (P->cl().clGetSupportedImageFormats(P->Id, Flags, Type, Count, All.data(), nullptr) == CL_SUCCESS &&
        std::any_of(All.begin(), All.end(), [&](const cl_image_format &F) {
          return F.image_channel_order == Format.image_channel_order &&
                 F.image_channel_data_type == Format.image_channel_data_type;
        }))
      return true;
  }
  return false;
}

// A device has room for an image of this size.
bool hasRoom(const Device &On, const cl_image_desc &D) {
  auto Most = [&](cl_device_info What) { return On.number<size_t>(What); };
  switch (D.image_type) {
  case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    return D.image_width <= Most(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
  case CL_MEM_OBJECT_IMAGE3D:
    return D.image_width <= Most(CL_DEVICE_IMAGE3D_MAX_WIDTH) && D.image_height <= Most(CL_DEVICE_IMAGE3D_MAX_HEIGHT) &&
           D.image_depth <= Most(CL_DEVICE_IMAGE3D_MAX_DEPTH);
  case CL_MEM_OBJECT_IMAGE2D:
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    if (D.image_height > Most(CL_DEVICE_IMAGE2D_MAX_HEIGHT))
      return false;
    break;
  default:
    break;
  }
  return D.image_width <= Most(CL_DEVICE_IMAGE2D_MAX_WIDTH) &&
         (!isArray(D.image_type) || D.image_array_size <= Most(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
}

} // namespace

bool isImageType(cl_mem_object_type T) { return T >= CL_MEM_OBJECT_IMAGE2D && T <= CL_MEM_OBJECT_IMAGE1D_BUFFER; }

size_t elementBytes(const cl_image_format &F) {
  size_t N = channels(F.image_channel_order);
  switch (F.image_channel_data_type) {
  case CL_SNORM_INT8:
  case CL_UNORM_INT8:
  case CL_SIGNED_INT8:
  case CL_UNSIGNED_INT8:
    return N;
  case CL_SNORM_INT16:
  case CL_UNORM_INT16:
  case CL_SIGNED_INT16:
  case CL_UNSIGNED_INT16:
  case CL_HALF_FLOAT:
    return 2 * N;
  case CL_SIGNED_INT32:
  case CL_UNSIGNED_INT32:
  case CL_FLOAT:
    return 4 * N;
  case CL_UNORM_SHORT_565:
  case CL_UNORM_SHORT_555:
    return N ? 2 : 0;
  case CL_UNORM_INT_101010:
  case CL_UNORM_INT_101010_2:
    return N ? 4 : 0;
  default:
    return 0;
  }
}

Memory *Memory::image(Ref<Context> In, std::vector<cl_mem_properties> Properties, cl_mem_flags Flags,
                      const cl_image_format &Format, const cl_image_desc &Description, void *HostData) {
  require(Properties.empty() || Properties.front() == 0, CL_INVALID_PROPERTY);
  size_t Element = icd::elementBytes(Format);
  require(Element, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  require(isImageType(Description.image_type) && !Description.num_mip_levels && !Description.num_samples,
          CL_INVALID_IMAGE_DESCRIPTOR);
  std::vector<Device *> Able = In->vendorDevices();
  std::erase_if(Able, [](const Device *D) { return D->number<cl_bool>(CL_DEVICE_IMAGE_SUPPORT) != CL_TRUE; });
  require(!Able.empty(), CL_INVALID_OPERATION);

  Ref<Memory> Parent;
  if (Description.mem_object) {
    Parent = find<Memory>(Description.mem_object);
    require(Parent && Parent->In == In && Parent->Type != CL_MEM_OBJECT_PIPE, CL_INVALID_IMAGE_DESCRIPTOR);
  }
  if (!Parent) {
    checkFlags(Flags, HostData);
    require(HostData || (!Description.image_row_pitch && !Description.image_slice_pitch), CL_INVALID_IMAGE_DESCRIPTOR);
  }
  require(Description.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER || (Parent && Parent->isBuffer()),
          CL_INVALID_IMAGE_DESCRIPTOR);
  cl_mem_flags Access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  if (!(Flags & (Access | CL_MEM_KERNEL_READ_AND_WRITE)))
    Flags |= Parent ? Parent->Flags & Access : cl_mem_flags(CL_MEM_READ_WRITE);

  cl_image_desc D = Description;
  bool Flat = D.image_type == CL_MEM_OBJECT_IMAGE1D || D.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
              D.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  size_t Rows = Flat ? 1 : D.image_height;
  size_t Slices = isArray(D.image_type)                   ? D.image_array_size
                  : D.image_type == CL_MEM_OBJECT_IMAGE3D ? D.image_depth
                                                          : 1;
  D.image_height = Flat ? std::max<size_t>(D.image_height, 1) : D.image_height;
  require(D.image_width && Rows && Slices, In->isSingle() ? CL_INVALID_IMAGE_SIZE : CL_INVALID_IMAGE_DESCRIPTOR);
  require(std::any_of(Able.begin(), Able.end(), [&](const Device *Its) { return hasRoom(*Its, D); }),
          CL_INVALID_IMAGE_SIZE);
  require(!D.image_row_pitch || (D.image_row_pitch >= D.image_width * Element && D.image_row_pitch % Element == 0),
          CL_INVALID_IMAGE_DESCRIPTOR);
  if (!D.image_row_pitch)
    D.image_row_pitch = D.image_width * Element;
  require(!D.image_slice_pitch || Slices == 1 ||
              (D.image_slice_pitch / Rows >= D.image_row_pitch && D.image_slice_pitch % D.image_row_pitch == 0),
          CL_INVALID_IMAGE_DESCRIPTOR);
  size_t Least = 0, Bytes = 0;
  require(!__builtin_mul_overflow(D.image_row_pitch, Rows, &Least), CL_INVALID_IMAGE_DESCRIPTOR);
  if (!D.image_slice_pitch)
    D.image_slice_pitch = Least;
  require(!__builtin_mul_overflow(D.image_slice_pitch, Slices, &Bytes), CL_INVALID_IMAGE_DESCRIPTOR);
  require(!Parent || !Parent->isBuffer() || Bytes <= Parent->Bytes, CL_INVALID_IMAGE_SIZE);

  std::unique_ptr<Memory, void (*)(Memory *)> M(
      new Memory(In, D.image_type, Flags, Bytes, HostData, std::move(Parent), 0), [](Memory *M) { M->releaseUser(); });
  M->Element = Element;
  M->Properties = std::move(Properties);
  M->Format = Format;
  M->Description = Description; // As the vendor must see it.
  bool Made = false;
  try {
    Made = M->IsPlain && M->startPlain(HostData);
  } catch (const Failure &) { // PoCL has another error for this.
    require(isListed(*In, Flags & Access, D.image_type, Format), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    throw;
  }
  M->Description.image_row_pitch = D.image_row_pitch;
  M->Description.image_slice_pitch = D.image_slice_pitch;
  if (!Made) {
    require(isListed(*In, Flags & Access, D.image_type, Format), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    M->startData(HostData);
  }
  return M.release();
}

ImageLayout Memory::layout() const {
  ImageLayout L{Element, {}, {rowPitch(), slicePitch()}};
  region(L.Extent);
  if (Type == CL_MEM_OBJECT_IMAGE1D_ARRAY) // Its images take the place of rows.
    L.Pitch[0] = slicePitch(), L.Pitch[1] = slicePitch() * L.Extent[1];
  return L;
}

void Memory::region(size_t (&Extent)[3]) const {
  Extent[0] = std::max<size_t>(Description.image_width, 1);
  Extent[1] = Extent[2] = 1;
  switch (Type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    Extent[1] = Description.image_array_size;
    break;
  case CL_MEM_OBJECT_IMAGE2D:
    Extent[1] = Description.image_height;
    break;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    Extent[1] = Description.image_height;
    Extent[2] = Description.image_array_size;
    break;
  case CL_MEM_OBJECT_IMAGE3D:
    Extent[1] = Description.image_height;
    Extent[2] = Description.image_depth;
    break;
  default:
    break;
  }
}

void Memory::checkRegion(const size_t *Origin, const size_t *Extent) const {
  require(Origin && Extent, CL_INVALID_VALUE);
  size_t Whole[3];
  region(Whole);
  for (unsigned I = 0; I != 3; ++I)
    require(Extent[I] && Origin[I] <= Whole[I] && Extent[I] <= Whole[I] - Origin[I], CL_INVALID_VALUE);
}

void Memory::imageInfo(cl_image_info What, const Answer &To) const {
  require(isImage(), CL_INVALID_MEM_OBJECT);
  switch (What) {
  case CL_IMAGE_FORMAT:
    return To.value(Format);
  case CL_IMAGE_ELEMENT_SIZE:
    return To.value(Element);
  case CL_IMAGE_BUFFER:
    return To.value(Parent && Parent->isBuffer() ? Parent->handle<cl_mem>() : nullptr);
  default:
    break;
  }
  if (Plain)
    return check(table(Plain).clGetImageInfo(Plain, What, To.Size, To.To, To.Needed));
  bool Flat =
      Type == CL_MEM_OBJECT_IMAGE1D || Type == CL_MEM_OBJECT_IMAGE1D_ARRAY || Type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  bool Deep = Type == CL_MEM_OBJECT_IMAGE3D;
  switch (What) {
  case CL_IMAGE_ROW_PITCH:
    return To.value(Description.image_row_pitch);
  case CL_IMAGE_SLICE_PITCH:
    return To.value(Deep || isArray(Type) ? Description.image_slice_pitch : size_t(0));
  case CL_IMAGE_WIDTH:
    return To.value(Description.image_width);
  case CL_IMAGE_HEIGHT:
    return To.value(Flat ? size_t(0) : Description.image_height);
  case CL_IMAGE_DEPTH:
    return To.value(Deep ? Description.image_depth : size_t(0));
  case CL_IMAGE_ARRAY_SIZE:
    return To.value(isArray(Type) ? Description.image_array_size : size_t(0));
  case CL_IMAGE_NUM_MIP_LEVELS:
    return To.value(Description.num_mip_levels);
  case CL_IMAGE_NUM_SAMPLES:
    return To.value(Description.num_samples);
  default:
    throw Failure{CL_INVALID_VALUE};
  }
}

} // namespace hsched::icd
