// The directory's parts, and the functions that its sources share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DATA_DIRECTORYIMPL_H
#define HSCHED_DATA_DIRECTORYIMPL_H

#include "base/ThreadSafety.h"
#include "data/Directory.h"
#include "data/FragmentMap.h"
#include "data/Plan.h"
#include "data/Relay.h"
#include "data/Replicas.h"
#include "data/ReservedMemory.h"
#include "data/Transfers.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace hsched::rt {

// In its own namespace: the graph has a Section too, and one program has both.
namespace directory {
// The section of an access. Rows without gaps between them are one row.
struct Section {
  Extent At;
  bool Reads, Writes;
};
} // namespace directory
using directory::Section;

// The unit of a transfer: rows of one length, at equal distances.
struct Strip {
  uintptr_t Begin;
  uint64_t Bytes, Rows, Stride; // Bytes of a row. Stride is used if there are several.
  MemoryNode From;
  uintptr_t end() const { return Begin + (Rows - 1) * Stride + Bytes; }
  Extent at() const { return {Begin, Bytes, Rows, Rows > 1 ? Stride : 0}; }
};

// What a task holds between acquire and release. The directory's lock protects it.
struct Acquisition::Hold {
  // A fragment's state before publish marked it as written by the task.
  struct Saved {
    Extent At;
    uint64_t Valid;
    bool Unwritten;
    MemoryNode LostOn;
    status Lost;
    size_t Written; // Index in Hold::Written of the fragment's events, one for each node.
  };
  MemoryNode Node = HostNode;
  std::vector<Section> Sections;
  std::vector<ReplicaRef> Pinned; // Replicas at acquire: the task works in these blocks.
  bool Published = false;         // The outputs are recorded as valid on Node alone.
  uint64_t SerialAtPublish = 0;
  PromiseRef Done; // The event given to publish; may be null.
  std::vector<Saved> Before;
  std::vector<Use> Written;

  // Resets it, but keeps the capacity of its lists.
  void clear() {
    Sections.clear();
    Pinned.clear();
    Published = false;
    Done.reset();
    Before.clear();
    Written.clear();
  }
};

using Hold = Acquisition::Hold;

// An acquire that waits for memory, as long as its owner keeps this. The directory's lock protects it.
struct Acquisition::Turn {
  MemoryNode Node = HostNode;
  uint64_t Need = 0;      // Bytes of the blocks that it needs.
  unsigned Overtaken = 0; // How often later acquires took memory that it needs.
};

// State of an acquire on a device across its planning rounds: blocks are allocated between them.
struct Round {
  std::vector<EventRef> Until;    // Operations whose end may free memory.
  uint64_t Need = 0;              // Bytes of blocks that were not found.
  bool Stuck = false;             // Some of them are blocked until a task on another node has ended.
  bool Busy = false;              // Other tasks hold memory.
  uint64_t NeededBytes = 0;       // A block of this size must be allocated first: the round has failed with cancelled.
  DatumOwner *NeededOf = nullptr; // The owner that allocates it; null: the device.
  struct Block {
    BufferRef Mem;
    DatumOwner *Of;
  };
  std::vector<Block> InHand; // Blocks allocated so far.
  struct Refusal {
    uint64_t Bytes;
    DatumOwner *Of;
    status Why;
    uint64_t
        OutstandingBytes; // Bytes that the driver had given before it was asked. 0: none of them are expected back.
    bool Returning;       // Some of these were in no replica: on their way back.
  };
  std::vector<Refusal> Refused;      // Sizes that the driver refused.
  std::vector<EventRef> Outstanding; // Transfers in progress at a refusal.
  bool Restarted = false;            // It has restarted after dropping all replicas that no task holds.
  enum : uint8_t { WholeRequest, Alike, Packed } Stage = WholeRequest; // Stage of makeRoomAlike.
  std::optional<bool> Apart;                                           // For WholeRequest: the decision.
  status Fallback;                                                     // For Packed: the status of the attempt before.
  bool ByHost = false;                                                 // Transfers between devices go through the host.
};

struct Directory::Impl {
  Impl(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch);

  void setNodes(std::vector<NodeInfo> All) HSCHED_REQUIRES(M);

