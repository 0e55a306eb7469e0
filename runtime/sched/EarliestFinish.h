// The worker and version with the earliest predicted finish of a task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_EARLIESTFINISH_H
#define HSCHED_SCHED_EARLIESTFINISH_H

#include "perfmodel/GroupTable.h"
#include "sched/Policy.h"

#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <vector>

namespace hsched::rt {

// Versions without times are tried first: for each size class HSCHED_LAMBDA tasks, on the workers that are free first.
// Until these have ended, other tasks go where times are known. Any thread.
class EarliestFinish {
public:
  struct Found {
    Prediction Best;
    const char *Why;
  };

  // Minimises Finish(prediction). Among receives all candidates. Null: no worker can run T.
  template <class Fn>
  std::optional<Found> choose(PolicyHost &Host, const Task &T, std::vector<Prediction> &Among, Fn Finish) {
    Host.predict(T, Among);
    if (Among.empty())
      return std::nullopt;
    const bool Competing = std::ranges::any_of(Among, [&](const Prediction &P) { return P.V != Among[0].V; });
    if (Competing)
      if (const Version *Unknown = toTry(Host, T, Among))
        return Found{*least(Host.loads(), Among, [&](const Prediction &P) { return P.V == Unknown ? P.Wait : Never; }),
                     "a version has been measured fewer than HSCHED_LAMBDA times at this size"};
    const bool AnyKnown = std::ranges::any_of(Among, [](const Prediction &P) { return P.Runs > 0; });
    return Found{
        *least(Host.loads(), Among, [&](const Prediction &P) { return P.Runs || !AnyKnown ? Finish(P) : Never; }),
        Among.size() == 1 ? "nothing else can run it" : "it is predicted to end first there"};
  }

private:
  static constexpr Duration Never = Duration::max();

  // Ties: the worker with the fewest tasks, then the first. So tasks of unknown length spread.
  template <class Fn> static const Prediction *least(const Loads &Busy, const std::vector<Prediction> &Among, Fn Key) {
    const Prediction *Best = nullptr;
    std::pair<Duration, int64_t> BestKey;
    for (const Prediction &P : Among)
      if (std::pair Each(Key(P), Busy[P.W].tasks()); !Best || Each < BestKey) {
        Best = &P;
        BestKey = Each;
      }
    return Best;
  }

  struct Group {
    Group(const TaskType &, uint64_t) {}
    std::array<std::atomic<uint32_t>, MaxVersions> Tried{};
  };

  const Version *toTry(PolicyHost &Host, const Task &T, const std::vector<Prediction> &Among) {
    Group *G = nullptr;
    for (const Prediction &P : Among) {
      if (P.Runs >= Host.lambda())
        continue;
      if (!G)
        G = &Groups.findOrAdd(*T.Type, T.sizeClass());
      if (G->Tried[P.V->Index].load(std::memory_order_relaxed) < Host.lambda() &&
          G->Tried[P.V->Index].fetch_add(1, std::memory_order_relaxed) < Host.lambda())
        return P.V;
    }
    return nullptr;
  }

  GroupTable<Group> Groups;
};

} // namespace hsched::rt
#endif
