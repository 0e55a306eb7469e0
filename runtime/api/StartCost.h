// The cost of opening the devices in an earlier run of this program, kept on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_STARTCOST_H
#define HSCHED_API_STARTCOST_H

#include "base/Clock.h"

#include <string>

namespace hsched::rt {

class History;

struct StartCost {
  // Defaults: loading a driver with a compiler, and building a few kernels.
  Duration Open = std::chrono::milliseconds(300), Build = std::chrono::milliseconds(700);
  unsigned Discrete = 0; // Number of devices with their own memory.
  Duration all() const { return Open + Build; }

  // Whether a next run should open devices when the program starts: what the last run that opened them says.
  bool Used = false;   // Devices ran tasks.
  bool Paid = false;   // They saved more than the core's time that opening takes.
  bool Steady = false; // Between the program's start and its first task it neither forked nor changed its environment
                       // or the cores that it may use.
  // Sets Used and Paid from the runs of this process. Cpus: number of CPU workers.
  void judge(const History &Times, unsigned Cpus);

  // Loads the cost of the running program with this selection of devices.
  static StartCost load(const std::string &Selection);
  void store(const std::string &Selection) const;
};

} // namespace hsched::rt
#endif
