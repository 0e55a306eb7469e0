// Residency on devices: makes, merges and drops replicas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <map>

namespace hsched::rt {

// A replica that has grown this often is expected to grow further, and gets spare memory.
static constexpr unsigned GrowthExpected = 2;

// After this many successive replicas, each at the end of the previous one, more are expected. The next block is twice
// as large as the previous one. Fewer blocks are better because a driver handles every block at each launch.
// MostInAdvance and a fraction of the device's memory limit the spare size.
static constexpr unsigned RowExpected = 3;
static constexpr uint64_t MostInAdvance = 1 << 20, MemoryPerAdvance = 1024;

// Overlapping blocks are merged if the result takes at most this many times their size. Ranges always qualify; a packed
// tile and a row across it may not.
static constexpr uint64_t WorthMerging = 2;

static uint64_t limitOr(uint64_t Limit) { return Limit ? Limit : UINT64_MAX; }

bool Directory::Impl::allResident(const Task &T, MemoryNode Node, PackedParams Packed) {
  static constexpr size_t Few = 8;
  if (T.NumAccesses > Few)
    return false;
  Replica *In[Few];
  for (size_t I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.accesses()[I];
    In[I] = endOf(A) <= beginOf(A) ? nullptr : Replicas[Node].covering(neededExtent(A, Packed)).get();
    if (endOf(A) <= beginOf(A))
      continue;
    if (!In[I])
      return false;
    // All data of one parameter are in one block with the host's layout, because a version accesses them through one
    // pointer.
    for (size_t J = 0; J < I; ++J)
      if (A.param != HSCHED_NO_PARAM && T.accesses()[J].param == A.param && In[J] &&
          (In[J] != In[I] || In[I]->packed()))
        return false;
  }
  for (size_t I = 0; I < T.NumAccesses; ++I)
    if (In[I])
      In[I]->LastUse = Tick;
  return true;
}

status Directory::Impl::makeRoom(const Task &T, MemoryNode Node, PackedParams Packed, Round &R) {
  ++Tick;
  if (allResident(T, Node, Packed))
    return {};
  const std::vector<Extent> NeededExtents = blocksFor(T, Packed);
  bool Blocked = false;
  const DeviceInfo &Info = Nodes[Node].Dev->info();
  uint64_t Named = 0, Need = 0, Largest = 0; // Named: without padding.
  for (const Extent &Needed : NeededExtents) {
    Named += Needed.bytes();
    Need += blockBytes(Needed);
    Largest = std::max(Largest, blockBytes(Needed));
  }
  status Result;
  bool Hopeless = Need > limitOr(Info.MemoryBytes) || Largest > limitOr(Info.MaxAllocationBytes);
  if (Hopeless)
    Result = noRoom(Need);
  for (const Extent &Needed : NeededExtents)
    if (Result.ok())
      Result = cover(Needed, Node, &T, R, Blocked);
  if (Result.code() != errc::out_of_memory)
    return Result;

  uint64_t BytesInUse = *Replicas[Node].Used; // Bytes in use by other tasks.
  for (const ReplicaRef &O : Replicas[Node].all())
    if (!O->Pins)
      BytesInUse -= O->bytes();
  if (!Hopeless && !Blocked && !R.Restarted && R.Until.empty() && Need <= limitOr(Info.MemoryBytes) - BytesInUse) {
    // Replicas larger than their sections use up the memory: restart without replicas.
    R.Restarted = true;
    ++Tick;
    Result = leave(Replicas[Node].all(), Node, R.Until);
    for (const Extent &Needed : NeededExtents)
      if (Result.ok())
        Result = cover(Needed, Node, &T, R, Blocked);
    if (Result.code() != errc::out_of_memory)
      return Result;
  }
  // Data that a task on another node is about to overwrite leave the device when that task ends.
  bool Stuck = false;
  R.Need = Need;
  for (const ReplicaRef &O : Replicas[Node].all())
    Stuck = Stuck || (!O->Pins && writtenElsewhere(*O, Node));
  R.Stuck = Stuck;
  // The driver was asked before other threads had returned dropped blocks. It has the memory soon, or by now.
  const uint64_t Used = *Replicas[Node].Used;
  const bool Returning = std::ranges::any_of(
      R.Refused, [&](const Round::Refusal &No) { return No.Returning || No.OutstandingBytes > Used; });
  R.Busy = !Hopeless && (BytesInUse > 0 || Stuck || Returning || !R.Until.empty());
  std::string Message = "task '" + std::string(T.Type ? T.Type->name() : "?") + "' needs " + std::to_string(Named) +
                        " bytes" + (Need > Named ? " (" + std::to_string(Need) + " as aligned)" : "") + " on device '" +
                        Info.Name + "', where " +
                        std::to_string(Info.MemoryBytes - std::min(Info.MemoryBytes, BytesInUse)) + " of " +
                        std::to_string(Info.MemoryBytes) + " bytes are free";
  if (Largest > limitOr(Info.MaxAllocationBytes))
    Message += " and no block may exceed " + std::to_string(Info.MaxAllocationBytes);
  if (Result.native_code()) // The driver's view of free memory may differ.
    Message += ": " + Result.message();
  return status::error(errc::out_of_memory, std::move(Message), Result.native_code());
}

status Directory::Impl::cover(const Extent &Needed, MemoryNode Node, const Task *For, Round &R, bool &Blocked) {
  ReplicaSet &Set = Replicas[Node];
  if (const ReplicaRef &There = Set.covering(Needed)) {
    There->LastUse = Tick;
    return {};
  }
  Extent All = Needed;
  if (DatumOwner *Of = ownerOf(Needed.Begin, All)) { // None of it is on the node.
    ReplicaRef New;
    status Result = allocate(All, Node, true, R, New, Of);
    if (Result.ok())
      merge(New, Node, For);
    return Result;
  }
  std::vector<ReplicaRef> Overlap = gather(Node, All);
  uint64_t Parts = blockBytes(Needed);
  for (const ReplicaRef &O : Overlap)
    Parts += O->bytes();
  if (blockBytes(All) > WorthMerging * Parts) {
    if (status Clear = evictOverlapping(Needed, Node, R.Until, Blocked); !Clear.ok())
      return Clear;
    All = Needed;
    Overlap = gather(Node, All);
  }
  unsigned Merges = 0;
  for (const ReplicaRef &O : Overlap)
    Merges = std::max(Merges, O->Merges + 1);
  ReplicaRef New;
  status Result;
  const uint64_t Total = limitOr(Nodes[Node].Dev->info().MemoryBytes);
  auto inAdvance = [&](uint64_t Bytes, bool Up) HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
    uintptr_t Lo = All.Begin, Hi = All.end();
    Set.extend(Lo, Hi, Bytes, Up);
    // A homeless datum is allocated as a whole.
    if (const Extent Datum = Fragments.homelessWith(All.Begin); Datum.Bytes) {
      Lo = std::max(Lo, Datum.Begin);
      Hi = std::min(Hi, Datum.end());
    }
    if (*Set.Used + blockBytes(rangeOf(Lo, Hi)) <= Total / 2)
      Result = allocate(rangeOf(Lo, Hi), Node, false, R, New);
  };
  unsigned Behind = 0;
  uint64_t Step = 0;
  for (const ReplicaRef &O : Overlap)
    if (O->Behind > Behind) {
      Behind = O->Behind;
      Step = O->Step;
    }
  if (Merges >= GrowthExpected && All.Rows == 1) {
    inAdvance(All.Bytes / 2, Needed.end() == All.end());
  } else if (Overlap.empty() && All.Rows == 1) {
    if (const ReplicaRef &Last = Set.endingAt(All.Begin)) {
      Behind = Last->Behind + 1;
      Step = Last->Behind ? Last->Step : All.Begin - Last->At.Begin;
      // It ends where a section would begin, so that no section lies across two blocks.
      uint64_t Room =
          std::min({2 * std::max(Last->At.Bytes, Step), MostInAdvance, Total / MemoryPerAdvance}) / Step * Step;
      if (Behind >= RowExpected && Room > All.Bytes)
        inAdvance(Room - All.Bytes, true);
    }
  }
  if (!New && !R.NeededBytes)
    Result = allocate(All, Node, true, R, New);
  if (!New && Result.code() == errc::out_of_memory && R.Until.empty() && !Overlap.empty()) {
    // The old blocks and the merged one do not fit together: unused old ones are written back.
    if (status WriteBack = leave(Overlap, Node, R.Until); !WriteBack.ok())
      return WriteBack;
    All = Needed;
    (void)gather(Node, All);
    Result = allocate(All, Node, true, R, New);
  }
  if (!Result.ok())
    return Result;
  New->Behind = Behind;
  New->Step = Step;
  merge(New, Node, For);
  return {};
}

