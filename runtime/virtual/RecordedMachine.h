// What a record says of its machine, beyond the times of tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_RECORDEDMACHINE_H
#define HSCHED_VIRTUAL_RECORDEDMACHINE_H

#include "trace/Record.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hsched::rt::virt {

// Time from the first choice of a device of this model until a transfer or a run began there. 0 if none was chosen.
record::Ns setUpOf(const record::Record &R, const std::string &Model);

// Medians for workers of this model; 0 below eight tasks.
struct StartTimes {
  record::Ns Between = 0; // From one task's end to the next one's begin, if that was ready.
  record::Ns Wakes = 0;   // From the time when a task was ready to its begin, if the worker was idle.
};
StartTimes startTimesOf(const record::Record &R, const std::string &Model);

// For a device whose transfers and runs take turns: the median time from the end of one to the begin of a transfer.
// Null below eight.
std::optional<record::Ns> beforeTransfersOf(const record::Record &R, uint32_t Worker);

// Bytes per second of a device's transfers in one direction, from their sum. 0 below 1 MiB.
double rateOf(const record::Record &R, uint32_t Worker, bool ToHost);

// By index in R.Tasks: its run time. Runs on a device may overlap, because it has several queues. There a run begins at
// the end of the run that ended before it. So the times add up to the device's busy time.
std::vector<record::Ns> runTimes(const record::Record &R);

// By index in R.Tasks: the excess of a first run on a device over the median of later runs of the same task and
// version. Only if it is more than half of that median. Runs of other sizes are scaled by bytes. RunTimes: runTimes(R).
std::map<size_t, record::Ns> firstRuns(const record::Record &R, const std::vector<record::Ns> &RunTimes);

// True if, while the program waited, data went home before the device had ended its last task, and not only because of
// evictions.
bool sentHomeEarly(const record::Record &R);

} // namespace hsched::rt::virt
#endif