  std::vector<NodeInfo> Nodes; // Entries below NumNodes are constant.
  std::atomic<unsigned> NumNodes{0};
  const Clock &Time;
  Observer *const Watch;
  std::vector<std::shared_ptr<std::atomic<uint64_t>>> UsedOn, OutstandingOn; // By node: the counters of its ReplicaSet.
  // By node: refusals since an acquire last succeeded, all with the same bytes lent.
  struct Refusals {
    std::atomic<uint64_t> OutstandingBytes{0}; // 0: none.
    std::atomic<TimePoint> Since{};
  };
  std::deque<Refusals> RefusedOn;
  // True if lent memory may still come back: its amount has changed within a second. A driver whose memory is exhausted
  // by others refuses for good, and some references may stay until the device is used again.
  bool comesBack(MemoryNode Node, uint64_t OutstandingBytes);
  // By device's node: the nodes whose events its operations may wait for: its own, and those that it reaches.
  std::vector<uint64_t> Peers;
  std::atomic<bool> HasFragments{false}; // True if Fragments has an entry. Written with M held.

  Relay Between;        // Copies between devices that do not reach each other.
  ReservedMemory Homes; // Memory of homeless data.
  TransferLog Log;
  TrafficTable Counts;

  mutable Mutex M;
  FragmentMap Fragments HSCHED_GUARDED_BY(M);
  std::vector<ReplicaSet> Replicas HSCHED_GUARDED_BY(M); // By node; the host's stays empty.
  uint64_t Tick HSCHED_GUARDED_BY(M) = 0;                // Counts acquires on devices, and surveys.
  uint64_t Serial HSCHED_GUARDED_BY(M) = 0;              // Counts replicas.
  uint64_t Swept HSCHED_GUARDED_BY(M) = 0;               // Nodes whose devices' loss has been handled.
  Plan Next HSCHED_GUARDED_BY(M);                        // Plan of the thread that holds M; it takes the plan along.

  // Released holds, for reuse, and rounds of finished acquires.
  static constexpr size_t MaxFreeHolds = 256;
  std::vector<std::shared_ptr<Acquisition::Hold>> FreeHolds HSCHED_GUARDED_BY(M);
  std::vector<Section> Parts HSCHED_GUARDED_BY(M);
  std::vector<Strip> Missing HSCHED_GUARDED_BY(M);
  std::vector<LookupRecord> Lookups HSCHED_GUARDED_BY(M);
  std::vector<EvictionRecord> Evicted HSCHED_GUARDED_BY(M); // Evictions not reported to the observer yet.
  std::shared_ptr<Acquisition::Hold> takeHold() HSCHED_REQUIRES(M);
  void giveHold(std::shared_ptr<Acquisition::Hold> H) HSCHED_REQUIRES(M);

  // Owners of data that a device holds completely, by beginning.
  std::map<uintptr_t, DatumOwner *> Owners HSCHED_GUARDED_BY(M);
  // The owner that allocates blocks for the datum at At, with the extent of the datum in Whole. Null: none, and Whole
  // is unchanged.
  DatumOwner *ownerOf(uintptr_t At, Extent &Whole) const HSCHED_REQUIRES(M);
  // The extents of the blocks for neededExtents().
  std::vector<Extent> blocksFor(const Task &T, PackedParams Packed) const HSCHED_REQUIRES(M);

  void updateHasFragments() HSCHED_REQUIRES(M) {
    HasFragments.store(Fragments.size() != 0 || Fragments.anyHomeless(), std::memory_order_release);
  }
  unsigned numNodes() const { return NumNodes.load(std::memory_order_acquire); }

  // Plan.cpp: execution of plans, without the lock.
  class Handover;
  void takePlan(Plan &Into) HSCHED_REQUIRES(M) { // Into is empty.
    if (!Next.empty())
      std::swap(Into, Next);
  }
  // Frees blocks and gives the commands to their devices. Returns the first failure, after doing the rest.
  // RefusedAcross, unless null, is set if a device refused to copy from another one.
  status carryOut(Plan &P, bool *RefusedAcross = nullptr) HSCHED_EXCLUDES(M) {
    return P.empty() ? status() : carryAllOut(P, RefusedAcross);
  }
  status carryAllOut(Plan &P, bool *RefusedAcross) HSCHED_EXCLUDES(M);
  status give(Command &C, Handover &Issued, EventRef &Done) HSCHED_EXCLUDES(M);
  status copyThroughHost(const Command &C, Handover &Issued, EventRef &Done, status Why) HSCHED_EXCLUDES(M);
  status relay(Command &C, Handover &Issued, EventRef &Done) HSCHED_EXCLUDES(M);
  // Collects ended transfers of a node (HostNode: of all) for the observer, and handles their failures.
  void collect(Report &Rep, MemoryNode Node = HostNode) HSCHED_EXCLUDES(M);

