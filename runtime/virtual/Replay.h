// A recorded run as a platform and a program: its tasks again, on its workers, with the times that were measured.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_REPLAY_H
#define HSCHED_VIRTUAL_REPLAY_H

#include "trace/Record.h"
#include "virtual/Program.h"

#include <memory>
#include <string>
#include <vector>

namespace hsched::rt::virt {

// One kind of worker for each model of worker. A task takes, as the version and on the kind that it ran as, what it
// took; elsewhere the median of such tasks of its size; where no such task ran, what was predicted of it last; where
// nothing is known of that size, the time of the next size by proportion of bytes. What no task is known to have run as
// is not run as.
//
// Tasks begin when the program submits them: the replay keeps the program's waits, and the time that it spent between
// two submissions. Tasks that other tasks submitted come after those, as if the program had submitted them.
struct Replay {
  PlatformModel Platform;
  std::vector<TaskTypes::TypeSpec> Types;
  Duration Recorded{0};           // From the first submission to the end of the last task or transfer.
  std::string Policy;             // Of the run; empty: not known.
  std::vector<std::string> Notes; // What is not as in the run, a sentence each.
  bool Described = false;         // See putOn.
  // For one simulation each; the replay outlives it.
  std::unique_ptr<Program> program() const;
  TaskTypes types(const PlatformModel &On) const;

  std::vector<TaskSpec> Tasks;
  std::vector<std::unique_ptr<std::vector<Duration>>> Times; // What Tasks point to.
};

// The message of a failure says what is missing.
status makeReplay(const record::Record &R, Replay &Out);

// The tasks on a described platform in place of the recorded one. A task's work is its cost, or else the bytes of its
// data. What was measured of tasks, and what the program did between them, does not count. Fails if no worker of the
// platform has a speed for some task, and says which.
status putOn(const PlatformModel &P, Replay &R);

} // namespace hsched::rt::virt
#endif
