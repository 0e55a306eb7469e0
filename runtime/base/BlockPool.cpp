// Size classes, per-thread lists, shared batches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/BlockPool.h"

#include <mutex>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define HSCHED_PLAIN_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HSCHED_PLAIN_BLOCKS 1
#endif
#endif

namespace hsched::rt {
namespace {

constexpr size_t LargestPooled = 2048;

void *allocatePlain(size_t Bytes) { return ::operator new(Bytes, std::align_val_t(BlockAlign)); }
void freePlain(void *Block) noexcept { ::operator delete(Block, std::align_val_t(BlockAlign)); }

#ifndef HSCHED_PLAIN_BLOCKS

constexpr size_t NumClasses = LargestPooled / BlockAlign;
constexpr size_t SlabBytes = 64 * 1024;
constexpr unsigned BatchBlocks = 64;

constexpr size_t classOf(size_t Bytes) { return Bytes == 0 ? 0 : (Bytes - 1) / BlockAlign; }
constexpr size_t bytesOf(size_t Class) { return (Class + 1) * BlockAlign; }

struct FreeBlock {
  FreeBlock *Next;
};

// What all threads share. Never destroyed: threads may end after the library's statics.
struct Shared {
  struct PerClass {
    std::mutex Lock;
    std::vector<FreeBlock *> Batches; // each a list of BatchBlocks, the last perhaps fewer
  } Classes[NumClasses];
  std::mutex SlabLock;
  std::vector<void *> Slabs; // keeps them reachable
};

Shared &shared() {
  static auto *S = new Shared;
  return *S;
}

// A thread's lists. Two of them, so that a thread at the edge of a batch does not go to the shared pool each time.
struct Local {
  FreeBlock *Head = nullptr, *Spare = nullptr; // Spare: a full batch or nothing
  unsigned Count = 0;
};

struct ThreadCache {
  Local Lists[NumClasses];
  enum : unsigned char { Unused, Open, Closed } State = Unused;
};
constinit thread_local ThreadCache Cache;

void giveBatch(size_t Class, FreeBlock *Batch) {
  auto &C = shared().Classes[Class];
  std::lock_guard Guard(C.Lock);
  C.Batches.push_back(Batch);
}

// Hands a thread's blocks back when it ends; from then on it works on the shared pool.
struct CacheCloser {
  ~CacheCloser() {
    for (size_t Class = 0; Class < NumClasses; ++Class) {
      Local &L = Cache.Lists[Class];
      if (L.Head)
        giveBatch(Class, L.Head);
      if (L.Spare)
        giveBatch(Class, L.Spare);
      L = {};
    }
    Cache.State = ThreadCache::Closed;
  }
};

[[gnu::noinline]] void openCache() {
  static thread_local CacheCloser Closer;
  (void)Closer;
  Cache.State = ThreadCache::Open;
}

FreeBlock *takeBatch(size_t Class) {
  auto &C = shared().Classes[Class];
  {
    std::lock_guard Guard(C.Lock);
    if (!C.Batches.empty()) {
      FreeBlock *Batch = C.Batches.back();
      C.Batches.pop_back();
      return Batch;
    }
  }
  size_t Bytes = bytesOf(Class);
  auto *Slab = static_cast<char *>(allocatePlain(SlabBytes));
  {
    std::lock_guard Guard(shared().SlabLock);
    shared().Slabs.push_back(Slab);
  }
  // The slab becomes batches; the first is the caller's.
  FreeBlock *First = nullptr;
  size_t Total = SlabBytes / Bytes;
  for (size_t Begin = 0; Begin < Total; Begin += BatchBlocks) {
    FreeBlock *List = nullptr;
    size_t End = Begin + BatchBlocks < Total ? Begin + BatchBlocks : Total;
    for (size_t I = End; I-- > Begin;)
      List = new (Slab + I * Bytes) FreeBlock{List};
    if (First)
      giveBatch(Class, List);
    else
      First = List;
  }
  return First;
}

unsigned lengthOf(const FreeBlock *List) {
  unsigned N = 0;
  for (; List; List = List->Next)
    ++N;
  return N;
}

#endif
} // namespace

#ifdef HSCHED_PLAIN_BLOCKS

void *allocateBlock(size_t Bytes) { return allocatePlain(Bytes); }
void freeBlock(void *Block, size_t) noexcept { freePlain(Block); }

#else

void *allocateBlock(size_t Bytes) {
  if (Bytes > LargestPooled)
    return allocatePlain(Bytes);
  size_t Class = classOf(Bytes);
  Local &L = Cache.Lists[Class];
  if (!L.Head) {
    if (L.Spare) {
      L.Head = L.Spare;
      L.Spare = nullptr;
      L.Count = BatchBlocks;
    } else {
      L.Head = takeBatch(Class);
      L.Count = lengthOf(L.Head);
      if (Cache.State == ThreadCache::Closed) {
        // No list is kept: the rest goes straight back.
        FreeBlock *Block = L.Head;
        if (Block->Next)
          giveBatch(Class, Block->Next);
        L = {};
        return Block;
      }
      if (Cache.State == ThreadCache::Unused)
        openCache();
    }
  }
  FreeBlock *Block = L.Head;
  L.Head = Block->Next;
  --L.Count;
  return Block;
}

void freeBlock(void *Block, size_t Bytes) noexcept {
  if (!Block)
    return;
  if (Bytes > LargestPooled)
    return freePlain(Block);
  size_t Class = classOf(Bytes);
  auto *Free = new (Block) FreeBlock{nullptr};
  if (Cache.State != ThreadCache::Open) {
    if (Cache.State == ThreadCache::Closed)
      return giveBatch(Class, Free);
    openCache();
  }
  Local &L = Cache.Lists[Class];
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

#endif
} // namespace hsched::rt
