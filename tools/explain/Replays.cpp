// Simulates the run again under each policy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explain/Tables.h"
#include "sched/Policy.h"
#include "trace/Table.h"
#include "virtual/Replay.h"
#include "virtual/Simulation.h"

#include <algorithm>
#include <cstdio>

namespace hsched::explain {

using namespace rt;

status replays(const record::Record &R, std::string &Text) {
  virt::Replay Again;
  if (status Made = virt::makeReplay(R, Again); !Made.ok())
    return Made;
  struct Result {
    std::string Policy;
    Duration Time;
  };
  std::vector<Result> All;
  for (const PolicyEntry &E : policies()) {
    virt::TaskTypes Types(Again.Platform, Again.Types);
    History Times;
    virt::SimulationResult Out;
    // The first run measures.
    for (bool Last : {false, true}) {
      std::unique_ptr<Policy> P = E.Make();
      std::unique_ptr<virt::Program> Tasks = Again.program();
      Out = {};
      virt::Simulation Machine(Again.Platform, Types, *P, Times, {});
      if (status Ran = Machine.run(*Tasks, Out); !Ran.ok())
        return Last ? Ran : status::error(Ran.code(), "policy '" + E.Name + "': " + Ran.message());
    }
    All.push_back({E.Name, Out.Makespan});
  }
  std::ranges::stable_sort(All, {}, &Result::Time);
  const auto Took = static_cast<double>(Again.Recorded.count());
  auto against = [&](Duration Time) {
    char Change[32] = "-";
    if (Took > 0)
      std::snprintf(Change, sizeof(Change), "%+.1f %%", (static_cast<double>(Time.count()) / Took - 1) * 100);
    return std::string(Change);
  };
  Table T({{"replay with", Table::Align::Left}, {"time"}, {"against the run"}});
  for (const Result &Each : All)
    T.add({Each.Policy, formatTime(static_cast<double>(Each.Time.count())), against(Each.Time)});
  Text = "The best replay takes " + formatTime(static_cast<double>(All.front().Time.count())) + ", with " +
         All.front().Policy + "; the run took " + formatTime(Took) +
         (Again.Policy.empty() ? "" : " with " + Again.Policy) + ". In replays all times are known.\n";
  for (const std::string &Note : Again.Notes)
    Text += Note + "\n";
  Text += "\n";
  T.print([&](const std::string &Line) { Text += Line + "\n"; });
  return {};
}

} // namespace hsched::explain
