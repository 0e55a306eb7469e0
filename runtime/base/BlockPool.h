// Memory blocks for tasks and graph nodes: allocated by one thread, freed by another, many millions a second.
//
// Each thread keeps short free lists by size; surplus goes back in batches through a shared pool, so that a thread that
// only allocates and one that only frees feed each other and memory stays at the high-water mark. Memory is kept for
// reuse until the process ends. Under AddressSanitizer every block is an allocation of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_BLOCKPOOL_H
#define HSCHED_BASE_BLOCKPOOL_H

#include <cstddef>
#include <new>

namespace hsched::rt {

inline constexpr size_t BlockAlign = 32;

// To: a power of two.
constexpr size_t roundUp(size_t N, size_t To) { return (N + To - 1) & ~(To - 1); }

namespace detail {

#if defined(__SANITIZE_ADDRESS__)
#define HSCHED_PLAIN_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HSCHED_PLAIN_BLOCKS 1
#endif
#endif
#ifdef HSCHED_PLAIN_BLOCKS
inline constexpr bool PlainBlocks = true;
#else
inline constexpr bool PlainBlocks = false;
#endif

inline constexpr size_t LargestPooled = 2048;
inline constexpr size_t NumBlockClasses = LargestPooled / BlockAlign;
inline constexpr unsigned BatchBlocks = 64;
constexpr size_t blockClassOf(size_t Bytes) { return Bytes == 0 ? 0 : (Bytes - 1) / BlockAlign; }

struct FreeBlock {
  FreeBlock *Next;
};
// A thread's lists. Two of them, so that a thread at the edge of a batch does not go to the shared pool each time.
struct LocalBlocks {
  FreeBlock *Head = nullptr, *Spare = nullptr; // Spare: a full batch or nothing.
  unsigned Count = 0;
};
struct BlockCache {
  LocalBlocks Lists[NumBlockClasses];
  enum : unsigned char { Unused, Open, Closed } State = Unused;
};
// Not the cache itself: a library that is loaded late has little room for thread-local objects. Until a thread has one,
// a cache that all threads read and nobody writes: it has no blocks.
extern BlockCache NoBlocks;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local BlockCache *OwnBlocks;

void *allocateSlowly(size_t Bytes);
void freeSlowly(void *Block, size_t Bytes) noexcept;

} // namespace detail

// At least Bytes, aligned to BlockAlign. Any thread, also while thread-local objects are destroyed. Throws
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

// Bytes as given to allocateBlock. Any thread.
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

// What has been taken from the system for blocks that are pooled. Any thread. For tests: 0 under AddressSanitizer.
size_t pooledBytes();

// For standard containers of single nodes.
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
