// A map from host addresses to the states of their copies.
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
#include <utility>
#include <vector>

namespace hsched::rt {

inline constexpr unsigned MaxNodes = 64;
inline constexpr MemoryNode ForeignNode = ~0u; // The node of events that no device can wait for.

constexpr uint64_t nodeBit(MemoryNode N) { return uint64_t(1) << N; }

// An operation, and the node whose device it was given to: only that device may have it on a wait list.
struct Use {
  PromiseRef Ev;
  MemoryNode By = ForeignNode;
  bool operator==(const Use &) const = default;
};

// Operations on one node's copy of a fragment that may be in progress. They stay when the copy becomes invalid, because
// a later write must still follow them.
struct Copy {
  Use Written;           // The last write.
  std::vector<Use> Read; // Reads since that write.
  bool operator==(const Copy &) const = default;
};

// The state of bytes [its key in the map, End), or of a tile.
struct Fragment {
  uintptr_t End = 0;
  uint64_t Valid = nodeBit(HostNode); // Bits of the nodes with a valid copy. A copy is complete once its Written is
                                      // done. 0: none, see Unwritten.
  MemoryNode LostOn = HostNode;       // Node of the last copy.
  status Lost;                        // Reason of its loss; ok while there is a copy.
  uint32_t DeviceReaders = 0;         // Number of tasks that hold it on a device for reading.
  uint32_t Writers = 0;               // Number of tasks that hold it on any node for writing.
  uint32_t Unpublished = 0;           // Number of these writers without a published launch.
  bool Homeless = false;              // Part of a homeless datum: it comes to the host only when the host asks for it.
  bool Unwritten = false;             // No copy is valid, and none is missing: no task has written it.
  std::vector<Copy> Copies;           // By node.

  bool validOn(MemoryNode N) const { return Valid & nodeBit(N); }
  bool lost() const { return !Valid && !Unwritten; }
  void setValid(uint64_t Nodes) { // Not 0.
    Valid = Nodes;
    Unwritten = false;
    LostOn = HostNode;
    Lost = {};
  }
  // Discards the contents: the host's bytes are valid or, without a home, the bytes are unwritten.
  void giveUp() {
    setValid(nodeBit(HostNode));
    if (Homeless) {
      Valid = 0;
      Unwritten = true;
    }
  }
  // Invalidates the copy on node On. If it was the last one, Why is the reason of the loss.
  void invalidate(MemoryNode On, const status &Why) {
    if (!validOn(On))
      return;
    Valid &= ~nodeBit(On);
    if (!Valid) {
      LostOn = On;
      Lost = Why;
    }
  }
  // Forgets operations that are known to have ended. The target of a failed one becomes invalid.
  void settle();
  // True if it needs no entry: unused, and valid on the host alone or, if homeless, unwritten.
  bool isDefault() const;
  bool sameState(const Fragment &O) const;
};

// A fragment is a range, or all rows of a tile. A tile stays whole until an access names a part of it. Fragments are
// disjoint.
class FragmentMap {
public:
  explicit FragmentMap(unsigned NumNodes) : NumNodes(NumNodes) {}

  // [Lo, Hi), of which nothing is known, has no home from here on.
  void addHomeless(uintptr_t Lo, uintptr_t Hi) { Homeless.emplace(Lo, Hi); }
  // [Lo, Hi), added as such, is no data any more: its entries go.
  void removeHomeless(uintptr_t Lo, uintptr_t Hi);
  bool anyHomeless() const { return !Homeless.empty(); }
  // The homeless range around At, as it was added. Empty if there is none.
  Extent homelessWith(uintptr_t At) const;

