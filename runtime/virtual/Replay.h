// A recorded run as a platform and a program: the same tasks and workers, with measured times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_REPLAY_H
#define HSCHED_VIRTUAL_REPLAY_H

#include "perfmodel/History.h"
#include "trace/Record.h"
#include "virtual/Program.h"

#include <memory>
#include <string>
#include <vector>

namespace hsched::rt::virt {

// One kind of worker for each model. A task's time, as its recorded version on its recorded kind, is
// the measured one. For other pairs: the median of tasks of its size.
// Without these, the last prediction. Without that, the time of the nearest size, scaled by bytes. Pairs that no task
// ran as are not used.
//
// The replay keeps the program's waits and its time between submissions. Tasks that other tasks submitted follow those,
// as if the program had submitted them.
struct Replay {
  PlatformModel Platform;
  std::vector<TaskTypes::TypeSpec> Types;
  Duration Recorded{0}; // Recorded makespan: from the first submission to the end of the last task or transfer.
  std::string Policy;   // Policy of the run; empty: unknown.
  // Predictions of the run when a task of this type and size was first chosen.
  struct KnownTime {
    unsigned Type, Version, Kind;
    SizeClass Size;
    uint64_t Runs;
    Duration Run;
  };
  std::vector<KnownTime> Known;
  std::vector<std::string> Notes; // Differences from the run, one sentence each.
  bool Described = false;         // See putOn.
  bool SendsHome = false;         // See Program::sendsHome.
  // Makes a program for one simulation. The replay outlives it.
  std::unique_ptr<Program> program() const;
  TaskTypes types(const PlatformModel &On) const;
  // For a history that begins with what the run knew. The replay outlives it.
  History::Before known() const;

  std::vector<TaskSpec> Tasks;
  std::vector<std::unique_ptr<std::vector<Duration>>> Times; // Memory of Tasks' times.
};

// An error message says what is missing.
status makeReplay(const record::Record &R, Replay &Out);

// Moves the tasks to a described platform. A task's work is its cost, or else the bytes of its data. Measured times,
// and the program's time between tasks, are ignored. Fails if no worker has a speed for some task; the message names
// it.
status putOn(const PlatformModel &P, Replay &R);

} // namespace hsched::rt::virt
#endif
