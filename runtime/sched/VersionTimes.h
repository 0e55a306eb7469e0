// What the versioning policy knows of one task and size: how long its versions take, and who runs them.
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

// What is taken for a version's time. Means: of all its runs, as the OmpSs paper has it. Robust: the median of the
// recent ones, and for sizes without HSCHED_LAMBDA runs what other sizes predict.
enum class Estimates { Means, Robust };

// Lock is held for the length of a decision; no other lock is taken under it. It guards all that is below it.
struct VersionTimes {
  using Ns = Duration::rep;

  VersionTimes(const TaskType &, uint64_t) {}

  struct Known { // Of a version on one kind of worker.
    uint64_t Runs = 0;
    Ns Mean = 0;
    Ns Least = 0;        // The last run, if that was shorter than Mean: what another run may well take.
    uint64_t Chosen = 0; // The group's choice that picked it last.
  };
  struct PerVersion {
    ClassMask Suited = 0;           // Less those that have refused it.
    std::vector<Known> Times;       // By ModelId, as far as the group has taken notice of workers.
    uint64_t AsOf = UINT64_MAX;     // History's changes when Times were looked up.
    std::vector<unsigned> Refusals; // In a row, by class; missing: none.

    const Known &on(ModelId Model) const { return Model < Times.size() ? Times[Model] : Unknown; }
    bool takes(WorkerId W, const WorkerClasses &Classes) const { return Suited & classBit(Classes.classOf(W)); }
    bool usableSomewhere(const Version &V, const Task &T, const Platform &Machine, const WorkerClasses &Classes) const;
  };

  // Whether a version that could run T has been measured too few times on a kind of worker. A pair of these that is the
  // only usable one has nothing to compete with. Sharing: some device shares cores.
  bool learning(const Task &T, const Platform &Machine, const WorkerClasses &Classes, const Loads &Busy,
                unsigned Lambda, bool Sharing) const;

  struct Pair {
    const Version *V;
    WorkerId W;
  };
  // The pair that can run T and was not chosen for longest, if its worker is idle and if to run it is predicted to take
  // at most a hundredth of what the group has run since this was last answered; else null. Then that counts anew.
  std::optional<Pair> dueAgain(const Task &T, const Platform &Machine, const WorkerClasses &Classes, const Loads &Busy,
                               bool MainToo);

  // Devices that compute on the CPU workers' cores take these from the workers: the less core time counts.
  enum class Side : uint8_t { Both, Cpus, Device };
  // Who is to run T: a device that shares cores only where all its cores together need less time than a CPU worker.
  // Both: there is no such device, or no CPU version.
  Side preferred(const Task &T, const Platform &Machine, const WorkerClasses &Classes, unsigned Lambda) const;
  // Whether T is not to measure version V, which only devices that share cores can run: CPU versions are measured
  // first, one task at a time is enough, and a run that took HopelessFactor times as long tells all there is to know.
  bool waitsToLearn(unsigned V, const Task &T, const Platform &Machine, const WorkerClasses &Classes,
                    const Loads &Busy) const;
  static constexpr Ns HopelessFactor = 3;

  std::mutex Lock;
  unsigned NumVersions = 0; // That are in Versions.
  unsigned NumClasses = 0;  // That Suited is about.
  std::vector<PerVersion> Versions;
  unsigned NextVersion = 0; // Learning: where round robin goes on.
  unsigned Pairs = 0;       // Of versions and kinds of workers that may run them.
  uint64_t Choices = 0;
  Ns SinceLook = 0; // What its tasks have run since a pair was looked at again.

  // Takes notice of versions that were registered, and of workers that came, since the group was last used.
  void refresh(PolicyHost &Host, const WorkerClasses &Classes, Estimates How, const TaskType &Type, SizeClass Size);
  // Looks version V's times up, where they have changed.
  void measure(PolicyHost &Host, Estimates How, const TaskType &Type, SizeClass Size, unsigned V);
  // The time of V on workers of kind Model. What has none of its own is taken to be as slow as the slowest known.
  Ns estimate(unsigned V, ModelId Model) const;

private:
  static const Known Unknown;
  // The mean time of the fastest version measured on CPU workers, 0: none has been. Any: there is one that can be used.
  Ns onCpu(const Task &T, const Platform &Machine, const WorkerClasses &Classes, bool &Any) const;
};

} // namespace hsched::rt
#endif
