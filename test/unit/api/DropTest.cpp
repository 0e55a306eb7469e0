// A datum is dropped, by its destructor, while memory runs out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <hsched/engine.h>
#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>

using namespace hsched::test;

static thread_local int FailsIn = 0; // Which of this thread's next allocations fails; 0: none.

static void *allocated(size_t Bytes, size_t Align) {
  if (FailsIn > 0 && --FailsIn == 0)
    throw std::bad_alloc();
  void *Memory = Align <= alignof(std::max_align_t) ? std::malloc(Bytes ? Bytes : 1)
                                                    : std::aligned_alloc(Align, (Bytes + Align - 1) / Align * Align);
  if (!Memory)
    throw std::bad_alloc();
  return Memory;
}
void *operator new(size_t Bytes) { return allocated(Bytes, 1); }
void *operator new(size_t Bytes, std::align_val_t Align) { return allocated(Bytes, static_cast<size_t>(Align)); }
void *operator new(size_t Bytes, const std::nothrow_t &) noexcept { return std::malloc(Bytes ? Bytes : 1); }
void operator delete(void *Memory) noexcept { std::free(Memory); }
void operator delete(void *Memory, size_t) noexcept { std::free(Memory); }
void operator delete(void *Memory, std::align_val_t) noexcept { std::free(Memory); }
void operator delete(void *Memory, size_t, std::align_val_t) noexcept { std::free(Memory); }

namespace {

// Each allocation of the destructor fails in turn. An exception would end the program there.
TEST(Drop, ADestructorThatFindsNoMemoryTriesAgain) {
  setenv("HSCHED_SIM", "1", 1);
  setenv("HSCHED_NCPU", "2", 1);
  ASSERT_TRUE(startOnSimulatedDevices());
  static Incrementer Increment("drop_increment");
  int At = 0;
  for (bool Failed = true; Failed; FailsIn = 0) {
    auto D = hsched::engine::process().make_datum<unsigned char>(1000);
    std::memset(D.at_home(hsched::home::overwrite), 1, 1000);
    Increment.submit(D.data(), 1000);
    FailsIn = ++At;
    {
      const auto Dropped = std::move(D);
    }
    Failed = FailsIn == 0;
    ASSERT_LT(At, 200);
  }
  EXPECT_GT(At, 1);
  FailsIn = 0;
  EXPECT_NO_THROW(hsched_taskwait(0));
}

} // namespace
