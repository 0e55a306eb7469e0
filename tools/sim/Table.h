// Results of simulations of one program under several policies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_SIM_TABLE_H
#define HSCHED_TOOLS_SIM_TABLE_H

#include "virtual/Simulation.h"

#include <string>
#include <vector>

namespace hsched::sim {

struct Run {
  std::string Policy;
  std::string What = {};                 // Difference of machine or graph; empty: none.
  std::vector<std::string> Workers = {}; // Names of the workers.
  rt::virt::SimulationResult Result = {};
};

// Duration of each repetition of the program.
std::vector<rt::Duration> repetitions(const rt::virt::SimulationResult &R);
// For people: one row for each policy.
std::string writeTable(const std::vector<Run> &Runs, const rt::virt::PlatformModel &Platform);
// For people: one row for each machine and policy, with the time relative to the unchanged machine.
std::string writeWhatIf(const std::vector<Run> &Runs);
// Everything, for programs.
std::string writeJson(const std::vector<Run> &Runs, const std::string &Platform, const std::string &Graph);

} // namespace hsched::sim
#endif
