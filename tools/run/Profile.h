// Isolated times of kernels and transfers on each device of this machine. For --tune --simulate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_PROFILE_H
#define HSCHED_TOOLS_RUN_PROFILE_H

#include "run/Measure.h"
#include "run/Model.h"

#include <string>
#include <vector>

namespace hsched::run {

struct Profile {
  std::vector<std::string> Names; // Names of devices.
  std::vector<unsigned> Types;
  std::vector<std::string> QueueKeys;
  std::vector<ModelDevice> Devices;
  std::vector<std::vector<double>> Seconds; // By kernel and device; negative: it does not run there.
  std::vector<std::string> Notes;           // By device.
};

// Runs the graph on each device alone, with one queue and with four, and reads the records. Words: devices' names in
// the file. QueueKeys: devices' names in the file's queues. Throws dag::Error.
Profile makeProfile(const dag::Document &D, const dag::Graph &G, const dag::ResolveOptions &Resolving, const Options &O,
                    unsigned Repeat, const std::vector<std::string> &Words, const std::vector<std::string> &QueueKeys,
                    const Measured &Probe);

// G: a configuration of the profiled graph. A split kernel takes its share of the time.
Model modelOf(const dag::Graph &G, const Profile &P, const Options &O);

} // namespace hsched::run
#endif
