// The OpenCL plugin's entry points.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Backend.h"
#include "base/Log.h"

#include <new>

extern "C" HSCHED_EXPORT unsigned hsched_backend_version();
extern "C" HSCHED_EXPORT hsched::rt::Backend *hsched_backend_create();

unsigned hsched_backend_version() { return hsched::rt::BackendInterfaceVersion; }

hsched::rt::Backend *hsched_backend_create() {
  hsched::rt::suppressSettingWarnings();
  return new (std::nothrow) hsched::rt::opencl::OpenClBackend;
}
