// Policy "prio": one list for all workers, in order of priority, then of arrival. As StarPU's of the same name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unlike "eager", it does not prefer successors of a task on the same core; every task goes through the list.
#include "sched/ListPolicy.h"

namespace hsched::rt {
namespace {

class Prio final : public ListPolicy {
public:
  Prio() : ListPolicy(StealScope::All) {}

private:
  Choice choose(Task &, WorkerId, bool) override { return {}; }
  // All workers take from the front.
  bool stealsFromBack() const override { return false; }
};

HSCHED_POLICY(Prio, "prio", "the most urgent ready task, for whichever worker is free first (StarPU)");

} // namespace
} // namespace hsched::rt
