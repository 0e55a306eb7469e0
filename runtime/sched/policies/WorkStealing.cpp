// Policy "ws": XKaapi's work stealing. See StealingPolicy.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/StealingPolicy.h"

namespace hsched::rt {
namespace {

class WorkStealing final : public StealingPolicy {
  Choice choose(Task &, WorkerId From, bool) override { return local(From); }
};

HSCHED_POLICY(WorkStealing, "ws", "the worker that made a task ready, or one that steals it (XKaapi)");

} // namespace
} // namespace hsched::rt
