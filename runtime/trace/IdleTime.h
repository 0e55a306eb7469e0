// Why workers had nothing to run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_IDLETIME_H
#define HSCHED_TRACE_IDLETIME_H

#include "trace/Record.h"

#include <array>
#include <vector>

namespace hsched::rt::record {

// What a worker waited for before its next task, in this order: until the task was submitted; then until the last of
// its predecessors had ended; then, as long as its data travelled; the rest is from when it could have begun until it
// did. After its last task: for no more tasks.
enum class Idle : uint8_t { Program, Predecessors, Transfers, Late, NoMore };
inline constexpr size_t NumIdle = 5;
const char *nameOf(Idle Reason);

struct Gap {
  uint32_t Worker = 0;
  Ns Begin = 0, End = 0;
  uint64_t Next = 0;               // The task behind it; 0: none.
  std::array<Ns, NumIdle> Parts{}; // By reason; they add up.
  Idle main() const;               // The greatest part.
};

// Between the runs of each worker, from the first submission to the end of the run. Workers in order, then by time.
std::vector<Gap> idleGaps(const Record &R, Ns Makespan);

} // namespace hsched::rt::record
#endif
