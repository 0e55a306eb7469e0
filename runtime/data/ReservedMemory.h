// Reserved ranges of host addresses, committed on demand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range is reserved (PROT_NONE, MAP_NORESERVE). So it may exceed physical memory, and an access before
// commit() faults. It is committed in at most PartsOfRange parts, to limit the process's memory
// mappings.
#ifndef HSCHED_DATA_RESERVEDMEMORY_H
#define HSCHED_DATA_RESERVEDMEMORY_H

#include "data/Extent.h"
#include <hsched/status.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace hsched::rt {

class ReservedMemory {
public:
  static constexpr uint64_t PartsOfRange = 1024;

  ReservedMemory() = default;
  ~ReservedMemory(); // Releases all ranges.
  ReservedMemory(const ReservedMemory &) = delete;
  ReservedMemory &operator=(const ReservedMemory &) = delete;

  // All functions: any thread. Reserves whole pages for Bytes > 0 bytes. Committed: all of it is committed at
  // once.
  status reserve(uint64_t Bytes, bool Committed, uintptr_t &Begin);
  // Commits the parts of reserved ranges that E touches. They may be accessed from now on.
  status commit(const Extent &E);
  // The range around Address, with the requested size. Null if there is none.
  std::optional<Extent> rangeAt(uintptr_t Address) const;
  bool any() const { return Count.load(std::memory_order_acquire) != 0; }
  // Number of committed bytes.
  uint64_t committedBytes() const;
  // Releases the range that begins there. False: there is none.
  bool release(uintptr_t Begin);

private:
  struct Range {
    uint64_t Bytes, Mapped, PartBytes; // Requested size; size in whole pages; size of a part.
    std::vector<bool> Committed;       // By part.
  };
  status commitRow(Range &R, uintptr_t Begin, uintptr_t Lo, uintptr_t Hi);

  std::atomic<size_t> Count{0};      // Number of ranges.
  mutable std::mutex Lock;           // Guards all below. Held while pages are mapped; no other lock is taken under it.
  std::map<uintptr_t, Range> Ranges; // By beginning.
};

} // namespace hsched::rt
#endif