  // Calls F(const Extent &, Fragment &) for each fragment of E: ranges in order of address, then whole tiles. Bytes
  // without an entry get one. F must not change the map. If memory is exhausted, F is not called at all.
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
  template <typename Function> void visitExisting(const Extent &E, Function F) {
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
  // The same for the extent of a replica on node N. Skips tiles that have no copy on N, although they overlap; they
  // stay whole. Any other tile is inside.
  template <typename Function> void visitOn(MemoryNode N, const Extent &E, Function F) {
    if (Fragment *Whole = E.Rows > 1 ? exact(E) : nullptr)
      return F(E, *Whole);
    splitRows(E);
    eachRow(E, F);
    tilesFrom(E.Begin, E.end(), [&](const Extent &At, Fragment &T) {
      bool Here = E.Rows == 1 || E.touches(At.Begin, At.Begin + 1); // Otherwise it is in a replica between these rows.
      if (Here && (T.validOn(N) || T.Copies[N].Written.Ev || !T.Copies[N].Read.empty()))
        F(At, T);
    });
  }
  // Settles the fragments of E and drops those in their default state. Now and then merges equal neighbours everywhere,
  // so the map's size follows the number of different states. It stays larger if recurring sections would split merged
  // fragments again.
  void tidy(const Extent &E);
  void compact();
  size_t size() const { return Fragments.size() + Tiles.size(); }
  // Upper bound of the bytes of E with a valid copy on N. For a tile that is not kept whole, gaps between its rows
  // count.
  uint64_t validBytes(const Extent &E, MemoryNode N) const;
  // Adds to From[N], for each node, the bytes of E that are not valid on To and would come from N.
  // The host is preferred. A part of a whole tile counts as the host's.
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
    for (uint64_t Row = 0; (Row = nextKnownRow(E, Row)) < E.Rows; ++Row)
      each(E.Begin + Row * E.Stride, E.Begin + Row * E.Stride + E.Bytes, F);
  }
  void splitRows(const Extent &E) {
    for (uint64_t Row = 0; (Row = nextKnownRow(E, Row)) < E.Rows; ++Row) {
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
    Fragment *Cached = Found.find(E.Begin);
    if (!Cached) {
      auto It = Fragments.find(E.Begin);
      if (It == Fragments.end())
        return nullptr;
      Cached = &It->second;
      Found.put(E.Begin, *Cached, Fragments.size());
    }
    return Cached->End == E.end() ? Cached : nullptr;
  }
  std::map<uintptr_t, Fragment>::iterator erase(std::map<uintptr_t, Fragment>::iterator It) {
    Found.drop(It->first);
    return Fragments.erase(It);
  }
  Fragment *makeTile(const Extent &E); // Null if a part of E has an entry; then no tile touches E any more.
  // Replaces the tiles that touch E by ranges. SpareInside: only tiles that extend beyond E, a range.
  void dissolve(const Extent &E, bool SpareInside);
  void split(uintptr_t At);
  void fill(uintptr_t Lo, uintptr_t Hi);
  // True if the byte at At is homeless. Reduces End to the first address behind At where that changes.
  bool homelessAt(uintptr_t At, uintptr_t &End) const;
  uint64_t homelessIn(uintptr_t Lo, uintptr_t Hi) const; // Number of homeless bytes in [Lo, Hi).
  // The first entry of Fragments that ends behind At.
  std::map<uintptr_t, Fragment>::const_iterator endingBehind(uintptr_t At) const;
  // The nodes with a valid copy of the byte at At, and the first address behind it where that may change. The byte is
  // in no tile.
  std::pair<uint64_t, uintptr_t> stateAt(uintptr_t At) const;
  // The first row of E from Row on that may have entries in Fragments; E.Rows if there is none. A tile that is new here
  // has thousands of rows without an entry.
  uint64_t nextKnownRow(const Extent &E, uint64_t Row) const;
  // The state of bytes without an entry.
  Fragment fresh(bool IsHomeless, uintptr_t End) const;

  static constexpr size_t FirstCompaction = 1024, LastCompaction = 65536;
  unsigned NumNodes;
  size_t CompactAt = FirstCompaction;
  size_t Joined = 0, Parted = 0;           // Fragments merged by the last compaction, and split since then.
  std::map<uintptr_t, Fragment> Fragments; // Ranges.
  std::map<uintptr_t, Tile> Tiles;         // Tiles of several rows, by beginning.
  RecentlyFound<Fragment> Found;           // Cache of look-ups in Fragments.
  uint64_t LongestTile = 0;                // Greatest length from first to last byte of any tile so far.
  std::map<uintptr_t, uintptr_t> Homeless; // Ranges, by beginning.
};

} // namespace hsched::rt
#endif
