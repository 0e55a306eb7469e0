// Allocations that fail when a test says so. For one source file of a program: it replaces operator new.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_FAILINGNEW_H
#define HSCHED_TEST_FAILINGNEW_H

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace hsched::rt::test {

// Which of this thread's next allocations fails, counted from 1; 0: none.
inline thread_local int FailsIn = 0;
// The number of allocations that have failed.
inline std::atomic<int> NumFailures{0};
// Asked at each allocation, if set: true if this one fails.
inline std::atomic<bool (*)()> FailsNow{nullptr};

inline void *allocateOrFail(size_t Bytes, size_t Align) {
  bool (*Asked)() = FailsNow.load();
  if ((FailsIn > 0 && --FailsIn == 0) || (Asked && Asked())) {
    ++NumFailures;
    throw std::bad_alloc();
  }
  void *Memory = Align <= alignof(std::max_align_t) ? std::malloc(Bytes ? Bytes : 1)
                                                    : std::aligned_alloc(Align, (Bytes + Align - 1) / Align * Align);
  if (!Memory)
    throw std::bad_alloc();
  return Memory;
}

} // namespace hsched::rt::test

void *operator new(size_t Bytes) { return hsched::rt::test::allocateOrFail(Bytes, 1); }
void *operator new(size_t Bytes, std::align_val_t Align) {
  return hsched::rt::test::allocateOrFail(Bytes, static_cast<size_t>(Align));
}
void *operator new(size_t Bytes, const std::nothrow_t &) noexcept { return std::malloc(Bytes ? Bytes : 1); }
void operator delete(void *Memory) noexcept { std::free(Memory); }
void operator delete(void *Memory, size_t) noexcept { std::free(Memory); }
void operator delete(void *Memory, std::align_val_t) noexcept { std::free(Memory); }
void operator delete(void *Memory, size_t, std::align_val_t) noexcept { std::free(Memory); }

#endif
