// Placement by components and queues.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Placement.h"

#include <algorithm>

namespace hsched::rt {

QueueEnds::~QueueEnds() {
  for (const End &E : All)
    if (E.Last)
      release(*E.Last);
}

TaskNode *&QueueEnds::of(WorkerId W, unsigned Queue) {
  for (End &E : All)
    if (E.W == W && E.Queue == Queue)
      return E.Last;
  return All.emplace_back(W, Queue, nullptr).Last;
}

bool Component::admit(const WorkerBits &Able) {
  std::lock_guard Guard(Lock);
  WorkerBits Left;
  std::ranges::transform(Possible, Able, Left.begin(), std::bit_and());
  if (Left == WorkerBits{})
    return false;
  Possible = Left;
  if (Settled == NoWorker || contains(Left, Settled))
    return true;
  const WorkerId Was = std::exchange(Settled, NoWorker);
  for (WorkerId W = 0; W < MaxWorkers && Settled == NoWorker; ++W)
    if (contains(Left, W) && sameDevice(W, Was))
      Settled = W;
  return true;
}

bool Component::allows(WorkerId W) const {
  std::lock_guard Guard(Lock);
  return contains(Possible, W) && (Settled == NoWorker || sameDevice(W, Settled));
}

bool Component::settle(WorkerId W) {
  std::lock_guard Guard(Lock);
  if (!contains(Possible, W) || (Settled != NoWorker && !sameDevice(W, Settled)))
    return false;
  Settled = W;
  return true;
}

void Component::unsettle() {
  std::lock_guard Guard(Lock);
  Settled = NoWorker;
}

} // namespace hsched::rt
