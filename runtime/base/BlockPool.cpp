// Size classes, per-thread lists, shared batches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/BlockPool.h"
#include "base/Fork.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace hsched::rt {

constinit detail::BlockCache detail::NoBlocks;
constinit thread_local detail::BlockCache *detail::OwnBlocks = &detail::NoBlocks;

namespace {

using namespace detail;

constexpr size_t CacheLine = 64; // Alignment of slabs: blocks of a multiple of it do not share cache lines.

void *allocatePlain(size_t Bytes) { return ::operator new(Bytes, std::align_val_t(CacheLine)); }
void freePlain(void *Block) noexcept { ::operator delete(Block, std::align_val_t(CacheLine)); }

#if !HSCHED_ASAN

constexpr size_t SlabBytes = 64 * 1024;
constexpr size_t FreshBlocks = 16; // Blocks of a batch that was never used.

constexpr size_t bytesOf(size_t Class) { return (Class + 1) * BlockAlign; }

// State shared by all threads. Never destroyed: threads may end after the library's statics.
struct Shared {
  struct PerClass {
    std::mutex Lock;
    FreeBlock *Batches = nullptr;               // Lists of at most BatchBlocks blocks; linked by nextBatch.
    char *Fresh = nullptr, *FreshEnd = nullptr; // The unused rest of the newest slab.
  } Classes[NumBlockClasses];
  std::mutex SlabLock;
  std::vector<void *> Slabs; // Keeps them reachable.
};

Shared &shared() {
  static auto *S = new Shared;
  return *S;
}

// In a batch's first block, behind its own link, so returning memory allocates nothing.
static_assert(BlockAlign >= sizeof(FreeBlock) + sizeof(FreeBlock *));
FreeBlock *&nextBatch(FreeBlock *Batch) { return *reinterpret_cast<FreeBlock **>(Batch + 1); }

void giveBatch(size_t Class, FreeBlock *Batch) noexcept {
  auto &C = shared().Classes[Class];
  std::lock_guard Guard(C.Lock);
  new (&nextBatch(Batch)) FreeBlock *(C.Batches);
  C.Batches = Batch;
}

constinit BlockCache ClosedBlocks{{}, BlockCache::Closed}; // For threads that have ended; like NoBlocks.

// Returns a thread's blocks at its end. From then on the thread uses the shared pool.
struct CacheCloser {
  BlockCache *Cache = nullptr;
  ~CacheCloser() {
    OwnBlocks = &ClosedBlocks;
    if (inForkedChild()) // Another thread may have held the pool's locks at the fork.
      return;
    for (size_t Class = 0; Cache && Class < NumBlockClasses; ++Class) {
      LocalBlocks &L = Cache->Lists[Class];
      if (L.Head)
        giveBatch(Class, L.Head);
      if (L.Spare)
        giveBatch(Class, L.Spare);
    }
    delete Cache;
  }
};

// False: memory for a cache is exhausted.
[[gnu::noinline]] bool openCache() {
  static thread_local CacheCloser Closer;
  Closer.Cache = new (std::nothrow) BlockCache{{}, BlockCache::Open};
  if (Closer.Cache)
    OwnBlocks = Closer.Cache;
  return Closer.Cache != nullptr;
}

// Makes a slab the unused memory of C, whose lock is held.
void addSlab(Shared::PerClass &C) {
  auto *Slab = static_cast<char *>(allocatePlain(SlabBytes));
  std::lock_guard Guard(shared().SlabLock);
  try {
    shared().Slabs.push_back(Slab);
  } catch (...) {
    freePlain(Slab);
    throw;
  }
  C.Fresh = Slab;
  C.FreshEnd = Slab + SlabBytes;
}

FreeBlock *takeBatch(size_t Class) {
  auto &C = shared().Classes[Class];
  const size_t Bytes = bytesOf(Class);
  std::lock_guard Guard(C.Lock);
  if (FreeBlock *Batch = C.Batches) {
    C.Batches = nextBatch(Batch);
    return Batch;
  }
  if (static_cast<size_t>(C.FreshEnd - C.Fresh) < Bytes)
    addSlab(C);
  // Memory that no block of the batch lies in stays untouched: the system would have to supply and clear its pages.
  const size_t Blocks = std::min<size_t>(FreshBlocks, static_cast<size_t>(C.FreshEnd - C.Fresh) / Bytes);
  char *Begin = std::exchange(C.Fresh, C.Fresh + Blocks * Bytes);
  FreeBlock *List = nullptr;
  for (size_t I = Blocks; I-- > 0;)
    List = new (Begin + I * Bytes) FreeBlock{List};
  return List;
}

unsigned lengthOf(const FreeBlock *List) {
  unsigned N = 0;
  for (; List; List = List->Next)
    ++N;
  return N;
}

#endif
} // namespace

#if HSCHED_ASAN

void *detail::allocateSlowly(size_t Bytes) { return allocatePlain(Bytes); }
void detail::freeSlowly(void *Block, size_t) noexcept { freePlain(Block); }
size_t pooledBytes() { return 0; }

#else

void *detail::allocateSlowly(size_t Bytes) {
  if (Bytes > LargestPooled)
    return allocatePlain(Bytes);
  size_t Class = blockClassOf(Bytes);
  if (OwnBlocks->State == BlockCache::Closed || (OwnBlocks->State == BlockCache::Unused && !openCache())) {
    // No list is kept: the rest is returned at once.
    FreeBlock *Block = takeBatch(Class);
    if (Block->Next)
      giveBatch(Class, Block->Next);
    return Block;
  }
  LocalBlocks &L = OwnBlocks->Lists[Class];
  if (!L.Head) {
    if (L.Spare) {
      L.Head = L.Spare;
      L.Spare = nullptr;
      L.Count = BatchBlocks;
    } else {
      L.Head = takeBatch(Class);
      L.Count = lengthOf(L.Head);
    }
  }
  FreeBlock *Block = L.Head;
  L.Head = Block->Next;
  --L.Count;
  return Block;
}

void detail::freeSlowly(void *Block, size_t Bytes) noexcept {
  if (!Block)
    return;
  if (Bytes > LargestPooled)
    return freePlain(Block);
  size_t Class = blockClassOf(Bytes);
  auto *Free = new (Block) FreeBlock{nullptr};
  if (OwnBlocks->State == BlockCache::Closed || (OwnBlocks->State == BlockCache::Unused && !openCache()))
    return giveBatch(Class, Free);
  LocalBlocks &L = OwnBlocks->Lists[Class];
  if (L.Count >= BatchBlocks) {
    if (L.Spare)
      giveBatch(Class, L.Spare);
    L.Spare = L.Head;
    L.Head = nullptr;
    L.Count = 0;
  }
  Free->Next = L.Head;
  L.Head = Free;
  ++L.Count;
}

size_t pooledBytes() {
  std::lock_guard Guard(shared().SlabLock);
  return shared().Slabs.size() * SlabBytes;
}

#endif
} // namespace hsched::rt
