// Policy "ws-locality": XKaapi's locality-aware work stealing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Lima et al., algorithm 3, the owner computes. A task that a completion made ready goes to a worker whose
// memory has a valid copy of the first argument that it writes. Of several such workers it is a random one; without
// any, the worker that made it ready. Workers that cannot run the task are excluded.
#include "sched/StealingPolicy.h"

#include <vector>

namespace hsched::rt {
namespace {

class LocalityAware final : public StealingPolicy {
  Choice choose(Task &T, WorkerId From, bool Activated) override {
    auto Written = std::ranges::find_if(T.accesses(), [](const Access &A) { return writes(A); });
    if (!Activated || numNodes() == 1 || Written == T.accesses().end())
      return local(From);
    std::vector<uint64_t> Valid(numNodes());
    Host->validBytes(*Written, Valid);
    std::vector<WorkerId> Owners;
    for (const Worker &W : Host->platform().Workers)
      if (Valid[W.Node] >= uint64_t(Written->bytes) * Written->rows && versionOn(T, W.Id))
        Owners.push_back(W.Id);
    if (Owners.empty())
      return local(From);
    return remote(Owners[randomFor(T) % Owners.size()], "what it writes is valid there");
  }
};

HSCHED_POLICY(LocalityAware, "ws-locality", "work stealing; tasks go to an owner of what they write (XKaapi)");

} // namespace
} // namespace hsched::rt
