// Uploads by way of pinned memory: a ring of blocks that the device reads at full speed, filled by several threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver takes ordinary memory through a buffer of its own, filled by the calling thread alone: 10 GB/s measured on
// an NVIDIA H200, against 55 from pinned memory. Copying to the ring with four threads reaches 39.
#ifndef HSCHED_BACKENDS_OPENCL_STAGING_H
#define HSCHED_BACKENDS_OPENCL_STAGING_H

#include "backends/opencl/ClHeader.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace hsched::rt::opencl {

// Threads that copy one block together. Idle threads look for work for some microseconds, then sleep.
class CopyCrew {
public:
  // Threads includes the caller of copy().
  explicit CopyCrew(unsigned Threads);
  ~CopyCrew();
  // One caller at a time.
  void copy(void *Dst, const void *Src, size_t Bytes);

private:
  void help(unsigned Index);
  void copyPart(unsigned Index);

  const unsigned Threads;
  // Written by the caller of copy() before Round changes, read by helpers behind it.
  std::byte *Dst = nullptr;
  const std::byte *Src = nullptr;
  size_t Bytes = 0;
  alignas(64) std::atomic<uint32_t> Round{0};
  alignas(64) std::atomic<unsigned> Left{0};
  std::atomic<bool> Stop{false};
  std::vector<std::thread> Helpers;
};

class Staging {
public:
  // Null with the reason in Code where the device gives no pinned memory.
  static std::unique_ptr<Staging> make(const cl::Context &Context, const cl::CommandQueue &Queue, unsigned Threads,
                                       cl_int &Code);
  ~Staging();

  // Whether a transfer of so many bytes gains from the ring.
  static bool pays(size_t Bytes) { return Bytes >= Smallest; }

  // Enqueues Src[0, Bytes) to Dst at Offset on the queue given to make(); Src is free for other use when this returns.
  // Last is the event of the last piece, the others go to Earlier. One caller at a time. On failure nothing of
  // it is under way.
  cl_int write(const cl::Buffer &Dst, size_t Offset, const void *Src, size_t Bytes, std::vector<cl::Event> &Earlier,
               cl_event *Last);

private:
  static constexpr size_t Smallest = 256 << 10, BlockBytes = 2 << 20, NumBlocks = 8;

  explicit Staging(unsigned Threads) : Crew(Threads) {}
  void settle(); // waits for the transfers that read a block

  cl::CommandQueue Queue;
  cl::Buffer Pinned;
  std::byte *Memory = nullptr;
  cl::Event Busy[NumBlocks]; // the transfer that reads a block; null: none
  size_t Next = 0;
  CopyCrew Crew;
};

} // namespace hsched::rt::opencl
#endif