  // Acquire.cpp: one planning round of an acquire. Appends the operations
  // that Out depends on to Uses: those that the device orders, and
  // others.
  status look(const Task &T, MemoryNode Node, PackedParams Packed, Acquisition &Out, Round &R,
              std::array<std::vector<Use>, 2> &Uses, Report &Rep) HSCHED_REQUIRES(M);
  status hold(const Task &T, PackedParams Packed, Hold &H, Acquisition &Out) HSCHED_REQUIRES(M);
  // Allocates R.NeededBytes, or records the refusal.
  status allocateNeeded(MemoryNode Node, Round &R) HSCHED_EXCLUDES(M);
  status acquire(const Task &T, MemoryNode Node, PackedParams Packed, Acquisition &Out, Round &R, Report &Rep)
      HSCHED_EXCLUDES(M);

  // Begin.cpp: a task begins on a node that already has its data. True if nothing must be done for that. Overwrites:
  // its outputs invalidate other copies, which are lost if it does not begin.
  bool isResident(const Task &T, MemoryNode Node, bool &Overwrites) HSCHED_REQUIRES(M);
  bool tryBegin(const Task &T, MemoryNode Node, Acquisition &Out, Report &Rep) HSCHED_REQUIRES(M);

  // Directory.cpp: the life of a hold.
  // As release(), or releaseAndSendHome().
  void releaseHold(Acquisition &A, bool Failed, FailedOutputs Outputs, bool Home = false) HSCHED_EXCLUDES(M);
  // Starts the write-back of what a released H wrote.
  void sendHome(const Hold &H) HSCHED_REQUIRES(M);
  void pin(Hold &H, int By) HSCHED_REQUIRES(M); // By: 1 or -1.
  // MayFail: saves the earlier states for restore(). Otherwise it allocates nothing.
  void publish(Hold &H, const PromiseRef &Done, bool MayFail) HSCHED_REQUIRES(M);
  // Undoes a publish that ran out of memory. The device's work must end before other tasks use the
  // data.
  void unpublish(Hold &H) HSCHED_REQUIRES(M);
  void abandon(Hold &H) HSCHED_REQUIRES(M);                        // The task failed before publish.
  void restore(Hold &H, FailedOutputs Outputs) HSCHED_REQUIRES(M); // The task failed after publish.
  void bringOver(const Extent &E, Hold &H) HSCHED_REQUIRES(M);
  // Downloads the parts of E that the host lacks and no writer holds, and appends them to Requested. Appends to
  // Fetched: these must succeed before the host's copy is complete. Appends to Users: these must end before the host
  // may overwrite it. Homeless data stay, unless Named.
  status startHome(const Extent &E, bool Named, std::vector<EventRef> &Fetched, std::vector<EventRef> &Users,
                   std::vector<Section> &Requested) HSCHED_REQUIRES(M);
  // Makes the host's copy the only valid one if it is complete and no task uses another. Homeless data: as above.
  void invalidateDevices(const Extent &E, bool Named) HSCHED_REQUIRES(M);

  // Homeless.cpp. Waits for transfers that touch the host's copy of E.
  // Then unused parts are valid on the host or, unless Keep,
  // discarded.
  void settleAtHome(const Extent &E, bool Keep);
  status commit(std::span<const Access> Sections);

