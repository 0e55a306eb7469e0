// What a record says of its machine, beyond the times of tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_RECORDEDMACHINE_H
#define HSCHED_VIRTUAL_RECORDEDMACHINE_H

#include "trace/Record.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace hsched::rt::virt {

// Time from the first choice of a device of this model until a transfer or a run began there. 0 if none was chosen.
record::Ns setUpOf(const record::Record &R, const std::string &Model);

// Median time between two tasks of a worker of this model, if the second one was ready when the first one ended. 0
// below eight such pairs.
record::Ns betweenOf(const record::Record &R, const std::string &Model);

// Bytes per second of a device's transfers in one direction, from their sum. 0 below 1 MiB.
double rateOf(const record::Record &R, uint32_t Worker, bool ToHost);

// By index in R.Tasks: the excess of a first run over the median of later runs of the same task and version on that
// model, scaled by bytes. For devices only, and only if it is more than half of that median.
std::map<size_t, record::Ns> firstRuns(const record::Record &R);

} // namespace hsched::rt::virt
#endif
