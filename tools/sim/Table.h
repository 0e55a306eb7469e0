// What simulations of one program under several policies came to.
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
  std::string What = {};                 // How the machine or the graph differs; empty: it does not.
  std::vector<std::string> Workers = {}; // Names.
  rt::virt::SimulationResult Result = {};
};

// For people: a row a policy.
std::string writeTable(const std::vector<Run> &Runs, const rt::virt::PlatformModel &Platform);
// For people: a row for each machine and policy, with the time against the machine as it is.
std::string writeWhatIf(const std::vector<Run> &Runs);
// All of it for programs.
std::string writeJson(const std::vector<Run> &Runs, const std::string &Platform, const std::string &Graph);

} // namespace hsched::sim
#endif
