// Which device each scheduled queue gets: plain values in, plain values out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_MAPPER_H
#define HSCHED_ICD_MAPPER_H

#include <cstddef>
#include <vector>

namespace hsched::icd {

// Seconds[q][d]: what queue q's commands, with the copies that they need, would take on device d; infinite where they
// cannot run. Load[d]: what the device has still to do. Returns a device for each queue, so that the last queue ends as
// early as possible; of equal ones, that with the least time in sum. Exact up to 4096 combinations; beyond, the longest
// queues first, and then moves and exchanges as long as they improve.
std::vector<size_t> mapQueues(const std::vector<std::vector<double>> &Seconds, const std::vector<double> &Load);

} // namespace hsched::icd
#endif
