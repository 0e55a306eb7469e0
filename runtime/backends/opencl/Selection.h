// Which devices HSCHED_OPENCL selects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   "", "auto"          every GPU and accelerator; where there is none, the first CPU device
//   "all"               every device
//   "gpu", "cpu"        every device of that type
//   "0", "none", "off"  none: OpenCL is not even initialised
//   "1", "0,2", "0,"    devices by number, counted over all platforms in the driver loader's order
//
// A lone "0" means none; device number 0 alone is written "0,".
#ifndef HSCHED_BACKENDS_OPENCL_SELECTION_H
#define HSCHED_BACKENDS_OPENCL_SELECTION_H

#include "device/Device.h"

#include <span>
#include <string>
#include <vector>

namespace hsched::rt::opencl {

struct Candidate {
  std::string Name;
  DeviceType Type = DeviceType::Any;
};

// Whether Selection means no device at all.
bool selectsNothing(const std::string &Selection);

// Whether Selection could select a CPU device on some machine.
bool maySelectCpu(const std::string &Selection);

// The numbers of the devices that Selection selects, ascending, each once. invalid_argument for what cannot be
// understood and for what is not there; the message lists what is.
status selectDevices(const std::string &Selection, std::span<const Candidate> There, std::vector<unsigned> &Out);

} // namespace hsched::rt::opencl
#endif
