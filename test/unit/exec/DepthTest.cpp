// Tasks nested deep, and bodies that get stacks of their own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include "base/Sanitizers.h"
#include "exec/Stacks.h"

#include <stdexcept>

#include <pthread.h>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

#if HSCHED_TSAN
constexpr int Deep = 1000; // It is notified of each frame, and of each frame that an exception leaves.
#elif HSCHED_ASAN
constexpr int Deep = 10000; // Frames are many times as large.
#else
constexpr int Deep = 100000;
#endif

struct Nesting : testing::TestWithParam<std::tuple<unsigned, unsigned>> {
  MachineOptions options() {
    MachineOptions O;
    O.Cpus = std::get<0>(GetParam());
    O.Policy = "versioning";
    O.Exec.Window = std::get<1>(GetParam());
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Nesting, testing::Combine(testing::Values(1u, 2u, 16u), testing::Values(2u, 4096u)),
                         [](const auto &Info) {
                           return std::to_string(std::get<0>(Info.param)) + "window" +
                                  std::to_string(std::get<1>(Info.param));
                         });

void down(Machine &M, int Left, long &Sum) {
  ++Sum;
  if (!Left)
    return;
  M.submit({inout(Sum)}, [&M, Left, &Sum] { down(M, Left - 1, Sum); });
  M.wait();
}

TEST_P(Nesting, EachTaskWaitsForItsChild) {
  Machine M(options());
  long Sum = 0;
  down(M, Deep, Sum);
  EXPECT_EQ(Sum, Deep + 1);
}

TEST_P(Nesting, WithoutWaits) {
  Machine M(options());
  std::atomic<long> Sum{0};
  std::function<void(int)> Down = [&](int Left) {
    ++Sum;
    if (Left)
      M.submit({}, [&Down, Left] { Down(Left - 1); });
  };
  Down(Deep);
  M.wait();
  EXPECT_EQ(Sum, Deep + 1);
}

TEST_P(Nesting, AnExceptionComesUpFromTheDepth) {
  Machine M(options());
  std::function<void(int)> Down = [&](int Left) {
    if (!Left)
      throw std::runtime_error("from the depth");
    M.submit({}, [&Down, Left] { Down(Left - 1); });
    M.wait();
  };
  EXPECT_THROW(Down(Deep), std::runtime_error);
}

// Two children each, the second of which needs the first: waits are inside waits, and others' tasks come between.
TEST_P(Nesting, ATreeWithALongArm) {
  Machine M(options());
  std::function<void(int, long &)> Down = [&](int Left, long &Sum) {
    if (Left <= 0) {
      Sum += 1;
      return;
    }
    long Mine = 0;
    M.submit({inout(Mine)}, [&, Left] { Down(Left - 1, Mine); });
    M.submit({inout(Mine)}, [&, Left] { Down(Left - Deep / 4, Mine); });
    M.wait();
    Sum += Mine;
  };
  long Sum = 0;
  Down(Deep / 10, Sum);
  EXPECT_EQ(Sum, Deep / 10 + 1);
}

// --- stacks

// As deep as a stack goes, and further; each level's frame is a kilobyte.
long dig(int Left) {
  struct Level {
    int Left;
    long Sum;
  } L{Left, 0};
  runBody(
      threadState(),
      [](void *P) {
        auto &At = *static_cast<Level *>(P);
        volatile char Room[1000];
        Room[0] = static_cast<char>(At.Left);
        At.Sum = At.Left ? dig(At.Left - 1) + 1 : 0;
        Room[1] = Room[0];
      },
      &L);
  return L.Sum;
}

TEST(Stacks, GoOnWhereOneEnds) {
  for (int Round = 0; Round < 2; ++Round)
    EXPECT_EQ(dig(30000), 30000); // 30 MB.
}

TEST(Stacks, OfASmallThread) {
  pthread_attr_t Small;
  ASSERT_EQ(pthread_attr_init(&Small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&Small, 512 * 1024), 0);
  pthread_t T;
  long Depth = 0;
  ASSERT_EQ(pthread_create(
                &T, &Small,
                [](void *P) -> void * {
                  *static_cast<long *>(P) = dig(5000);
                  return nullptr;
                },
                &Depth),
            0);
  pthread_join(T, nullptr);
  pthread_attr_destroy(&Small);
  EXPECT_EQ(Depth, 5000);
}

TEST(Stacks, AnExceptionCrossesThem) {
  struct Oops {
    int At;
  };
  std::function<void(int)> Down = [&](int Left) {
    if (!Left)
      throw Oops{7};
    struct Args {
      std::function<void(int)> *Down;
      int Left;
    } A{&Down, Left - 1};
    try {
      runBody(threadState(), [](void *P) { (*static_cast<Args *>(P)->Down)(static_cast<Args *>(P)->Left); }, &A);
    } catch (Oops &O) {
      if (Left % 1000 == 0)
        throw Oops{O.At + 1}; // While one is being handled.
      throw;
    }
  };
  try {
    Down(20000);
    FAIL();
  } catch (const Oops &O) {
    EXPECT_EQ(O.At, 27);
  }
}

} // namespace