status Directory::Impl::allocate(const Extent &At, MemoryNode Node, bool Evict, Round &R, ReplicaRef &Out,
                                 DatumOwner *Of) {
  ReplicaSet &Set = Replicas[Node];
  const DeviceInfo &Info = Nodes[Node].Dev->info();
  const uint64_t Bytes = blockBytes(At), Total = limitOr(Info.MemoryBytes);
  if (Bytes > limitOr(Info.MaxAllocationBytes) || Bytes > Total)
    return noRoom(Bytes);
  std::vector<ReplicaRef> Victims; // First data that no survey wants, then the least recently used.
  bool Listed = false;
  uint64_t Short = Bytes, Leaving = 0;
  const auto refused = [&] {
    return std::ranges::find_if(R.Refused, [&](const Round::Refusal &No) { return No.Bytes == Bytes && No.Of == Of; });
  };
  for (size_t Next = 0;;) {
    status Result = noRoom(Bytes);
    if (*Set.Used <= Total - Bytes) {
      if (auto Block = std::ranges::find_if(
              R.InHand, [&](const Round::Block &B) { return B.Mem->bytes() == Bytes && B.Of == Of; });
          Block != R.InHand.end()) {
        Out = std::make_shared<Replica>(At, std::move(Block->Mem), Set.Used);
        R.InHand.erase(Block);
        return {};
      }
      if (refused() == R.Refused.end()) {
        R.NeededBytes = Bytes;
        R.NeededOf = Of;
        return status::error(errc::cancelled, "a block is needed first");
      }
      Result = refused()->Why;
    }
    if (!Evict)
      return Result;
    if (!std::exchange(Listed, true)) {
      uint64_t Retained = *Set.Used;
      if (Retained > Total - Bytes)
        Short = Retained - (Total - Bytes);
      for (const ReplicaRef &O : Set.all())
        if (!O->At.touches(At) && evictable(*O, Node)) {
          Victims.push_back(O);
          Retained -= O->bytes();
        }
      if (Retained > Total - Bytes) // Not worth beginning, because it would not suffice.
        return noRoom(Bytes);
      std::ranges::sort(Victims, {}, [&](auto &O) {
        return std::pair(std::max(O->LastSurvey, O->LastUse) >= Set.Surveyed, O->LastUse);
      });
    }
    bool Dropped = false;
    for (; Next < Victims.size() && !Dropped; ++Next) {
      const ReplicaRef &Victim = Victims[Next];
      std::vector<EventRef> Users;
      Standing Is = standing(*Victim, Node, Users);
      if (Is == Standing::Idle) {
        evict(Victim, Node);
        Dropped = true;
      } else if (Leaving < Short) {
        // Its write-back runs while other victims are checked that can be dropped at once.
        if (Is == Standing::Modified)
          if (status Home = sendHome(*Victim, Node, Users); !Home.ok())
            return Home;
        Leaving += Victim->bytes();
        for (const EventRef &E : Users)
          addEvent(R.Until, E);
      }
    }
    if (Dropped) { // The driver may have memory after the block has been freed.
      R.Refused.clear();
      continue;
    }
    // Blocks that were dropped before may still be in use by transfers.
    if (R.Until.empty())
      R.Until = R.Outstanding;
    return Result;
  }
}

