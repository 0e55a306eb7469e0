// Any OpenCL device of this machine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_OPENCL_ANYDEVICE_H
#define HSCHED_TEST_UNIT_OPENCL_ANYDEVICE_H

#include "backends/opencl/ClHeader.h"

#include <vector>

namespace hsched::rt::opencl {

// Null where there is none.
inline cl::Device anyDevice() {
  std::vector<cl::Platform> Platforms;
  std::vector<cl::Device> Devices;
  cl::Platform::get(&Platforms);
  for (const cl::Platform &P : Platforms)
    if (Devices.empty())
      P.getDevices(CL_DEVICE_TYPE_ALL, &Devices);
  return Devices.empty() ? cl::Device() : Devices[0];
}

} // namespace hsched::rt::opencl
#endif
