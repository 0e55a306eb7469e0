// Policy "random": each ready task goes to a random worker that can run it, with equal probability. A baseline.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/ListPolicy.h"

namespace hsched::rt {
namespace {

class Random final : public ListPolicy {
public:
  Random() : ListPolicy(StealScope::MainOnly) {}

private:
  Choice choose(Task &T, WorkerId, bool) override {
    WorkerId Able = 0;
    for (const Worker &W : Host->platform().Workers)
      Able += versionOn(T, W.Id) != nullptr;
    if (Able == 0)
      return {};
    auto Left = static_cast<WorkerId>(randomFor(T) % Able);
    for (const Worker &W : Host->platform().Workers)
      if (versionOn(T, W.Id) && Left-- == 0)
        return {W.Id, nullptr, Duration(0), false, "it was drawn at random", {}};
    return {}; // A version was disabled meanwhile.
  }
};

HSCHED_POLICY(Random, "random", "any worker that can run a task, with equal chances");

} // namespace
} // namespace hsched::rt
