// Ranges of host addresses that have no memory until it is needed there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range is reserved (PROT_NONE, MAP_NORESERVE), so it may be larger than physical memory, and whoever touches it
// without a commit() is stopped at once. It is committed in parts: at most PartsOfRange, so that a process has memory
// mappings left.
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
  ~ReservedMemory(); // Gives all back.
  ReservedMemory(const ReservedMemory &) = delete;
  ReservedMemory &operator=(const ReservedMemory &) = delete;

  // All: any thread.
  // Whole pages with Bytes > 0 bytes. Committed: all of it may be touched from the beginning on.
  status reserve(uint64_t Bytes, bool Committed, uintptr_t &Begin);
  // What of E is in reserved ranges may be touched from here on: its whole parts are committed.
  status commit(const Extent &E);
  // The range that has Address, as it was asked for; null where there is none.
  std::optional<Extent> rangeAt(uintptr_t Address) const;
  bool any() const { return Count.load(std::memory_order_acquire) != 0; }
  // Bytes that have been committed.
  uint64_t committedBytes() const;
  // Gives the range that begins there back to the system. False: there is none.
  bool release(uintptr_t Begin);

private:
  struct Range {
    uint64_t Bytes, Mapped, PartBytes; // As asked for; of whole pages.
    std::vector<bool> Committed;       // Of parts.
  };
  status commitRow(Range &R, uintptr_t Begin, uintptr_t Lo, uintptr_t Hi);

  std::atomic<size_t> Count{0};      // Ranges.
  mutable std::mutex Lock;           // All below; held while pages are mapped, and no other lock is taken meanwhile.
  std::map<uintptr_t, Range> Ranges; // By beginning.
};

} // namespace hsched::rt
#endif
