// The manager of one device: the thread that feeds it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_DEVICEWORKER_H
#define HSCHED_EXEC_DEVICEWORKER_H

#include "exec/Executor.h"

#include <list>
#include <map>

namespace hsched::rt {

// Keeps up to HSCHED_INFLIGHT tasks on the device at once, so that the transfers of the next run beside the kernel of
// the last. Everything here is on the manager's thread.
class DeviceWorker {
public:
  DeviceWorker(Executor &E, Seat &S) : E(E), S(S), W(*S.W), Dev(*S.W->Dev), Depth(depthFor(E.Options, Dev.info())) {}

  // Returns when the executor is stopping and nothing is in flight.
  void loop();

private:
  // Where data travels, transfers of many tasks have to be ahead of the kernels (docs/architecture.md has figures).
  // Where it does not, what is taken early is only kept from other workers.
  static unsigned depthFor(const ExecutorOptions &Options, const DeviceInfo &Info) {
    return Options.InFlight ? Options.InFlight : Info.SharesHostMemory ? 4 : 16;
  }

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

  // Tasks of one version and size that the device refused lately: after a few in a row the next ones are sent on
  // before their data has moved, whatever the policy, and only now and then one is tried.
  struct Refusal {
    unsigned InARow = 0, SentOn = 0;
    status Cause;
  };
  static constexpr unsigned RefusalsTried = 3, SentOnBetween = 64;
  bool refusedLately(const Flight &F, status &Cause);

  bool inputsArrived(Flight &F, status &Outcome);

  Executor &E;
  Seat &S;
  const Worker &W;
  Device &Dev;
  const unsigned Depth;
  std::list<Flight> InFlight;
  std::deque<Flight> Starved;
  std::map<std::pair<const Version *, SizeClass>, Refusal> Refusals; // by version and size class
  TimePoint LastProgress;
};

} // namespace hsched::rt
#endif
