// Device's clocks in terms of the host's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_CLOCKS_H
#define HSCHED_ICD_CLOCKS_H

#include "icd/Device.h"

#include <map>
#include <mutex>

namespace hsched::icd {

class Clocks {
public:
  static Clocks &get();
  // Compares the clock of a device with the host's, once a device; Queue is a queue of it that profiles. Waits for the
  // device: not on a vendor's thread.
  void compare(const Device *D, cl_command_queue Queue);
  // A time of a device, as the host's clock has it. Any thread.
  cl_ulong toHost(const Device *D, cl_ulong Time);

private:
  std::mutex Lock;
  std::map<const Device *, cl_long> Offsets; // Nanoseconds to add.
};

} // namespace hsched::icd
#endif
