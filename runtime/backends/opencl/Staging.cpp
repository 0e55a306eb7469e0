// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Staging.h"

#include "base/Signals.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace hsched::rt::opencl {

namespace {
// How long an idle thread looks for the next block before it sleeps: blocks of one transfer follow each other closer.
constexpr auto SpinTime = std::chrono::microseconds(200);

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}
} // namespace

CopyCrew::CopyCrew(unsigned Threads) : Threads(std::max(Threads, 1u)) {
  SignalsBlocked Blocked;
  for (unsigned I = 1; I < this->Threads; ++I)
    Helpers.emplace_back([this, I] { help(I); });
}

CopyCrew::~CopyCrew() {
  Stop.store(true, std::memory_order_relaxed);
  Round.fetch_add(1, std::memory_order_release);
  Round.notify_all();
  for (std::thread &T : Helpers)
    T.join();
}

void CopyCrew::copyPart(unsigned Index) {
  // Parts begin on cache lines, so that no line is written by two threads.
  size_t Part = (Bytes / Threads + 63) & ~size_t(63);
  size_t From = std::min(Part * Index, Bytes);
  size_t To = Index + 1 == Threads ? Bytes : std::min(From + Part, Bytes);
  if (To > From)
    std::memcpy(Dst + From, Src + From, To - From);
}

void CopyCrew::help(unsigned Index) {
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

void CopyCrew::copy(void *To, const void *From, size_t Count) {
  if (Threads == 1) {
    std::memcpy(To, From, Count);
    return;
  }
  Dst = static_cast<std::byte *>(To);
  Src = static_cast<const std::byte *>(From);
  Bytes = Count;
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

cl_int Staging::write(const cl::Buffer &Dst, size_t Offset, const void *Src, size_t Bytes,
                      std::vector<cl::Event> &Earlier, cl_event *Last) {
  auto *From = static_cast<const std::byte *>(Src);
  cl::Event Piece;
  // Whoever is told that nothing was begun may use Dst for something else.
  auto Refused = [this](cl_int Code) {
    settle();
    return Code;
  };
  for (size_t At = 0; At < Bytes; At += BlockBytes) {
    size_t Count = std::min(BlockBytes, Bytes - At), Block = Next;
    Next = (Next + 1) % NumBlocks;
    if (Busy[Block]()) {
      // A failed transfer is told of by its own event; the block is free either way.
      (void)Busy[Block].wait();
      Busy[Block] = cl::Event();
    }
    std::byte *To = Memory + Block * BlockBytes;
    Crew.copy(To, From + At, Count);
    if (cl_int Code = Queue.enqueueWriteBuffer(Dst, CL_FALSE, Offset + At, Count, To, nullptr, &Piece);
        Code != CL_SUCCESS)
      return Refused(Code);
    Busy[Block] = Piece;
    if (At + Count < Bytes)
      Earlier.push_back(Piece);
    // The device is to read this block while the next is filled.
    if (cl_int Code = Queue.flush(); Code != CL_SUCCESS)
      return Refused(Code);
  }
  *Last = Piece();
  return clRetainEvent(*Last);
}

} // namespace hsched::rt::opencl
