// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/IdleTime.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hsched::rt::record {

const char *nameOf(Idle Reason) {
  static constexpr const char *Names[] = {"the program had not submitted a task", "predecessors had not ended",
                                          "data were in transfer", "a task could have begun", "no more tasks"};
  return Names[static_cast<size_t>(Reason)];
}

Idle Gap::main() const { return static_cast<Idle>(std::ranges::max_element(Parts) - Parts.begin()); }

std::vector<Gap> idleGaps(const Record &R, Ns Makespan) {
  std::vector<std::vector<const Task *>> Runs(R.Workers.size());
  std::unordered_map<uint64_t, const Task *> ById;
  std::unordered_map<uint64_t, std::pair<Ns, Ns>> Travelled; // By task: first begin and last end of its transfers.
  for (const Task &T : R.Tasks) {
    ById[T.Id] = &T;
    if (T.How == TaskOutcome::Done || T.How == TaskOutcome::Failed)
      Runs[T.Worker].push_back(&T);
  }
  for (const Transfer &T : R.Transfers)
    if (T.For) {
      auto [It, New] = Travelled.try_emplace(T.For, T.Begin, T.End);
      It->second = {std::min(It->second.first, T.Begin), std::max(It->second.second, T.End)};
    }
  std::vector<Gap> All;
  auto part = [](Gap &G, Ns &From, Ns To, Idle Reason) {
    To = std::clamp(To, From, G.End);
    G.Parts[static_cast<size_t>(Reason)] += To - From;
    From = To;
  };
  for (uint32_t W = 0; W < Runs.size(); ++W) {
    std::ranges::stable_sort(Runs[W], {}, &Task::Begin);
    Ns Free = 0;
    for (const Task *T : Runs[W]) {
      if (T->Begin > Free) {
        Gap G{W, Free, T->Begin, T->Id, {}};
        Ns From = Free, Ready = T->Submitted;
        for (uint64_t Id : T->After)
          if (auto It = ById.find(Id); It != ById.end())
            Ready = std::max(Ready, It->second->End);
        part(G, From, T->Submitted, Idle::Program);
        part(G, From, Ready, Idle::Predecessors);
        if (auto It = Travelled.find(T->Id); It != Travelled.end()) {
          part(G, From, It->second.first, Idle::Late);
          part(G, From, It->second.second, Idle::Transfers);
        }
        part(G, From, G.End, Idle::Late);
        All.push_back(G);
      }
      Free = std::max(Free, T->End);
    }
    if (Makespan > Free) {
      Gap G{W, Free, Makespan, 0, {}};
      G.Parts[static_cast<size_t>(Idle::NoMore)] = Makespan - Free;
      All.push_back(G);
    }
  }
  return All;
}

} // namespace hsched::rt::record
