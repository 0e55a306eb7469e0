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
#include <optional>
#include <utility>

namespace hsched::rt {

// In a namespace of its own: the graph has a Section too, and one program has both.
namespace directory {
// What an access names, without gaps where its rows have none between them.
struct Section {
  Extent At;
  bool Reads, Writes;
};
} // namespace directory
using directory::Section;

// What travels at once: rows of one length, at equal distances.
struct Strip {
  uintptr_t Begin;
  uint64_t Bytes, Rows, Stride; // Of a row; Stride matters where there are several.
  MemoryNode From;
  uintptr_t end() const { return Begin + (Rows - 1) * Stride + Bytes; }
  Extent at() const { return {Begin, Bytes, Rows, Rows > 1 ? Stride : 0}; }
};

// What a task holds between acquire and release. The directory's lock protects it.
struct Acquisition::Hold {
  // How a fragment was before the task was taken to have written it.
  struct Saved {
    Extent At;
    uint64_t Valid;
    bool Unwritten;
    MemoryNode LostOn;
    status Lost;
    size_t Written; // Where in Hold::Written the fragment's begin, one a node.
  };
  MemoryNode Node = HostNode;
  std::vector<Section> Sections;
  std::vector<ReplicaRef> Pinned; // As they were at acquire: the task works in these blocks.
  bool Published = false;         // What it writes is recorded as valid on Node alone.
  uint64_t SerialAtPublish = 0;
  PromiseRef Done; // As published; may be null.
  std::vector<Saved> Before;
  std::vector<Use> Written;

  // As new, but for memory that its lists have.
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

// An acquire that waits for room, as long as somebody has it. The directory's lock protects it.
struct Acquisition::Turn {
  MemoryNode Node = HostNode;
  uint64_t Need = 0;      // Bytes of blocks.
  unsigned Overtaken = 0; // By later ones, though they take what it needs.
};

// What an acquire on a device carries from one look at the books to the next: blocks are allocated in between.
struct Round {
  std::vector<EventRef> Until;   // Where memory is short, what may make some free when it has ended.
  uint64_t Need = 0;             // Bytes of blocks, where room was not found.
  bool Stuck = false;            // Some of it until a task elsewhere has ended.
  bool Busy = false;             // Memory is in the hands of others.
  uint64_t Wanted = 0;           // A block of so many bytes is to be allocated: the look has failed with cancelled.
  std::vector<BufferRef> InHand; // Blocks that have been.
  std::vector<std::pair<uint64_t, status>> Refused;      // Sizes that the driver had no memory for.
  std::vector<EventRef> Outstanding;                     // Transfers under way, where it had not.
  bool Afresh = false;                                   // It has begun again with no replicas that no task holds.
  enum : uint8_t { Asked, Alike, Packed } Stage = Asked; // Of makeRoomAlike.
  std::optional<bool> Apart;                             // Asked: what it has decided.
  status Fallback;                                       // Packed: how it ended before.
  bool ByHost = false;                                   // Nothing goes directly from device to device.
};

struct Directory::Impl {
  Impl(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch);

  void setNodes(std::vector<NodeInfo> All) HSCHED_REQUIRES(M);

  std::vector<NodeInfo> Nodes; // What is below NumNodes is constant.
  std::atomic<unsigned> NumNodes{0};
  const Clock &Time;
  Observer *const Watch;
  std::vector<std::shared_ptr<std::atomic<uint64_t>>> UsedOn; // Of each node, its ReplicaSet's.
  // Of each device's node, whose events operations there may wait for: its own device's, and those that it reaches.
  std::vector<uint64_t> Peers;
  std::atomic<bool> Known{false}; // Whether Fragments has an entry; written with M held.

  Relay Between;        // Devices that do not reach each other.
  ReservedMemory Homes; // Of data without a home.
  TransferLog Log;
  TrafficTable Counts;

  mutable Mutex M;
  FragmentMap Fragments HSCHED_GUARDED_BY(M);
  std::vector<ReplicaSet> Replicas HSCHED_GUARDED_BY(M); // One a node; the host's stays empty.
  uint64_t Tick HSCHED_GUARDED_BY(M) = 0;                // Of acquires on devices, and surveys.
  uint64_t Serial HSCHED_GUARDED_BY(M) = 0;              // Of replicas.
  uint64_t Swept HSCHED_GUARDED_BY(M) = 0;               // Nodes the loss of whose devices is accounted for.
  Plan Next HSCHED_GUARDED_BY(M);                        // Of who holds M, who takes it along.

