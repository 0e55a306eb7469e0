// What an OpenCL layer of the tests answers when the loader asks for its name and version.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_LAYERINFO_H
#define HSCHED_TEST_LAYERINFO_H

#include <CL/cl_layer.h>

#include <cstring>

namespace hsched::rt::test {

inline cl_int layerInfo(const char *Name, cl_layer_info What, size_t Bytes, void *Value, size_t *Needed) {
  const cl_layer_api_version Version = CL_LAYER_API_VERSION_100;
  const void *Answer = What == CL_LAYER_NAME ? static_cast<const void *>(Name) : &Version;
  size_t Size = What == CL_LAYER_NAME ? std::strlen(Name) + 1 : sizeof(Version);
  if ((What != CL_LAYER_NAME && What != CL_LAYER_API_VERSION) || (Value && Bytes < Size))
    return CL_INVALID_VALUE;
  if (Value)
    std::memcpy(Value, Answer, Size);
  if (Needed)
    *Needed = Size;
  return CL_SUCCESS;
}

} // namespace hsched::rt::test
#endif
