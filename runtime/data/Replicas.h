// Blocks of one device's memory, each standing for a range of host addresses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not thread-safe: the directory's lock protects all but the destructor of a Replica.
#ifndef HSCHED_DATA_REPLICAS_H
#define HSCHED_DATA_REPLICAS_H

#include "device/Device.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace hsched::rt {

// A host address and its place on a device are congruent modulo this many bytes, whatever section a block begins with:
// types keep the alignment that they have on the host.
inline constexpr uintptr_t PlacementAlignment = 128;

// The host address that the first byte of a block for [Begin, ...) stands for. What lies before Begin is padding, which
// is never transferred.
constexpr uintptr_t baseOf(uintptr_t Begin) { return Begin & ~(PlacementAlignment - 1); }

struct Replica;
using ReplicaRef = std::shared_ptr<Replica>;

// Owned by its set while it lives there, and by the tasks that hold it: a block that was merged into a larger one stays
// until the last task that works in it is over.
struct Replica {
  Replica(uintptr_t Begin, uintptr_t End, BufferRef Mem, std::shared_ptr<std::atomic<uint64_t>> Used)
      : Begin(Begin), End(End), Mem(std::move(Mem)), Used(std::move(Used)) {
    *this->Used += bytes();
  }
  ~Replica() { *Used -= bytes(); }

  uintptr_t base() const { return baseOf(Begin); }
  uint64_t bytes() const { return End - base(); } // of Mem

  const uintptr_t Begin, End; // host addresses
  const BufferRef Mem;
  uint32_t Pins = 0;     // tasks that hold it, those that hold a block merged into it included
  uint64_t LastUse = 0;  // the set's tick when a task was last given it
  uint64_t Serial = 0;   // order of creation
  unsigned Merges = 0;   // how often it has grown
  ReplicaRef MergedInto; // set when it left the set by growing

private:
  const std::shared_ptr<std::atomic<uint64_t>> Used;
};

// The block that holds now what R held.
inline ReplicaRef liveOf(ReplicaRef R) {
  while (R->MergedInto)
    R = R->MergedInto;
  return R;
}

// The replicas of one node, which never overlap.
class ReplicaSet {
public:
  // The one that covers all of [Lo, Hi); null when there is none.
  ReplicaRef covering(uintptr_t Lo, uintptr_t Hi) const;
  // Those that have a byte in [Lo, Hi), in order of address.
  std::vector<ReplicaRef> overlapping(uintptr_t Lo, uintptr_t Hi) const;
  std::vector<ReplicaRef> all() const { return overlapping(0, UINTPTR_MAX); }
  // [Lo, Hi) extended to at most Want bytes beyond its end (Up) or before its beginning, as far as neighbours let it.
  void extend(uintptr_t &Lo, uintptr_t &Hi, uint64_t Want, bool Up) const;
  void insert(ReplicaRef R) { ByBegin.emplace(R->Begin, std::move(R)); }
  void erase(const Replica &R) { ByBegin.erase(R.Begin); }
  size_t size() const { return ByBegin.size(); }

  // Bytes of all its blocks, merged ones that tasks still hold included.
  const std::shared_ptr<std::atomic<uint64_t>> Used = std::make_shared<std::atomic<uint64_t>>(0);

private:
  std::map<uintptr_t, ReplicaRef> ByBegin;
};

} // namespace hsched::rt
#endif
