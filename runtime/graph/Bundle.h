// Bundles: short tasks that one thread submits in a row, linked and run as one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To make a node of a task, to link, queue, steal and complete it costs several hundred nanoseconds, shared out over
// two threads and more. A task that runs for less is not worth that. A bundle is a node that stands for some such
// tasks, its items: what any of them touches, the bundle touches, and one after the other they run on one thread, in
// order of submission, which is an order that every dependence allows. A bundle is open while its domain's last
// submissions were all into it: whatever else is submitted closes it, so that bundles and tasks still depend on earlier
// ones only.
//
// Failures stay exact: an item is cancelled where it comes after a failed one, and only then. So a bundle keeps what
// its items touch.
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

// One task of a bundle. Its memory, with its sections and its arguments behind it, is the executor's.
struct BundleItem {
  BundleItem *Next;
  TaskType *Type;
  const Version *V;
  void *Args;
  void *Memory; // The executor's.
  double Cost;
  TaskId Id; // The executor's, where tasks are logged.
  uint32_t NumSections;
  uint32_t Submitter; // The executor's: which thread.

  ItemSection *sections() { return reinterpret_cast<ItemSection *>(this + 1); }
  std::span<const ItemSection> list() const { return {reinterpret_cast<const ItemSection *>(this + 1), NumSections}; }
};
static_assert(sizeof(BundleItem) % alignof(ItemSection) == 0);

// How many tasks go into a bundle if each runs for so long, at most.
uint32_t itemsOfABundle(uint32_t Nanoseconds);

// A bundle's items, in order, and for how many outstanding tasks it counts.
inline BundleItem *itemsOf(const TaskNode &Bundle) { return static_cast<BundleItem *>(Bundle.Args); }
inline uint64_t weightOf(const TaskNode &Bundle) { return Bundle.DataBytes; }

// By the thread that runs Bundle: whether I comes after something that failed. The last item alone may come after tasks
// that are no bundles.
bool mustNotRun(const TaskNode &Bundle, const BundleItem &I);
// I has failed, or was cancelled.
void noteFailed(TaskNode &Bundle, const BundleItem &I);

// Failures are rare: what is known of them stands in a table, for tasks that are Troubled.
//
// From, a bundle some of whose items failed, is complete, and To, which is not ready, comes after it.
void poisonBy(const TaskNode &From, TaskNode &To);
// T, Troubled, has become ready: it is Poisoned if it comes after items that failed. A bundle's items are looked at one
// by one: mustNotRun.
void settleTrouble(TaskNode &T);
// Of a Troubled task that nobody refers to any more.
void forgetTrouble(const TaskNode &T);

} // namespace hsched::rt
#endif
