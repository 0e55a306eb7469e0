// What it cost to open the devices when this program was run before, on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_STARTCOST_H
#define HSCHED_API_STARTCOST_H

#include "base/Clock.h"

#include <string>

namespace hsched::rt {

struct StartCost {
  // Where nothing is known: a driver with a compiler that has to be loaded, and a few kernels to build.
  Duration Open = std::chrono::milliseconds(300), Build = std::chrono::milliseconds(700);
  unsigned Discrete = 0; // Devices with a memory of their own.
  Duration all() const { return Open + Build; }

  // Of the running program, with these devices selected.
  static StartCost load(const std::string &Selection);
  void store(const std::string &Selection) const;
};

} // namespace hsched::rt
#endif
