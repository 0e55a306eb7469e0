// What the versioning policy knows of one task and size: how long its versions take, and who runs them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_VERSIONTIMES_H
#define HSCHED_SCHED_VERSIONTIMES_H

#include "sched/Loads.h"
#include "sched/WorkerClasses.h"

#include <mutex>
#include <vector>

namespace hsched::rt {

inline ClassMask classBit(unsigned Class) { return ClassMask(1) << Class; }

// Lock is held for the length of a decision; no other lock is taken under it. It guards all that is below it.
struct VersionTimes {
  using Ns = Duration::rep;

  VersionTimes(const TaskType &, uint64_t) {}

  struct PerVersion {
    ClassMask Suited = 0; // less those that have refused it
    uint64_t Runs = 0;
    Ns Mean = 0;
    uint64_t AsOf = UINT64_MAX;     // History's changes when Runs and Mean were looked up
    std::vector<unsigned> Refusals; // in a row, by class; missing: none

    bool takes(WorkerId W, const WorkerClasses &Classes) const { return Suited & classBit(Classes.classOf(W)); }
    bool usableSomewhere(const Version &V, const Task &T, const Platform &Machine, const WorkerClasses &Classes) const;
  };

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
  unsigned NumVersions = 0; // that are in Versions
  unsigned NumClasses = 0;  // that Suited is about
  std::vector<PerVersion> Versions;
  unsigned NextVersion = 0; // learning: where round robin goes on

private:
  // The mean time of the fastest version measured on CPU workers, 0: none has been. Any: there is one that can be used.
  Ns onCpu(const Task &T, const Platform &Machine, const WorkerClasses &Classes, bool &Any) const;
};

} // namespace hsched::rt
#endif