  // Holds that have been given back, for the next tasks; and what acquire needs for as long as it runs.
  static constexpr size_t MostSpareHolds = 256;
  std::vector<std::shared_ptr<Acquisition::Hold>> SpareHolds HSCHED_GUARDED_BY(M);
  std::vector<Section> Parts HSCHED_GUARDED_BY(M);
  std::vector<Strip> Missing HSCHED_GUARDED_BY(M);
  std::vector<LookupRecord> Lookups HSCHED_GUARDED_BY(M);
  std::shared_ptr<Acquisition::Hold> takeHold() HSCHED_REQUIRES(M);
  void giveHold(std::shared_ptr<Acquisition::Hold> H) HSCHED_REQUIRES(M);

  void noteKnown() HSCHED_REQUIRES(M) {
    Known.store(Fragments.size() != 0 || Fragments.anyHomeless(), std::memory_order_release);
  }
  unsigned numNodes() const { return NumNodes.load(std::memory_order_acquire); }

  // Plan.cpp: what is done without the lock.
  class Handover;
  void takePlan(Plan &Into) HSCHED_REQUIRES(M) { // Which is empty.
    if (!Next.empty())
      std::swap(Into, Next);
  }
  // Frees blocks, gives the commands to their devices. The first failure; the rest is done all the same. RefusedAcross,
  // if not null, is set where a device would not copy from another one.
  status carryOut(Plan &P, bool *RefusedAcross = nullptr) HSCHED_EXCLUDES(M) {
    return P.empty() ? status() : carryAllOut(P, RefusedAcross);
  }
  status carryAllOut(Plan &P, bool *RefusedAcross) HSCHED_EXCLUDES(M);
  status give(Command &C, Handover &Given, EventRef &Done) HSCHED_EXCLUDES(M);
  status rescue(const Command &C, Handover &Given, EventRef &Done, status Why) HSCHED_EXCLUDES(M);
  status relay(Command &C, Handover &Given, EventRef &Done) HSCHED_EXCLUDES(M);
  // Transfers of a node that have ended, of the host's: of all nodes, for the observer; and what their failures tell.
  void collect(Report &Rep, MemoryNode Node = HostNode) HSCHED_EXCLUDES(M);

  // Acquire.cpp: a task gets its data.
  // A look at the books, with what has to be done planned. What Out is to wait for is appended to Uses: what orders
  // itself before the task, and what does not.
  status look(const Task &T, MemoryNode Node, PackedParams Packed, Acquisition &Out, Round &R,
              std::array<std::vector<Use>, 2> &Uses, Report &Rep) HSCHED_REQUIRES(M);
  status hold(const Task &T, PackedParams Packed, Hold &H, Acquisition &Out) HSCHED_REQUIRES(M);
  // R.Wanted is allocated, or noted as refused.
  status allocateWanted(MemoryNode Node, Round &R) HSCHED_EXCLUDES(M);
  status acquire(const Task &T, MemoryNode Node, PackedParams Packed, Acquisition &Out, Round &R, Report &Rep)
      HSCHED_EXCLUDES(M);

  // Directory.cpp: the life of a hold.
  void letGo(Acquisition &A, bool Failed, Left There) HSCHED_EXCLUDES(M); // As release().
  void pin(Hold &H, int By) HSCHED_REQUIRES(M);                           // By: 1 or -1.
  // MayFail: what was there before is kept for restore(); else nothing is allocated.
  void publish(Hold &H, const PromiseRef &Done, bool MayFail) HSCHED_REQUIRES(M);
  // Takes back what publish has changed where there was no memory for the rest. What the device does has to end before
  // anybody else looks at the data.
  void unpublish(Hold &H) HSCHED_REQUIRES(M);
  void abandon(Hold &H) HSCHED_REQUIRES(M);             // The task failed before it was published.
  void restore(Hold &H, Left There) HSCHED_REQUIRES(M); // The task failed afterwards.
  void bringOver(const Extent &E, Hold &H) HSCHED_REQUIRES(M);
  // Downloads what of E the host lacks and no writer holds, and appends it to Asked. Fetched must end well
  // before the host's copy is complete, Users must end before the host may overwrite it; both are appended to.
  // Homeless data stay where they are, unless Named.
  status startHome(const Extent &E, bool Named, std::vector<EventRef> &Fetched, std::vector<EventRef> &Users,
                   std::vector<Section> &Asked) HSCHED_REQUIRES(M);
  // Where the host's copy is complete and nobody uses another, it becomes the only one. Of homeless data as above.
  void invalidateDevices(const Extent &E, bool Named) HSCHED_REQUIRES(M);

