// The feeding of a device: its commands in flight, the order of their release, and the numbers of flushes and queries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include "base/ManualClock.h"
#include "exec/DeviceWorker.h"

#include <array>
#include <set>
#include <thread>

#include <sys/resource.h>

using namespace hsched::rt;
using namespace hsched::rt::test;
using namespace std::chrono_literals;

namespace {

// A device on which only released commands run; it records queries of its thread.
struct DevicePipeline : testing::Test {
  struct Asked {
    std::atomic<unsigned> Times{0};
    std::atomic<long> Slept{0}; // How often the thread had gone to sleep by then.
    std::mutex Lock;
    std::set<std::thread::id> By;
  } Polls;

  MachineOptions manual(unsigned Queues = 1) {
    MachineOptions O;
    O.Devices = 1;
    O.Sim.Mode = sim::SimMode::Manual;
    O.Sim.Queues = Queues;
    O.Sim.Polled = [this] {
      rusage Used{};
      getrusage(RUSAGE_THREAD, &Used);
      Polls.Slept = Used.ru_nvcsw;
      std::lock_guard Guard(Polls.Lock);
      Polls.By.insert(std::this_thread::get_id());
      ++Polls.Times;
    };
    return O;
  }
  void untilPolled(unsigned Times) {
    while (Polls.Times < Times)
      std::this_thread::yield();
  }
  // True if Condition becomes true within 2000 polls of the device's thread.
  template <class Fn> bool comes(Fn Condition) {
    for (unsigned Last = Polls.Times + 2000; Polls.Times < Last && !Condition();)
      std::this_thread::yield();
    return Condition();
  }
  // Executes everything on M's device until Work has ended.
  template <class Fn> void meanwhile(Machine &M, Fn Work) {
    std::atomic<bool> Over{false};
    std::thread Steps([&] {
      while (!Over) {
        M.device(0).stepAll();
        std::this_thread::yield();
      }
    });
    Work();
    Over = true;
    Steps.join();
  }
};

TEST_F(DevicePipeline, TheNextTasksInputsArriveBesideARunningKernel) {
  AddType Add(AddType::Device);
  Machine M(manual());
  std::array<std::array<long, 8>, 4> X{};
  for (auto &Row : X)
    Add.submit(M, Row.data(), Row.size(), 1);
  unsigned Arrived = 0; // The first kernel has not begun.
  EXPECT_TRUE(comes([&] {
    Arrived += M.device(0).step(Lane::HostToDevice);
    return Arrived == X.size();
  })) << Arrived;
  EXPECT_TRUE(comes([&] { return M.device(0).pending() == X.size(); })) << "the kernels are there, too";
  EXPECT_EQ(Add.DeviceRuns, 0);
  meanwhile(M, [&] { M.wait(); });
  for (auto &Row : X)
    EXPECT_EQ(Row[7], 1);
}

// As many as fit in flight, not a batch of them and then the next batch.
TEST_F(DevicePipeline, TheWindowSlides) {
  AddType Add(AddType::Device);
  auto O = manual();
  O.Exec.InFlight = 3;
  Machine M(O);
  std::array<long, 8> X{};
  for (int I = 0; I < 6; ++I) // One upload.
    Add.submit(M, X.data(), X.size(), 1);
  ASSERT_TRUE(comes([&] { return M.device(0).pending() == 1 + 3; }));
  ASSERT_TRUE(M.device(0).step(Lane::HostToDevice));
  for (int Left = 5; Left >= 0; --Left) {
    ASSERT_TRUE(M.device(0).step(Lane::Compute));
    size_t There = static_cast<size_t>(std::min(Left, 3));
    EXPECT_TRUE(comes([&] { return M.device(0).pending() == There; })) << Left << " " << M.device(0).pending();
  }
  meanwhile(M, [&] { M.wait(); });
  EXPECT_EQ(X[0], 6);
}

// The second queue's task is complete, and what comes after it runs, while the first queue's kernel still does.
TEST_F(DevicePipeline, QueuesEndOutOfOrder) {
  AddType Add(AddType::Device);
  Machine M(manual(2));
  std::array<long, 2> X{};
  std::array<std::atomic<bool>, 2> Seen{};
  for (size_t I : {0, 1}) {
    Add.submit(M, &X[I], 1, 1);
    M.submit({in(X[I])}, [&, I] { Seen[I] = X[I] == 1; });
  }
  unsigned Arrived = 0;
  ASSERT_TRUE(comes([&] {
    Arrived += M.device(0).step(Lane::HostToDevice);
    return Arrived == 2 && M.device(0).pending() == 2;
  }));
  ASSERT_TRUE(M.device(0).step(Lane::Compute, 1));
  EXPECT_TRUE(comes([&] {
    M.device(0).step(Lane::DeviceToHost);
    return Seen[0] || Seen[1];
  }));
  EXPECT_EQ(Add.DeviceRuns, 1);
  EXPECT_FALSE(Seen[0] && Seen[1]);
  meanwhile(M, [&] { M.wait(); });
  EXPECT_TRUE(Seen[0] && Seen[1]);
}

// A long kernel reports nothing on other queues: the device's thread queries ends there.
TEST_F(DevicePipeline, LateReportsAreRequestedBesideALongKernel) {
  AddType Add(AddType::Device);
  auto O = manual(2);
  O.Sim.ReportsLate = true;
  Machine M(O);
  std::array<long, 2> X{};
  meanwhile(M, [&] { // Now they are on the device.
    for (long &Each : X)
      Add.submit(M, &Each, 1, 1);
    M.Exec->taskwait(threadState(), false);
  });
  for (int I = 0; I < 1000; ++I) // And known as short.
    M.Times.record(Add.Type, sizeClassOf(sizeof(long), NoCost), 0, CpuModel, 1us);
  for (long &Each : X)
    Add.submit(M, &Each, 1, 1);
  std::atomic<bool> Seen{false};
  M.submit({in(X[1])}, [&] { Seen = X[1] == 2; });
  ASSERT_TRUE(comes([&] { return M.device(0).pending() == 2; }));
  ASSERT_EQ(M.device(0).lateReports(), 1u);
  while (Add.DeviceRuns < 3) // The second of them, on whichever queue.
    ASSERT_TRUE(M.device(0).step(Lane::Compute, 1));
  EXPECT_TRUE(comes([&] {
    M.device(0).step(Lane::DeviceToHost);
    return Seen.load();
  }));
  EXPECT_EQ(Add.DeviceRuns, 3);
  meanwhile(M, [&] { M.wait(); });
  EXPECT_EQ(X[0], 2);
}

// A driver takes as long to flush as to launch.
TEST_F(DevicePipeline, ShortKernelsAreFlushedTogether) {
  constexpr unsigned Kernels = 128;
  AddType Add(AddType::Device);
  auto O = manual();
  O.Exec.InFlight = Kernels;
  Machine M(O);
  std::array<long, 4> X{};
  std::atomic<bool> Go{false};
  // All of them stand behind one that waits, so that the device's thread finds them together.
  M.submit({inout(X)}, [&] {
    while (!Go)
      std::this_thread::yield();
  });
  for (unsigned I = 0; I < Kernels; ++I)
    Add.submit(M, X.data(), X.size(), 1);
  EXPECT_EQ(M.device(0).flushes(), 0u);
  Go = true;
  EXPECT_TRUE(comes([&] { return M.device(0).pending() == 1 + Kernels; }));
  unsigned Flushes = M.device(0).flushes();
  EXPECT_GE(Flushes, 1u) << "the first one begins at once";
  EXPECT_LE(Flushes, Kernels / 32 + 4);
  meanwhile(M, [&] { M.wait(); });
  EXPECT_EQ(X[0], Kernels);
}

TEST_F(DevicePipeline, NothingStaysUnflushed) {
  AddType Add(AddType::Device);
  Machine M(manual());
  std::array<long, 4> X{};
  for (unsigned I = 0; I < 5; ++I) // Too few to be flushed for their number.
    Add.submit(M, X.data(), X.size(), 1);
  ASSERT_TRUE(comes([&] { return M.device(0).pending() == 1 + 5; }));
  EXPECT_TRUE(comes([&] { return M.device(0).unflushed() == 0; })) << "it has found nothing more to do";
  unsigned Flushes = M.device(0).flushes();
  untilPolled(Polls.Times + 20);
  EXPECT_EQ(M.device(0).flushes(), Flushes) << "once is enough";
  meanwhile(M, [&] { M.wait(); });
}

// A long kernel occupies no core: soon the thread sleeps between two polls. No other thread polls for the kernel's end.
TEST_F(DevicePipeline, PollingGivesWayToSleep) {
  AddType Add(AddType::Device);
  Machine M(manual());
  std::array<long, 4> X{};
  Add.submit(M, X.data(), X.size(), 1);
  untilPolled(500); // More polls than any machine makes before its first sleep.
  long Slept = Polls.Slept;
  untilPolled(600);
  EXPECT_GE(Polls.Slept - Slept, 20) << "on a busy machine many find that their time is over before they sleep";
  {
    std::lock_guard Guard(Polls.Lock);
    EXPECT_EQ(Polls.By.size(), 1u);
    EXPECT_FALSE(Polls.By.contains(std::this_thread::get_id()));
  }
  meanwhile(M, [&] { M.wait(); });
}

// One event for as many short kernels as take 384 us, 16 to 64.
TEST_F(DevicePipeline, ShorterKernelsHaveLargerReportBatches) {
  AddType Add(AddType::Device);
  MachineOptions O;
  O.Devices = 1;
  O.Sim.Mode = sim::SimMode::Virtual;
  O.Sim.Time = std::make_shared<ManualClock>();
  std::atomic<int64_t> Takes{1000};
  O.Sim.Costs.Kernel = [&](const std::string &, const hsched_ndrange &) { return Duration(Takes.load()); };
  Machine M(O);
  std::array<long, 4> X{};
  std::atomic<bool> Over{false};
  std::thread Goes([&] {
    for (; !Over; std::this_thread::yield())
      O.Sim.Time->advance(20us);
  });
  auto many = [&] {
    for (int I = 0; I < 400; ++I)
      Add.submit(M, X.data(), X.size(), 1);
    M.Exec->taskwait(threadState(), false);
    return M.device(0).together();
  };
  EXPECT_EQ(many(), 64u);
  Takes = 12'000;
  EXPECT_NEAR(many(), 32, 1);
  Takes = 1'000'000;
  EXPECT_EQ(many(), 16u);
  Over = true;
  Goes.join();
  M.stop();
}

TEST_F(DevicePipeline, PausesGrow) {
  EXPECT_EQ(DeviceWorker::pauseAfter(0us), 0us) << "short kernels are seen to end at once";
  EXPECT_EQ(DeviceWorker::pauseAfter(49us), 0us);
  Duration Last{0};
  for (Duration Quiet = 50us; Quiet < 10s; Quiet *= 2) {
    Duration Pause = DeviceWorker::pauseAfter(Quiet);
    EXPECT_GT(Pause, 0us);
    EXPECT_GE(Pause, Last);
    EXPECT_LE(Pause, 200us) << "a kernel's end is not seen too late";
    EXPECT_LE(Pause, Quiet / 2);
    Last = Pause;
  }
  EXPECT_EQ(Last, 200us);
}

// A driver that does not tell when kernels ran. What is seen to end together has not run for all of the time each.
TEST_F(DevicePipeline, RunsThatAreSeenToEndTogetherShareTheTime) {
  AddType Add(AddType::Device);
  MachineOptions O = manual(8);
  O.Exec.InFlight = 8;
  O.Sim.Profiles = false;
  Machine M(O);
  const TimePoint Begin = M.Time.now();
  std::array<long, 8> X{};
  for (long &Each : X)
    Add.submit(M, &Each, 1, 1);
  while (M.device(0).pending() < 8 + 8) // Uploads, kernels.
    std::this_thread::yield();
  while (M.Time.now() - Begin < 4ms) // The first of them are on the device meanwhile.
    std::this_thread::yield();
  meanwhile(M, [&] { M.wait(); });
  const RunStats Known = M.Times.lookup(Add.Type, 8, 0, M.Workers.Workers[2].Model);
  EXPECT_EQ(Known.Runs, 8u);
  EXPECT_LE(Duration(static_cast<Duration::rep>(Known.MeanNs * 8)), M.Time.now() - Begin) << "one after another";
}

} // namespace
