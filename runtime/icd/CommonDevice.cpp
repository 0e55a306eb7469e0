// "hsched auto": what its devices have in common, so that a program that fits it fits each of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Device.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace hsched::icd {
namespace {

using Devices = std::vector<Device *>;

template <class T> T least(const Devices &All, cl_device_info What) {
  T Its = All.front()->number<T>(What);
  for (const Device *D : All)
    Its = std::min(Its, D->number<T>(What));
  return Its;
}
template <class T> T greatest(const Devices &All, cl_device_info What) {
  T Its = All.front()->number<T>(What);
  for (const Device *D : All)
    Its = std::max(Its, D->number<T>(What));
  return Its;
}
template <class T> T shared(const Devices &All, cl_device_info What) {
  T Its = All.front()->number<T>(What);
  for (const Device *D : All)
    Its &= D->number<T>(What);
  return Its;
}

// A device's answer as the program gets it.
std::string textOf(const Device &D, cl_device_info What) {
  size_t Bytes = 0;
  D.info(What, {0, nullptr, &Bytes});
  std::string Text(Bytes, '\0');
  D.info(What, {Bytes, Text.data(), nullptr});
  Text.resize(std::min(Text.find('\0'), Text.size()));
  return Text;
}

// The words that all devices have, in the order of the first one.
std::string wordsOf(const Devices &All, cl_device_info What, char Between) {
  std::string Kept;
  std::istringstream In(textOf(*All.front(), What));
  for (std::string W; std::getline(In, W, Between);)
    if (!W.empty() && std::all_of(All.begin(), All.end(), [&](const Device *D) {
          return (Between + textOf(*D, What) + Between).find(Between + W + Between) != std::string::npos;
        }))
      Kept += Kept.empty() ? W : Between + W;
  return Kept;
}

// Pairs of a name and a version that all devices have. A device without such a list leaves it empty.
std::vector<cl_name_version> versionsOf(const Devices &All, cl_device_info What) {
  std::vector<cl_name_version> Kept;
  for (const Device *D : All) {
    size_t Bytes = 0;
    std::vector<cl_name_version> Its;
    if (guarded([&] { D->info(What, {0, nullptr, &Bytes}); }) == CL_SUCCESS) {
      Its.resize(Bytes / sizeof(cl_name_version));
      D->info(What, {Bytes, Its.data(), nullptr});
    }
    if (D == All.front())
      Kept = std::move(Its);
    else
      std::erase_if(Kept, [&](const cl_name_version &A) {
        return std::none_of(Its.begin(), Its.end(),
                            [&](const cl_name_version &B) { return !std::strcmp(A.name, B.name); });
      });
  }
  return Kept;
}

} // namespace

bool Device::isOfDevice(cl_int Error) {
  switch (Error) {
  case CL_INVALID_WORK_GROUP_SIZE:
  case CL_INVALID_WORK_ITEM_SIZE:
  case CL_INVALID_PROGRAM_EXECUTABLE:
  case CL_INVALID_BUFFER_SIZE:
  case CL_INVALID_IMAGE_SIZE:
  case CL_IMAGE_FORMAT_NOT_SUPPORTED:
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
  case CL_MISALIGNED_SUB_BUFFER_OFFSET:
  case CL_INVALID_KERNEL: // The platform has checked the kernel, and its arguments by another vendor.
  case CL_INVALID_KERNEL_ARGS:
  case CL_INVALID_ARG_SIZE:
  case CL_INVALID_ARG_VALUE:
  case CL_INVALID_SAMPLER:
  case CL_INVALID_OPERATION:
  case CL_BUILD_PROGRAM_FAILURE: // Some compile at a launch.
    return true;
  default:
    return isRefusal(Error);
  }
}

bool Device::common(cl_device_info What, const Answer &To) const {
  const Devices &All = RealDevices;
  switch (What) {
  case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
    std::vector<size_t> Its(All.front()->limits().ItemSizes, All.front()->limits().ItemSizes + 3);
    for (const Device *D : All)
      for (size_t I = 0; I != 3; ++I)
        Its[I] = std::min(Its[I], D->limits().ItemSizes[I]);
    To.list(Its);
    return true;
  }
  case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
    To.value(cl_uint(3));
    return true;
  case CL_DEVICE_MAX_WORK_GROUP_SIZE:
  case CL_DEVICE_MAX_PARAMETER_SIZE:
  case CL_DEVICE_PRINTF_BUFFER_SIZE:
  case CL_DEVICE_IMAGE2D_MAX_WIDTH:
  case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
  case CL_DEVICE_IMAGE3D_MAX_WIDTH:
  case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
  case CL_DEVICE_IMAGE3D_MAX_DEPTH:
  case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
  case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
    To.value(least<size_t>(All, What));
    return true;
  case CL_DEVICE_LOCAL_MEM_SIZE:
  case CL_DEVICE_GLOBAL_MEM_SIZE:
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
  case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
    To.value(least<cl_ulong>(All, What));
    return true;
  case CL_DEVICE_MAX_CONSTANT_ARGS:
  case CL_DEVICE_MAX_SAMPLERS:
  case CL_DEVICE_MAX_READ_IMAGE_ARGS:
  case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
  case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
    To.value(least<cl_uint>(All, What));
    return true;
  case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
  case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
    To.value(greatest<cl_uint>(All, What));
    return true;
  case CL_DEVICE_IMAGE_SUPPORT:
  case CL_DEVICE_COMPILER_AVAILABLE:
  case CL_DEVICE_LINKER_AVAILABLE:
  case CL_DEVICE_HOST_UNIFIED_MEMORY:
  case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    To.value(least<cl_bool>(All, What));
    return true;
  case CL_DEVICE_SINGLE_FP_CONFIG:
  case CL_DEVICE_DOUBLE_FP_CONFIG:
  case CL_DEVICE_HALF_FP_CONFIG:
    To.value(shared<cl_device_fp_config>(All, What));
    return true;
  case CL_DEVICE_EXTENSIONS:
    To.text(wordsOf(All, What, ' '));
    return true;
  case CL_DEVICE_BUILT_IN_KERNELS:
    To.text(wordsOf(All, What, ';'));
    return true;
  case CL_DEVICE_EXTENSIONS_WITH_VERSION:
    To.list(versionsOf(All, What));
    return true;
  case CL_DEVICE_VERSION: // The version of the oldest device.
  case CL_DEVICE_OPENCL_C_VERSION:
    for (const Device *D : All)
      if (D->Version == Version) {
        To.text(textOf(*D, What));
        return true;
      }
    return false;
  case CL_DEVICE_NUMERIC_VERSION:
    To.value(cl_version(CL_MAKE_VERSION(Version / 100, Version / 10 % 10, 0)));
    return true;
  default:
    return false;
  }
}

} // namespace hsched::icd
