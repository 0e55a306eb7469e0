// Extents of blocks for tasks, and the handling of overlapping blocks with different shapes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <map>

namespace hsched::rt {

Extent neededExtent(const Access &A, PackedParams Packed) {
  if (A.rows > 1 && A.stride > A.bytes && Packed.packs(A))
    return {beginOf(A), A.bytes, A.rows, A.stride};
  return rangeOf(beginOf(A), endOf(A));
}

PackedParams Directory::Impl::agreed(const Task &T, const ReplicaSet &There, PackedParams Packed) {
  if (!Packed.anyTogether() || Packed.isApart())
    return Packed;
  struct Shape {
    uint64_t Width = 0, Host = 0, Here = 0; // Bytes of a row, and distance of rows on the host and on the node.
  };
  std::vector<Shape> Shapes(Packed.size()); // Shapes of the tiles visited so far.
  for (const Access &A : T.accesses()) {
    const size_t I = Packed.indexOf(A);
    if (endOf(A) <= beginOf(A) || I == Packed.size() || !Packed.together(I))
      continue;
    const Extent Needed = neededExtent(A, Packed);
    if (Needed.Rows == 1) // It would be accessed with the row distance of the others.
      return Packed.apart();
    const ReplicaRef R = There.covering(Needed);
    const Shape Own = {Needed.Bytes, Needed.Stride, R ? R->strideOf(Needed) : Needed.Bytes};
    for (size_t J = 0; J < Packed.size(); ++J) {
      const Shape &Other = Shapes[J];
      const uint64_t OfI = Packed[I].element_bytes, OfJ = Packed[J].element_bytes;
      auto differ = [&](uint64_t X, uint64_t Y) { return X * OfJ != Y * OfI; };
      if (Other.Width && (I == J || Packed.together(I, J)) &&
          (differ(Own.Width, Other.Width) || differ(Own.Host, Other.Host) || differ(Own.Here, Other.Here)))
        return Packed.apart();
    }
    Shapes[I] = Own;
  }
  return Packed;
}

status Directory::Impl::makeRoomAlike(const Task &T, MemoryNode Node, PackedParams &Packed, Round &R) {
  const PackedParams All = Packed;
  status Room;
  if (R.Stage == Round::WholeRequest) {
    // The decision stays the same for later rounds, although blocks were allocated meanwhile.
    if (!R.Apart)
      R.Apart = agreed(T, Replicas[Node], All).isApart();
    Packed = *R.Apart ? All.apart() : All;
    Room = makeRoom(T, Node, Packed, R);
    if (Room.ok() && agreed(T, Replicas[Node], Packed).isApart() != Packed.isApart()) {
      R.Stage = Round::Alike; // Some tiles came to lie in one block with others.
      R.Restarted = false;
    }
  }
  if (R.Stage == Round::Alike) {
    Packed = All.apart();
    Room = makeRoom(T, Node, Packed, R);
  }
  if (R.Stage != Round::Packed) {
    if (Room.code() != errc::out_of_memory || R.Busy || Packed.isApart() == All.isApart() ||
        agreed(T, ReplicaSet(), All).isApart())
      return Room;
    // Packed they may fit: data with other layouts are written back.
    ++Tick;
    bool Blocked = false, Clear = true;
    for (const Access &A : T.accesses())
      if (All.packs(A) && All.together(All.indexOf(A)) && endOf(A) > beginOf(A))
        Clear = evictOverlapping(neededExtent(A, All), Node, R.Until, Blocked).ok() && Clear;
    if (!Clear) {
      R.Busy = Blocked || !R.Until.empty();
      return Room;
    }
    R.Stage = Round::Packed;
    R.Restarted = false;
    R.Fallback = Room;
  }
  Packed = All;
  status Anew = makeRoom(T, Node, Packed, R);
  if (!Anew.ok() || !agreed(T, Replicas[Node], Packed).isApart())
    return Anew;
  R.Busy = !R.Until.empty();
  return R.Fallback;
}

static void joinRanges(std::vector<Extent> &Ranges) {
  std::sort(Ranges.begin(), Ranges.end(), [](const Extent &A, const Extent &B) { return A.Begin < B.Begin; });
  size_t NumRanges = 0;
  for (const Extent &E : Ranges) {
    if (NumRanges && E.Begin < Ranges[NumRanges - 1].end())
      Ranges[NumRanges - 1] = rangeOf(Ranges[NumRanges - 1].Begin, std::max(Ranges[NumRanges - 1].end(), E.end()));
    else
      Ranges[NumRanges++] = E;
  }
  Ranges.resize(NumRanges);
}

// Replaces one of Tiles and an overlapping extent by an extent that encloses both, in the right list.
static bool joinTile(std::vector<Extent> &Tiles, std::vector<Extent> &Ranges) {
  for (auto Tile = Tiles.begin(); Tile != Tiles.end(); ++Tile)
    for (auto *List : {&Ranges, &Tiles}) {
      auto Other = std::find_if(List == &Tiles ? Tile + 1 : List->begin(), List->end(),
                                [&](const Extent &E) { return Tile->touches(E); });
      if (Other == List->end())
        continue;
      const Extent All = enclosing(*Tile, *Other);
      List->erase(Other); // In Tiles, it is behind Tile.
      Tiles.erase(Tile);
      (All.Rows > 1 ? Tiles : Ranges).push_back(All);
      return true;
    }
  return false;
}

std::vector<Extent> neededExtents(const Task &T, PackedParams Packed) {
  std::vector<Extent> All;
  // All data of one parameter are in one block, because a version accesses them through one pointer.
  std::map<unsigned, size_t> OfParam;
  for (const Access &A : T.accesses()) {
    if (endOf(A) <= beginOf(A))
      continue;
    const Extent Needed = neededExtent(A, Packed);
    auto [At, New] = A.param == HSCHED_NO_PARAM || T.NumAccesses == 1 ? std::pair(OfParam.end(), true)
                                                                      : OfParam.try_emplace(A.param, All.size());
    if (New)
      All.push_back(Needed);
    else if (Extent &Before = All[At->second]; Before.Rows == 1 && Needed.Rows == 1)
      Before = rangeOf(std::min(Before.Begin, Needed.Begin), std::max(Before.end(), Needed.end()));
    else
      Before = enclosing(Before, Needed);
  }
  std::vector<Extent> Ranges, Tiles;
  for (const Extent &E : All)
    (E.Rows > 1 ? Tiles : Ranges).push_back(E);
  do
    joinRanges(Ranges);
  while (joinTile(Tiles, Ranges));
  Ranges.insert(Ranges.end(), Tiles.begin(), Tiles.end());
  return Ranges;
}

std::vector<ReplicaRef> Directory::Impl::gather(MemoryNode Node, Extent &All) {
  for (;;) {
    std::vector<ReplicaRef> Overlap = Replicas[Node].overlapping(All);
    Extent Next = All;
    for (const ReplicaRef &O : Overlap)
      Next = enclosing(Next, O->At);
    if (Next == All)
      return Overlap;
    All = Next; // The larger extent may overlap more.
  }
}

status Directory::Impl::evictOverlapping(const Extent &Needed, MemoryNode Node, std::vector<EventRef> &Until,
                                         bool &Blocked) {
  bool Clear = true;
  for (const ReplicaRef &O : Replicas[Node].overlapping(Needed)) {
    if (O->LastUse == Tick)
      continue;
    if (!evictable(*O, Node)) {
      Blocked = true;
      continue;
    }
    std::vector<EventRef> Users;
    Standing Is = standing(*O, Node, Users);
    if (Is == Standing::Idle) {
      evict(O, Node);
      continue;
    }
    if (Is == Standing::Modified)
      if (status Home = sendHome(*O, Node, Users); !Home.ok())
        return Home;
    for (const EventRef &E : Users)
      addEvent(Until, E);
    Clear = false;
  }
  return Clear && !Blocked ? status() : noRoom(blockBytes(Needed));
}

bool Directory::Impl::presentSince(MemoryNode Node, const Extent &At, uint64_t Serial) {
  uint64_t BytesThere = 0;
  for (const ReplicaRef &R : Replicas[Node].overlapping(At))
    if (R->Serial <= Serial)
      for (const Extent &Part : common(At, R->At))
        BytesThere += Part.bytes();
  return BytesThere == At.bytes();
}

} // namespace hsched::rt
