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

// A command of a queue, as chainsOf() sees it.
struct Link {
  std::vector<size_t> Before; // Numbers of the earlier commands that it follows.
  bool Computes = false;      // It runs a kernel.
  bool Fence = false;         // Everything before it comes before everything behind it.
};

// The chain of each command, numbered from 0. Commands of different chains have no order, with one exception: several
// chains may read what a transfer at the beginning of one of them writes. A fence in the middle leaves one chain.
std::vector<size_t> chainsOf(const std::vector<Link> &Commands);

} // namespace hsched::icd
#endif
