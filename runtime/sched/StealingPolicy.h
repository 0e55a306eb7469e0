// Base of XKaapi's work stealing policies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Lima et al., "Comparison of scheduling strategies for heterogeneous multi-CPU and multi-GPU architectures",
// section 4. A worker puts tasks that it makes ready at the front of its own list. An idle worker takes from the back
// of a random victim's list. Tasks for other workers go to the back of their lists and may be stolen there.
#ifndef HSCHED_SCHED_STEALINGPOLICY_H
#define HSCHED_SCHED_STEALINGPOLICY_H

#include "sched/ListPolicy.h"

#include <atomic>

namespace hsched::rt {

class StealingPolicy : public ListPolicy {
protected:
  StealingPolicy() : ListPolicy(StealScope::All) {}

  // The worker itself. Submissions from other threads go to the main thread's list.
  Choice local(WorkerId From) const {
    return {From < numWorkers() ? From : 0, nullptr, Duration(0), true, "it became ready there", {}};
  }
  Choice remote(WorkerId W, const char *Why) const { return {W, nullptr, Duration(0), false, Why, {}}; }
  // A random victim each time, reproducible in the simulation.
  WorkerId firstVictim(WorkerId) override {
    Task Dice;
    Dice.Id = Throws.fetch_add(1, std::memory_order_relaxed);
    return static_cast<WorkerId>(randomFor(Dice) % numWorkers());
  }
  size_t numNodes() const { return Nodes; }
  void start(PolicyHost &H) override {
    ListPolicy::start(H);
    for (const Worker &W : H.platform().Workers)
      Nodes = std::max<size_t>(Nodes, W.Node + size_t(1));
  }

private:
  std::atomic<uint64_t> Throws{1};
  size_t Nodes = 1;
};

} // namespace hsched::rt
#endif
