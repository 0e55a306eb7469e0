// Measurement of configurations on this machine, for --tune.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_MEASURE_H
#define HSCHED_TOOLS_RUN_MEASURE_H

#include "run/Run.h"

#include <string>
#include <vector>

namespace hsched::run {

struct Measured {
  double Least = 0, Median = 0; // In seconds.
  std::vector<std::string> Devices;
  std::vector<unsigned> Types;
  std::string Error; // Empty: success.
};

// Runs a configuration in a separate process, Repeat times after warm-up runs, which build kernels and measure times.
// Record: file for a record of all runs; empty: none.
Measured measure(const dag::Document &D, const dag::ResolveOptions &Resolving, const Options &O, unsigned Repeat,
                 const std::string &Record = "");

} // namespace hsched::run
#endif
