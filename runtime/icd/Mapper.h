// Mapping of scheduled queues to devices, as a pure function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_MAPPER_H
#define HSCHED_ICD_MAPPER_H

#include <cstddef>
#include <vector>

namespace hsched::icd {

// Seconds[q][d]: predicted time of queue q's commands, copies included, on device d; infinite if they cannot run there.
// Load[d]: remaining work of the device in seconds. Returns a device for each queue that minimises the end of the last
// queue; ties: the least total time. Exact up to 4096 combinations. Beyond that: longest queues first, then moves and
// exchanges while they improve the result.
std::vector<size_t> mapQueues(const std::vector<std::vector<double>> &Seconds, const std::vector<double> &Load);

} // namespace hsched::icd
#endif
