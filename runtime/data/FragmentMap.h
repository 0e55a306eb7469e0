// Which copies of which bytes are valid: a map over host addresses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not thread-safe: the directory's lock protects it.
#ifndef HSCHED_DATA_FRAGMENTMAP_H
#define HSCHED_DATA_FRAGMENTMAP_H

#include "base/Ids.h"
#include "data/Extent.h"
#include "data/Promise.h"
#include "data/RecentlyFound.h"
#include "device/Device.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace hsched::rt {

inline constexpr unsigned MaxNodes = 64;
inline constexpr MemoryNode ForeignNode = ~0u; // An event that no node's device may be made to wait for.

constexpr uint64_t nodeBit(MemoryNode N) { return uint64_t(1) << N; }

// An operation, and the node whose device it was given to: only that device may have it on a wait list.
struct Use {
  PromiseRef Ev;
  MemoryNode By = ForeignNode;
  bool operator==(const Use &) const = default;
};

// The operations that touch one node's copy of a fragment and may still be under way. They stay when the copy ceases to
// be valid: what overwrites it has to come after them all the same.
struct Copy {
  Use Written;           // The latest that writes it.
  std::vector<Use> Read; // Those that read it since.
  bool operator==(const Copy &) const = default;
};

// State of the bytes [its key in the map, End), or of a tile's.
struct Fragment {
  uintptr_t End = 0;
  uint64_t Valid = nodeBit(HostNode); // A valid copy is complete once its Written is done; 0: none, see Unwritten.
  MemoryNode LostOn = HostNode;       // Where the last one was.
  status Lost;                        // And why it is no more; ok as long as there is one.
  uint32_t DeviceReaders = 0;         // Tasks that hold it on a device, to read.
  uint32_t Writers = 0;               // Tasks that hold it anywhere, to write.
  uint32_t Unpublished = 0;           // Of these, those whose launch the directory does not know of yet.
  bool Homeless = false;              // Of a datum without a home: comes to the host when somebody asks for it there.
  bool Unwritten = false;             // No copy is valid and none is missed: nobody has written it.
  std::vector<Copy> Copies;           // One a node.

  bool validOn(MemoryNode N) const { return Valid & nodeBit(N); }
  bool lost() const { return !Valid && !Unwritten; }
  void setValid(uint64_t Nodes) { // Not 0.
    Valid = Nodes;
    Unwritten = false;
    LostOn = HostNode;
    Lost = {};
  }
  // Nobody wants what has been written: the host's bytes count, or where there is no home, nobody's.
  void giveUp() {
    setValid(nodeBit(HostNode));
    if (Homeless) {
      Valid = 0;
      Unwritten = true;
    }
  }
  // On ceases to be valid. Where it was the last one, that is why.
  void invalidate(MemoryNode On, const status &Why) {
    if (!validOn(On))
      return;
    Valid &= ~nodeBit(On);
    if (!Valid) {
      LostOn = On;
      Lost = Why;
    }
  }
  // Forgets operations that are known to have ended; the target of a failed one is not valid any more.
  void settle();
  // Nobody uses it, and it is valid on the host alone, or if it is homeless, unwritten: needs no entry.
  bool isDefault() const;
  bool sameState(const Fragment &O) const;
};

// A fragment is a range, or all rows of a tile: a tile is kept whole as long as nobody names a part of it. No byte is
// in two fragments.
class FragmentMap {
public:
  explicit FragmentMap(unsigned NumNodes) : NumNodes(NumNodes) {}

  // [Lo, Hi), of which nothing is known, has no home from here on.
  void addHomeless(uintptr_t Lo, uintptr_t Hi) { Homeless.emplace(Lo, Hi); }
  // [Lo, Hi), added as such, is no data any more: its entries go.
  void removeHomeless(uintptr_t Lo, uintptr_t Hi);
  bool anyHomeless() const { return !Homeless.empty(); }
  // The range with At in it that was added as such; empty where there is none.
  Extent homelessWith(uintptr_t At) const;

