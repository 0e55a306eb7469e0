// The search for a better configuration of a graph, without what measures it.
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

// What may be chosen, and is.
struct Setting {
  std::vector<unsigned> Queues;       // By device; 0: not said.
  std::vector<std::string> Component; // By component: the device's word; empty: any device.
  std::vector<unsigned> Split;        // By function that may be split: tenths for the GPU; Unsplit: not said.

  static constexpr unsigned Unsplit = 11;
  bool operator<(const Setting &O) const {
    return std::tie(Queues, Component, Split) < std::tie(O.Queues, O.Component, O.Split);
  }
  bool operator==(const Setting &O) const = default;
};

struct SearchSpace {
  std::vector<std::string> Devices; // Words, each for one device.
  std::vector<std::vector<uint32_t>>
      Classes;        // Components that are alike: which of them goes where makes no difference.
  Setting Begin;      // What the file says.
  unsigned Most = 60; // Configurations to measure.
};

// Seconds of a configuration; none where it cannot be run. Called once for each configuration.
using Measure = std::function<std::optional<double>(const Setting &)>;

// One thing at a time: each device's queues, components of each class from one device to another, tenths of each split
// function; again as long as something is gained. A change is kept if it gains at least two percent. The space is not
// convex, so the result is the best of what was measured, no more.
Setting search(const SearchSpace &Space, const Measure &Time);

} // namespace hsched::run
#endif
