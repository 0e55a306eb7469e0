// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Staging.h"

#include "base/Signals.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace hsched::rt::opencl {

namespace {
// Time that an idle thread spins for the next block before it sleeps: blocks of one transfer follow each other faster.
constexpr auto SpinTime = std::chrono::microseconds(200);

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}
} // namespace

CopyThreads::CopyThreads(unsigned Threads) : Threads(std::max(Threads, 1u)) {
  SignalsBlocked Blocked;
  try {
    for (unsigned I = 1; I < this->Threads; ++I)
      Helpers.emplace_back([this, I] { help(I); });
  } catch (const std::exception &) {                           // The system refuses more threads, so fewer copy.
    this->Threads = static_cast<unsigned>(Helpers.size()) + 1; // Read after the begin of the first round.
  }
}

CopyThreads::~CopyThreads() {
  Stop.store(true, std::memory_order_relaxed);
  Round.fetch_add(1, std::memory_order_release);
  Round.notify_all();
  for (std::thread &T : Helpers)
    T.join();
}

void CopyThreads::copyPart(unsigned Index) {
  // Parts begin on cache lines, so no line is written by two threads.
  const size_t All = Bytes * Rows, Part = (All / Threads + 63) & ~size_t(63);
  size_t At = std::min(Part * Index, All);
  const size_t To = Index + 1 == Threads ? All : std::min(At + Part, All);
  for (size_t Row = At / Bytes, In = At % Bytes; At < To; ++Row, In = 0) {
    const size_t Count = std::min(Bytes - In, To - At);
    std::memcpy(Dst + Row * DstStride + In, Src + Row * SrcStride + In, Count);
    At += Count;
  }
}

void CopyThreads::help(unsigned Index) {
  uint32_t Seen = 0;
  while (true) {
    auto Until = std::chrono::steady_clock::now() + SpinTime;
    uint32_t Now;
    while ((Now = Round.load(std::memory_order_acquire)) == Seen) {
      relax();
      if (std::chrono::steady_clock::now() >= Until)
        Round.wait(Seen, std::memory_order_acquire);
    }
    Seen = Now;
    if (Stop.load(std::memory_order_relaxed))
      return;
    copyPart(Index);
    Left.fetch_sub(1, std::memory_order_release);
  }
}

void CopyThreads::copy(void *To, size_t ToStride, const void *From, size_t FromStride, size_t RowBytes,
                       size_t NumRows) {
  Dst = static_cast<std::byte *>(To);
  DstStride = ToStride;
  Src = static_cast<const std::byte *>(From);
  SrcStride = FromStride;
  Bytes = RowBytes;
  Rows = NumRows;
  if (Threads == 1)
    return copyPart(0);
  Left.store(Threads - 1, std::memory_order_relaxed);
  Round.fetch_add(1, std::memory_order_release);
  Round.notify_all();
  copyPart(0);
  while (Left.load(std::memory_order_acquire) != 0)
    relax();
}

std::unique_ptr<Staging> Staging::make(const cl::Context &Context, const cl::CommandQueue &Queue, unsigned Threads,
                                       cl_int &Code) {
  std::unique_ptr<Staging> S(new Staging(Threads));
  S->Queue = Queue;
  S->Pinned = cl::Buffer(Context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, BlockBytes * NumBlocks, nullptr, &Code);
  if (Code != CL_SUCCESS)
    return nullptr;
  S->Memory = static_cast<std::byte *>(Queue.enqueueMapBuffer(S->Pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                              BlockBytes * NumBlocks, nullptr, nullptr, &Code));
  if (Code != CL_SUCCESS)
    return nullptr;
  return S;
}

void Staging::settle() {
  for (cl::Event &E : Busy)
    if (E())
      (void)E.wait();
}

Staging::~Staging() {
  if (!Memory)
    return;
  settle();
  Queue.enqueueUnmapMemObject(Pinned, Memory);
  Queue.finish();
}

std::byte *Staging::nextBlock() {
  Next = (Next + 1) % NumBlocks;
  if (Busy[Next]()) {
    // A failed transfer is reported by its own event; the block is free in any case.
    (void)Busy[Next].wait();
    Busy[Next] = cl::Event();
  }
  return Memory + Next * BlockBytes;
}

Staging::Chunk Staging::chunkAt(const RowLayout &L, size_t Row, size_t At) {
  if (Row == L.Rows)
    return {};
  if (L.Bytes <= BlockBytes)
    return {Row, std::min(BlockBytes / L.Bytes, L.Rows - Row), 0, L.Bytes};
  return {Row, 1, At, std::min(BlockBytes, L.Bytes - At)};
}

} // namespace hsched::rt::opencl
