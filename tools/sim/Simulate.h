// What is simulated: a platform and a graph, or a recorded run; and what they would be with some change.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_SIM_SIMULATE_H
#define HSCHED_TOOLS_SIM_SIMULATE_H

#include "sim/Table.h"
#include "virtual/Replay.h"
#include "virtual/Simulation.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hsched::sim {

struct Settings {
  std::string Platform, Graph;
  std::vector<std::string> Policies;
  std::vector<std::pair<std::string, std::string>> Only; // Type of task, kind of worker.
  std::string Replay;                                    // A record; empty: Platform and Graph count.
  std::string Trace, Explain, Record;
  bool Warm = false, Json = false;
  unsigned Repeat = 1;
  rt::virt::SimulationOptions Options;
};

struct Input {
  rt::virt::PlatformModel Platform;
  std::string Graph;                                // Empty: Recorded counts.
  std::shared_ptr<const rt::virt::Replay> Recorded; // Platform began as its platform.
  unsigned Repeat = 1;                              // How many times its tasks are run, one after the other.
  status program(std::unique_ptr<rt::virt::Program> &Out) const;
};

// A recorded run as an input. On: in place of the recorded platform; null: none.
status readReplay(const std::string &File, const rt::virt::PlatformModel *On, Input &Out);

// A number of workers, or by how much it changes.
struct Change {
  int By = 0;
  bool Relative = false;
};
struct WhatIf {
  std::optional<Change> Gpus, Cpus;
  std::optional<double> Link, Tile; // Factors.
  bool any() const { return Gpus || Cpus || Link || Tile; }
};
struct Variant {
  std::string What; // "9 devices"; empty: as it is.
  Input In;
};
// As it is; with each change by itself; with all of them, if there are several.
status variants(const Input &In, const WhatIf &Changes, std::vector<Variant> &Out);

// A policy by its name or its file.
status makeNamed(const std::string &Name, std::unique_ptr<rt::Policy> &Out);
// Runs In's program once, with S.Warm once unseen before.
status simulate(const Settings &S, const Input &In, const std::string &Policy, rt::virt::SimulationResult &Out);

// How far the replays are from the recorded run; empty where In is none.
std::string replayed(const Input &In, const std::vector<Run> &Runs);

} // namespace hsched::sim
#endif