  // Homeless.cpp.
  // Waits for the transfers that touch the host's copy of E. Then what no task uses counts as the host's, or if not
  // Keep, as given up.
  void settleAtHome(const Extent &E, bool Keep);
  status commit(std::span<const Access> Sections);

  // Loss.cpp: devices that are gone, copies that are no more.
  // An operation of Node's device has ended so.
  void heed(MemoryNode Node, const status &Outcome) HSCHED_EXCLUDES(M);
  // Takes notice of devices that have been lost.
  void noticeLosses() HSCHED_REQUIRES(M) {
    for (MemoryNode N = 1; N < numNodes(); ++N)
      if (!(Swept & nodeBit(N)) && Nodes[N].Dev->lost())
        noticeLoss(N);
  }
  void noticeLoss(MemoryNode N) HSCHED_REQUIRES(M);
  // What is said of At, which F has or is, when it is wanted and there is no copy.
  status isLost(const Extent &At, const Fragment &F) const;
  // What the host does not have after a flush: of Parts what is lost, of Asked, if Failure is not ok, what has not
  // arrived. With Forget what the host has counts from here on. Blame: on whose device the first was.
  status notAtHome(std::span<const Section> Parts, bool Named, std::span<const Section> Asked, const status &Failure,
                   bool Forget, WorkerId &Blame) HSCHED_REQUIRES(M);

  // Fetch.cpp: planning transfers. For: the task that needs them, may be null.
  // Appends what of E is not valid on Node.
  void findMissing(const Extent &E, MemoryNode Node, std::vector<Strip> &Out) HSCHED_REQUIRES(M);
  // Makes valid on Node what is not, in order of address. ByHost: what another device has goes by way of the host's
  // copy.
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
  // Which of the nodes in Valid data come from best: the host, else one that To's device reaches, else the first.
  MemoryNode sourceOf(uint64_t Valid, MemoryNode To) const;
  // C is to be done, after what it comes after. What stands for it in the books.
  Use plan(Command C, const Task *For) HSCHED_REQUIRES(M);
  static void comesAfter(Command &C, const Use &U, bool IsSource);
  static void comesAfterAll(Command &C, const Copy &Overwritten);

  // Packing.cpp: tiles that share a parameter.
  // Packed, or without those, where it would have to tell of several distances for T: what is There already counts as
  // it lies, the rest as it would lie packed.
  static PackedParams agreed(const Task &T, const ReplicaSet &There, PackedParams Packed);
  // makeRoom, for as much of Packed as can be said. That stays in Packed.
  status makeRoomAlike(const Task &T, MemoryNode Node, PackedParams &Packed, Round &R) HSCHED_REQUIRES(M);

  // Turns.cpp: who gets room first.
  std::vector<std::vector<std::weak_ptr<Acquisition::Turn>>> Waiting HSCHED_GUARDED_BY(M); // By node, oldest first.
  // Whether T may have room on Node: it leaves enough for the oldest acquire that waits, or is that one.
  bool mayTakeRoom(const Task &T, MemoryNode Node, PackedParams Packed, const Acquisition &Out) HSCHED_REQUIRES(M);
  // How a look at Node has ended; Out waits from here on, or does not any more.
  void noteTurn(MemoryNode Node, const status &Room, const Round &R, Acquisition &Out) HSCHED_REQUIRES(M);

