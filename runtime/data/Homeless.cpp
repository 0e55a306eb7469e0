// Homeless data, and discarded data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <utility>

namespace hsched::rt {

status Directory::Impl::commit(std::span<const Access> Sections) {
  if (Homes.any())
    for (const Access &A : Sections)
      if (status Result = Homes.commit(extentOf(A)); !Result.ok())
        return Result;
  return {};
}

status Directory::makeHomeless(uint64_t Bytes, void *&Out, DatumOwner *Owner) {
  uintptr_t Begin = 0;
  const bool Travels = I->numNodes() > 1;
  if (status Result = I->Homes.reserve(Bytes, !Travels, Begin); !Result.ok())
    return Result;
  Out = reinterpret_cast<void *>(Begin);
  if (!Travels)
    return {};
  MutexLock Lock(I->M);
  if (Owner)
    I->Owners.emplace(Begin, Owner);
  I->Fragments.addHomeless(Begin, Begin + Bytes);
  I->updateHasFragments();
  return {};
}

DatumOwner *Directory::Impl::ownerOf(uintptr_t At, Extent &Whole) const {
  if (Owners.empty())
    return nullptr;
  const Extent Datum = Fragments.homelessWith(At);
  const auto Its = Datum.Bytes ? Owners.find(Datum.Begin) : Owners.end();
  if (Its == Owners.end())
    return nullptr;
  Whole = Datum;
  return Its->second;
}

std::vector<Extent> Directory::Impl::blocksFor(const Task &T, PackedParams Packed) const {
  std::vector<Extent> NeededExtents = neededExtents(T, Packed);
  if (Owners.empty())
    return NeededExtents;
  for (Extent &Needed : NeededExtents)
    (void)ownerOf(Needed.Begin, Needed);
  std::vector<Extent> Once;
  for (const Extent &Needed : NeededExtents)
    if (std::ranges::find(Once, Needed) == Once.end())
      Once.push_back(Needed);
  return Once;
}

void Directory::Impl::settleAtHome(const Extent &E, bool Keep) {
  std::vector<EventRef> Travels;
  Report Rep;
  {
    MutexLock Lock(M);
    Fragments.visitExisting(E, [&](const Extent &, Fragment &F) {
      addEvent(Travels, F.Copies[HostNode].Written.Ev);
      for (const Use &U : F.Copies[HostNode].Read)
        addEvent(Travels, U.Ev);
    });
  }
  for (const EventRef &Ev : Travels)
    (void)Ev->wait();
  collect(Rep);
  {
    MutexLock Lock(M);
    handleLosses();
    const auto Settle = [Keep](const Extent &, Fragment &F) {
      F.settle();
      if (F.Writers || F.DeviceReaders)
        return;
      Keep ? F.setValid(nodeBit(HostNode)) : F.giveUp();
    };
    if (Keep) // Also memory without an entry.
      Fragments.visit(E, Settle);
    else
      Fragments.visitExisting(E, Settle);
    Fragments.tidy(E);
    updateHasFragments();
  }
  Rep.notifyObserver(Watch);
}

void Directory::discard(const void *Memory, size_t Bytes) {
  I->settleAtHome({reinterpret_cast<uintptr_t>(Memory), Bytes}, false);
}

bool Directory::isHomeless(const void *Memory, size_t Bytes) const {
  const auto Begin = reinterpret_cast<uintptr_t>(Memory);
  const auto Datum = I->Homes.rangeAt(Begin);
  return Datum && Bytes <= Datum->end() - Begin;
}

uint64_t Directory::homelessBytes(const void *Memory) const {
  const auto Begin = reinterpret_cast<uintptr_t>(Memory);
  const auto Datum = I->Homes.rangeAt(Begin);
  return Datum && Datum->Begin == Begin ? Datum->bytes() : 0;
}

status Directory::bringHome(void *Memory, size_t Bytes, HomeUse How, WorkerId *Blame) {
  const Access A{Memory, Bytes, 1, Bytes, HSCHED_INOUT, HSCHED_NO_PARAM};
  if (I->numNodes() == 1 || Bytes == 0)
    return {};
  if (How != HomeUse::Overwrite)
    return flush({&A, 1}, false, How == HomeUse::Update, Blame);
  status Home = I->commit({&A, 1});
  if (Home.ok())
    I->settleAtHome(extentOf(A), true);
  return Home;
}

status Directory::dropHomeless(void *Memory) {
  const auto Begin = reinterpret_cast<uintptr_t>(Memory);
  const auto Datum = I->Homes.rangeAt(Begin);
  if (!Datum || Datum->Begin != Begin)
    return status::error(errc::invalid_argument, "no datum begins there");
  Report Rep;
  status Result;
  for (bool Travels = true; Travels && Result.ok();) {
    std::vector<EventRef> Uses;
    Plan ToDo;
    I->collect(Rep);
    {
      MutexLock Lock(I->M);
      I->handleLosses();
      I->Fragments.visitExisting(*Datum, [&](const Extent &, Fragment &F) {
        F.settle();
        if (F.Writers || F.DeviceReaders)
          Result = status::error(errc::invalid_argument, "a task uses it");
        for (const Copy &C : F.Copies) {
          addEvent(Uses, C.Written.Ev);
          for (const Use &U : C.Read)
            addEvent(Uses, U.Ev);
        }
      });
      Travels = !Uses.empty();
      if (!Travels && Result.ok()) {
        for (MemoryNode N = 1; N < I->numNodes(); ++N)
          for (ReplicaRef &R : I->Replicas[N].overlapping(*Datum))
            if (Datum->Begin <= R->At.Begin && R->At.end() <= Datum->end()) { // Otherwise other data share it.
              I->Replicas[N].erase(*R);
              I->free(std::move(R));
            }
        I->Fragments.removeHomeless(Datum->Begin, Datum->end());
        I->Owners.erase(Datum->Begin);
        I->updateHasFragments();
        I->takePlan(ToDo);
      }
    }
    (void)I->carryOut(ToDo);
    if (Result.ok())
      for (const EventRef &Ev : Uses)
        (void)Ev->wait();
  }
  Rep.notifyObserver(I->Watch);
  if (Result.ok())
    I->Homes.release(Begin);
  return Result;
}

} // namespace hsched::rt
