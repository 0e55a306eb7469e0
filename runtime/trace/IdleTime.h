// Reasons of workers' idle time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_IDLETIME_H
#define HSCHED_TRACE_IDLETIME_H

#include "trace/Record.h"

#include <array>
#include <vector>

namespace hsched::rt::record {

// Parts of a gap before a worker's next task, in order. Until its submission. Until its last predecessor ended. During
// its transfers. The rest, in which it could have begun. A gap after a worker's last task is NotGiven while another
// task is ready and has not begun. Then it is Predecessors while a task is submitted, and Program before one is. It is
// NoMore once the last task of the run has begun.
enum class Idle : uint8_t { Program, Predecessors, Transfers, Late, NotGiven, NoMore };
inline constexpr size_t NumIdle = 6;
const char *nameOf(Idle Reason);

struct Gap {
  uint32_t Worker = 0;
  Ns Begin = 0, End = 0;
  uint64_t Next = 0;               // The task after the gap; 0: none.
  std::array<Ns, NumIdle> Parts{}; // By reason; their sum is the gap.
  Idle main() const;               // The greatest part.
};

// Gaps between the runs of each worker, from the first submission to the end of the run. By worker, then by time.
std::vector<Gap> idleGaps(const Record &R, Ns Makespan);
// Their parts, added up by reason.
std::array<Ns, NumIdle> idleTimes(const Record &R, Ns Makespan);

} // namespace hsched::rt::record
#endif
