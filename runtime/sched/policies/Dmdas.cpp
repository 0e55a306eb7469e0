// Policy "dmdas": after StarPU's policy of that name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Augonnet et al., "StarPU: a unified platform for task scheduling on heterogeneous multicore architectures",
// and StarPU's handbook, "dmda" with alpha = beta = 1: a task goes to the worker where the end of its run plus the time
// of its transfers is least, though a device's transfers run beside what it has yet to do. Each worker's list is in
// order of priority; of the tasks with the highest one, the first few are compared, and that with the least data still
// to travel is next. Nothing is stolen.
#include "sched/ListPolicy.h"

namespace hsched::rt {
namespace {

class Dmdas final : public ListPolicy {
public:
  Dmdas() : ListPolicy(Robbed::MainOnly) {}

private:
  static constexpr size_t Compared = 8;

  Choice choose(Task &T, WorkerId, bool) override {
    return earliest(Earliest, T, [](const Prediction &P) { return P.end() + P.Transfer; });
  }

  Task *takeOwn(ReadyList &Own, WorkerId W) override {
    const MemoryNode Node = worker(W).Node;
    if (Node == HostNode) // What cores need is mostly there.
      return ListPolicy::takeOwn(Own, W);
    return Own.takeCheapest(Classes.classOf(W), mayRun(W), Compared,
                            [&](const Task &T) { return Host->transferTime(T, Node).count(); });
  }

  EarliestFinish Earliest;
};

HSCHED_POLICY(Dmdas, "dmdas", "earliest finish plus transfers, lists by priority and by what is there (StarPU)");

} // namespace
} // namespace hsched::rt
