// Sub-devices: parts of a device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_SUBDEVICES_H
#define HSCHED_BACKENDS_OPENCL_SUBDEVICES_H

#include "backends/opencl/ClHeader.h"
#include "backends/opencl/Selection.h"

#include <string>
#include <vector>

namespace hsched::rt::opencl {

// Properties of a device that determine how it can be split.
struct SplitFacts {
  unsigned Units = 0;
  bool Equally = false, ByCounts = false;
  cl_device_affinity_domain Domains = 0; // Supported affinity domains; 0: none.

  static SplitFacts of(const cl::Device &D);
};

// Computes the properties for clCreateSubDevices. At most MostUnits of the device's units are used; with a domain the
// driver decides. Returns an error message, or empty.
std::string planSplit(const Split &How, const SplitFacts &Facts, unsigned MostUnits,
                      std::vector<cl_device_partition_property> &Out);

// Appends the parts of Plan, or returns OpenCL's error. Parts are never released: PoCL 3.1
// frees a part with its last handle although one of its own threads may still hold a queue on
// it.
cl_int createParts(const cl::Device &Whole, const std::vector<cl_device_partition_property> &Plan,
                   std::vector<cl::Device> &Out);

// Plans and creates the parts. Returns an error message, or empty.
std::string splitDevice(const cl::Device &Whole, const Split &How, unsigned MostUnits, std::vector<cl::Device> &Out);

} // namespace hsched::rt::opencl
#endif
