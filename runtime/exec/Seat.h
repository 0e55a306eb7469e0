// A worker's seat, which one thread at a time occupies, and tasks found there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_SEAT_H
#define HSCHED_EXEC_SEAT_H

#include "base/Parker.h"
#include "exec/StealOrder.h"
#include "graph/TaskGraph.h"
#include "sched/Platform.h"

namespace hsched::rt {

// Limit of substitute threads of a crew, beside the workers' threads.
inline constexpr unsigned MostSpares = 256;

struct Loan;

// A worker's identity for the thread that runs its tasks. One thread at a time has it. This is the worker's
// own, for worker 0 one of the program's, or a substitute to which it was lent (Lending.cpp).
struct Seat {
  const Worker *W = nullptr;
  // Where its thread sleeps. Set before that thread searches, so tasks queued earlier are found.
  std::atomic<Parker *> P;
  // The lender that gets it back next. Written by lenders and by its thread.
  std::atomic<Loan *> Claimant{nullptr};
  std::atomic<uint32_t> Loans{0}; // Number of lenders that may get it back.
  Loan *OwnLoan = nullptr;        // Constant. Points to the loan of a thread that lent its seat: see Loan.
  // True if the thread that has the seat is in Executor::QueueIdle, as far as that thread knows.
  bool MarkedIdle = false;
  Duration AskAgain = Parker::Forever; // Its thread sleeps at most so long before its next search. Used by that thread.
  bool MarkedInPolicy = false;         // Its last pop found no task, and the policy has not been notified since.
  // Order of stealing: among the executor's queues; among workers, for Policy::steal.
  StealOrder Victims, PolicyVictims;
  // The open bundle at its last search, and since when.
  uint64_t LastBundle = 0;
  TimePoint BundleSince{};
};

// A task that a worker has found. V is null if no choice was made: it came from a queue for stealing.
struct FoundTask {
  TaskNode *T = nullptr;
  const Version *V = nullptr;
  bool FromPolicy = false;
};

} // namespace hsched::rt
#endif
