// Replicas: blocks of one device's memory, each for a range of host addresses or for a packed
// tile.
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

// A host address and its place on a device are congruent modulo this many bytes. So types keep their host alignment,
// whatever section a block begins with.
inline constexpr uintptr_t PlacementAlignment = 128;

// The host address of the first byte of a block for [Begin, ...). Bytes before Begin are padding, never
// transferred.
constexpr uintptr_t baseOf(uintptr_t Begin) { return Begin & ~(PlacementAlignment - 1); }

// Bytes of a block for At.
constexpr uint64_t blockBytes(const Extent &At) {
  return At.Rows > 1 ? At.Rows * At.Bytes : At.Begin + At.Bytes - baseOf(At.Begin);
}

// A reference to Mem that counts its bytes in OutstandingBytes until the last reference is gone and the driver has the
// memory back.
BufferRef counted(BufferRef Mem, std::shared_ptr<std::atomic<uint64_t>> OutstandingBytes);

struct Replica;
using ReplicaRef = std::shared_ptr<Replica>;

// Owned by its set and by the tasks that hold it. A block that was merged into a larger one stays until the last task
// that works in it is over.
struct Replica {
  Replica(const Extent &At, BufferRef Mem, std::shared_ptr<std::atomic<uint64_t>> Used)
      : At(At), Mem(std::move(Mem)), Used(std::move(Used)) {
    *this->Used += bytes();
  }
  ~Replica() { uncountBytes(); }

  // Call before it is freed: its bytes are no longer counted.
  void uncountBytes() {
    if (std::exchange(Counted, false))
      *Used -= bytes();
  }

  bool packed() const { return At.Rows > 1; }
  uint64_t bytes() const { return blockBytes(At); } // Size of Mem.
  // True if it contains E with rows at equal distances in Mem.
  bool covers(const Extent &E) const { return compactStride(At, E).has_value(); }
  // Offset in Mem of the byte at a host address inside At.
  uint64_t offsetOf(uintptr_t Address) const {
    uint64_t Distance = Address - At.Begin;
    return packed() ? Distance / At.Stride * At.Bytes + Distance % At.Stride : Address - baseOf(At.Begin);
  }
  // Distance of E's rows in Mem. It covers E.
  uint64_t strideOf(const Extent &E) const { return compactStride(At, E).value_or(0); }

  const Extent At; // Its extent in host memory.
  const BufferRef Mem;
  uint32_t Pins = 0;       // Number of tasks that hold it, or a block merged into it.
  uint64_t LastUse = 0;    // The set's tick at its last use by a task.
  uint64_t LastSurvey = 0; // The tick of the last survey that named it.
  uint64_t Serial = 0;     // Order of creation.
  unsigned Merges = 0;     // Number of times it has grown.
  unsigned Behind = 0;     // Number of successive replicas before it, each at the end of the one before.
  uint64_t Step = 0;       // For Behind: distance of their beginnings.
  ReplicaRef MergedInto;   // Set when it left the set by growing.

private:
  const std::shared_ptr<std::atomic<uint64_t>> Used;
  bool Counted = true;
};

// The present block of the data that R held.
inline ReplicaRef liveOf(ReplicaRef R) {
  while (R->MergedInto)
    R = R->MergedInto;
  return R;
}

// The replicas of one node. They are disjoint, but some may lie between the rows of others.
class ReplicaSet {
public:
  // The replica that covers E, or null. Valid until the set changes.
  const ReplicaRef &covering(const Extent &E) const;
  // The replicas that overlap E: ranges in order of address, then packed ones.
  std::vector<ReplicaRef> overlapping(const Extent &E) const;
  std::vector<ReplicaRef> all() const;
  // The range that ends at Address, or less than PlacementAlignment before; or null. Validity as for covering().
  const ReplicaRef &endingAt(uintptr_t Address) const;
  // [Lo, Hi) extended to at most MaxBytes bytes beyond its end (Up) or before its beginning, as far as neighbours let
  // it.
  void extend(uintptr_t &Lo, uintptr_t &Hi, uint64_t MaxBytes, bool Up) const;
  void insert(ReplicaRef R);
  void erase(const Replica &R) {
    Latest = nullptr;
    if (!R.packed())
      Found.drop(R.At.Begin);
    (R.packed() ? Packed : Ranges).erase(R.At.Begin);
  }
  size_t size() const { return Ranges.size() + Packed.size(); }

  uint64_t Surveyed = 0; // The directory's tick at the last survey of this node.

  // Bytes of all its blocks, including merged ones that tasks still hold.
  const std::shared_ptr<std::atomic<uint64_t>> Used = std::make_shared<std::atomic<uint64_t>>(0);
  // Bytes that the driver has given and not got back. More than Used: other threads still refer to dropped blocks.
  const std::shared_ptr<std::atomic<uint64_t>> OutstandingBytes = std::make_shared<std::atomic<uint64_t>>(0);

private:
  // Calls F(replica) for packed ones whose hull overlaps [Lo, Hi), until it returns false.
  template <class Function> void packedIn(uintptr_t Lo, uintptr_t Hi, Function F) const {
    auto It = Packed.lower_bound(Lo - std::min<uint64_t>(Lo, LongestPacked));
    for (; It != Packed.end() && It->first < Hi && F(It->second); ++It)
      ;
  }

  std::map<uintptr_t, ReplicaRef> Ranges, Packed; // By beginning.
  uint64_t LongestPacked = 0;                     // Greatest length of a packed one's hull so far.
  mutable const ReplicaRef *Latest = nullptr;     // The last range that covering() found.
  mutable RecentlyFound<const ReplicaRef> Found;  // Ranges, by beginning.
};

} // namespace hsched::rt
#endif
