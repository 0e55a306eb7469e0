// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/IdleTime.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hsched::rt::record {

const char *nameOf(Idle Reason) {
  static constexpr const char *Names[] = {"the program had not submitted a task",
                                          "predecessors had not ended",
                                          "data were in transfer",
                                          "a task could have begun",
                                          "no task was given to it",
                                          "no more tasks"};
  return Names[static_cast<size_t>(Reason)];
}

namespace {

using Span = std::pair<Ns, Ns>;

// The union of All, sorted, without overlaps.
std::vector<Span> joined(std::vector<Span> All) {
  std::ranges::sort(All);
  std::vector<Span> Out;
  for (const Span &Each : All)
    if (!Out.empty() && Each.first <= Out.back().second)
      Out.back().second = std::max(Out.back().second, Each.second);
    else if (Each.first < Each.second)
      Out.push_back(Each);
  return Out;
}

// The time of Joined between From and To.
Ns within(const std::vector<Span> &Joined, Ns From, Ns To) {
  Ns Sum = 0;
  for (auto [Begin, End] : Joined)
    Sum += std::max<Ns>(0, std::min(End, To) - std::max(Begin, From));
  return Sum;
}

} // namespace

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
  auto readyOf = [&](const Task &T) {
    Ns Ready = T.Submitted;
    for (uint64_t Id : T.After)
      if (auto It = ById.find(Id); It != ById.end())
        Ready = std::max(Ready, It->second->End);
    return Ready;
  };
  // When tasks waited for a worker, and when they waited for anything.
  std::vector<Span> Waited, Outstanding;
  Ns LastBegin = 0;
  for (const auto &Each : Runs)
    for (const Task *T : Each) {
      Waited.emplace_back(readyOf(*T), T->Begin);
      Outstanding.emplace_back(T->Submitted, T->Begin);
      LastBegin = std::max(LastBegin, T->Begin);
    }
  Waited = joined(std::move(Waited));
  Outstanding = joined(std::move(Outstanding));
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
        Ns From = Free;
        part(G, From, T->Submitted, Idle::Program);
        part(G, From, readyOf(*T), Idle::Predecessors);
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
      const Ns Last = std::clamp(LastBegin, Free, Makespan);
      auto of = [&](Idle Reason) -> Ns & { return G.Parts[static_cast<size_t>(Reason)]; };
      of(Idle::NotGiven) = within(Waited, Free, Last);
      of(Idle::Predecessors) = within(Outstanding, Free, Last) - of(Idle::NotGiven);
      of(Idle::Program) = Last - Free - of(Idle::NotGiven) - of(Idle::Predecessors);
      of(Idle::NoMore) = Makespan - Last;
      All.push_back(G);
    }
  }
  return All;
}

std::array<Ns, NumIdle> idleTimes(const Record &R, Ns Makespan) {
  std::array<Ns, NumIdle> Sums{};
  for (const Gap &G : idleGaps(R, Makespan))
    for (size_t K = 0; K < NumIdle; ++K)
      Sums[K] += G.Parts[K];
  return Sums;
}

} // namespace hsched::rt::record
