// The symbols that a loader requires.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#define HSCHED_ICD_EXPORT extern "C" __attribute__((visibility("default")))

HSCHED_ICD_EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *Name) {
  return hsched::icd::functionNamed(Name);
}
HSCHED_ICD_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint N, cl_platform_id *To, cl_uint *Found) {
  return hsched::icd::Dispatch.clGetPlatformIDs(N, To, Found);
}
HSCHED_ICD_EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id P, cl_platform_info What, size_t Bytes, void *To,
                                                       size_t *Needed) {
  return hsched::icd::Dispatch.clGetPlatformInfo(P, What, Bytes, To, Needed);
}
