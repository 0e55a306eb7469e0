// Tasks that begin on a node that already has their data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <utility>

namespace hsched::rt {

bool Directory::Impl::isResident(const Task &T, MemoryNode Node, bool &Overwrites) {
  if (Node != HostNode && (Nodes[Node].Dev->lost() || !allResident(T, Node, {})))
    return false;
  bool There = true;
  for (const Access &A : T.accesses()) {
    if (endOf(A) <= beginOf(A))
      continue;
    Overwrites |= !reads(A);
    Fragments.visit(extentOf(A), [&](const Extent &, Fragment &F) {
      F.settle();
      const Copy &Here = F.Copies[Node];
      There = There && !Here.Written.Ev && (!writes(A) || Here.Read.empty()) &&
              (!reads(A) || F.validOn(Node) || F.Unwritten);
    });
  }
  return There;
}

bool Directory::Impl::tryBegin(const Task &T, MemoryNode Node, Acquisition &Out, Report &Rep) {
  ++Tick;
  bool Overwrites = false;
  if ((Node != HostNode && !mayTakeRoom(T, Node, {}, Out)) || !isResident(T, Node, Overwrites))
    return false;
  std::shared_ptr<Hold> H = takeHold();
  H->Node = Node;
  if (!hold(T, {}, *H, Out).ok())
    return false;
  try {
    if (Watch && Node != HostNode)
      for (const Access &A : T.accesses())
        if (reads(A) && endOf(A) > beginOf(A))
          Rep.Lookups.push_back({Nodes[Node].Worker, true, A.bytes * A.rows, T.Id, typeNameOf(&T), Time.now()});
    publish(*H, nullptr, Overwrites); // Otherwise old contents stay where it fails to write.
  } catch (const std::bad_alloc &) {
    if (H->Published)
      unpublish(*H);
    abandon(*H);
    pin(*H, -1);
    throw;
  }
  for (const LookupRecord &L : Rep.Lookups)
    Counts.countLookup(Node, L);
  Out.Node = Node;
  Out.Acquired = std::move(H);
  return true;
}

bool Directory::tryBegin(const Task &T, MemoryNode Node, Acquisition &Out) {
  Out.clear();
  if (Node >= I->numNodes() || (Node == HostNode && !I->commit(T.accesses()).ok()))
    return false;
  Report Rep;
  bool Began;
  I->collect(Rep, Node);
  {
    MutexLock Lock(I->M);
    Began = I->tryBegin(T, Node, Out, Rep);
    if (!Began)
      for (const Access &A : T.accesses())
        if (endOf(A) > beginOf(A))
          I->Fragments.tidy(extentOf(A));
    I->updateHasFragments();
  }
  Rep.notifyObserver(I->Watch);
  return Began;
}

void Directory::begun(Acquisition &A) {
  if (!A.Acquired)
    return;
  Report Rep;
  I->collect(Rep, HostNode); // Later tasks need not wait for the operations that this one has awaited.
  {
    MutexLock Lock(I->M);
    const bool MayFail =
        std::ranges::any_of(A.Acquired->Sections, [](const Section &S) { return S.Writes && !S.Reads; });
    try {
      I->publish(*A.Acquired, nullptr, MayFail);
    } catch (const std::bad_alloc &) {
      I->unpublish(*A.Acquired);
      throw;
    }
  }
  Rep.notifyObserver(I->Watch);
}

} // namespace hsched::rt