Use Directory::Impl::moveWithin(Command C, const Extent &E, const Replica &From, const Replica &To, const Task *For) {
  C.Src = From.Mem;
  C.Dst = To.Mem;
  C.SrcOffset = From.offsetOf(E.Begin);
  C.DstOffset = To.offsetOf(E.Begin);
  C.Rows = {E.Rows, E.Bytes, From.strideOf(E), To.strideOf(E)};
  return plan(std::move(C), E, For);
}

// Merges At into Last, both in R, if they are adjacent in a row, or adjacent rows.
static bool append(Extent &Last, const Extent &At, const Replica &R) {
  if (Last.Rows == 1 && At.Rows == 1 && Last.end() == At.Begin)
    Last.Bytes += At.Bytes;
  else if (R.packed() && At.Rows == 1 && Last.Bytes == At.Bytes && At.Begin == Last.Begin + Last.Rows * R.At.Stride)
    Last = {Last.Begin, Last.Bytes, Last.Rows + 1, R.At.Stride};
  else
    return false;
  return true;
}

void Directory::Impl::merge(const ReplicaRef &New, MemoryNode Node, const Task *For) {
  struct Move {
    Extent At;
    Use By;
  };
  ReplicaSet &Set = Replicas[Node];
  std::vector<ReplicaRef> Olds = Set.overlapping(New->At);
  std::vector<Move> Moves;
  for (const ReplicaRef &Old : Olds) {
    size_t First = Moves.size();
    Fragments.visitOn(Node, Old->At, [&](const Extent &At, Fragment &F) {
      F.settle();
      // Data that a task has still to write in the old block are moved after that.
      if (!F.validOn(Node) || F.Unpublished)
        return;
      if (Moves.size() == First || !append(Moves.back().At, At, *Old))
        Moves.push_back({At, {}});
    });
    for (size_t I = First; I < Moves.size(); ++I) {
      Command C{Command::Kind::Within, Node, Node};
      Fragments.visitExisting(Moves[I].At,
                              [&](const Extent &, Fragment &F) { comesAfter(C, F.Copies[Node].Written, true); });
      Moves[I].By = moveWithin(std::move(C), Moves[I].At, *Old, *New, For);
    }
  }
  for (ReplicaRef &Old : Olds) {
    Fragments.visitOn(Node, Old->At, [&](const Extent &, Fragment &F) {
      if (!F.Unpublished)
        F.Copies[Node] = {}; // Operations on the old block do not affect the new one.
    });
    New->Pins += Old->Pins;
    New->Merges = std::max(New->Merges, Old->Merges + 1);
    Old->MergedInto = New;
    Set.erase(*Old);
    if (!Old->Pins)
      free(std::move(Old));
  }
  for (const Move &Each : Moves)
    Fragments.visitExisting(Each.At, [&](const Extent &, Fragment &F) { F.Copies[Node].Written = Each.By; });
  New->Serial = ++Serial;
  New->LastUse = Tick;
  Set.insert(New);
}

