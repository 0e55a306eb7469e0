// A thread's stack: chunks from the heap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/ThreadState.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

namespace hsched::rt {

constinit thread_local ThreadState CurrentThread;
constinit ThreadState::Rest ThreadState::NoRests[NumRests]{};

// Freed when all of its items have been freed and its thread takes no more.
struct ItemChunk {
  std::atomic<uint32_t> Live;
};

namespace {

constexpr size_t ChunkBytes = 64 * 1024, ItemChunkBytes = 16 * 1024;
constexpr uint32_t InUse = 1u << 31; // Bit in Live while its thread takes items from it.

void leaveItems(ThreadState &Me) {
  if (ItemChunk *C = std::exchange(Me.Items, nullptr))
    freeItems(*C, InUse - std::exchange(Me.ItemsTaken, 0));
  Me.ItemsTop = Me.ItemsEnd = nullptr;
}

// A chunk of the stack. Marks hold the position in the previous chunk.
struct Chunk {
  size_t Bytes;
};

// A thread's first chunk, and the last emptied one, kept for reuse. Freed when the thread ends.
struct Chunks {
  Chunk *First = nullptr, *Spare = nullptr;
  bool Ended = false;
  ~Chunks() {
    std::free(First);
    std::free(Spare);
    Ended = true;
    ThreadState &Me = threadState();
    leaveItems(Me);
    Me.Top = Me.End = nullptr;
    if (ThreadState::Rest *Rests = std::exchange(Me.Unmeasured, ThreadState::NoRests); Rests != ThreadState::NoRests)
      delete[] Rests;
  }
};
Chunks &chunks() {
  static thread_local Chunks C;
  return C;
}

} // namespace

bool makeRests(ThreadState &Me) {
  if (chunks().Ended)
    return false;
  if (auto *Rests = new (std::nothrow) ThreadState::Rest[ThreadState::NumRests])
    Me.Unmeasured = Rests;
  return Me.Unmeasured != ThreadState::NoRests;
}

char *growStack(ThreadState &Me, size_t Bytes) {
  Chunks &Own = chunks();
  if (Own.Ended)
    return nullptr;
  Chunk *C = std::exchange(Own.Spare, nullptr);
  if (!C || C->Bytes < Bytes + sizeof(Chunk)) {
    std::free(C);
    size_t Total = std::max(ChunkBytes, Bytes + sizeof(Chunk));
    C = static_cast<Chunk *>(std::malloc(Total));
    if (!C)
      return nullptr;
    C->Bytes = Total;
  }
  if (!Me.End)
    Own.First = C;
  Me.Top = reinterpret_cast<char *>(C + 1);
  Me.End = reinterpret_cast<char *>(C) + C->Bytes;
  return Me.Top;
}

char *takeItem(ThreadState &Me, size_t Bytes, size_t Align, ItemChunk *&Chunk) {
  auto place = [&] { return reinterpret_cast<char *>(roundUp(reinterpret_cast<uintptr_t>(Me.ItemsTop), Align)); };
  char *At = place();
  if (!Me.Items || At + Bytes > Me.ItemsEnd) [[unlikely]] {
    if (chunks().Ended)
      return nullptr;
    leaveItems(Me);
    auto *C = static_cast<ItemChunk *>(std::malloc(ItemChunkBytes));
    if (!C)
      return nullptr;
    Me.Items = new (C) ItemChunk{InUse};
    Me.ItemsTop = reinterpret_cast<char *>(C + 1);
    Me.ItemsEnd = reinterpret_cast<char *>(C) + ItemChunkBytes;
    At = place();
  }
  Me.ItemsTop = At + Bytes;
  // Another thread has used the memory of the next items.
  for (size_t Line = 0; Line < 4; ++Line)
    __builtin_prefetch(Me.ItemsTop + 64 * Line, 1);
  ++Me.ItemsTaken;
  Chunk = Me.Items;
  return At;
}

void freeItems(ItemChunk &Chunk, uint32_t Count) {
  if (Chunk.Live.fetch_sub(Count, std::memory_order_acq_rel) != Count)
    return;
  std::free(&Chunk);
}

// At was the first block in its chunk.
void shrinkStack(ThreadState &Me, void *At, StackMark Was) {
  Chunk *C = static_cast<Chunk *>(At) - 1;
  Me.Top = Was.Top;
  Me.End = Was.End;
  std::free(std::exchange(chunks().Spare, C));
}

void *detachFromStack(ThreadState &Me, void *At, StackMark Was) {
  Chunk *C = static_cast<Chunk *>(At) - 1;
  if (C == chunks().First) { // The first chunk is kept when it is empty.
    chunks().First = nullptr;
    Me.Top = Me.End = nullptr;
    return C;
  }
  if (Was.End == Me.End)
    return nullptr;
  Me.Top = Was.Top;
  Me.End = Was.End;
  return C;
}

} // namespace hsched::rt
