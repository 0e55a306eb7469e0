// Tasks that a device takes before they are ready, because all their unfinished predecessors are on that device:
// exec/DeviceEarly.cpp in virtual time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Simulation.h"

#include <vector>

namespace hsched::rt::virt {

void Simulation::takeEarly(WorkerId W) {
  Seat &S = Seats[W];
  if (!S.Starved.empty())
    return;
  // A taken task may have successors that can be taken too.
  for (bool Any = true; Any && freeFlight(W);) {
    Any = false;
    for (Flight &F : S.Flights)
      if (F.T && F.Done && freeFlight(W))
        Any |= scanSuccessors(F);
  }
}

bool Simulation::scanSuccessors(Flight &F) {
  SuccessorLink *Head = F.T->Successors.load(std::memory_order_relaxed);
  if (Head == F.Seen)
    return false;
  std::vector<SuccessorLink *> New;
  for (SuccessorLink *L = Head; L != F.Seen; L = L->Next)
    New.push_back(L);
  F.Seen = Head;
  bool Any = false;
  for (; !New.empty(); New.pop_back()) { // In order of submission.
    TaskNode &To = *New.back()->To;
    Any |= consider(To, F, To.Pending.load(std::memory_order_relaxed));
  }
  return Any;
}

bool Simulation::consider(TaskNode &To, const Flight &F, int32_t Pending) {
  if (!To.Type || To.isCombination() || To.Groups || To.At == Stage::DispatchedEarly)
    return false;
  Partly &P = Seats[F.W].Behind[&To];
  ++P.Here;
  P.After.push_back(F.Done);
  if (P.Here != Pending || !freeFlight(F.W))
    return false;
  return acceptEarly(To, F.W, std::vector<EventRef>(P.After));
}

bool Simulation::acceptEarly(TaskNode &To, WorkerId W, std::span<const EventRef> After) {
  const Version *V = Scheduler.takeEarly(To, W);
  if (!V)
    return false;
  if (Explains && !To.Decided) {
    std::vector<Prediction> Among;
    predict(To, Among);
    decided(To, *V, W, "all that it waits for is on that device", Among);
  }
  Flight &F = *freeFlight(W);
  F.T = &To;
  F.V = V;
  F.FromPolicy = true;
  F.Seen = nullptr;
  To.At = Stage::DispatchedEarly;
  acquire(F, After);
  return F.T != nullptr;
}

// Its task has ended: its successors have one predecessor less here.
void Simulation::forget(const Flight &F, const EventRef &Done) {
  auto &Behind = Seats[F.W].Behind;
  if (Behind.empty())
    return;
  for (SuccessorLink *L = F.Seen; L; L = L->Next)
    if (auto It = Behind.find(L->To); It != Behind.end()) {
      std::erase(It->second.After, Done);
      if (--It->second.Here == 0)
        Behind.erase(It);
    }
}

} // namespace hsched::rt::virt
