// Memory that runs out on a worker's thread, inside the engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body says which of its thread's next allocations fails, and returns: it is the engine's. The task, or one that
// comes after it, may fail. The program does not end, and no wait lasts for ever.
#include "AddType.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <tuple>

using namespace hsched::rt;
using namespace hsched::rt::test;

static thread_local int FailsIn = 0; // the how manieth allocation from now on; 0: none
static std::atomic<int> Failures{0};

static void *allocated(size_t Bytes, size_t Align) {
  if (FailsIn > 0 && --FailsIn == 0) {
    ++Failures;
    throw std::bad_alloc();
  }
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

struct NoMemory : testing::TestWithParam<std::tuple<const char *, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(All, NoMemory,
                         testing::Combine(testing::Values("eager", "versioning"), testing::Values(0u, 1u)),
                         [](const auto &Info) {
                           return std::string(std::get<0>(Info.param)) + (std::get<1>(Info.param) ? "Device" : "");
                         });

TEST_P(NoMemory, OnAWorkersThread) {
  Captured Log;
  Failures = 0;
  for (int At = 1; At <= 40; ++At) {
    AddType Both;
    MachineOptions O;
    O.Cpus = 3;
    O.Policy = std::get<0>(GetParam());
    O.Devices = std::get<1>(GetParam());
    Machine M(O);
    std::array<std::array<long, 64>, 8> X{};
    std::atomic<int> Armed{0};
    const std::thread::id Main = std::this_thread::get_id();
    int Thrown = 0;
    auto wait = [&] {
      while (M.Exec->outstanding() != 0) // the main thread is away
        std::this_thread::yield();
      try {
        M.wait();
      } catch (const std::exception &) {
        ++Thrown;
      }
    };
    for (int Round = 0; Round < 4; ++Round) {
      for (auto &Row : X) {
        Both.submit(M, Row.data(), Row.size(), 1);
        M.submit({on(HSCHED_INOUT, Row.data(), sizeof(Row))}, [&] {
          if (std::this_thread::get_id() != Main && Armed++ % 3 == 0)
            FailsIn = At;
        });
        Both.submit(M, Row.data(), Row.size(), 1);
      }
      wait();
    }
    FailsIn = 0;
    for (auto &Row : X)
      ASSERT_TRUE(Thrown != 0 || Row[0] == 8) << "allocation " << At;
    long Y = 0;
    M.submit({out(Y)}, [&] { Y = 1; });
    wait();
    FailsIn = 0;
  }
  EXPECT_GT(Failures, 0);
}

} // namespace
