// Pinned host memory, which a device reads and writes at full speed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range is pinned by an otherwise unused buffer over it; transfers between the range and other buffers then run at
// full bus speed. The buffer must not be mapped: NVIDIA's driver would give it device memory and copy the range there
// and back, which overwrites concurrent writes of other threads. A pinned page stays the same physical
// page. If the program returns memory to the system and gets new memory at the same address, the device would use the
// old page. So pinned memory is either known to stay (hsched_malloc until hsched_free) or watched (PageWatch) and
// unpinned when it is returned.
//
// Transferred memory is pinned at its first transfer, a granule at a time, so neighbouring pieces of one object share a
// pinning. Rows of a larger array have a larger window: a driver takes rows in one command only if all lie in one
// pinned range. A return of neighbouring pages (MADV_DONTNEED) is reported before it happens; pinned again in between,
// they would stay. So once part of a granule has been returned, only the transferred range is pinned there: no thread
// returns that during the transfer.
#ifndef HSCHED_BACKENDS_OPENCL_PINNEDRANGES_H
#define HSCHED_BACKENDS_OPENCL_PINNEDRANGES_H

#include "backends/opencl/ClHeader.h"
#include "backends/opencl/PageWatch.h"
#include <hsched/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hsched::rt::opencl {

// A pinned range, unpinned with the last reference. Every transfer in progress holds one.
class Pin {
public:
  // Null where the driver refuses, with the reason in Code.
  static std::shared_ptr<Pin> make(const cl::Context &Context, uintptr_t Begin, uintptr_t End, cl_int &Code);
  const uintptr_t Begin, End;

private:
  Pin(uintptr_t Begin, uintptr_t End) : Begin(Begin), End(End) {}
  cl::Buffer Memory;
};
using PinRef = std::shared_ptr<Pin>;

// Policy of pinning transferred memory.
enum class PinLazily : uint8_t {
  Never,
  Watched, // Only if the system reports returned memory.
  Always,  // The program returns no memory.
};

// What is transferred. Rows of a larger array go in one command if they lie in one pinned range.
enum class PinExtent : uint8_t { Bytes, Rows };

// Any thread.
class PinnedRanges final : PageWatch::Listener {
public:
  // MostBytes: limit of lazily pinned bytes.
  PinnedRanges(cl::Context Context, PinLazily Lazily, uint64_t MostBytes);
  ~PinnedRanges();
  PinnedRanges(const PinnedRanges &) = delete;
  PinnedRanges &operator=(const PinnedRanges &) = delete;

  status add(void *Memory, size_t Bytes); // Whole pages.
  void remove(void *Memory);

  // The pinned ranges that cover Memory, in order, pinned now if the policy allows it. Empty if a part is not
  // pinned. For rows, Bytes includes what lies between them.
  std::vector<PinRef> find(const void *Memory, size_t Bytes, PinExtent Of = PinExtent::Bytes);

  // Number of pinned ranges, and their bytes. For tests.
  size_t count() const;
  uint64_t bytes() const;

private:
  static constexpr uintptr_t Granule = 32 << 20; // Large compared with a page, small compared with a matrix.
  static constexpr uintptr_t RowsInWindow = 8, LargestWindow = 1 << 30; // Rows: this many times their extent at once.
  static constexpr uint64_t SmallestLazy = 256 << 10; // Smaller transfers are as fast through staging.
  struct Entry {
    PinRef P;
    bool Lazy;
    uint64_t LastUse;
  };
  using Entries = std::map<uintptr_t, Entry>; // By beginning; disjoint.

  using Unpinned = std::vector<PinRef>; // Destroyed without the lock, because the driver is slow.

  bool pagesChanged() override;
  // Drops returned ranges. False: a return is in progress, so no range is certain.
  bool dropReturned(Unpinned &Out);
  void notePartlyReturned(const PageWatch::Range &G);
  bool isPartlyReturned(uintptr_t Place) const;
  PinRef containing(uintptr_t Address, bool Certain);
  using AddressRange = std::pair<uintptr_t, uintptr_t>; // Begin and end.
  PinRef pinAround(uintptr_t Address, uintptr_t NeededEnd, uintptr_t Window, Unpinned &Out);
  // The window around Address, as far as it is mapped and not pinned. Null if all of it cannot be pinned at once.
  PinRef pinWindow(uintptr_t Address, uintptr_t NeededEnd, uintptr_t Window, AddressRange Mapped, Unpinned &Out);
  PinRef pinGranule(uintptr_t Address, uintptr_t NeededEnd, AddressRange Mapped, Unpinned &Out);
  // The part of Mapped that lies in the window around Address and is not pinned; empty: Address is not in Mapped.
  AddressRange freeAround(uintptr_t Address, uintptr_t Window, AddressRange Mapped) const;
  // Begin to End, which is watched, or which the program does not return.
  PinRef makeLazily(uintptr_t Begin, uintptr_t End, Unpinned &Out);
  Entries::iterator drop(Entries::iterator It, Unpinned &Out);

  const cl::Context Context;
  PinLazily Lazily;
  const uint64_t MostBytes;         // Limit of all lazily pinned ranges.
  std::shared_ptr<PageWatch> Watch; // Null: returned memory is not reported.
  mutable std::mutex Lock;          // Guards all below.
  PageWatch::Cursor Read;
  Entries Ranges;
  uint64_t LazyBytes = 0, Uses = 0;
  static constexpr size_t MostPartlyReturned = 1 << 16;
  static constexpr uint64_t UsesBetweenTries = 1000;
  std::set<uintptr_t> PartlyReturned;              // Granules of which a part has been returned.
  std::unordered_map<uintptr_t, uint64_t> Refused; // Granules that could not be pinned, with Uses at that time.
};

} // namespace hsched::rt::opencl
#endif
