// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Blocks.h"

#include <algorithm>
#include <iterator>

namespace hsched::rt::opencl {

bool Blocks::take(uint64_t Bytes, cl::Buffer &Out) {
  std::vector<cl::Buffer> Dropped; // Destroyed without the lock.
  std::lock_guard Guard(Lock);
  if (Bytes > Limit || Used > Limit - Bytes)
    return false;
  Used += Bytes;
  if (auto It = std::ranges::find(UnusedBlocks, Bytes, &Unused::Bytes); It != UnusedBlocks.end()) {
    Out = std::move(It->Block);
    UnusedBytes -= Bytes;
    UnusedBlocks.erase(It);
    return true;
  }
  Out = cl::Buffer();
  while (Used + UnusedBytes > Limit) {
    UnusedBytes -= UnusedBlocks.back().Bytes;
    Dropped.push_back(std::move(UnusedBlocks.back().Block));
    UnusedBlocks.pop_back();
  }
  return true;
}

void Blocks::usedOn(const std::shared_ptr<Stream> &S) {
  std::lock_guard Guard(Lock);
  if (std::ranges::find(Streams, S) == Streams.end())
    Streams.push_back(S);
}

// A buffer lives until all events of its commands are released: ended ones, and ones that were never
// polled.
bool Blocks::maybeBusy() const {
  return std::ranges::any_of(Streams, [](const auto &S) {
    return S->Abandoned.load(std::memory_order_acquire) > S->NumObservedEnds.load(std::memory_order_acquire);
  });
}

void Blocks::giveBack(uint64_t Bytes, cl::Buffer Block) {
  std::unique_lock Guard(Lock);
  Used -= Bytes;
  if (!Block() || Closed || Bytes > Limit / 4 || maybeBusy()) {
    Guard.unlock(); // Commands in progress keep the memory.
    return;
  }
  UnusedBytes += Bytes;
  UnusedBlocks.push_front({Bytes, std::move(Block)});
  std::list<Unused> Dropped; // Destroyed without the lock.
  while (UnusedBytes > Limit / 4) {
    UnusedBytes -= UnusedBlocks.back().Bytes;
    Dropped.splice(Dropped.end(), UnusedBlocks, std::prev(UnusedBlocks.end()));
  }
  Guard.unlock();
}

bool Blocks::dropUnused() {
  std::list<Unused> Dropped; // Destroyed without the lock.
  std::lock_guard Guard(Lock);
  UnusedBytes = 0;
  Dropped.swap(UnusedBlocks);
  return !Dropped.empty();
}

void Blocks::close() {
  {
    std::lock_guard Guard(Lock);
    Closed = true;
  }
  dropUnused();
}

uint64_t Blocks::used() const {
  std::lock_guard Guard(Lock);
  return Used;
}

size_t Blocks::unused() const {
  std::lock_guard Guard(Lock);
  return UnusedBlocks.size();
}

} // namespace hsched::rt::opencl
