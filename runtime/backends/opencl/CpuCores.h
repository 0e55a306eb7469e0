// Which cores a CPU device of OpenCL computes on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A core belongs either to a CPU worker or to a CPU device. A CPU device gets the last of the process's cores: the
// device is split (device fission), and its driver's threads are bound to those cores. A driver makes its threads when
// it is first asked for its devices, and they inherit the asking thread's binding.
#ifndef HSCHED_BACKENDS_OPENCL_CPUCORES_H
#define HSCHED_BACKENDS_OPENCL_CPUCORES_H

#include "backends/opencl/ClHeader.h"

#include <vector>

namespace hsched::rt::opencl {

// The cores for CPU devices, of all Cores of the process, where WorkersWanted CPU workers were asked for (0: nobody
// said). Workers get what they ask for but for the last core; unasked, half. Empty where there is but one core: device
// and workers share it. At least as many as the device's parts need, if need be all.
std::vector<unsigned> coresForDevice(const std::vector<unsigned> &Cores, unsigned WorkersWanted,
                                     unsigned NeededForParts = 0);

// A part of Whole with Units compute units; Whole itself where it has no more than that, or cannot be split.
cl::Device partOf(const cl::Device &Whole, unsigned Units);

} // namespace hsched::rt::opencl
#endif
