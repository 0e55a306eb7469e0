// Host memory that a device reads and writes at full speed, because the driver has pinned its pages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range is pinned by a buffer over it, which nobody uses; transfers between any part of it and any other buffer then
// run at the bus's speed. The buffer must not be mapped: NVIDIA's driver then gives it device memory, copies the range
// there and back, and takes with it what other threads write in between, next to what travels. A pinned page stays the
// page that it was: if the program gives memory back to the system and gets other memory at the same address, the
// device would go on with the old one. So what is pinned is either known to stay (memory of hsched_malloc until
// hsched_free), or watched (PageWatch), and unpinned when it has been given back.
//
// What travels is pinned the first time that it does, a granule at a time, so that neighbouring pieces of one object
// share a pinning. Whoever gives a neighbour's pages back (MADV_DONTNEED) is told of before they go: pinned anew in
// between, they would stay. So a granule of which something has been given back once is pinned no further than what
// travels reaches: nobody gives that back meanwhile.
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
#include <vector>

namespace hsched::rt::opencl {

// A pinned range; unpinned with the last reference, which every transfer under way has one of.
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

// Whether what travels is pinned.
enum class PinLazily : uint8_t {
  Never,
  Watched, // Where the system tells what is given back.
  Always,  // The program gives nothing back.
};

// Any thread.
class PinnedRanges final : PageWatch::Listener {
public:
  // Of what travels, MostBytes at most are pinned.
  PinnedRanges(cl::Context Context, PinLazily Lazily, uint64_t MostBytes);
  ~PinnedRanges();
  PinnedRanges(const PinnedRanges &) = delete;
  PinnedRanges &operator=(const PinnedRanges &) = delete;

  status add(void *Memory, size_t Bytes); // Whole pages.
  void remove(void *Memory);

  // The pinned ranges that have all of Memory between them, in order, pinned first where that is to be done; none where
  // a part of it is not pinned.
  std::vector<PinRef> find(const void *Memory, size_t Bytes);

  // Ranges that are pinned now, and their bytes. For tests.
  size_t count() const;
  uint64_t bytes() const;

private:
  static constexpr uintptr_t Granule = 32 << 20;      // Large beside a page, small beside a matrix.
  static constexpr uint64_t SmallestLazy = 256 << 10; // Staging serves less as well.
  struct Entry {
    PinRef P;
    bool Lazy;
    uint64_t LastUse;
  };
  using Entries = std::map<uintptr_t, Entry>; // By beginning; they do not overlap.

  using Unpinned = std::vector<PinRef>; // To be destroyed without the lock: the driver takes its time.

  bool pagesChanged() override;
  // Drops what has been given back; false: something is being given back this moment, so nothing is certain.
  bool heed(Unpinned &Out);
  void noteRestless(const PageWatch::Range &G);
  bool restless(uintptr_t Place) const;
  PinRef containing(uintptr_t Address, bool Certain);
  PinRef pinAround(uintptr_t Address, uintptr_t Wanted, Unpinned &Out);
  Entries::iterator drop(Entries::iterator It, Unpinned &Out);

  const cl::Context Context;
  PinLazily Lazily;
  const uint64_t MostBytes;         // Of lazy ones together.
  std::shared_ptr<PageWatch> Watch; // Null: nothing is known of what is given back.
  mutable std::mutex Lock;          // All below.
  PageWatch::Cursor Read;
  Entries Ranges;
  uint64_t LazyBytes = 0, Uses = 0;
  static constexpr size_t MostRestless = 1 << 16;
  static constexpr uint64_t UsesBetweenTries = 1000;
  std::set<uintptr_t> Restless;                    // Granules of which something has been given back.
  std::unordered_map<uintptr_t, uint64_t> Refused; // Granules that could not be pinned, and Uses then.
};

} // namespace hsched::rt::opencl
#endif
