// The manager of one device: the thread that feeds it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_DEVICEWORKER_H
#define HSCHED_EXEC_DEVICEWORKER_H

#include "exec/Executor.h"

#include <list>

namespace hsched::rt {

// Keeps up to HSCHED_INFLIGHT tasks on the device at once, so that the transfers of the next run beside the kernel of
// the last. Everything here is on the manager's thread.
class DeviceWorker {
public:
  DeviceWorker(Executor &E, Seat &S) : E(E), S(S), W(*S.W), Dev(*S.W->Dev) {}

  // Returns when the executor is stopping and nothing is in flight.
  void loop();

private:
  // A task on its way through the device.
  struct Flight {
    TaskNode *T = nullptr;
    const Version *V = nullptr;
    bool FromPolicy = false;
    KernelRef K;
    Acquisition Held;
    EventRef Done;      // null while its inputs are still on their way
    TimePoint Launched; // host time
  };

  bool take(); // false: there was nothing
  bool reap(); // whether a task ended or advanced
  void idle(bool Progress);

  void accept(TaskNode &T, const Version &V, bool FromPolicy);
  void acquire(Flight F);
  // The flight's inputs have arrived, or the device orders them before it.
  void launch(Flight F);
  void ended(Flight &F);
  // Something went wrong before the device began: the task goes on elsewhere, or later, or fails.
  void giveUp(Flight &F, const status &Cause, bool Holding);
  // Tasks for which memory did not suffice come again once another has ended.
  void retryStarved();

  bool inputsArrived(Flight &F, status &Outcome);

  Executor &E;
  Seat &S;
  const Worker &W;
  Device &Dev;
  std::list<Flight> InFlight;
  std::deque<Flight> Starved;
  TimePoint LastProgress;
};

} // namespace hsched::rt
#endif
