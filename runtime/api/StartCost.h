// The cost of opening the devices in an earlier run of this program, kept on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_STARTCOST_H
#define HSCHED_API_STARTCOST_H

#include "base/Clock.h"

#include <string>

namespace hsched::rt {

struct StartCost {
  // Defaults: loading a driver with a compiler, and building a few kernels.
  Duration Open = std::chrono::milliseconds(300), Build = std::chrono::milliseconds(700);
  unsigned Discrete = 0; // Number of devices with their own memory.
  Duration all() const { return Open + Build; }

  // Loads the cost of the running program with this selection of devices.
  static StartCost load(const std::string &Selection);
  void store(const std::string &Selection) const;
};

} // namespace hsched::rt
#endif