bool Directory::Impl::evictable(const Replica &R, MemoryNode Node) {
  return !R.Pins && R.LastUse != Tick && !writtenElsewhere(R, Node);
}

bool Directory::Impl::writtenElsewhere(const Replica &R, MemoryNode Node) {
  bool Written = false;
  Fragments.visitOn(Node, R.At, [&](const Extent &, Fragment &F) {
    F.settle();
    Written |= F.Writers && F.Valid == nodeBit(Node);
  });
  return Written;
}

Directory::Impl::Standing Directory::Impl::standing(const Replica &R, MemoryNode Node, std::vector<EventRef> &Users) {
  bool InUse = false, Modified = false;
  Fragments.visitOn(Node, R.At, [&](const Extent &, Fragment &F) {
    F.settle();
    const Copy &Here = F.Copies[Node];
    InUse |= Here.Written.Ev || !Here.Read.empty();
    addEvent(Users, Here.Written.Ev);
    for (const Use &U : Here.Read)
      addEvent(Users, U.Ev);
    if (!F.validOn(Node))
      return;
    // A copy on another node counts when it is complete, because its transfer might fail.
    EventRef Coming;
    for (MemoryNode N = 0; N < F.Copies.size(); ++N) {
      if (N == Node || !F.validOn(N))
        continue;
      if (!F.Copies[N].Written.Ev)
        return;
      Coming = F.Copies[N].Written.Ev;
    }
    addEvent(Users, Coming);
    (Coming ? InUse : Modified) = true;
  });
  return Modified ? Standing::Modified : InUse ? Standing::InUse : Standing::Idle;
}

status Directory::Impl::fetchModified(const Replica &R, MemoryNode Node) {
  std::vector<Strip> Modified;
  Fragments.visitOn(Node, R.At, [&](const Extent &At, Fragment &F) {
    if (F.Valid != nodeBit(Node))
      return;
    if (!Modified.empty() && Modified.back().Rows == 1 && At.Rows == 1 && Modified.back().end() == At.Begin)
      Modified.back().Bytes += At.Bytes;
    else
      Modified.push_back({At.Begin, At.Bytes, At.Rows, At.Stride, Node});
  });
  return fetch(Modified, HostNode, nullptr);
}

status Directory::Impl::sendHome(const Replica &R, MemoryNode Node, std::vector<EventRef> &Until) {
  status Result = fetchModified(R, Node);
  Fragments.visitOn(Node, R.At, [&](const Extent &, Fragment &F) { addEvent(Until, F.Copies[HostNode].Written.Ev); });
  return Result;
}

status Directory::Impl::leave(std::span<const ReplicaRef> Those, MemoryNode Node, std::vector<EventRef> &Until) {
  status Result;
  for (const ReplicaRef &R : Those) {
    if (!evictable(*R, Node))
      continue;
    std::vector<EventRef> Users;
    Standing Is = standing(*R, Node, Users);
    if (Is == Standing::Idle) {
      evict(R, Node);
      continue;
    }
    if (Is == Standing::Modified)
      if (status Home = sendHome(*R, Node, Users); !Home.ok())
        return Home;
    for (const EventRef &E : Users)
      addEvent(Until, E);
    Result = noRoom(R->bytes());
  }
  return Result;
}

void Directory::Impl::evict(const ReplicaRef &R, MemoryNode Node) {
  if (Watch) {
    const Extent &At = R->At;
    try {
      Evicted.push_back({Nodes[Node].Worker, Time.now(), At.Begin, At.bytes(), At.Rows, At.Rows > 1 ? At.Stride : 0});
    } catch (const std::bad_alloc &) { // The eviction is not reported.
    }
  }
  drop(R, Node);
}

void Directory::Impl::drop(const ReplicaRef &R, MemoryNode Node) {
  Fragments.visitOn(Node, R->At, [&](const Extent &, Fragment &F) {
    if (F.Valid == nodeBit(Node)) // At shutdown: data that could not be written back.
      F.giveUp();
    F.invalidate(Node, {});
    F.Copies[Node] = {};
    F.settle();
  });
  Replicas[Node].erase(*R);
  free(R);
  Fragments.tidy(R->At);
}

} // namespace hsched::rt
