// Bundles: short tasks that one thread submits in succession, linked and run as one node.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node costs several hundred nanoseconds: allocation, linking, queueing, stealing,
// completion. That is too much for a shorter task. A bundle is one node for several such tasks,
// its items. It has the accesses of all of them. One thread runs them in order of submission,
// which satisfies every dependence. A bundle is open while its domain's last submissions were
// all added to it. Any other submission closes it, so bundles and tasks depend on earlier ones
// only.
//
// Failures stay exact: an item is cancelled if and only if it depends on a failed one. Therefore a bundle keeps its
// items' sections.
#ifndef HSCHED_GRAPH_BUNDLE_H
#define HSCHED_GRAPH_BUNDLE_H

#include "graph/TaskGraph.h"

#include <span>

namespace hsched::rt {

// One contiguous section that is read, written or both. Most sections are.
struct ItemSection {
  uintptr_t Begin;
  uint32_t Bytes;
  uint32_t Mode; // HSCHED_IN to HSCHED_INOUT

  uintptr_t end() const { return Begin + Bytes; }
  static bool holds(const Access &A) { return A.mode <= HSCHED_INOUT && A.rows == 1 && A.bytes <= UINT32_MAX; }
};

// One task of a bundle. Its sections and arguments follow in memory. The executor owns the memory.
struct BundleItem {
  BundleItem *Next;
  TaskType *Type;
  const Version *V;
  void *Args;
  void *Memory; // The executor's.
  double Cost;
  TaskId Id; // The executor's, if tasks are logged.
  uint32_t NumSections;
  uint32_t Submitter; // The executor's: number of the submitting thread.

  ItemSection *sections() { return reinterpret_cast<ItemSection *>(this + 1); }
  std::span<const ItemSection> list() const { return {reinterpret_cast<const ItemSection *>(this + 1), NumSections}; }
};
static_assert(sizeof(BundleItem) % alignof(ItemSection) == 0);

// The greatest number of items in a bundle of tasks with this run time.
uint32_t itemsOfABundle(uint32_t Nanoseconds);

// A bundle's items in order, and the number of outstanding tasks that it counts for.
inline BundleItem *itemsOf(const TaskNode &Bundle) { return static_cast<BundleItem *>(Bundle.Args); }
inline uint64_t weightOf(const TaskNode &Bundle) { return Bundle.DataBytes; }

// By the thread that runs Bundle: true if I depends on a failed item or task. Only the last item may depend on tasks
// that are not bundles.
bool mustNotRun(const TaskNode &Bundle, const BundleItem &I);
// I failed or was cancelled.
void noteFailed(TaskNode &Bundle, const BundleItem &I);

// Failures are rare: a table holds them, for tasks that are HasFailedItems.
//
// From, a complete bundle with failed items, precedes To, which is not ready.
void poisonBy(const TaskNode &From, TaskNode &To);
// T, HasFailedItems, has become ready: poisons it if it depends on failed items. Items of a bundle are checked one by
// one: mustNotRun.
void resolveFailedItems(TaskNode &T);
// Frees the table's entry of a HasFailedItems task without references.
void forgetFailedItems(const TaskNode &T);

} // namespace hsched::rt
#endif
