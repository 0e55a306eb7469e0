// What policy versioning decides with: a choice, its reasons, a worker's queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A choice made while devices or kernels are still to come is provisional. It is repeated once, at the task's turn, or
// when a device that can run the task is idle.
//
// A device that computes on the CPU workers' cores (Worker::SharedCores) takes these from the workers. So for each task
// type and size, the time of all its cores is compared. The device gets all such tasks if it needs less core time, else
// none. In the learning phase it has one of them at a time.
//
// A task that only devices can run stays on the device of its predecessor if it is short. The bound is two transfers of
// no bytes, from there and back. Elsewhere it could end earlier, but the device gains nothing: starting these transfers
// takes its thread as long.
//
// Beyond the paper, times are kept by kind of worker. A version is measured separately on each kind of device, and a
// group measures pairs of version and kind. Predicted transfer times are included.
//
// "versioning-locality" uses other estimates:
// - The median of the recent runs, so that one disturbed run changes nothing, and a change is followed;
// - For a size with fewer than lambda runs, a prediction from other sizes (perfmodel/SizeFit.h) if its error is below
//   30 %. There is no learning phase then. A single run is averaged with the prediction.
// - A pair that is rarely chosen is retried on an idle worker. The prediction must be at most 1/100 of the group's run
//   time since the last retry. So a wrong estimate does not persist.
// - Data that a device lacks begin their transfer after those that have been started.
#ifndef HSCHED_SCHED_VERSIONINGCHOICE_H
#define HSCHED_SCHED_VERSIONINGCHOICE_H

#include "sched/Policy.h"
#include "sched/TaskQueue.h"
#include "sched/VersionTimes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace hsched::rt::versioning {

using Ns = Duration::rep;

// Task::PolicyNote.
// Provisional + n: after moreUsable was called n times.
enum Note : uint16_t { Settled, Learning, Provisional };

// Predicted transfer time by memory node; empty if it is equal for all.
using Travels = std::vector<Ns>;

// The queue of the least busy link to a device. All devices count with it, so that data do not leave a device because
// its link is busy.
inline Ns leastUnderway(const PolicyHost &Host) {
  Ns Least = std::numeric_limits<Ns>::max();
  for (const Worker &W : Host.platform().Workers)
    if (W.Node != HostNode)
      Least = std::min(Least, Host.underway(W.Id).count());
  return Least;
}

// Queue of one worker. A decision counts a task in the worker's Load before adding it to Tasks. So the count is
// never less than the queue's length, a worker that reads 0 need not lock, and with IdleWorkers no wake-up is
// lost.
struct alignas(64) WorkerState {
  std::mutex Lock;
  TaskQueue Tasks; // Guarded by Lock.
};

struct Choice {
  const Version *V = nullptr;
  WorkerId W = NoWorker;
  Ns Estimate = 0;
  bool Learned = true;
  bool Remeasures = false; // Chosen to be measured again.
  bool KeepsData = false;  // Shorter than a transfer of its data.
};

constexpr const char *EndsEarliest = "it is predicted to end first there";
constexpr const char *IsMeasured = "a version has been measured fewer than HSCHED_LAMBDA times at this size";
constexpr const char *IsOnly = "nothing else can run it";
constexpr const char *ForEarly = "all that it waits for is on that device, and it is predicted to end first there";
constexpr const char *ForIdle = "the worker that it was meant for was busy, and this one had nothing to do";
constexpr const char *UsableNowhere = "nothing can run it";
constexpr const char *IsShorterThanTransfer = "it takes less time there than its data would take to leave";
constexpr const char *IsRemeasured = "it has not run there for long, and to measure that again costs little";

// Only: there was one candidate.
inline const char *whyOf(const Choice &C, bool Only) {
  return C.Remeasures  ? IsRemeasured
         : C.KeepsData ? IsShorterThanTransfer
         : !C.Learned  ? IsMeasured
         : Only        ? IsOnly
                       : EndsEarliest;
}

// A policy of OmpSs's kind, with the paper's estimates or better ones.
std::unique_ptr<Policy> makeVersioning(Estimates How);

} // namespace hsched::rt::versioning
#endif
