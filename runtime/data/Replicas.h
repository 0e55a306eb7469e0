// Blocks of one device's memory, each standing for a range of host addresses, or, packed, for a tile: then its rows lie
// one behind the other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not thread-safe: the directory's lock protects all but the destructor of a Replica.
#ifndef HSCHED_DATA_REPLICAS_H
#define HSCHED_DATA_REPLICAS_H

#include "data/Extent.h"
#include "data/RecentlyFound.h"
#include "device/Device.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace hsched::rt {

// A host address and its place on a device are congruent modulo this many bytes, whatever section a block begins with:
// types keep the alignment that they have on the host.
inline constexpr uintptr_t PlacementAlignment = 128;

// The host address that the first byte of a block for [Begin, ...) stands for. What lies before Begin is padding, which
// is never transferred.
constexpr uintptr_t baseOf(uintptr_t Begin) { return Begin & ~(PlacementAlignment - 1); }

// What a block that stands for At takes.
constexpr uint64_t blockBytes(const Extent &At) {
  return At.Rows > 1 ? At.Rows * At.Bytes : At.Begin + At.Bytes - baseOf(At.Begin);
}

struct Replica;
using ReplicaRef = std::shared_ptr<Replica>;

// Owned by its set while it lives there, and by the tasks that hold it: a block that was merged into a larger one stays
// until the last task that works in it is over.
struct Replica {
  Replica(const Extent &At, BufferRef Mem, std::shared_ptr<std::atomic<uint64_t>> Used)
      : At(At), Mem(std::move(Mem)), Used(std::move(Used)) {
    *this->Used += bytes();
  }
  ~Replica() { leaveBooks(); }

  // It is about to be freed: its bytes do not count any more.
  void leaveBooks() {
    if (std::exchange(Counted, false))
      *Used -= bytes();
  }

  bool packed() const { return At.Rows > 1; }
  uint64_t bytes() const { return blockBytes(At); } // Of Mem.
  // Whether all of E is in it, rows at equal distances in Mem.
  bool covers(const Extent &E) const { return compactStride(At, E).has_value(); }
  // Where the byte at a host address, which it stands for, is in Mem.
  uint64_t offsetOf(uintptr_t Address) const {
    uint64_t Distance = Address - At.Begin;
    return packed() ? Distance / At.Stride * At.Bytes + Distance % At.Stride : Address - baseOf(At.Begin);
  }
  // How far apart E's rows are in Mem; it covers E.
  uint64_t strideOf(const Extent &E) const { return compactStride(At, E).value_or(0); }

  const Extent At; // In host memory.
  const BufferRef Mem;
  uint32_t Pins = 0;     // Tasks that hold it, those that hold a block merged into it included.
  uint64_t LastUse = 0;  // The set's tick when a task was last given it.
  uint64_t Wanted = 0;   // The tick of the last survey that named it.
  uint64_t Serial = 0;   // Order of creation.
  unsigned Merges = 0;   // How often it has grown.
  unsigned Behind = 0;   // How many were made in a row before it, each where the one before it ended.
  uint64_t Step = 0;     // Behind: how far apart what they were made for begins.
  ReplicaRef MergedInto; // Set when it left the set by growing.

private:
  const std::shared_ptr<std::atomic<uint64_t>> Used;
  bool Counted = true;
};

// The block that holds now what R held.
inline ReplicaRef liveOf(ReplicaRef R) {
  while (R->MergedInto)
    R = R->MergedInto;
  return R;
}

// The replicas of one node. No byte is in two of them, but some may lie between the rows of others.
class ReplicaSet {
public:
  // The one that covers all of E; null when there is none. Valid as long as the set does not change.
  const ReplicaRef &covering(const Extent &E) const;
  // Those that have a byte of E, in order of address; ranges, then packed ones.
  std::vector<ReplicaRef> overlapping(const Extent &E) const;
  std::vector<ReplicaRef> all() const;
  // The range that ends at Address, or less than PlacementAlignment before; null when there is none. As for covering().
  const ReplicaRef &endingAt(uintptr_t Address) const;
  // [Lo, Hi) extended to at most Want bytes beyond its end (Up) or before its beginning, as far as neighbours let it.
  void extend(uintptr_t &Lo, uintptr_t &Hi, uint64_t Want, bool Up) const;
  void insert(ReplicaRef R);
  void erase(const Replica &R) {
    Latest = nullptr;
    if (!R.packed())
      Found.drop(R.At.Begin);
    (R.packed() ? Packed : Ranges).erase(R.At.Begin);
  }
  size_t size() const { return Ranges.size() + Packed.size(); }

  uint64_t Surveyed = 0; // The directory's tick when it was last asked what is wanted here.

  // Bytes of all its blocks, merged ones that tasks still hold included.
  const std::shared_ptr<std::atomic<uint64_t>> Used = std::make_shared<std::atomic<uint64_t>>(0);

private:
  // Calls F(replica) for packed ones whose first to last byte overlap [Lo, Hi), until it returns false.
  template <class Function> void packedIn(uintptr_t Lo, uintptr_t Hi, Function F) const {
    auto It = Packed.lower_bound(Lo - std::min<uint64_t>(Lo, LongestPacked));
    for (; It != Packed.end() && It->first < Hi && F(It->second); ++It)
      ;
  }

  std::map<uintptr_t, ReplicaRef> Ranges, Packed; // By beginning.
  uint64_t LongestPacked = 0;                     // From the first byte to the last, of all there have been.
  mutable const ReplicaRef *Latest = nullptr;     // The range that covering() found last.
  mutable RecentlyFound<const ReplicaRef> Found;  // Ranges, by beginning.
};

} // namespace hsched::rt
#endif
