// Conversion of device clocks to the host's clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_CLOCKS_H
#define HSCHED_ICD_CLOCKS_H

#include "icd/Device.h"

#include "icd/Context.h"

#include <map>
#include <mutex>

namespace hsched::icd {

class Clocks {
public:
  static Clocks &get();
  // Calibrates the clock of a device of a context's part, once a device. Waits for the device, so it must not run on a
  // vendor's thread, or with a lock held.
  void compare(const Device *D, const Part &Of);
  // Converts a device's time to the host's clock. Any thread.
  cl_ulong toHost(const Device *D, cl_ulong Time);
  // False: the vendor reports the same times for all commands, as rusticl of Mesa 22. Any thread.
  bool works(const Device *D);

private:
  struct Calibration {
    cl_long Offset = 0; // Nanoseconds to add.
    bool Works = true;
  };
  std::mutex Lock;
  std::map<const Device *, Calibration> Known;
};

} // namespace hsched::icd
#endif
