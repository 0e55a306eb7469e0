// The OpenCL backend: finds the devices of all vendors' platforms and opens the selected ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_BACKEND_H
#define HSCHED_BACKENDS_OPENCL_BACKEND_H

#include "device/Device.h"

namespace hsched::rt::opencl {

// Environment, beside what comes with the options:
//   HSCHED_QUEUES=n        compute queues a device, 1 to 32 (default 8, on a CPU device as many as it has cores, at
//   most 4) HSCHED_OPENCL_COPY=1   CPU devices pretend to have memory of their own, so that data movement can be tested
//   anywhere
//   HSCHED_OPENCL_CONTEXT=shared  devices of one platform are in one context and reach each other's memory; default own
// The values of HSCHED_OPENCL are described in Selection.h.
class OpenClBackend final : public Backend {
public:
  const char *name() const override { return "opencl"; }
  // A device that cannot be opened is left out with a warning.
  status enumerate(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out) override;
};

} // namespace hsched::rt::opencl
#endif
