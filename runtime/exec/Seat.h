// A worker's place, which one thread at a time has, and what it finds to run there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_SEAT_H
#define HSCHED_EXEC_SEAT_H

#include "base/Parker.h"
#include "exec/StealOrder.h"
#include "graph/TaskGraph.h"
#include "sched/Platform.h"

namespace hsched::rt {

// Threads beside the workers' that a crew may have, to stand in for those that wait.
inline constexpr unsigned MostSpares = 256;

struct Loan;

// A worker's place. One thread at a time has it: the worker's own, for worker 0 one of the program's, or a spare one to
// which it was lent (Lending.cpp).
struct Seat {
  const Worker *W = nullptr;
  // Where its thread sleeps. Set before that thread looks for work: who queued work before that has been seen.
  std::atomic<Parker *> P;
  // Of those that lent it and have gone on: the one that is to have it back. By any of them, and by its thread.
  std::atomic<Loan *> Claimant{nullptr};
  std::atomic<uint32_t> Loans{0}; // Threads that lent it and may have it back.
  Loan *Lent = nullptr;           // Constant; of what a thread has that lent its seat: see Loan.
  // By the thread that sits here: whether it is in Executor::QueueIdle as far as it knows, whom it robs.
  bool MarkedIdle = false;
  bool MarkedInPolicy = false;       // Its last pop came back empty, and the policy was told of nothing since.
  StealOrder Victims, PolicyVictims; // Of the executor's queues; of workers, for Policy::steal.
  // An open bundle when it last looked, and since when.
  uint64_t SeenBundle = 0;
  TimePoint BundleSince{};
};

// A task that a worker has found. V is null where nothing was chosen for it: it was in a queue that is stolen from.
struct Found {
  TaskNode *T = nullptr;
  const Version *V = nullptr;
  bool FromPolicy = false;
};

} // namespace hsched::rt
#endif
