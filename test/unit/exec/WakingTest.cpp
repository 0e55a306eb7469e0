// Who is woken, and by whom: what test/model/idle.pml found, on real threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// Whether N threads have come here, or the others have not within what no machine needs.
bool meet(std::atomic<int> &Here, int N) {
  auto End = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  ++Here;
  while (Here.load() < N) {
    if (std::chrono::steady_clock::now() > End)
      return false;
    std::this_thread::yield();
  }
  return true;
}

void dawdle(int Pauses) {
  for (int I = 0; I < Pauses; ++I)
    Parker::pause();
}

// Two tasks that are ready and two workers: neither waits for the other's end, wherever the workers are on their way
// to sleep when the tasks come.
TEST(Waking, AReadyTaskDoesNotWaitForABusyWorker) {
  MachineOptions O;
  O.Cpus = 3;
  O.Exec.BundleBelow = 0; // tasks of one bundle never meet
  Machine M(O);
  for (int Round = 0; Round < 1000; ++Round) {
    std::atomic<int> Here{0}, Done{0};
    std::atomic<bool> Met{true};
    for (int I = 0; I < 2; ++I)
      M.submit({}, [&] {
        if (!meet(Here, 2))
          Met = false;
        ++Done;
      });
    while (Done.load() < 2) // the main thread is away
      std::this_thread::yield();
    M.wait();
    ASSERT_TRUE(Met.load()) << "round " << Round;
    dawdle(Round % 50 * 20);
  }
}

// A body that has waited and goes on is no idle worker: what it submits wakes another one.
TEST(Waking, AWorkerThatHasWaitedIsNotTakenForAnIdleOne) {
  MachineOptions O;
  O.Cpus = 3;
  Machine M(O);
  for (int Round = 0; Round < 300; ++Round) {
    std::atomic<int> Here{0};
    std::atomic<bool> Met{true}, Done{false};
    M.submit({}, [&] {
      std::atomic<bool> Running{false};
      M.submit({}, [&Running, Round] {
        Running = true;
        dawdle(Round % 10 * 20000); // who waits goes to sleep
      });
      while (!Running.load()) // another worker has it
        std::this_thread::yield();
      M.wait();
      dawdle(Round % 7 * 20000); // the others go to sleep
      M.submit({}, [&] {
        if (!meet(Here, 2))
          Met = false;
      });
      if (!meet(Here, 2))
        Met = false;
      Done = true;
    });
    while (!Done.load()) // the main thread is away
      std::this_thread::yield();
    M.wait();
    ASSERT_TRUE(Met.load()) << "round " << Round;
  }
}

} // namespace
