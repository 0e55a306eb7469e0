// One task from submission to completion.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This is the part of a task that policies, models, data and executor may use. The links to predecessors are in
// TaskNode.h; only the graph uses them.
#ifndef HSCHED_GRAPH_TASK_H
#define HSCHED_GRAPH_TASK_H

#include "base/Clock.h"
#include "base/Ids.h"
#include "base/SizeClass.h"
#include "graph/Footprint.h"
#include "graph/TaskType.h"

#include <cstdint>
#include <span>

namespace hsched::rt {

using Access = ::hsched_access;

inline bool reads(const Access &A) { return A.mode != HSCHED_OUT; }
inline bool writes(const Access &A) { return A.mode != HSCHED_IN; }
// First byte and one past the last of the hull of a section.
inline uintptr_t beginOf(const Access &A) { return reinterpret_cast<uintptr_t>(A.base); }
inline uintptr_t endOf(const Access &A) {
  return A.bytes == 0 || A.rows == 0 ? beginOf(A) : beginOf(A) + (A.rows - 1) * A.stride + A.bytes;
}

} // namespace hsched::rt

// The ABI's opaque type. Fields are written by the submitting thread before the task is submitted, then by the thread
// that currently holds it: policy, then worker.
struct hsched_task {
  hsched::rt::TaskType *Type = nullptr;
  uint64_t Id = 0;      // 1, 2, ... in order of submission.
  void *Args = nullptr; // Packed arguments.
  hsched_access *AccessList = nullptr;
  uint32_t NumAccesses = 0;
  int32_t Priority = 0;
  uint64_t DataBytes = 0; // Data-set size in bytes: identical sections counted once.
  double Cost = hsched::rt::NoCost;
  const char *Label = nullptr; // Never null once submitted.

  // Owned by the policy that holds the task: an intrusive list, and its choice.
  hsched_task *PolicyNext = nullptr;
  const hsched::rt::Version *Chosen = nullptr;
  uint32_t ChosenWorker = hsched::rt::NoWorker;
  uint16_t PolicyNote = 0; // For the policy's own use.
  bool Placed = false;     // A placement restricts its workers: see Placement.h. Only in a TaskNode.
  bool Decided = false;    // The reason of its placement has been recorded: see PolicyHost::decided.
  union {
    hsched::rt::Duration Predicted{0};
    hsched::rt::Footprint Data; // Until a policy holds the task. All zero, like Predicted: it has none.
  };

  // The key of its execution times.
  hsched::rt::SizeClass sizeClass() const { return hsched::rt::sizeClassOf(DataBytes, Cost); }
  std::span<const hsched_access> accesses() const { return {AccessList, NumAccesses}; }
};

namespace hsched::rt {
using Task = ::hsched_task;
}
#endif
