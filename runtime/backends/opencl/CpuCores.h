// The cores of OpenCL's CPU device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A core belongs either to a CPU worker or to a CPU device. A CPU device gets the last of the process's cores: the
// device is split (device fission), and its driver's threads are bound to those cores. A driver makes its threads at
// the first query of its devices, and they inherit the calling thread's binding.
#ifndef HSCHED_BACKENDS_OPENCL_CPUCORES_H
#define HSCHED_BACKENDS_OPENCL_CPUCORES_H

#include "backends/opencl/ClHeader.h"

#include <vector>

namespace hsched::rt::opencl {

// The cores for CPU devices among the process's Cores. WorkersWanted: requested CPU workers; 0: not set. Workers get
// what they request except the last core; by default half. Empty with a single core, which device and workers share.
// Contains at least the cores that the device's parts need, possibly all.
//
// Others: devices beside it that do not compute on these cores. Each has a thread that launches its kernels and never
// sleeps for long, and so has the CPU device. If cores are many and workers request some, these threads get cores too.
std::vector<unsigned> coresForDevice(const std::vector<unsigned> &Cores, unsigned WorkersWanted,
                                     unsigned NeededForParts = 0, unsigned Others = 0);

// A part of Whole with Units compute units. Whole itself if it has no more, or cannot be split.
cl::Device partOf(const cl::Device &Whole, unsigned Units);

} // namespace hsched::rt::opencl
#endif
