// Services for policies: time, workers, models, locations of data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_POLICYHOST_H
#define HSCHED_SCHED_POLICYHOST_H

#include "base/Clock.h"
#include "graph/Task.h"
#include "perfmodel/History.h"
#include "sched/Loads.h"
#include "sched/Platform.h"

#include <algorithm>
#include <span>
#include <vector>

namespace hsched::rt {

// Predicted run of a task as one version on one worker.
struct Prediction {
  WorkerId W = NoWorker;
  const Version *V = nullptr;
  Duration Run{0};      // Mean of the version's runs for this size class; 0 without runs.
  uint64_t Runs = 0;    // Number of runs behind the mean.
  Duration Transfer{0}; // Time to transfer the data that the worker's memory lacks.
  Duration Wait{0};     // Time until the worker has done its earlier tasks.
  // For end(), which counts from now: a core waits for its data; a device's transfers overlap its earlier tasks.
  bool Overlaps = false;
  Duration end() const { return (Overlaps ? std::max(Wait, Transfer) : Wait + Transfer) + Run; }
};

// Services for a policy. Outlives the policy.
class PolicyHost {
public:
  virtual ~PolicyHost() = default;
  virtual const Clock &clock() const = 0;
  virtual const Platform &platform() const = 0;
  // Measured execution times. The executor records a run before it calls completed().
  virtual History &history() = 0;
  // HSCHED_LAMBDA.
  virtual unsigned lambda() const = 0;
  // Predicted time to transfer T's inputs to Node, by the links' measured bandwidth and latency and the present copies.
  // Takes the directory's lock; no policy is called under that lock.
  virtual Duration transferTime(const Task & /*T*/, MemoryNode /*Node*/) { return Duration(0); }
  // Predicted time to transfer from each memory node to the host what T writes and the host has now. It has to be done
  // once if T runs there. Nanoseconds; one element per node, all 0 by default. Takes the directory's lock.
  virtual void returnTimes(const Task & /*T*/, std::span<Duration::rep> /*ByNode*/) {}
  // Predicted time until the transfers to device W that have been started end.
  virtual Duration underway(WorkerId /*W*/) const { return Duration(0); }
  // Time of a transfer of no bytes from the memory of device W to the host, and of another one back.
  virtual Duration handOver(WorkerId /*W*/) const { return Duration(0); }
  // Bytes of A's section with a valid copy, or one in transfer, on each memory node. Bytes: one element per node. By
  // default the host has all of it. The caller holds no lock that wake, push or pop takes.
  virtual void validBytes(const Access &A, std::span<uint64_t> Bytes) {
    std::ranges::fill(Bytes, 0);
    Bytes[HostNode] = uint64_t(A.bytes) * A.rows;
  }
  // True if devices or kernels are still to come, announced by Policy::moreUsable: a choice made now may soon be
  // suboptimal.
  virtual bool moreToCome() const { return false; }
  // Upper bound of the number of workers.
  virtual size_t mostWorkers() const { return platform().Workers.size(); }
  // Seed for random choices of policies.
  virtual uint64_t seed() const { return 1; }
  // Wakes W because it may have work now. Cheap if W is awake.
  virtual void wake(WorkerId W) = 0;
  // True if askAgain has an effect.
  virtual bool canAskAgain() const { return false; }
  // Within a pop of W that will find no task: W calls pop again after this time, or earlier. By W's own thread. The
  // last call counts.
  virtual void askAgain(WorkerId /*W*/, Duration /*After*/) {}

  // Loads of workers, written by the policy only. By worker.
  Loads &loads() { return Busy; }
  // Appends a prediction for every (worker, version) pair that is usable for T to Out, by worker, then version. Any
  // thread; the caller holds no lock that wake, push or pop takes.
  void predict(const Task &T, std::vector<Prediction> &Out);

  // True if decided() must be called: something records it.
  virtual bool recordsDecisions() const { return false; }
  // Records that T will run as V on W, and the reason: a clause that lives as long as the program. Candidates: the
  // alternatives; empty without a choice. Call before pop can return T, and again after a new choice. If a policy
  // records nothing, the executor does so when pop returns the task.
  virtual void decided(Task & /*T*/, const Version & /*V*/, WorkerId /*W*/, const char * /*Why*/,
                       std::span<const Prediction> /*Candidates*/) {}

protected:
  // Call before the policy starts.
  void setLoads(size_t Workers) { Busy.resize(Workers); }

private:
  Loads Busy;
};

} // namespace hsched::rt
#endif
