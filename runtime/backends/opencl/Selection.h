// Parsing of HSCHED_OPENCL: the selected devices and their parts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   "", "auto"            every GPU and accelerator; where there is none, the first CPU device
//   "0", "none", "off"    none: OpenCL is not even initialised
//   ITEM[,ITEM...]        all that any of them names:
//     all                 every device
//     gpu, cpu, accelerator   every device of that type
//     2, 0-3              devices by number, counted over all platforms in the driver loader's order
//     anything else       devices with that in their name or their platform's; case and blanks do not count
//   and behind an item, the device's parts (sub-devices), each a device for the runtime:
//     /4                  four of the same number of compute units
//     /2+1+1              as many as numbers, with so many units
//     /numa, /l1 ... /l4  one for each NUMA node, or each cache of that level
//
// A lone "0" means no device. Device 0 alone is written "0,".
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
  std::string Platform;
};

// How a device is split.
struct Split {
  enum class By : uint8_t { Whole, Parts, Counts, Numa, L1, L2, L3, L4 } How = By::Whole;
  std::vector<unsigned> Units; // Counts: units of each part. Parts: as many zeros as parts.

  bool operator==(const Split &) const = default;
};

struct Selected {
  unsigned Number; // Number of the device.
  Split Parts;

  bool operator==(const Selected &) const = default;
};

// True if Selection means no device.
bool selectsNoDevice(const std::string &Selection);

// True if Selection could select a CPU device on some machine.
bool maySelectCpu(const std::string &Selection);
// The same for a device of another type.
bool maySelectOthers(const std::string &Selection);

// Compute units of a CPU device needed for the parts in Selection. 0: no parts are named; UINT_MAX: all
// units.
unsigned unitsForParts(const std::string &Selection);

// The selected devices in ascending order, without duplicates. Error invalid_argument for a syntax error or an unknown
// device; the message lists the devices.
status selectDevices(const std::string &Selection, std::span<const Candidate> There, std::vector<Selected> &Out);

// The error for Selection: the reason, and the list of devices.
status refuseSelection(const std::string &Selection, const std::string &Why, std::span<const Candidate> There);

} // namespace hsched::rt::opencl
#endif
