// The directory's parts, and the functions that its sources share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DATA_DIRECTORYIMPL_H
#define HSCHED_DATA_DIRECTORYIMPL_H

#include "base/ThreadSafety.h"
#include "data/Directory.h"
#include "data/FragmentMap.h"
#include "data/Replicas.h"
#include "data/Transfers.h"

#include <atomic>

namespace hsched::rt {

// A contiguous part of an access.
struct Section {
  uintptr_t Begin, End;
  bool Reads, Writes;
};

// What a task holds between acquire and release. The directory's lock protects it.
struct Acquisition::Hold {
  // How a fragment was before the task was taken to have written it.
  struct Saved {
    uintptr_t Begin, End;
    uint64_t Valid;
    std::vector<Use> Written; // one a node
  };
  MemoryNode Node = HostNode;
  std::vector<Section> Sections;
  std::vector<ReplicaRef> Pinned; // as they were at acquire: the task works in these blocks
  bool Published = false;         // what it writes is recorded as valid on Node alone
  uint64_t SerialAtPublish = 0;
  std::vector<Saved> Before;
};

using Hold = Acquisition::Hold;

struct Directory::Impl {
  Impl(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch);

  const std::vector<NodeInfo> Nodes;
  const Clock &Time;
  Observer *const Watch;
  std::atomic<bool> Known{false}; // whether Fragments has an entry; written with M held

  mutable Mutex M;
  FragmentMap Fragments HSCHED_GUARDED_BY(M);
  std::vector<ReplicaSet> Replicas HSCHED_GUARDED_BY(M); // one a node; the host's stays empty
  TransferLog Log HSCHED_GUARDED_BY(M);
  uint64_t Tick HSCHED_GUARDED_BY(M) = 0;    // of acquires on devices
  uint64_t Serial HSCHED_GUARDED_BY(M) = 0;  // of replicas
  uint64_t Started HSCHED_GUARDED_BY(M) = 0; // nodes whose devices have transfers that submit() is to hand on

  void noteKnown() HSCHED_REQUIRES(M) { Known.store(Fragments.size() != 0, std::memory_order_release); }
  unsigned numNodes() const { return static_cast<unsigned>(Nodes.size()); }

  // Directory.cpp: the life of a hold.
  status acquire(const Task &T, MemoryNode Node, Acquisition &Out, Report &Rep) HSCHED_REQUIRES(M);
  void pin(Hold &H, int By) HSCHED_REQUIRES(M); // By: 1 or -1
  void publish(Hold &H, const EventRef &Done) HSCHED_REQUIRES(M);
  void abandon(Hold &H) HSCHED_REQUIRES(M); // the task failed before it was published
  void restore(Hold &H) HSCHED_REQUIRES(M); // the task failed afterwards
  void bringOver(uintptr_t Lo, uintptr_t Hi, Hold &H) HSCHED_REQUIRES(M);
  // Downloads what of [Lo, Hi) the host lacks and no writer holds. Fetched must end well before the host's copy is
  // complete, Users must end before the host may overwrite it; both are appended to.
  status startHome(uintptr_t Lo, uintptr_t Hi, std::vector<EventRef> &Fetched, std::vector<EventRef> &Users)
      HSCHED_REQUIRES(M);
  // Where the host's copy is complete and nobody uses another, it becomes the only one.
  void invalidateDevices(uintptr_t Lo, uintptr_t Hi) HSCHED_REQUIRES(M);

  // Fetch.cpp: transfers. For: the task that needs them, 0 for none.
  // Makes [Lo, Hi) valid on Node; Hit tells whether it was.
  status fetch(uintptr_t Lo, uintptr_t Hi, MemoryNode Node, TaskId For, bool &Hit) HSCHED_REQUIRES(M);
  // The host's copy is valid and a replica covers [Lo, Hi).
  status upload(uintptr_t Lo, uintptr_t Hi, MemoryNode To, TaskId For) HSCHED_REQUIRES(M);
  // Node From's copy is valid.
  status download(uintptr_t Lo, uintptr_t Hi, MemoryNode From, TaskId For) HSCHED_REQUIRES(M);
  void started(TransferKind Kind, MemoryNode Dev, TaskId For, uint64_t Bytes, const EventRef &Ev) HSCHED_REQUIRES(M);
  // Hands devices what was started on them, those of the nodes in Except apart: to be called before anything waits.
  void submit(uint64_t Except = 0) HSCHED_REQUIRES(M);

  // Residency.cpp: room on devices.
  // Sees to it that each access of T lies in one replica, none of which is dropped before Tick moves on.
  status makeRoom(const Task &T, MemoryNode Node, bool &Busy) HSCHED_REQUIRES(M);
  status cover(uintptr_t Lo, uintptr_t Hi, MemoryNode Node, TaskId For) HSCHED_REQUIRES(M);
  // Allocates; where memory is short evicts replicas outside [Lo, Hi) first.
  status allocate(uintptr_t Lo, uintptr_t Hi, MemoryNode Node, bool MayEvict, ReplicaRef &Out) HSCHED_REQUIRES(M);
  // Replaces the replicas in New's range by New, whose block gets their valid data.
  status merge(const ReplicaRef &New, MemoryNode Node, TaskId For) HSCHED_REQUIRES(M);
  bool evictable(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  // Whether R, which no task holds, has the only valid copy of something that a task elsewhere is about to overwrite:
  // it must not go home meanwhile.
  bool writtenElsewhere(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  // Writes modified data home, waits until nothing uses the block, drops it.
  status evict(const ReplicaRef &R, MemoryNode Node) HSCHED_REQUIRES(M);
  void drop(const ReplicaRef &R, MemoryNode Node) HSCHED_REQUIRES(M);
};

// The contiguous parts of an access; none when it is empty.
void appendSections(const Access &A, std::vector<Section> &Out);

} // namespace hsched::rt
#endif