  // Calls F(const Extent &, Fragment &) for each fragment of E: ranges in order of address, then whole tiles; bytes
  // that have no entry get one. F must not change the map. Where there is no memory, F is not called at all.
  template <typename Function> void visit(const Extent &E, Function F) {
    if (Fragment *Whole = exact(E)) // Sections that recur are fragments of their own.
      return F(E, *Whole);
    if (E.Rows > 1) {
      if (Fragment *New = makeTile(E))
        return F(E, *New);
    } else {
      dissolve(E, false);
    }
    for (uint64_t Row = 0; Row < E.Rows; ++Row)
      fill(E.Begin + Row * E.Stride, E.Begin + Row * E.Stride + E.Bytes);
    eachRow(E, F);
  }
  // The same for existing entries only.
  template <typename Function> void visitKnown(const Extent &E, Function F) {
    if (E.Bytes == 0)
      return;
    if (Fragment *Whole = exact(E))
      return F(E, *Whole);
    dissolve(E, E.Rows == 1);
    splitRows(E);
    eachRow(E, F);
    if (E.Rows == 1)
      tilesFrom(E.Begin, E.end(), F);
  }
  // The same for what a replica on node N stands for: tiles that have nothing to do with N are left out and left whole,
  // though they lie there; any other is inside.
  template <typename Function> void visitOn(MemoryNode N, const Extent &E, Function F) {
    if (Fragment *Whole = E.Rows > 1 ? exact(E) : nullptr)
      return F(E, *Whole);
    splitRows(E);
    eachRow(E, F);
    tilesFrom(E.Begin, E.end(), [&](const Extent &At, Fragment &T) {
      bool Here = E.Rows == 1 || E.touches(At.Begin, At.Begin + 1); // Or it is in a replica between these rows.
      if (Here && (T.validOn(N) || T.Copies[N].Written.Ev || !T.Copies[N].Read.empty()))
        F(At, T);
    });
  }
  // Settles the fragments of E and drops those in their default state; now and then joins equal neighbours everywhere,
  // so that the map stays as small as the number of different states asks: or, where sections recur and what is joined
  // is parted again, somewhat larger.
  void tidy(const Extent &E);
  void compact();
  size_t size() const { return Fragments.size() + Tiles.size(); }
  // How much of E, at most, has a valid copy on N: of a tile that is not kept whole, what lies between its rows counts.
  uint64_t validBytes(const Extent &E, MemoryNode N) const;
  // Adds to From[N], for each node, how much of E is not valid on To and would come from N: from the host where that
  // has it. A part of a tile that is kept whole counts as the host's.
  void addMissing(const Extent &E, MemoryNode To, std::span<uint64_t> From) const;

private:
  struct Tile {
    Extent At;
    Fragment State;
  };
  template <typename Function> void each(uintptr_t Lo, uintptr_t Hi, Function F) {
    for (auto It = Fragments.lower_bound(Lo); It != Fragments.end() && It->first < Hi; ++It)
      F(Extent{It->first, It->second.End - It->first}, It->second);
  }
  template <typename Function> void eachRow(const Extent &E, Function F) {
    for (uint64_t Row = 0; Row < E.Rows; ++Row)
      each(E.Begin + Row * E.Stride, E.Begin + Row * E.Stride + E.Bytes, F);
  }
  void splitRows(const Extent &E) {
    for (uint64_t Row = 0; Row < E.Rows; ++Row) {
      split(E.Begin + Row * E.Stride);
      split(E.Begin + Row * E.Stride + E.Bytes);
    }
  }
  template <typename Function> void tilesFrom(uintptr_t Lo, uintptr_t Hi, Function F) {
    for (auto It = Tiles.lower_bound(Lo); It != Tiles.end() && It->first < Hi; ++It)
      F(It->second.At, It->second.State);
  }
  Fragment *exact(const Extent &E) {
    if (E.Rows > 1) {
      auto It = Tiles.find(E.Begin);
      return It != Tiles.end() && It->second.At == E ? &It->second.State : nullptr;
    }
    Fragment *Known = Found.find(E.Begin);
    if (!Known) {
      auto It = Fragments.find(E.Begin);
      if (It == Fragments.end())
        return nullptr;
      Known = &It->second;
      Found.put(E.Begin, *Known, Fragments.size());
    }
    return Known->End == E.end() ? Known : nullptr;
  }
  std::map<uintptr_t, Fragment>::iterator erase(std::map<uintptr_t, Fragment>::iterator It) {
    Found.drop(It->first);
    return Fragments.erase(It);
  }
  Fragment *makeTile(const Extent &E); // Null where a part of it is known already; then no tile touches E any more.
  // Makes ranges of the tiles that touch E; SpareInside: of those only that reach out of E, which is a range.
  void dissolve(const Extent &E, bool SpareInside);
  void split(uintptr_t At);
  void fill(uintptr_t Lo, uintptr_t Hi);
  // Whether the byte at At has no home. End, behind At, becomes no more than where that changes.
  bool homelessAt(uintptr_t At, uintptr_t &End) const;
  uint64_t homelessIn(uintptr_t Lo, uintptr_t Hi) const; // Bytes.
  // The state of bytes without an entry.
  Fragment fresh(bool IsHomeless, uintptr_t End) const;

  static constexpr size_t FirstCompaction = 1024, LastCompaction = 65536;
  unsigned NumNodes;
  size_t CompactAt = FirstCompaction;
  size_t Joined = 0, Parted = 0;           // Neighbours, by the last compaction, and since then.
  std::map<uintptr_t, Fragment> Fragments; // Ranges.
  std::map<uintptr_t, Tile> Tiles;         // By beginning; of several rows.
  RecentlyFound<Fragment> Found;           // Of Fragments.
  uint64_t LongestTile = 0;                // From the first byte to the last, of all there have been.
  std::map<uintptr_t, uintptr_t> Homeless; // Ranges, by beginning.
};

} // namespace hsched::rt
#endif
