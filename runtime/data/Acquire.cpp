// Acquire: makes a task's data available on a node.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"
#include "data/FlushLater.h"

#include <algorithm>
#include <utility>

namespace hsched::rt {

// Each planning round but the last needs a block that the previous one lacked. More rounds happen only if other threads
// change the node's blocks meanwhile.
static constexpr unsigned RoundsPerAccess = 4, MoreRounds = 64;

status Directory::Impl::hold(const Task &T, PackedParams Packed, Hold &H, Acquisition &Out) {
  std::vector<Placement> &Placements = Out.Placements;
  Placements.resize(T.NumAccesses);
  for (size_t I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.accesses()[I];
    appendSections(A, H.Sections);
    if (H.Node == HostNode || endOf(A) <= beginOf(A))
      continue;
    const Extent Needed = neededExtent(A, Packed);
    const ReplicaRef &R = Replicas[H.Node].covering(Needed);
    if (!R)
      return status::error(errc::internal, "an access without a replica");
    Placements[I] = {R->Mem, beginOf(A) - R->offsetOf(beginOf(A)),
                     Needed.Rows > 1 && R->packed() ? R->strideOf(Needed) : 0};
    if (std::find(H.Pinned.begin(), H.Pinned.end(), R) == H.Pinned.end())
      H.Pinned.push_back(R);
  }
  pin(H, 1);
  return {};
}

status Directory::Impl::look(const Task &T, MemoryNode Node, PackedParams Packed, Acquisition &Out, Round &R,
                             std::array<std::vector<Use>, 2> &Uses, Report &Rep) {
  R.Until.clear();
  R.Busy = R.Stuck = false;
  handleLosses();
  if (Node != HostNode && Nodes[Node].Dev->lost())
    return Nodes[Node].Dev->whyLost();
  if (Node != HostNode) {
    if (!mayTakeRoom(T, Node, Packed, Out)) {
      R.Busy = true;
      return status::error(errc::out_of_memory, "a task that has waited for longer gets memory on device '" +
                                                    Nodes[Node].Dev->title() + "' first");
    }
    status Room = makeRoomAlike(T, Node, Packed, R);
    noteTurn(Node, Room, R, Out);
    if (!Room.ok())
      return Room;
  }
  std::shared_ptr<Hold> H = takeHold();
  H->Node = Node;
  if (status HoldStatus = hold(T, Packed, *H, Out); !HoldStatus.ok())
    return HoldStatus;
  // If memory is exhausted, nothing is held.
  struct Unpin {
    Impl &I;
    Hold *H;
    // M is held at every use.
    ~Unpin() HSCHED_NO_THREAD_SAFETY_ANALYSIS {
      if (H) {
        I.abandon(*H);
        I.pin(*H, -1);
      }
    }
  } Undo{*this, H.get()};

  Lookups.clear();
  status Result;
  for (const Access &A : T.accesses()) {
    if (!reads(A) || !Result.ok())
      continue;
    Parts.clear();
    appendSections(A, Parts);
    Missing.clear();
    for (const Section &S : Parts)
      findMissing(S.At, Node, Missing);
    bool AllHit = Missing.empty();
    if (!AllHit) {
      Out.Moves = Node != HostNode;
      if (Out.Blame == NoWorker)
        Out.Blame = Nodes[Node != HostNode ? Node : Missing.front().From].Worker;
      Result = fetch(Missing, Node, &T, R.ByHost);
    }
    if (Node != HostNode && !Parts.empty())
      Lookups.push_back(
          {Nodes[Node].Worker, AllHit, A.bytes * A.rows, T.Id, typeNameOf(&T), Watch ? Time.now() : TimePoint()});
  }
  auto addUse = [&](const Use &U) {
    const bool Orders = Node == HostNode || (U.By != ForeignNode && (Peers[Node] & nodeBit(U.By)));
    if (std::vector<Use> &List = Uses[Orders ? 0 : 1];
        U.Ev && std::ranges::find(List, U.Ev, [](const Use &Other) { return Other.Ev; }) == List.end())
      List.push_back(U);
  };
  for (const Section &S : H->Sections)
    Fragments.visitExisting(S.At, [&](const Extent &At, Fragment &F) {
      F.settle();
      if (S.Reads && F.lost() && !Out.DataLost) {
        Out.DataLost = true;
        Out.Blame = Nodes[F.LostOn].Worker;
        Result = isLost(At, F);
      }
      addUse(F.Copies[Node].Written);
      if (S.Writes)
        for (const Use &U : F.Copies[Node].Read)
          addUse(U);
      if (S.Reads && !F.validOn(Node) && !F.Unwritten && Result.ok()) // A transfer has failed already.
        Result = status::error(errc::transfer_failed, "a transfer to memory node " + std::to_string(Node) + " failed");
    });
  if (!Result.ok()) // The task runs elsewhere, or is retried.
    return Result;
  for (const LookupRecord &L : Lookups)
    Counts.countLookup(Node, L);
  if (Watch) {
    Rep.Lookups = Lookups;
    if (Rep.Evictions.empty())
      Rep.Evictions.swap(Evicted);
  }
  Undo.H = nullptr;
  Out.Node = Node;
  Out.Acquired = std::move(H);
  return {};
}

bool Directory::Impl::comesBack(MemoryNode Node, uint64_t OutstandingBytes) {
  using namespace std::chrono_literals;
  constexpr Duration Longest = 1s;
  Refusals &Refused = RefusedOn[Node];
  const TimePoint Now = Time.now();
  if (Refused.OutstandingBytes.exchange(OutstandingBytes) != OutstandingBytes)
    Refused.Since.store(Now);
  return Now - Refused.Since.load() < Longest;
}

status Directory::Impl::allocateNeeded(MemoryNode Node, Round &R) {
  const uint64_t Bytes = std::exchange(R.NeededBytes, 0);
  DatumOwner *const Of = std::exchange(R.NeededOf, nullptr);
  R.InHand.clear(); // The last round did not need it.
  for (bool Again = false;; Again = true) {
    BufferRef Mem;
    const uint64_t OutstandingBytes = OutstandingOn[Node]->load();
    status Result = Of ? Of->allocate(Node, Mem) : Nodes[Node].Dev->allocate(Bytes, Mem);
    handleOutcome(Node, Result);
    if (Result.ok()) {
      R.InHand.push_back({counted(std::move(Mem), OutstandingOn[Node]), Of});
      return {};
    }
    if (Result.code() != errc::out_of_memory)
      return Result;
    // Blocks that were dropped before may still be in use by transfers, or were a moment ago.
    R.Outstanding = Log.outstanding(Node, Nodes[Node].Worker);
    if (Again || !R.Outstanding.empty()) {
      // A block leaves Used when it is dropped, and OutstandingBytes when no plan of another thread refers to it any
      // more.
      const uint64_t Expected = comesBack(Node, OutstandingBytes) ? OutstandingBytes : 0;
      R.Refused.push_back({Bytes, Of, std::move(Result), Expected, Expected > UsedOn[Node]->load()});
      return {};
    }
  }
}

status Directory::Impl::acquire(const Task &T, MemoryNode Node, PackedParams Packed, Acquisition &Out, Round &R,
                                Report &Rep) {
  const unsigned Most = MoreRounds + RoundsPerAccess * T.NumAccesses;
  for (unsigned Attempts = 1;; ++Attempts) {
    std::array<std::vector<Use>, 2> Uses; // Operations that the device orders before the task, and others.
    auto Turn = std::move(Out.Waits);
    Out.clear();
    Out.Waits = std::move(Turn);
    collect(Rep, Node);
    status Result;
    std::exception_ptr NoMemory;
    Plan ToDo;
    {
      MutexLock Lock(M);
      try {
        Result = look(T, Node, Packed, Out, R, Uses, Rep);
      } catch (const std::bad_alloc &) { // Planned commands are already recorded, so they are executed.
        NoMemory = std::current_exception();
      }
      takePlan(ToDo);
      updateHasFragments();
    }
    if (!ToDo.Freed.empty()) // The driver may have memory now.
      R.Refused.clear();
    bool RefusedAcross = false;
    const status Outcome = carryOut(ToDo, &RefusedAcross);
    if (NoMemory)
      std::rethrow_exception(NoMemory);
    if (R.NeededBytes && Attempts < Most) {
      if (status Made = allocateNeeded(Node, R); !Made.ok())
        return Made;
      continue;
    }
    if (R.NeededBytes) { // Other acquires take the allocated blocks.
      R.NeededBytes = 0;
      R.Busy = true;
      return noRoom(0);
    }
    if (!Result.ok()) {
      Out.Placements.clear();
      Out.MemoryBusy = R.Busy;
      return Result;
    }
    if (!Outcome.ok()) { // Nothing was begun unnecessarily.
      const WorkerId Blame = Out.Blame;
      releaseHold(Out, true, FailedOutputs::Undefined);
      Out.Blame = Blame;
      if (!RefusedAcross || std::exchange(R.ByHost, true))
        return Outcome;
      continue;
    }
    if (Node != HostNode)
      RefusedOn[Node].OutstandingBytes.store(0);
    // Other threads keep their promises as soon as they have given their commands to the devices.
    for (const Use &U : Uses[0]) {
      if (Node != HostNode) {
        if (!U.Ev->settled() && FlushLater::covers(Node))
          Nodes[Node].Dev->flush();
        U.Ev->await();
      }
      const EventRef DeviceEvent = U.Ev->settled() ? U.Ev->event() : nullptr;
      if (DeviceEvent)
        addEvent(Out.Wait, DeviceEvent);
      else if (!U.Ev->ended() || !U.Ev->how().ok())
        addEvent(Node == HostNode ? Out.Wait : Out.Before, U.Ev);
    }
    for (const Use &U : Uses[1])
      Out.Before.push_back(U.Ev);
    return {};
  }
}

status Directory::acquire(const Task &T, MemoryNode Node, Acquisition &Out, std::vector<EventRef> *Until,
                          PackedParams Packed) {
  auto Turn = std::move(Out.Waits);
  Out.clear();
  if (Turn && Turn->Node == Node)
    Out.Waits = std::move(Turn);
  if (Node >= I->numNodes())
    return status::error(errc::invalid_argument, "no memory node " + std::to_string(Node));
  if (I->numNodes() == 1) // Without devices there are no transfers.
    return {};
  if (Node == HostNode)
    if (status Home = I->commit(T.accesses()); !Home.ok())
      return Home;
  for (unsigned Failures = 0;;) {
    Report Rep;
    Round R;
    status Result = I->acquire(T, Node, Packed, Out, R, Rep);
    Rep.notifyObserver(I->Watch);
    if (Until)
      *Until = std::move(R.Until);
    else if (Result.code() == errc::out_of_memory && !R.Until.empty()) {
      if (status Ended = R.Until.front()->wait(); Ended.ok() || ++Failures < TriesOfTransfers)
        continue;
      else
        return Ended;
    }
    return Result;
  }
}

} // namespace hsched::rt
