// Predecessors of commands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Queue.h"

#include <algorithm>

namespace hsched::icd {
namespace {

// In an in-order queue with overlapping commands, every command of this number depends on all before it. So no command
// is compared with more.
constexpr unsigned MostCompared = 16;
// The same for a scheduled queue, whose independent commands may go to different devices.
constexpr unsigned MostComparedScheduled = 256;

bool contains(const Use &A, const Use &B) {
  return A.Root == B.Root && A.First <= B.First && B.First + B.Bytes <= A.First + A.Bytes;
}
bool contains(const HostUse &A, const HostUse &B) {
  auto FirstA = reinterpret_cast<uintptr_t>(A.First), FirstB = reinterpret_cast<uintptr_t>(B.First);
  return FirstA <= FirstB && FirstB + B.Bytes <= FirstA + A.Bytes;
}

// True if the later one must wait for the earlier one because of their data.
bool conflict(const Command &A, const Command &B) { return icd::conflict(A.Uses, A.HostUses, B.Uses, B.HostUses); }

// True if the earlier one writes everything that the later one uses. A command before both that conflicts with the
// later one then comes before the earlier one.
bool covers(const Command &A, const Command &B) {
  auto Contains = [](const auto &Outer, const auto &Inner) {
    return std::all_of(Inner.begin(), Inner.end(), [&](const auto &I) {
      return std::any_of(Outer.begin(), Outer.end(), [&](const auto &O) { return O.Writes && contains(O, I); });
    });
  };
  return Contains(A.Uses, B.Uses) && Contains(A.HostUses, B.HostUses);
}

bool conflict(const Footprint &A, const Footprint &B) {
  for (const auto &U : A.Ranges)
    for (const auto &V : B.Ranges)
      if ((U.Writes || V.Writes) && U.Serial == V.Serial && U.First < V.First + V.Bytes && V.First < U.First + U.Bytes)
        return true;
  return false;
}

} // namespace

void Graph::edge(const Ref<Command> &From, const Ref<Command> &To, bool Fails) {
  if (From == To)
    return;
  if (To->Task && From->Task)
    Edges.push_back(From->Task);
  if (From->Done) {
    if (Fails && From->Outcome < 0)
      To->Failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return;
  }
  if (From->HandedOver && To->Where.On && From->Where.On == To->Where.On) {
    if (!Fails && !To->Waits.empty() && To->Waits.back().On == From)
      return; // Also named by an event.
    To->Waits.push_back({From, Fails});
    return;
  }
  From->Next.push_back({To, Fails});
  if (From->HandedOver && !From->Watched && To->Where.On) {
    From->Watched = true;
    ToWatch.push_back(From);
  }
  if (!To->Where.On)
    To->Before.push_back(From);
  ++To->Waiting;
}

void Graph::linkPast(const Command &C) {
  const Footprint Its = C.footprint();
  const auto &Past = C.Of->Past;
  for (auto I = Past.rbegin(); I != Past.rend(); ++I) {
    if (!C.Of->SideBySide || Its.Fence || I->Fence || conflict(*I, Its))
      Edges.push_back(I->Task);
    if (!C.Of->SideBySide || I->Fence)
      break;
  }
}

void Graph::link(const Ref<Command> &C, const std::vector<Ref<Command>> &After) {
  for (const auto &A : After) {
    // An event of a queue with overlapping commands implies that all before it have ended. Its own queue handles that
    // itself.
    if (A->Of && A->Of->SideBySide && A->Of != C->Of) {
      auto &Flight = A->Of->Flight;
      auto I = std::find(Flight.begin(), Flight.end(), A);
      for (bool Fenced = I == Flight.end() || A->Fence; !Fenced && I != Flight.begin(); Fenced = (*I)->Fence)
        edge(*--I, C, false);
    }
    edge(A, C, true);
  }
  C->Linked = true;
  if (!C->Of)
    return;
  Queue &Q = *C->Of;
  if (Q.isOutOfOrder()) {
    if (Q.Barrier)
      edge(Q.Barrier, C, false);
    if (C->WaitsForAll)
      for (const auto &P : Q.Flight)
        edge(P, C, false);
    if (C->IsBarrier) {
      Q.Barrier = C;
      Q.BehindBarrier.store(true, std::memory_order_release);
    }
  } else if (!Q.SideBySide) {
    if (!Q.Flight.empty())
      edge(Q.Flight.back(), C, false);
  } else {
    if (++Q.SinceFence > (Q.isScheduled() ? MostComparedScheduled : MostCompared))
      C->Fence = true;
    if (C->Fence)
      Q.SinceFence = 0;
    for (auto I = Q.Flight.rbegin(); I != Q.Flight.rend(); ++I) {
      if (!(*I)->Done && (C->Fence || (*I)->Fence || conflict(**I, *C)))
        edge(*I, C, false);
      if ((*I)->Fence || (!C->Fence && !(*I)->Done && covers(**I, *C)))
        break;
    }
  }
  if (C->Task && (Q.Flight.empty() || Q.SideBySide))
    linkPast(*C);
  Q.Flight.push_back(C);
  Q.Shows.store(static_cast<uint32_t>(Q.Flight.size()), std::memory_order_release);
}

} // namespace hsched::icd
