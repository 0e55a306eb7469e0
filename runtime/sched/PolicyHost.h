// What a policy may ask of the driver that runs it: time, workers, models, where data are.
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

// What is known of a task's run as one version on one worker.
struct Prediction {
  WorkerId W = NoWorker;
  const Version *V = nullptr;
  Duration Run{0};      // Mean of the version's runs for tasks of this size; 0 where there are none.
  uint64_t Runs = 0;    // That Run is the mean of.
  Duration Transfer{0}; // Of what the worker's memory lacks.
  Duration Wait{0};     // Until the worker has done what it was given before.
  // From now on. A core waits for its data; a device's travel beside what it has yet to run.
  bool Overlaps = false;
  Duration end() const { return (Overlaps ? std::max(Wait, Transfer) : Wait + Transfer) + Run; }
};

// What a policy may use. Outlives the policy.
class PolicyHost {
public:
  virtual ~PolicyHost() = default;
  virtual const Clock &clock() const = 0;
  virtual const Platform &platform() const = 0;
  // Measured execution times; the executor has recorded a run before it calls completed().
  virtual History &history() = 0;
  // HSCHED_LAMBDA.
  virtual unsigned lambda() const = 0;
  // How long what T reads would travel to where it is read on Node, by the links' measured bandwidth and latency, as
  // the copies are now. Takes the directory's lock, under which no policy is called.
  virtual Duration transferTime(const Task & /*T*/, MemoryNode /*Node*/) { return Duration(0); }
  // How many bytes of A's section have a valid copy, or one on its way, on each memory node. Bytes: one element a node.
  // The host has all of it, unless the driver knows better. With no lock held that a wake-up, a push or a pop takes.
  virtual void validBytes(const Access &A, std::span<uint64_t> Bytes) {
    std::ranges::fill(Bytes, 0);
    Bytes[HostNode] = uint64_t(A.bytes) * A.rows;
  }
  // Whether devices or built kernels are still to come, of which Policy::moreUsable will be told: a choice made now may
  // soon be no longer the best.
  virtual bool moreToCome() const { return false; }
  // How many workers there may be at most.
  virtual size_t mostWorkers() const { return platform().Workers.size(); }
  // Of what policies choose at random.
  virtual uint64_t seed() const { return 1; }
  // Worker W may have work now. Cheap when W is awake.
  virtual void wake(WorkerId W) = 0;

  // How busy workers are, as the policy has counted: it alone writes here. By worker.
  Loads &loads() { return Busy; }
  // What is known of every (worker, version) pair that is usable for T, in order of workers, then of versions; appended
  // to Out. Any thread, with no lock held that a wake-up, a push or a pop takes.
  void predict(const Task &T, std::vector<Prediction> &Out);

  // Whether somebody reads decided(): else it need not be called.
  virtual bool recordsDecisions() const { return false; }
  // Notes that T is to run as V on W, and why: a clause that lives as long as the program. Candidates: those that the
  // choice was made among; empty where there was no choice. Before T can come out of a pop, and again where a choice is
  // made anew. For a task of which a policy notes nothing, the executor does when it comes out of a pop.
  virtual void decided(Task & /*T*/, const Version & /*V*/, WorkerId /*W*/, const char * /*Why*/,
                       std::span<const Prediction> /*Candidates*/) {}

protected:
  // Before the policy starts.
  void setLoads(size_t Workers) { Busy.resize(Workers); }

private:
  Loads Busy;
};

} // namespace hsched::rt
#endif
