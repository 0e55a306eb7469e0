// Data of policy versioning for one task type and size class: times of versions, and their workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_VERSIONTIMES_H
#define HSCHED_SCHED_VERSIONTIMES_H

#include "sched/Loads.h"
#include "sched/Policy.h"
#include "sched/WorkerClasses.h"

#include <mutex>
#include <optional>
#include <vector>

namespace hsched::rt {

inline ClassMask classBit(unsigned Class) { return ClassMask(1) << Class; }

// The estimate of a version's time. Means: mean of all runs, as in the OmpSs paper. Robust: median of the recent runs;
// for sizes with fewer than HSCHED_LAMBDA runs, a prediction from other sizes.
enum class Estimates { Means, Robust };

// Lock is held during a decision; no other lock is taken under it. It guards the fields below it.
struct VersionTimes {
  using Ns = Duration::rep;

  VersionTimes(const TaskType &, uint64_t) {}

  struct Known { // Times of a version on one kind of worker.
    uint64_t Runs = 0;
    Ns Mean = 0;
    Ns Least = 0;        // The last run, if shorter than Mean: a plausible time of another run.
    uint64_t Chosen = 0; // The last choice of the group that picked it.
  };
  struct PerVersion {
    ClassMask Suited = 0;           // Suited classes without those that have refused it.
    std::vector<Known> Times;       // By ModelId, for the kinds that the group knows.
    uint64_t AsOf = UINT64_MAX;     // Value of History::changes at the lookup of Times.
    std::vector<unsigned> Refusals; // Successive refusals by class; missing: none.

    const Known &on(ModelId Model) const { return Model < Times.size() ? Times[Model] : Unknown; }
    bool takes(WorkerId W, const WorkerClasses &Classes) const { return Suited & classBit(Classes.classOf(W)); }
    bool usableSomewhere(const Version &V, const Task &T, const Platform &Machine, const WorkerClasses &Classes) const;
  };

  // True if a version that could run T has too few runs on a kind of worker. The only usable pair has no competitor and
  // does not count. Sharing: some device shares cores.
  bool learning(const Task &T, const Platform &Machine, const WorkerClasses &Classes, const Loads &Busy,
                unsigned Lambda, bool Sharing) const;

  struct Pair {
    const Version *V;
    WorkerId W;
  };
  // The usable pair that has not been chosen for longest. Null unless its worker is idle and its predicted time is
  // short: at most 1/100 of the group's run time since the last pair was returned. A return resets that time.
  std::optional<Pair> dueForRetry(const Task &T, const Platform &Machine, const WorkerClasses &Classes,
                                  const Loads &Busy, bool MainToo);

  // For T with data in the memory of W, a device: the fastest version measured there, if it takes no longer than
  // HandOver. W then gains nothing if T runs elsewhere: W's thread, which launches kernels, also starts the transfers,
  // there and later back. Null: there is no such version, or a CPU worker can run T. CPU workers are many, so they may
  // gain more.
  const Version *staysOn(const Worker &W, const Task &T, Ns HandOver, const WorkerClasses &Classes) const;

  // A device that computes on the CPU workers' cores takes these from the workers, so core times are compared.
  enum class Side : uint8_t { Both, Cpus, Device };
  // Where T should run. A device that shares cores is preferred only if all its cores together need less core time than
  // a CPU worker. Both: there is no such device, or no CPU version.
  Side preferred(const Task &T, const Platform &Machine, const WorkerClasses &Classes, unsigned Lambda) const;
  // True if T must not measure V, a version that only devices with shared cores can run. CPU versions are measured
  // first; one task at a time measures V; a run slower by PruneFactor ends its measurement.
  bool mustNotMeasure(unsigned V, const Task &T, const Platform &Machine, const WorkerClasses &Classes,
                      const Loads &Busy) const;
  static constexpr Ns PruneFactor = 3;

  std::mutex Lock;
  unsigned NumVersions = 0; // Number of elements in Versions.
  unsigned NumClasses = 0;  // Number of classes behind Suited.
  std::vector<PerVersion> Versions;
  unsigned NextVersion = 0; // Learning phase: next version of the round robin.
  bool Counted = false;     // Pairs is up to date.
  unsigned Pairs = 0;       // Number of pairs of versions and kinds of workers that may run them.
  uint64_t Choices = 0;
  Ns SinceRetry = 0; // Run time of its tasks since a pair was retried.

  // Updates the group for versions registered and workers added since its last use.
  void refresh(PolicyHost &Host, const WorkerClasses &Classes, Estimates How, const TaskType &Type, SizeClass Size);
  // Looks up version V's times if they have changed.
  void measure(PolicyHost &Host, Estimates How, const TaskType &Type, SizeClass Size, unsigned V);
  // The time of V on workers of kind Model. Without measurements: that of the slowest known kind.
  Ns estimate(unsigned V, ModelId Model) const;

private:
  static const Known Unknown;
  // Mean time of the fastest version measured on CPU workers; 0: none. Any: set if some version is usable there.
  Ns onCpu(const Task &T, const Platform &Machine, const WorkerClasses &Classes, bool &Any) const;
};

} // namespace hsched::rt
#endif
