// An observer that only counts runs changes nothing: calls, bundles and stealing go on, and no run is lost or counted
// twice.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <array>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

class Counter final : public Observer {
public:
  bool wantsEachTask() const override { return false; }
  void ran(const RunRecord &R) override {
    std::lock_guard Guard(Lock);
    ++By[{R.How, R.DataBytes}];
    ++Timed;
  }
  void counted(const CountRecord &R) override {
    std::lock_guard Guard(Lock);
    By[{Outcome::Done, R.DataBytes}] += R.Runs;
    Untimed += R.Runs;
  }
  uint64_t all(Outcome How) {
    uint64_t Sum = 0;
    for (auto &[Key, N] : By)
      Sum += Key.first == How ? N : 0;
    return Sum;
  }

  std::mutex Lock;
  std::map<std::pair<Outcome, uint64_t>, uint64_t> By;
  uint64_t Timed = 0, Untimed = 0;
};

MachineOptions watched(Observer &O, unsigned Cpus) {
  MachineOptions Options;
  Options.Cpus = Cpus;
  Options.Policy = "versioning";
  Options.Watch = &O;
  return Options;
}

TEST(Counts, CallsGoOnAndAreCounted) {
  Counter Seen;
  Machine M(watched(Seen, 1));
  EXPECT_TRUE(M.Exec->runsCalls());
  std::array<long, 64> X{};
  for (int I = 0; I < 20000; ++I) // In two sizes, in turn.
    M.submit({on(HSCHED_INOUT, X.data(), I % 2 ? 8 : 64)}, [&] { ++X[0]; });
  M.stop();
  EXPECT_EQ(X[0], 20000);
  EXPECT_EQ(Seen.all(Outcome::Done), 20000u);
  EXPECT_EQ((Seen.By[{Outcome::Done, 8}]), 10000u);
  EXPECT_EQ((Seen.By[{Outcome::Done, 64}]), 10000u);
  EXPECT_GT(Seen.Untimed, Seen.Timed);
}

TEST(Counts, BundlesGoOnAndAreCounted) {
  Counter Seen;
  Machine M(watched(Seen, 3));
  EXPECT_TRUE(M.Exec->makesBundles());
  M.Nanoseconds = 300;
  std::array<long, 16> X{};
  for (int I = 0; I < 20000; ++I)
    M.submit({inout(X[I % 16])}, [&X, I] { ++X[I % 16]; });
  M.stop();
  EXPECT_EQ(X[3], 20000 / 16);
  EXPECT_EQ(Seen.all(Outcome::Done), 20000u);
}

TEST(Counts, StolenAndNestedTasksToo) {
  Counter Seen;
  Machine M(watched(Seen, 4));
  M.Nanoseconds = 100000; // Neither calls nor bundles.
  std::atomic<int> Ran{0};
  for (int I = 0; I < 50; ++I)
    M.submit({}, [&] {
      for (int J = 0; J < 20; ++J)
        M.submit({}, [&] { ++Ran; });
      M.wait();
    });
  M.stop();
  EXPECT_EQ(Ran, 1000);
  EXPECT_EQ(Seen.all(Outcome::Done), 1050u);
}

class Failures : public testing::TestWithParam<std::pair<unsigned, uint32_t>> {};

TEST_P(Failures, AndCancelledTasksAreCountedSeparately) {
  Counter Seen;
  auto [Cpus, Nanoseconds] = GetParam();
  Machine M(watched(Seen, Cpus));
  M.Nanoseconds = Nanoseconds;
  long X = 0, Y = 0;
  for (int I = 0; I < 10; ++I)
    M.submit({inout(Y)}, [&] { ++Y; });
  M.submit({inout(X)}, [] { throw std::runtime_error("for this test"); });
  for (int I = 0; I < 5; ++I)
    M.submit({inout(X)}, [&] { ++X; });
  EXPECT_THROW(M.wait(), std::runtime_error);
  M.stop();
  EXPECT_EQ(X, 0);
  EXPECT_EQ(Seen.all(Outcome::Done), 10u);
  EXPECT_EQ(Seen.all(Outcome::Failed), 1u);
  EXPECT_EQ(Seen.all(Outcome::Cancelled), 5u);
}
INSTANTIATE_TEST_SUITE_P(Paths, Failures,
                         testing::Values(std::pair(1u, 300u), std::pair(3u, 300u), std::pair(3u, 100000u)));

// More threads than there are queues for.
TEST(Counts, OfThreadsThatHaveNoQueue) {
  Counter Seen;
  constexpr unsigned Many = OwnQueues::Foreign + 8;
  {
    Machine M(watched(Seen, 1));
    std::atomic<unsigned> Begun{0};
    std::vector<std::thread> Threads;
    for (unsigned I = 0; I < Many; ++I)
      Threads.emplace_back([&] {
        M.submit({}, [] {});
        ++Begun;
        while (Begun.load() < Many) // All have a queue, or found none, at one time.
          std::this_thread::yield();
        for (int J = 0; J < 9; ++J)
          M.submit({}, [] {});
        M.wait();
      });
    for (std::thread &T : Threads)
      T.join();
  }
  EXPECT_EQ(Seen.all(Outcome::Done), 10u * Many);
}

} // namespace
