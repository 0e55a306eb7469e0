// Policy "round-robin": ready tasks go to the workers in rotation; workers that cannot run a task are skipped. A
// baseline.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/ListPolicy.h"

#include <atomic>

namespace hsched::rt {
namespace {

class RoundRobin final : public ListPolicy {
public:
  RoundRobin() : ListPolicy(StealScope::MainOnly) {}

private:
  Choice choose(Task &T, WorkerId, bool) override {
    const WorkerId N = numWorkers(), Begin = Turn.load(std::memory_order_relaxed) % N;
    for (WorkerId I = 0; I < N; ++I)
      if (WorkerId W = (Begin + I) % N; versionOn(T, W)) {
        Turn.store(W + 1, std::memory_order_relaxed);
        return {W, nullptr, Duration(0), false, "it was its turn", {}};
      }
    return {};
  }

  std::atomic<WorkerId> Turn{0};
};

HSCHED_POLICY(RoundRobin, "round-robin", "the workers that can run a task, in turn");

} // namespace
} // namespace hsched::rt
