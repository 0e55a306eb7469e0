// A device's parts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_SUBDEVICES_H
#define HSCHED_BACKENDS_OPENCL_SUBDEVICES_H

#include "backends/opencl/ClHeader.h"
#include "backends/opencl/Selection.h"

#include <string>
#include <vector>

namespace hsched::rt::opencl {

// What a device says of how it can be split.
struct SplitFacts {
  unsigned Units = 0;
  bool Equally = false, ByCounts = false;
  cl_device_affinity_domain Domains = 0; // By which it can; 0: by none.

  static SplitFacts of(const cl::Device &D);
};

// What clCreateSubDevices is to be asked for. Of a device's units, MostUnits may be used; by domain the driver decides.
// Returns what is wrong, empty: nothing.
std::string planSplit(const Split &How, const SplitFacts &Facts, unsigned MostUnits,
                      std::vector<cl_device_partition_property> &Out);

// Adds the parts that Plan asks for; else OpenCL's error. They stay as long as the program runs: PoCL 3.1 frees a part
// with its last handle, although a queue on it may still be held by one of PoCL's own threads, which has a command a
// moment longer than everyone else.
cl_int createParts(const cl::Device &Whole, const std::vector<cl_device_partition_property> &Plan,
                   std::vector<cl::Device> &Out);

// Plans and creates the parts; returns what is wrong, empty: nothing.
std::string splitDevice(const cl::Device &Whole, const Split &How, unsigned MostUnits, std::vector<cl::Device> &Out);

} // namespace hsched::rt::opencl
#endif