  // Residency.cpp: room on devices.
  // Sees to it that each access of T lies in one replica, none of which is dropped before Tick moves on.
  status makeRoom(const Task &T, MemoryNode Node, PackedParams Packed, Round &R) HSCHED_REQUIRES(M);
  // Whether that is so already, as it mostly is; then they count as used.
  bool allThere(const Task &T, MemoryNode Node, PackedParams Packed) HSCHED_REQUIRES(M);
  // Blocked: set where what a task holds stands in the way.
  status cover(const Extent &Want, MemoryNode Node, const Task *For, Round &R, bool &Blocked) HSCHED_REQUIRES(M);
  // The replicas that All has bytes of. All becomes what a replica in place of all of them would stand for.
  std::vector<ReplicaRef> gather(MemoryNode Node, Extent &All) HSCHED_REQUIRES(M);
  // Drops the replicas that Want has bytes of, those for the same task apart, or starts them home: then, or where a
  // task holds one, it fails with out_of_memory. Waits for nothing.
  status clearWay(const Extent &Want, MemoryNode Node, std::vector<EventRef> &Until, bool &Blocked) HSCHED_REQUIRES(M);
  // A new replica, in a block that R has in hand: else R.Wanted says what is to be allocated first. Where memory is
  // short, and Evict, drops replicas outside At that can go at once, and starts modified ones home. Waits for nothing.
  status allocate(const Extent &At, MemoryNode Node, bool Evict, Round &R, ReplicaRef &Out) HSCHED_REQUIRES(M);
  // Whether a replica that no task holds can be dropped: InUse until Users have ended, Modified while it has the only
  // copy of something.
  enum class Standing : uint8_t { Idle, InUse, Modified };
  Standing standing(const Replica &R, MemoryNode Node, std::vector<EventRef> &Users) HSCHED_REQUIRES(M);
  // Starts home what of R only Node has.
  status fetchModified(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  status sendHome(const Replica &R, MemoryNode Node, std::vector<EventRef> &Until) HSCHED_REQUIRES(M);
  // Copies a fragment, or several, from one block of a node's memory to another.
  // C: what it comes after.
  Use moveWithin(Command C, const Extent &E, const Replica &From, const Replica &To, const Task *For)
      HSCHED_REQUIRES(M);
  // Whether Node has all of At in blocks made no later than Serial.
  bool heldSince(MemoryNode Node, const Extent &At, uint64_t Serial) HSCHED_REQUIRES(M);
  // Replaces the replicas that New has bytes of, and stands for all of, by New, whose block gets their valid data.
  void merge(const ReplicaRef &New, MemoryNode Node, const Task *For) HSCHED_REQUIRES(M);
  bool evictable(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  // Whether R, which no task holds, has the only valid copy of something that a task elsewhere is about to overwrite:
  // it must not go home meanwhile.
  bool writtenElsewhere(const Replica &R, MemoryNode Node) HSCHED_REQUIRES(M);
  // Drops those that no task holds and nothing uses. Starts home what the others that no task holds alone have: then it
  // fails with out_of_memory. Waits for nothing.
  status leave(std::span<const ReplicaRef> Those, MemoryNode Node, std::vector<EventRef> &Until) HSCHED_REQUIRES(M);
  void drop(const ReplicaRef &R, MemoryNode Node) HSCHED_REQUIRES(M);
  // R, which no task holds, is out of its set; its block is freed with the plan.
  void free(ReplicaRef R) HSCHED_REQUIRES(M) {
    R->leaveBooks();
    Next.Gone.push_back(std::move(R));
  }
};

// Null where there is no task, or none of a type.
inline const char *typeNameOf(const Task *T) { return T && T->Type ? T->Type->name() : nullptr; }

// What a block on a device has to stand for, for A alone. A is not empty.
Extent wantOf(const Access &A, PackedParams Packed);
// For all of T's accesses: no two have bytes in common, and what one parameter leads to is in one.
std::vector<Extent> wantsOf(const Task &T, PackedParams Packed);

inline status noRoom(uint64_t Bytes) {
  return status::error(errc::out_of_memory, "no room for " + std::to_string(Bytes) + " bytes");
}

// What an access names, as sections; none when it is empty.
void appendSections(const Access &A, std::vector<Section> &Out);

} // namespace hsched::rt
#endif
