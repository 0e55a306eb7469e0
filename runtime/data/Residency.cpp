// Room on devices: replicas are made, merged and dropped here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <map>

namespace hsched::rt {

// A replica that has grown this often is taken to grow on, and gets room in advance.
static constexpr unsigned GrowthExpected = 2;

static uint64_t limitOr(uint64_t Limit) { return Limit ? Limit : UINT64_MAX; }

static status noRoom(uint64_t Bytes) {
  return status::error(errc::out_of_memory, "no room for " + std::to_string(Bytes) + " bytes");
}

status Directory::Impl::makeRoom(const Task &T, MemoryNode Node, bool &Busy) {
  ++Tick;
  std::vector<std::pair<uintptr_t, uintptr_t>> Hulls;
  // What one parameter leads to is in one place, for a version sees it through one pointer.
  std::map<unsigned, size_t> OfParam;
  for (const Access &A : T.accesses()) {
    if (endOf(A) <= beginOf(A))
      continue;
    auto [At, New] = A.param == HSCHED_NO_PARAM || T.NumAccesses == 1 ? std::pair(OfParam.end(), true)
                                                                      : OfParam.try_emplace(A.param, Hulls.size());
    if (New) {
      Hulls.emplace_back(beginOf(A), endOf(A));
      continue;
    }
    auto &[Lo, Hi] = Hulls[At->second];
    Lo = std::min(Lo, beginOf(A));
    Hi = std::max(Hi, endOf(A));
  }
  std::sort(Hulls.begin(), Hulls.end());
  size_t Kept = 0;
  for (const auto &[Lo, Hi] : Hulls) {
    if (Kept && Lo < Hulls[Kept - 1].second)
      Hulls[Kept - 1].second = std::max(Hulls[Kept - 1].second, Hi);
    else
      Hulls[Kept++] = {Lo, Hi};
  }
  Hulls.resize(Kept);

  const DeviceInfo &Info = Nodes[Node].Dev->info();
  uint64_t Named = 0, Need = 0, Largest = 0; // Named: without padding
  for (const auto &[Lo, Hi] : Hulls) {
    Named += Hi - Lo;
    Need += Hi - baseOf(Lo);
    Largest = std::max<uint64_t>(Largest, Hi - baseOf(Lo));
  }
  status Result;
  bool Hopeless = Need > limitOr(Info.MemoryBytes) || Largest > limitOr(Info.MaxAllocationBytes);
  if (Hopeless)
    Result = noRoom(Need);
  for (const auto &[Lo, Hi] : Hulls)
    if (Result.ok())
      Result = cover(Lo, Hi, Node, T.Id);
  if (Result.code() != errc::out_of_memory)
    return Result;

  uint64_t Held = *Replicas[Node].Used; // what other tasks have in use
  for (const ReplicaRef &R : Replicas[Node].all())
    if (!R->Pins)
      Held -= R->bytes();
  if (!Hopeless && Need <= limitOr(Info.MemoryBytes) - Held) {
    // Replicas larger than the sections that they cover stand in the way: begin again with none.
    ++Tick;
    Result = {};
    for (ReplicaRef &R : Replicas[Node].all())
      if (Result.ok() && evictable(*R, Node))
        Result = evict(R, Node);
    for (const auto &[Lo, Hi] : Hulls)
      if (Result.ok())
        Result = cover(Lo, Hi, Node, T.Id);
    if (Result.code() != errc::out_of_memory)
      return Result;
  }
  // Data that a task elsewhere is about to overwrite leaves the device when that is over.
  bool Stuck = false;
  for (const ReplicaRef &R : Replicas[Node].all())
    Stuck = Stuck || (!R->Pins && writtenElsewhere(*R, Node));
  Busy = !Hopeless && (Held > 0 || Stuck);
  std::string Message = "task '" + std::string(T.Type ? T.Type->name() : "?") + "' needs " + std::to_string(Named) +
                        " bytes" + (Need > Named ? " (" + std::to_string(Need) + " as aligned)" : "") + " on device '" +
                        Info.Name + "', where " + std::to_string(Info.MemoryBytes - std::min(Info.MemoryBytes, Held)) +
                        " of " + std::to_string(Info.MemoryBytes) + " bytes are free";
  if (Largest > limitOr(Info.MaxAllocationBytes))
    Message += " and no block may exceed " + std::to_string(Info.MaxAllocationBytes);
  return status::error(errc::out_of_memory, std::move(Message), Result.native_code());
}

status Directory::Impl::cover(uintptr_t Lo, uintptr_t Hi, MemoryNode Node, TaskId For) {
  ReplicaSet &Set = Replicas[Node];
  if (ReplicaRef R = Set.covering(Lo, Hi)) {
    R->LastUse = Tick;
    return {};
  }
  std::vector<ReplicaRef> Overlap = Set.overlapping(Lo, Hi);
  uintptr_t HullLo = Lo, HullHi = Hi;
  unsigned Merges = 0;
  for (const ReplicaRef &O : Overlap) {
    HullLo = std::min(HullLo, O->Begin);
    HullHi = std::max(HullHi, O->End);
    Merges = std::max(Merges, O->Merges + 1);
  }
  ReplicaRef New;
  status Result;
  if (Merges >= GrowthExpected) {
    uintptr_t MoreLo = HullLo, MoreHi = HullHi;
    Set.extend(MoreLo, MoreHi, (HullHi - HullLo) / 2, Hi == HullHi);
    if (*Set.Used + (MoreHi - baseOf(MoreLo)) <= limitOr(Nodes[Node].Dev->info().MemoryBytes) / 2)
      Result = allocate(MoreLo, MoreHi, Node, false, New);
  }
  if (!New)
    Result = allocate(HullLo, HullHi, Node, true, New);
  if (!New && Result.code() == errc::out_of_memory && !Overlap.empty()) {
    // Old blocks and the merged one do not fit beside each other: the old ones go home, as far as nobody uses them.
    HullLo = Lo;
    HullHi = Hi;
    for (const ReplicaRef &O : Overlap) {
      if (!evictable(*O, Node)) {
        HullLo = std::min(HullLo, O->Begin);
        HullHi = std::max(HullHi, O->End);
      } else if (Result = evict(O, Node); !Result.ok()) {
        return Result;
      }
    }
    Overlap.clear(); // a block is freed with the last reference to it
    Result = allocate(HullLo, HullHi, Node, true, New);
  }
  if (!Result.ok())
    return Result;
  return merge(New, Node, For);
}

status Directory::Impl::allocate(uintptr_t Lo, uintptr_t Hi, MemoryNode Node, bool MayEvict, ReplicaRef &Out) {
  ReplicaSet &Set = Replicas[Node];
  Device &Dev = *Nodes[Node].Dev;
  const uint64_t Bytes = Hi - baseOf(Lo), Total = limitOr(Dev.info().MemoryBytes);
  if (Bytes > limitOr(Dev.info().MaxAllocationBytes) || Bytes > Total)
    return noRoom(Bytes);
  std::vector<ReplicaRef> Victims;
  if (MayEvict && *Set.Used > Total - Bytes) {
    // Not worth beginning where it cannot end well.
    uint64_t Stays = *Set.Used;
    for (const ReplicaRef &R : Set.all())
      if ((R->End <= Lo || R->Begin >= Hi) && evictable(*R, Node))
        Stays -= R->bytes();
    if (Stays > Total - Bytes)
      return noRoom(Bytes);
  }
  bool Listed = false;
  for (size_t Next = 0;;) {
    status Result = noRoom(Bytes);
    if (*Set.Used <= Total - Bytes) {
      BufferRef Mem;
      Result = Dev.allocate(Bytes, Mem);
      if (Result.ok()) {
        Out = std::make_shared<Replica>(Lo, Hi, std::move(Mem), Set.Used);
        return {};
      }
    }
    if (Result.code() != errc::out_of_memory || !MayEvict)
      return Result;
    if (!Listed) {
      Listed = true;
      for (const ReplicaRef &R : Set.all())
        if ((R->End <= Lo || R->Begin >= Hi) && evictable(*R, Node))
          Victims.push_back(R);
      std::sort(Victims.begin(), Victims.end(), [](auto &A, auto &B) { return A->LastUse < B->LastUse; });
    }
    if (Next < Victims.size()) {
      Result = evict(std::exchange(Victims[Next++], nullptr), Node);
      if (!Result.ok())
        return Result;
    } else if (Next++ == Victims.size()) {
      // Blocks that were dropped before may still be in the hands of transfers.
      submit();
      Log.wait(Node);
    } else {
      return Result;
    }
  }
}

status Directory::Impl::merge(const ReplicaRef &New, MemoryNode Node, TaskId For) {
  struct Move {
    uintptr_t Begin, End;
    EventRef Ev;
  };
  ReplicaSet &Set = Replicas[Node];
  std::vector<ReplicaRef> Olds = Set.overlapping(New->Begin, New->End);
  std::vector<Move> Moves;
  for (const ReplicaRef &Old : Olds) {
    size_t First = Moves.size();
    Fragments.visitKnown(Old->Begin, Old->End, [&](uintptr_t Begin, Fragment &F) {
      F.settle();
      // What a task is still to write in the old block comes over when that is done.
      if (!F.validOn(Node) || F.Unpublished)
        return;
      if (Moves.size() > First && Moves.back().End == Begin)
        Moves.back().End = F.End;
      else
        Moves.push_back({Begin, F.End, nullptr});
    });
    for (size_t I = First; I < Moves.size(); ++I) {
      Move &Each = Moves[I];
      WaitList Wait(Node);
      status Result;
      Fragments.visitKnown(Each.Begin, Each.End, [&](uintptr_t, Fragment &F) {
        if (Result.ok())
          Result = Wait.add(F.Copies[Node].Written, true);
      });
      if (Result.ok())
        Result = Nodes[Node].Dev->copy(Old->Mem, Each.Begin - Old->base(), New->Mem, Each.Begin - New->base(),
                                       Each.End - Each.Begin, Wait.events(), Each.Ev);
      if (!Result.ok())
        return Result; // nothing has changed: New's block goes when the copies in flight are done
      started(TransferKind::DeviceToDevice, Node, For, Each.End - Each.Begin, Each.Ev);
    }
  }
  for (const ReplicaRef &Old : Olds) {
    Fragments.visitKnown(Old->Begin, Old->End, [&](uintptr_t, Fragment &F) {
      if (!F.Unpublished)
        F.Copies[Node] = {}; // operations on the old block do not concern the new one
    });
    New->Pins += Old->Pins;
    New->Merges = std::max(New->Merges, Old->Merges + 1);
    Old->MergedInto = New;
    Set.erase(*Old);
  }
  for (const Move &Each : Moves)
    Fragments.visitKnown(Each.Begin, Each.End,
                         [&](uintptr_t, Fragment &F) { F.Copies[Node].Written = {Each.Ev, Node}; });
  New->Serial = ++Serial;
  New->LastUse = Tick;
  Set.insert(New);
  return {};
}

bool Directory::Impl::evictable(const Replica &R, MemoryNode Node) {
  return !R.Pins && R.LastUse != Tick && !writtenElsewhere(R, Node);
}

bool Directory::Impl::writtenElsewhere(const Replica &R, MemoryNode Node) {
  bool Written = false;
  Fragments.visitKnown(R.Begin, R.End, [&](uintptr_t, Fragment &F) {
    F.settle();
    Written |= F.Writers && F.Valid == nodeBit(Node);
  });
  return Written;
}

status Directory::Impl::evict(const ReplicaRef &R, MemoryNode Node) {
  std::vector<std::pair<uintptr_t, uintptr_t>> Modified;
  std::vector<EventRef> Users;
  submit();
  Fragments.visitKnown(R->Begin, R->End, [&](uintptr_t Begin, Fragment &F) {
    // A copy elsewhere counts when it is complete: its transfer might fail.
    for (MemoryNode N = 0; N < F.Copies.size(); ++N)
      if (N != Node && F.validOn(N) && F.Copies[N].Written.Ev)
        (void)F.Copies[N].Written.Ev->wait();
    F.settle();
    if (F.Valid != nodeBit(Node))
      return;
    if (!Modified.empty() && Modified.back().second == Begin)
      Modified.back().second = F.End;
    else
      Modified.emplace_back(Begin, F.End);
  });
  for (const auto &[Lo, Hi] : Modified)
    if (status Result = download(Lo, Hi, Node, 0); !Result.ok())
      return Result;
  submit();
  Fragments.visitKnown(R->Begin, R->End, [&](uintptr_t, Fragment &F) {
    addEvent(Users, F.Copies[Node].Written.Ev);
    for (const Use &U : F.Copies[Node].Read)
      addEvent(Users, U.Ev);
  });
  for (const EventRef &E : Users)
    (void)E->wait();
  status Result;
  Fragments.visitKnown(R->Begin, R->End, [&](uintptr_t, Fragment &F) {
    const EventRef &Home = F.Copies[HostNode].Written.Ev;
    if (F.validOn(Node) && Home && Result.ok())
      Result = Home->wait();
    F.settle();
  });
  if (!Result.ok())
    return Result; // the data stays where it is
  drop(R, Node);
  return {};
}

void Directory::Impl::drop(const ReplicaRef &R, MemoryNode Node) {
  Fragments.visitKnown(R->Begin, R->End, [&](uintptr_t, Fragment &F) {
    F.Valid &= ~nodeBit(Node);
    F.Copies[Node] = {};
    F.settle();
  });
  Replicas[Node].erase(*R);
  Fragments.tidy(R->Begin, R->End);
}

} // namespace hsched::rt
