// What a policy knows of one task and size: each version's time on each kind of worker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_VERSIONGROUP_H
#define HSCHED_SCHED_VERSIONGROUP_H

#include "sched/Policy.h"
#include "sched/WorkerClasses.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace hsched::rt {

// What is taken for a version's time. Means: of all its runs, as the OmpSs paper has it. Robust: the median of the
// recent ones, and for sizes without HSCHED_LAMBDA runs what other sizes predict.
enum class Estimates { Means, Robust };

// How groups are filled; one for all of a policy's. Immutable.
struct VersionSources {
  PolicyHost *Host = nullptr;
  const WorkerClasses *Classes = nullptr;
  Estimates How = Estimates::Means;
  size_t NumModels = 1; // kinds of workers: Worker::Model is below
};

// Lock is held for the length of a decision; no other lock is taken under it. All else is guarded by it.
struct VersionGroup {
  using Ns = Duration::rep;

  VersionGroup(const TaskType &, uint64_t) {}

  struct Known { // of a version on one kind of worker
    uint64_t Runs = 0;
    Ns Mean = 0;
    Ns Least = 0;        // the last run, if that was shorter than Mean: what another run may well take
    uint64_t Chosen = 0; // the group's choice that picked it last
  };
  struct PerVersion {
    ClassMask Suited = 0;           // less those that have refused it
    std::vector<Known> Of;          // by WorkerModel
    uint64_t AsOf = UINT64_MAX;     // History's changes when Of was looked up
    std::vector<unsigned> Refusals; // in a row, by class; empty: none
  };

  std::mutex Lock;
  unsigned NumVersions = 0; // that are in Versions
  std::vector<PerVersion> Versions;
  unsigned NextVersion = 0; // learning: where round robin goes on
  unsigned Pairs = 0;       // of versions and kinds of workers
  uint64_t Choices = 0;
  Ns SinceLook = 0; // what its tasks have run since a pair was looked at again

  // Takes notice of versions that were registered since the group was last used.
  void refresh(const VersionSources &From, const TaskType &Type, SizeClass Size);
  // Looks version V's times up, where they have changed.
  void measure(const VersionSources &From, const TaskType &Type, SizeClass Size, unsigned V);
  // The time of V on workers of kind Model. What has none of its own is taken to be as slow as the slowest known.
  Ns estimate(unsigned V, WorkerModel Model) const;
};

} // namespace hsched::rt
#endif