  // Loss.cpp: lost devices and lost copies. Handles the outcome of an operation of Node's
  // device.
  void handleOutcome(MemoryNode Node, const status &Outcome) HSCHED_EXCLUDES(M);
  // Handles devices that have been lost.
  void handleLosses() HSCHED_REQUIRES(M) {
    for (MemoryNode N = 1; N < numNodes(); ++N)
      if (!(Swept & nodeBit(N)) && Nodes[N].Dev->lost())
        handleLoss(N);
  }
  void handleLoss(MemoryNode N) HSCHED_REQUIRES(M);
  // The error for a use of At, in fragment F, if no copy is left.
  status isLost(const Extent &At, const Fragment &F) const;
  // The error for data that are not home after a flush. They are lost ones of Parts and, if Failure is not ok, parts of
  // Requested that have not arrived. With Forget the host's bytes count from now on. Blame: the worker of the first
  // one's device.
  status notAtHome(std::span<const Section> Parts, bool Named, std::span<const Section> Requested,
                   const status &Failure, bool Forget, WorkerId &Blame) HSCHED_REQUIRES(M);

  // Fetch.cpp: planning transfers. For: the task that needs them, or null. Appends the parts of E that are not valid on
  // Node.
  void findMissing(const Extent &E, MemoryNode Node, std::vector<Strip> &Out) HSCHED_REQUIRES(M);
  // Plans transfers that make Missing, in order of address, valid on Node. ByHost: transfers between devices go through
  // the host's copy.
  status fetch(const std::vector<Strip> &Missing, MemoryNode Node, const Task *For, bool ByHost = false)
      HSCHED_REQUIRES(M);
  template <class Fn> status inEachReplica(const Strip &S, MemoryNode Node, Fn Move) HSCHED_REQUIRES(M);
  // The host's copy is valid, and replicas cover all of S.
  status upload(const Strip &S, MemoryNode To, const Task *For) HSCHED_REQUIRES(M);
  void uploadToOne(const Strip &S, MemoryNode To, const Replica &R, const Task *For) HSCHED_REQUIRES(M);
  // Node S.From's copy is valid.
  status download(const Strip &S, const Task *For) HSCHED_REQUIRES(M);
  void downloadFromOne(const Strip &S, const Replica &R, const Task *For) HSCHED_REQUIRES(M);
  // Node S.From's copy is valid, To is another device, with replicas that cover all of S. The host's copy is left
  // alone.
  status across(const Strip &S, MemoryNode To, const Task *For) HSCHED_REQUIRES(M);
  void acrossFromOne(const Strip &S, const Replica &Src, MemoryNode To, const Replica &Dst, const Task *For)
      HSCHED_REQUIRES(M);
  // The best source among the nodes in Valid: the host, else one that To's device reaches, else the first.
  MemoryNode sourceOf(uint64_t Valid, MemoryNode To) const;
  // Plans C, which transfers At. Returns its entry, which stands for the operation until C is executed.
  Use plan(Command C, const Extent &At, const Task *For) HSCHED_REQUIRES(M);
  static void comesAfter(Command &C, const Use &U, bool IsSource);
  static void comesAfterAll(Command &C, const Copy &Overwritten);

  // Packing.cpp: tiles that share a leading dimension. Returns Packed if one distance of rows fits all tiles of T
  // that share one; resident tiles count with their layout, others as packed. Otherwise without tiles that share
  // one.
  static PackedParams agreed(const Task &T, const ReplicaSet &There, PackedParams Packed);
  // makeRoom for the largest part of Packed with consistent distances. Packed becomes that part.
  status makeRoomAlike(const Task &T, MemoryNode Node, PackedParams &Packed, Round &R) HSCHED_REQUIRES(M);

  // Turns.cpp: the order in which waiting acquires get memory.
  std::vector<std::vector<std::weak_ptr<Acquisition::Turn>>> Waiting HSCHED_GUARDED_BY(M); // By node, oldest first.
  // True if T may take memory on Node: it is the oldest waiting acquire, or leaves enough for that one.
  bool mayTakeRoom(const Task &T, MemoryNode Node, PackedParams Packed, const Acquisition &Out) HSCHED_REQUIRES(M);
  // Records the result of a round on Node: Out waits from here on, or no longer.
  void noteTurn(MemoryNode Node, const status &Room, const Round &R, Acquisition &Out) HSCHED_REQUIRES(M);

