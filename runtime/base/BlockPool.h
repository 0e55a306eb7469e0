// Memory blocks for tasks and graph nodes: one thread allocates, another frees, many millions per second.
//
// Each thread keeps short free lists by size. Surplus blocks move in batches through a shared pool. So threads that
// only allocate reuse the blocks of threads that only free, and memory stays at the high-water mark. Memory is kept for
// reuse until the process ends. Under AddressSanitizer every block is an allocation of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_BLOCKPOOL_H
#define HSCHED_BASE_BLOCKPOOL_H

#include "base/Sanitizers.h"

#include <cstddef>
#include <new>

namespace hsched::rt {

inline constexpr size_t BlockAlign = 32;

// To: a power of two.
constexpr size_t roundUp(size_t N, size_t To) { return (N + To - 1) & ~(To - 1); }

namespace detail {

inline constexpr bool PlainBlocks = HSCHED_ASAN;

inline constexpr size_t LargestPooled = 2048;
inline constexpr size_t NumBlockClasses = LargestPooled / BlockAlign;
inline constexpr unsigned BatchBlocks = 64;
constexpr size_t blockClassOf(size_t Bytes) { return Bytes == 0 ? 0 : (Bytes - 1) / BlockAlign; }

struct FreeBlock {
  FreeBlock *Next;
};
// A thread's lists. Two lists, so that a thread at a batch's boundary does not use the shared pool each time.
struct LocalBlocks {
  FreeBlock *Head = nullptr, *Spare = nullptr; // Spare: a full batch, or null.
  unsigned Count = 0;
};
struct BlockCache {
  LocalBlocks Lists[NumBlockClasses];
  enum : unsigned char { Unused, Open, Closed } State = Unused;
};
// A pointer, because a library that is loaded late has little thread-local storage. Until a thread has its own cache,
// it points to an empty one that all threads read and none writes.
extern BlockCache NoBlocks;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local BlockCache *OwnBlocks;

void *allocateSlowly(size_t Bytes);
void freeSlowly(void *Block, size_t Bytes) noexcept;

} // namespace detail

// Allocates at least Bytes, aligned to BlockAlign. Any thread, also while thread-local objects are destroyed. Throws
// std::bad_alloc.
inline void *allocateBlock(size_t Bytes) {
  if (!detail::PlainBlocks && Bytes <= detail::LargestPooled) [[likely]] {
    detail::LocalBlocks &L = detail::OwnBlocks->Lists[detail::blockClassOf(Bytes)];
    if (detail::FreeBlock *Block = L.Head) [[likely]] {
      L.Head = Block->Next;
      --L.Count;
      return Block;
    }
  }
  return detail::allocateSlowly(Bytes);
}

// Frees a block. Bytes as given to allocateBlock. Any thread.
inline void freeBlock(void *Block, size_t Bytes) noexcept {
  if (!detail::PlainBlocks && Bytes <= detail::LargestPooled && Block) [[likely]] {
    detail::LocalBlocks &L = detail::OwnBlocks->Lists[detail::blockClassOf(Bytes)];
    if (L.Head && L.Count < detail::BatchBlocks) [[likely]] { // A thread with blocks has an open cache.
      L.Head = new (Block) detail::FreeBlock{L.Head};
      ++L.Count;
      return;
    }
  }
  detail::freeSlowly(Block, Bytes);
}

// Bytes taken from the system for pooled blocks. Any thread. For tests: 0 under AddressSanitizer.
size_t pooledBytes();

// An allocator for node-based standard containers.
template <class T> struct BlockAllocator {
  using value_type = T;
  BlockAllocator() = default;
  template <class U> BlockAllocator(const BlockAllocator<U> &) {}
  T *allocate(size_t N) { return static_cast<T *>(allocateBlock(N * sizeof(T))); }
  void deallocate(T *P, size_t N) noexcept { freeBlock(P, N * sizeof(T)); }
  template <class U> bool operator==(const BlockAllocator<U> &) const { return true; }
};

} // namespace hsched::rt
#endif
