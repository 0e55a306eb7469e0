// Policy "dmdas": after StarPU's policy of that name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Augonnet et al., "StarPU: a unified platform for task scheduling on heterogeneous multicore architectures".
// It is "dmda" of StarPU's handbook, with alpha = beta = 1. A task goes to the worker with the least sum of the end of
// its run and its transfer time. The sum is taken although a device's transfers overlap its queued tasks. Each worker's
// list is ordered by priority. Among the first few tasks of the highest priority, the one with the fewest bytes to
// transfer is next. There is no stealing.
#include "sched/ListPolicy.h"

namespace hsched::rt {
namespace {

class Dmdas final : public ListPolicy {
public:
  Dmdas() : ListPolicy(StealScope::MainOnly) {}

private:
  static constexpr size_t Compared = 8;

  Choice choose(Task &T, WorkerId, bool) override {
    return earliest(Earliest, T, [](const Prediction &P) { return P.end() + P.Transfer; });
  }

  Task *takeOwn(ReadyList &Own, WorkerId W) override {
    const MemoryNode Node = worker(W).Node;
    if (Node == HostNode) // Data of cores are mostly there.
      return ListPolicy::takeOwn(Own, W);
    return Own.takeCheapest(Classes.classOf(W), mayRun(W), Compared,
                            [&](const Task &T) { return Host->transferTime(T, Node).count(); });
  }

  EarliestFinish Earliest;
};

HSCHED_POLICY(Dmdas, "dmdas", "earliest finish plus transfers, lists by priority and by what is there (StarPU)");

} // namespace
} // namespace hsched::rt
