// What kernels and transfers take alone on each device of this machine. For --tune --simulate.
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
  std::vector<std::string> Names; // Of devices.
  std::vector<unsigned> Types;
  std::vector<std::string> QueueKeys;
  std::vector<ModelDevice> Devices;
  std::vector<std::vector<double>> Seconds; // By kernel of the whole graph and device; negative: it does not run there.
  std::vector<std::string> Notes;           // By device.
};

// Runs the graph on each device by itself, with one queue and with four, and reads the records of these runs. Words: a
// device's, in the file. QueueKeys: as a file's queues name it. Throws dag::Error.
Profile makeProfile(const dag::Document &D, const dag::Graph &G, const dag::ResolveOptions &Resolving, const Options &O,
                    unsigned Repeat, const std::vector<std::string> &Words, const std::vector<std::string> &QueueKeys,
                    const Measured &Probe);

// G: a configuration of the graph that was measured. A kernel that is split takes its share of the time.
Model modelOf(const dag::Graph &G, const Profile &P, const Options &O);

} // namespace hsched::run
#endif