  // Residency.cpp: memory of devices. Places each access of T in one replica, none of which is dropped before Tick
  // advances.
  status makeRoom(const Task &T, MemoryNode Node, PackedParams Packed, Round &R) HSCHED_REQUIRES(M);
  // The common case: true if all replicas exist. Marks them as used.
  bool allResident(const Task &T, MemoryNode Node, PackedParams Packed) HSCHED_REQUIRES(M);
  // Blocked: set if replicas that a task holds prevent it.
  status cover(const Extent &Needed, MemoryNode Node, const Task *For, Round &R, bool &Blocked) HSCHED_REQUIRES(M);
  // The replicas that overlap All. All becomes the extent of one replica that would replace them.
  std::vector<ReplicaRef> gather(MemoryNode Node, Extent &All) HSCHED_REQUIRES(M);
  // Drops the replicas that overlap Needed, except those for the same task, or starts their write-back. Fails with
  // out_of_memory after starting a write-back, or if a task holds one. Does not wait.
  status evictOverlapping(const Extent &Needed, MemoryNode Node, std::vector<EventRef> &Until, bool &Blocked)
      HSCHED_REQUIRES(M);
  // Makes a replica in a block of R. Without such a block it sets R.NeededBytes. If memory is short, and Evict, it
  // drops idle replicas outside At and starts write-backs of modified ones. Does not wait. Of: from
  // ownerOf().
  status allocate(const Extent &At, MemoryNode Node, bool Evict, Round &R, ReplicaRef &Out, DatumOwner *Of = nullptr)
      HSCHED_REQUIRES(M);
  // State of a replica that no task holds. InUse: until Users have ended. Modified: it has the only copy of some
  // data.
  enum class Standing : uint8_t { Idle, InUse, Modified };
  Standing standing(const Replica &R, MemoryNode Node, std::vector<EventRef> &Users) HSCHED_REQUIRES(M);
  // Starts the write-back of the parts of R that are valid on Node alone.
  status fetchModified(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  status sendHome(const Replica &R, MemoryNode Node, std::vector<EventRef> &Until) HSCHED_REQUIRES(M);
  // Copies a fragment, or several, from one block of a node's memory to another.
  // C: what it comes after.
  Use moveWithin(Command C, const Extent &E, const Replica &From, const Replica &To, const Task *For)
      HSCHED_REQUIRES(M);
  // True if Node has all of At in blocks that are not newer than Serial.
  bool presentSince(MemoryNode Node, const Extent &At, uint64_t Serial) HSCHED_REQUIRES(M);
  // Replaces the replicas that New covers by New, and copies their valid data to its block.
  void merge(const ReplicaRef &New, MemoryNode Node, const Task *For) HSCHED_REQUIRES(M);
  bool evictable(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  // True if R, which no task holds, has the only valid copy of data that a task on another node is about to overwrite.
  // Such data must not be written back meanwhile.
  bool writtenElsewhere(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  // Drops idle replicas of Those. Starts the write-back of modified ones that no task holds; then it fails with
  // out_of_memory. Does not wait.
  status leave(std::span<const ReplicaRef> Those, MemoryNode Node, std::vector<EventRef> &Until) HSCHED_REQUIRES(M);
  void drop(const ReplicaRef &R, MemoryNode Node) HSCHED_REQUIRES(M);
  void evict(const ReplicaRef &R, MemoryNode Node)
      HSCHED_REQUIRES(M); // As drop(), to free memory; reports the eviction to the observer.
  // R is not in its set any more, and no task holds it. The plan frees its block.
  void free(ReplicaRef R) HSCHED_REQUIRES(M) {
    R->uncountBytes();
    Next.Freed.push_back(std::move(R));
  }
};

// Null without a task or a task type.
inline const char *typeNameOf(const Task *T) { return T && T->Type ? T->Type->name() : nullptr; }

// The extent of a block on a device for A alone. A is not empty.
Extent neededExtent(const Access &A, PackedParams Packed);
// The extents for all of T's accesses: disjoint, and one for each parameter.
std::vector<Extent> neededExtents(const Task &T, PackedParams Packed);

inline status noRoom(uint64_t Bytes) {
  return status::error(errc::out_of_memory, "no room for " + std::to_string(Bytes) + " bytes");
}

// Appends the sections of an access; none if it is empty.
void appendSections(const Access &A, std::vector<Section> &Out);

} // namespace hsched::rt
#endif
