// Policy "ws-data": XKaapi's data-aware work stealing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Lima et al., algorithm 2. A task that a completion made ready goes to the worker on whose memory node the
// most bytes of its arguments are valid. The paper does not define ties, and all cores tie. Here the worker that made
// the task ready wins a tie; otherwise a random one. Workers that cannot run the task are excluded.
#include "sched/StealingPolicy.h"

#include <vector>

namespace hsched::rt {
namespace {

class DataAware final : public StealingPolicy {
  Choice choose(Task &T, WorkerId From, bool Activated) override {
    if (!Activated || numNodes() == 1)
      return local(From);
    std::vector<uint64_t> Total(numNodes()), Each(numNodes());
    for (const Access &A : T.accesses()) {
      Host->validBytes(A, Each);
      for (size_t N = 0; N < Total.size(); ++N)
        Total[N] += Each[N];
    }
    std::vector<WorkerId> Best;
    uint64_t Most = 1;
    for (const Worker &W : Host->platform().Workers) {
      if (Total[W.Node] < Most || !versionOn(T, W.Id))
        continue;
      if (Total[W.Node] > Most)
        Best.clear();
      Most = Total[W.Node];
      Best.push_back(W.Id);
    }
    if (Best.empty())
      return local(From);
    WorkerId W = std::ranges::count(Best, From) ? From : Best[randomFor(T) % Best.size()];
    return remote(W, "most of its data are valid there");
  }
};

HSCHED_POLICY(DataAware, "ws-data", "work stealing; tasks go where most of their data are valid (XKaapi)");

} // namespace
} // namespace hsched::rt
