// Every policy, many threads: each task that was pushed comes out once, and no wake-up is lost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <semaphore>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// Workers that sleep until they are woken: a wake-up that is not given hangs the test.
class ParkingHost final : public FakeHost {
public:
  using FakeHost::FakeHost;
  void wake(WorkerId W) override { Parked[W].release(); }

  std::array<std::counting_semaphore<>, 8> Parked{std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                                  std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                                  std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                                  std::counting_semaphore<>(0), std::counting_semaphore<>(0)};
};

class ExactlyOnce : public testing::TestWithParam<std::string> {};

TEST_P(ExactlyOnce, ManyThreads) {
  constexpr unsigned NumTasks = 4000, NumWorkers = 5;
  unsigned Seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(Seed));

  ParkingHost Host(3, 2);
  auto P = makePolicy(GetParam());
  P->start(Host);
  TestType Types[3];
  Types[0].add(HSCHED_DEVICE_CPU);
  Types[1].add(HSCHED_DEVICE_OPENCL);
  Types[2].add(HSCHED_DEVICE_CPU);
  Types[2].add(HSCHED_DEVICE_OPENCL);

  std::mt19937 Random(Seed);
  std::vector<Task *> Tasks;
  for (unsigned I = 0; I < NumTasks; ++I)
    Tasks.push_back(&Host.task(Types[Random() % 3], 1 + Random() % 3, static_cast<int>(Random() % 3)));

  std::vector<std::atomic<unsigned>> Times(NumTasks + 1);
  std::atomic<unsigned> Ran{0}, NextToActivate{NumTasks / 2};
  auto work = [&](WorkerId W) {
    for (;;) {
      Assignment A;
      if (!P->pop(W, A)) {
        if (Ran.load() == NumTasks)
          return;
        Host.Parked[W].acquire();
        continue;
      }
      EXPECT_TRUE(Platform::suits(Host.P.Workers[W], *A.V));
      Host.Known.record(*A.T->Type, A.T->DataBytes, A.V->Index, CpuModel, 1us);
      P->completed(*A.T, *A.V, W, 1us);
      ++Times[A.T->Id];
      if (unsigned Next = NextToActivate++; Next < NumTasks)
        P->pushActivated(*Tasks[Next], W);
      if (P->hooks() & HookActivated)
        P->activated(W);
      if (++Ran == NumTasks)
        for (WorkerId Other = 0; Other < NumWorkers; ++Other)
          Host.wake(Other);
    }
  };

  std::vector<std::thread> Threads;
  for (WorkerId W = 0; W < NumWorkers; ++W)
    Threads.emplace_back(work, W);
  std::thread Submitter([&] { // Half at submission, with a version disabled on the way.
    for (unsigned I = 0; I < NumTasks / 2; ++I) {
      if (I == NumTasks / 4)
        Types[2].version(1).disableOn(4);
      P->push(*Tasks[I], NoWorker);
    }
  });
  Submitter.join();
  for (auto &T : Threads)
    T.join();
  for (TaskId Id = 1; Id <= NumTasks; ++Id)
    ASSERT_EQ(Times[Id], 1u) << "task " << Id;
}

INSTANTIATE_TEST_SUITE_P(Policies, ExactlyOnce, testing::ValuesIn(policyNames()),
                         [](const auto &Info) { return testName(Info.param); });

} // namespace
