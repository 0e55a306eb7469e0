// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/HostMemory.h"

#include "api/Runtime.h"
#include "base/Log.h"

#include <exception>
#include <map>
#include <mutex>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hsched::rt {
namespace {

// Never destroyed: static objects may free memory.
struct Blocks {
  std::mutex Lock;
  std::map<void *, size_t> Bytes; // Whole pages.
  std::vector<Device *> Devices;  // Devices of the default engine so far: each has pinned all blocks.
};
Blocks &blocks() {
  static auto *All = new Blocks;
  return *All;
}

// A forking thread takes the lock first, so the child gets it
// unlocked.
[[maybe_unused]] const int AtFork =
    (blocks(),
     pthread_atfork([] { blocks().Lock.lock(); }, [] { blocks().Lock.unlock(); }, [] { blocks().Lock.unlock(); }));

void pin(Device &D, void *Memory, size_t Bytes) {
  if (status Pinned = D.pin(Memory, Bytes); !Pinned.ok())
    log(LogLevel::Debug, "%s", Pinned.message().c_str());
}

} // namespace

void pinHostMemoryFor(Device &D) {
  std::lock_guard Guard(blocks().Lock);
  blocks().Devices.push_back(&D);
  for (auto [Memory, Bytes] : blocks().Bytes)
    pin(D, Memory, Bytes);
}

void *allocateHostMemory(size_t Bytes) {
  static const auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (Bytes == 0 || Bytes > SIZE_MAX - Page)
    return nullptr;
  Bytes = (Bytes + Page - 1) / Page * Page;
  void *Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Memory == MAP_FAILED)
    return nullptr;
  try {
    try {
      (void)Runtime::get("hsched_malloc");
    } catch (const std::exception &E) {
      log(LogLevel::Debug, "memory is not pinned: %s", E.what());
    }
    std::lock_guard Guard(blocks().Lock);
    blocks().Bytes.emplace(Memory, Bytes);
    for (Device *D : blocks().Devices)
      pin(*D, Memory, Bytes);
  } catch (const std::exception &E) { // The memory is not pinned then.
    log(LogLevel::Debug, "memory is not pinned: %s", E.what());
  }
  return Memory;
}

void releaseHostMemory(void *Memory) {
  if (!Memory)
    return;
  size_t Bytes = 0;
  {
    std::lock_guard Guard(blocks().Lock);
    if (auto It = blocks().Bytes.find(Memory); It != blocks().Bytes.end()) {
      Bytes = It->second;
      blocks().Bytes.erase(It);
    }
  }
  if (Bytes == 0) {
    log(LogLevel::Error, "hsched_free: %p does not come from hsched_malloc", Memory);
    return;
  }
  if (Runtime *R = Runtime::usable()) {
    R->data().discard(Memory, Bytes);
    std::lock_guard Guard(blocks().Lock);
    for (Device *D : blocks().Devices)
      D->unpin(Memory);
  }
  munmap(Memory, Bytes);
}

void discardHostMemory(const void *Memory, size_t Bytes) {
  if (Runtime *R = Memory && Bytes ? Runtime::usable() : nullptr)
    R->data().discard(Memory, Bytes);
}

} // namespace hsched::rt
