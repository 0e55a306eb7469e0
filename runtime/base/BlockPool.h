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

namespace hsched::rt {

inline constexpr size_t BlockAlign = 64;

// At least Bytes, aligned to BlockAlign. Any thread, also while thread-local objects are destroyed. Throws
// std::bad_alloc.
void *allocateBlock(size_t Bytes);

// Bytes as given to allocateBlock. Any thread.
void freeBlock(void *Block, size_t Bytes) noexcept;

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
