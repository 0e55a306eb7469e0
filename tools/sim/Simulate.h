// Input of a simulation: a platform and a graph, or a recorded run; and variants of it.
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
  std::vector<std::pair<std::string, std::string>> Only; // Task type, kind of worker.
  std::string Replay;                                    // A record. Empty: Platform and Graph are used.
  std::string Trace, Explain, Record;
  bool Warm = false, Json = false;
  unsigned Repeat = 1;
  rt::virt::SimulationOptions Options;
};

struct Input {
  rt::virt::PlatformModel Platform;
  std::string Graph;                                // Empty: Recorded is used.
  std::shared_ptr<const rt::virt::Replay> Recorded; // The replay from which Platform was made.
  unsigned Repeat = 1;                              // Number of repetitions of its tasks.
  status program(std::unique_ptr<rt::virt::Program> &Out) const;
};

// A recorded run as an input. On: replaces the recorded platform; null: none.
status readReplay(const std::string &File, const rt::virt::PlatformModel *On, Input &Out);

// A number of workers, or its change.
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
  std::string What; // "9 devices". Empty: unchanged.
  Input In;
};
// The unchanged input; with each change alone; with all changes, if there are several.
status variants(const Input &In, const WhatIf &Changes, std::vector<Variant> &Out);

// A policy by its name or its file.
status makeNamed(const std::string &Name, std::unique_ptr<rt::Policy> &Out);
// Runs In's program once; with S.Warm after one unreported run.
status simulate(const Settings &S, const Input &In, const std::string &Policy, rt::virt::SimulationResult &Out);

// Deviation of the replays from the recorded run. Empty if In is no record.
std::string replayed(const Input &In, const std::vector<Run> &Runs);

} // namespace hsched::sim
#endif
