// Configurations measured on this machine. For --tune.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_MEASURE_H
#define HSCHED_TOOLS_RUN_MEASURE_H

#include "run/Run.h"

#include <string>
#include <vector>

namespace hsched::run {

struct Measured {
  double Least = 0, Median = 0; // Seconds.
  std::vector<std::string> Devices;
  std::vector<unsigned> Types;
  std::string Error; // Empty: it ran.
};

// Runs a configuration in a process of its own, Repeat times after those that build kernels and learn times. Record: a
// file for a record of all its runs; empty: none.
Measured measure(const dag::Document &D, const dag::ResolveOptions &Resolving, const Options &O, unsigned Repeat,
                 const std::string &Record = "");

} // namespace hsched::run
#endif
