// Tasks that submit tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <array>
#include <atomic>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Nested : testing::TestWithParam<std::tuple<unsigned, const char *, unsigned>> {
  MachineOptions options() {
    MachineOptions O;
    O.Cpus = std::get<0>(GetParam());
    O.Policy = std::get<1>(GetParam());
    O.Exec.Window = std::get<2>(GetParam());
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Nested,
                         testing::Combine(testing::Values(1u, 3u),
                                          testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws"),
                                          testing::Values(2u, 4096u)),
                         [](const auto &Info) {
                           return std::string(std::get<1>(Info.param)) + std::to_string(std::get<0>(Info.param)) +
                                  "window" + std::to_string(std::get<2>(Info.param));
                         });

long fibonacci(Machine &M, int N) {
  if (N < 2)
    return N;
  long A = 0, B = 0;
  M.submit({out(A)}, [&M, &A, N] { A = fibonacci(M, N - 1); });
  M.submit({out(B)}, [&M, &B, N] { B = fibonacci(M, N - 2); });
  M.wait();
  return A + B;
}

TEST_P(Nested, RecursionWaitsForItsOwnChildren) {
  Machine M(options());
  long Result = 0;
  M.submit({out(Result)}, [&] { Result = fibonacci(M, 17); });
  M.wait();
  EXPECT_EQ(Result, 1597);
}

TEST_P(Nested, ATaskIsCompleteWhenItsChildrenAre) {
  Machine M(options());
  for (int Round = 0; Round < 30; ++Round) {
    std::array<int, 20> Parts{};
    int Sum = 0;
    M.submit({inout(Parts)}, [&] {
      for (int &P : Parts)
        M.submit({inout(P)}, [&P] { P = 1; }); // No wait for these.
    });
    M.submit({in(Parts), out(Sum)}, [&] {
      for (int P : Parts)
        Sum += P;
    });
    M.wait();
    ASSERT_EQ(Sum, 20);
  }
}

TEST_P(Nested, GrandchildrenCountToo) {
  Machine M(options());
  int X = 0, Seen = -1;
  M.submit({inout(X)},
           [&] { M.submit({inout(X)}, [&] { M.submit({inout(X)}, [&] { M.submit({inout(X)}, [&] { X = 4; }); }); }); });
  M.submit({in(X), out(Seen)}, [&] { Seen = X; });
  M.wait();
  EXPECT_EQ(Seen, 4);
}

TEST_P(Nested, OrderCountsAmongSiblings) {
  Machine M(options());
  long X = 1;
  M.submit({inout(X)}, [&] {
    for (int I = 0; I < 100; ++I)
      M.submit({inout(X)}, [&X, I] { X = (X * 7 + I) % 1000003; });
    Access Named[] = {in(X)};
    M.Exec->taskwaitOn(threadState(), Named, true);
    X += 5;
    for (int I = 0; I < 100; ++I)
      M.submit({inout(X)}, [&X, I] { X = (X * 7 + I) % 1000003; });
  });
  M.wait();
  long Y = 1;
  for (int I = 0; I < 100; ++I)
    Y = (Y * 7 + I) % 1000003;
  Y += 5;
  for (int I = 0; I < 100; ++I)
    Y = (Y * 7 + I) % 1000003;
  EXPECT_EQ(X, Y);
}

TEST_P(Nested, ManyParentsAtOnceWithAFullWindow) {
  Machine M(options());
  std::array<long, 64> Sums{};
  for (long &Sum : Sums)
    M.submit({inout(Sum)}, [&M, &Sum] {
      std::array<long, 8> Parts{};
      for (long &P : Parts)
        M.submit({out(P)}, [&P] { P = 1; });
      M.wait();
      for (long P : Parts)
        Sum += P;
    });
  M.wait();
  for (long Sum : Sums)
    EXPECT_EQ(Sum, 8);
}

// A child that leaves its parent alone must not look at it any more: the parent may be gone. ThreadSanitizer sees it.
TEST_P(Nested, ParentsEndWhileTheirLastChildrenDo) {
  Machine M(options());
  std::atomic<int> Done{0};
  for (int I = 0; I < 3000; ++I)
    M.submit({}, [&] {
      M.submit({}, [&] { Done.fetch_add(1, std::memory_order_relaxed); });
      if (Done.load(std::memory_order_relaxed) % 3 == 0)
        std::this_thread::yield();
      if (Done.load(std::memory_order_relaxed) % 5 == 0)
        M.wait();
    });
  M.wait();
  EXPECT_EQ(Done, 3000);
}

} // namespace
