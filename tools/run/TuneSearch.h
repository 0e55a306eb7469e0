// The search for a better configuration of a graph, without the measurement.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_TUNESEARCH_H
#define HSCHED_TOOLS_RUN_TUNESEARCH_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace hsched::run {

// A configuration.
struct Setting {
  std::vector<unsigned> Queues;       // By device; 0: unset.
  std::vector<std::string> Component; // By component: the device's name; empty: any device.
  std::vector<unsigned> Split;        // By splittable function: tenths for the GPU; Unsplit: unset.

  static constexpr unsigned Unsplit = 11;
  bool operator<(const Setting &O) const {
    return std::tie(Queues, Component, Split) < std::tie(O.Queues, O.Component, O.Split);
  }
  bool operator==(const Setting &O) const = default;
};

struct SearchSpace {
  std::vector<std::string> Devices; // Names, each for one device.
  // Classes of equal components: exchanging their devices makes no difference.
  std::vector<std::vector<uint32_t>> Classes;
  Setting Begin;      // The configuration in the file.
  size_t Kernels = 8; // Number of launches: as many queues are enough.
  unsigned Most = 60; // Limit of configurations to measure.
};

// Seconds of a configuration; nothing if it cannot run. Called once for each configuration.
using Measure = std::function<std::optional<double>(const Setting &)>;

// Coordinate search: each device's queues, the device of components of each class, the share of each split function;
// repeated while it improves. A change is kept if it gains at least 2 %. The space is not convex, so the result is the
// best measured configuration, not the optimum.
Setting search(const SearchSpace &Space, const Measure &Time);

} // namespace hsched::run
#endif
