// The life of a task's hold on its data; flushing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include "base/Log.h"

#include <algorithm>
#include <bit>

namespace hsched::rt {

void appendSections(const Access &A, std::vector<Section> &Out) {
  if (endOf(A) > beginOf(A))
    Out.push_back({extentOf(A), reads(A), writes(A)});
}

// The block that the holder works in at host address Lo.
static ReplicaRef blockOf(const Hold &H, uintptr_t Lo) {
  for (const ReplicaRef &R : H.Pinned)
    if (R->At.touches(Lo, Lo + 1))
      return R;
  return nullptr;
}

Directory::Impl::Impl(std::vector<NodeInfo> N, const Clock &Time, Observer *Watch)
    : Time(Time), Watch(Watch), Fragments(1), Log(1), Counts(1) {
  MutexLock Lock(M);
  setNodes(std::move(N));
}

// While there is only the host, no fragment has an entry, and nothing has travelled.
void Directory::Impl::setNodes(std::vector<NodeInfo> All) {
  const auto N = static_cast<unsigned>(All.size());
  Nodes = std::move(All);
  Fragments = FragmentMap(N);
  Replicas = std::vector<ReplicaSet>(N);
  Log = TransferLog(N);
  Counts = TrafficTable(N);
  UsedOn.clear();
  for (const ReplicaSet &Set : Replicas)
    UsedOn.push_back(Set.Used);
  Peers.assign(N, 0);
  for (MemoryNode A = 1; A < N; ++A)
    for (MemoryNode B = 1; B < N; ++B)
      if (A == B || Nodes[A].Dev->reaches(*Nodes[B].Dev))
        Peers[A] |= nodeBit(B);
  NumNodes.store(N, std::memory_order_release);
}

std::shared_ptr<Hold> Directory::Impl::takeHold() {
  if (SpareHolds.empty())
    return std::make_shared<Hold>();
  std::shared_ptr<Hold> H = std::move(SpareHolds.back());
  SpareHolds.pop_back();
  return H;
}

void Directory::Impl::giveHold(std::shared_ptr<Hold> H) {
  H->clear();
  if (H.use_count() == 1 && SpareHolds.size() < MostSpareHolds)
    SpareHolds.push_back(std::move(H));
}

status Directory::Impl::acquire(const Task &T, MemoryNode Node, PackedParams Packed, Acquisition &Out,
                                std::vector<EventRef> &Until, Report &Rep) {
  Out.clear();
  if (Node >= numNodes())
    return status::error(errc::invalid_argument, "no memory node " + std::to_string(Node));
  noticeLosses();
  if (Node != HostNode && Nodes[Node].Dev->lost())
    return Nodes[Node].Dev->whyLost();
  if (Node != HostNode)
    if (status Result = makeRoomAlike(T, Node, Packed, Out.MemoryBusy, Until); !Result.ok()) {
      submit();
      return Result;
    }

  std::shared_ptr<Hold> H = takeHold();
  H->Node = Node;
  std::vector<Placement> &Placements = Out.Placements;
  Placements.resize(T.NumAccesses);
  for (size_t I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.accesses()[I];
    appendSections(A, H->Sections);
    if (Node == HostNode || endOf(A) <= beginOf(A))
      continue;
    const Extent Want = wantOf(A, Packed);
    const ReplicaRef &R = Replicas[Node].covering(Want);
    if (!R)
      return status::error(errc::internal, "an access without a replica");
    Placements[I] = {R->Mem, beginOf(A) - R->offsetOf(beginOf(A)),
                     Want.Rows > 1 && R->packed() ? R->strideOf(Want) : 0};
    if (std::find(H->Pinned.begin(), H->Pinned.end(), R) == H->Pinned.end())
      H->Pinned.push_back(R);
  }
  pin(*H, 1);
  // Where there is no memory for the rest, nothing is held.
  struct Unpin {
    Impl &I;
    Hold *H;
    ~Unpin() {
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
      Result = fetch(Missing, Node, &T);
    }
    if (Node != HostNode && !Parts.empty())
      Lookups.push_back(
          {Nodes[Node].Worker, AllHit, A.bytes * A.rows, T.Id, typeNameOf(&T), Watch ? Time.now() : TimePoint()});
  }
  submit();
  auto addUse = [&](const Use &U) {
    bool Orders = Node == HostNode || (U.By != ForeignNode && (Peers[Node] & nodeBit(U.By)));
    addEvent(Orders ? Out.Wait : Out.Before, U.Ev);
  };
  for (const Section &S : H->Sections)
    Fragments.visitKnown(S.At, [&](const Extent &At, Fragment &F) {
      const EventRef Came = F.Copies[Node].Written.Ev; // settle() forgets how it ended
      F.settle();
      if (S.Reads && !F.Valid && !Out.DataLost) {
        Out.DataLost = true;
        Out.Blame = Nodes[F.LostOn].Worker;
        Result = isLost(At, F);
      }
      addUse(F.Copies[Node].Written);
      if (S.Writes)
        for (const Use &U : F.Copies[Node].Read)
          addUse(U);
      if (S.Reads && !F.validOn(Node) && Result.ok()) { // a transfer has failed already
        const status Why = Came && Came->done() ? Came->outcome() : status();
        Result =
            status::error(errc::transfer_failed,
                          Why.ok() ? "a transfer to memory node " + std::to_string(Node) + " failed" : Why.message());
      }
    });
  Undo.H = nullptr;
  if (!Result.ok()) {
    abandon(*H);
    pin(*H, -1); // the task goes elsewhere, or comes again
    Out.Placements.clear();
    Out.Wait.clear();
    Out.Before.clear();
    return Result;
  }
  for (const LookupRecord &L : Lookups)
    Counts.lookedUp(Node, L);
  if (Watch)
    Rep.Lookups = Lookups;
  Out.Node = Node;
  Out.Held = std::move(H);
  return {};
}

void Directory::Impl::pin(Hold &H, int By) {
  for (const Section &S : H.Sections) {
    auto Count = [&](const Extent &, Fragment &F) {
      (S.Writes ? F.Writers : F.DeviceReaders) += static_cast<uint32_t>(By);
      if (S.Writes && By > 0)
        ++F.Unpublished; // taken back by publish or abandon
    };
    if (S.Writes || H.Node != HostNode)
      Fragments.visit(S.At, Count);
  }
  for (const ReplicaRef &R : H.Pinned)
    (R->MergedInto ? *liveOf(R) : *R).Pins += static_cast<uint32_t>(By);
  if (By < 0)
    for (const Section &S : H.Sections)
      Fragments.tidy(S.At);
}

void Directory::Impl::publish(Hold &H, const EventRef &Done) {
  H.Published = true;
  H.SerialAtPublish = Serial;
  H.Done = Done;
  Use ByTask{Done, H.Node == HostNode ? ForeignNode : H.Node};
  for (const Section &S : H.Sections) {
    if (!S.Writes) {
      if (Done)
        Fragments.visitKnown(S.At, [&](const Extent &, Fragment &F) { F.Copies[H.Node].Read.push_back(ByTask); });
      continue;
    }
    Fragments.visit(S.At, [&](const Extent &At, Fragment &F) {
      F.settle();
      H.Before.push_back({At, F.Valid, F.LostOn, F.Lost, H.Written.size()});
      for (const Copy &C : F.Copies)
        H.Written.push_back(C.Written);
      F.setValid(nodeBit(H.Node));
      if (H.Node != HostNode && Nodes[H.Node].Dev->lost())
        F.invalidate(H.Node, Nodes[H.Node].Dev->whyLost());
      if (Done) { // else what the task came after may still be under way: a kernel of no work-items waits for nothing
        F.Copies[H.Node].Written = ByTask;
        F.Copies[H.Node].Read.clear();
      }
      --F.Unpublished;
    });
    bringOver(S.At, H);
  }
}

void Directory::Impl::abandon(Hold &H) {
  for (const Section &S : H.Sections) {
    if (!S.Writes)
      continue;
    Fragments.visit(S.At, [&](const Extent &, Fragment &F) { --F.Unpublished; });
    bringOver(S.At, H);
  }
}

void Directory::Impl::restore(Hold &H, Left There) {
  for (auto Was = H.Before.rbegin(); Was != H.Before.rend(); ++Was) {
    uint64_t Valid = 0;
    MemoryNode LostOn = Was->LostOn;
    status Lost = Was->Lost;
    for (MemoryNode N = 0; N < numNodes(); ++N) {
      const EventRef &Ev = H.Written[Was->Written + N].Ev;
      if (!(Was->Valid & nodeBit(N)))
        continue;
      LostOn = N;
      if (N != HostNode && Nodes[N].Dev->lost()) {
        Lost = Nodes[N].Dev->whyLost();
        continue;
      }
      if (Ev && Ev->done() && !Ev->outcome().ok()) {
        Lost = Ev->outcome();
        continue;
      }
      // A block made since holds only what was valid then.
      if (N != HostNode && !heldSince(N, Was->At, H.SerialAtPublish)) {
        Lost = status::error(errc::transfer_failed, "its block was left before a task that failed had written it");
        continue;
      }
      Valid |= nodeBit(N);
    }
    // Half of it may have been overwritten. On the host it stays whose it is: there the task is told of all the same.
    const bool Counts = H.Node == HostNode || There == Left::HalfDone;
    if (There != Left::AsItWas && (!Counts || (Valid & ~nodeBit(H.Node)))) {
      if (Valid == nodeBit(H.Node)) {
        LostOn = H.Node;
        const status Why = H.Done && H.Done->done() ? H.Done->outcome() : status();
        Lost = status::error(errc::launch_failed, "a task that worked on it there failed" +
                                                      (Why.ok() ? std::string() : ": " + Why.message()));
      }
      Valid &= ~nodeBit(H.Node);
    }
    Fragments.visit(Was->At, [&](const Extent &, Fragment &F) {
      F.setValid(Valid);
      if (!Valid) {
        F.LostOn = LostOn;
        F.Lost = Lost;
      }
      F.Copies[H.Node].Written = H.Written[Was->Written + H.Node];
      F.settle();
    });
  }
}

void Directory::Impl::bringOver(const Extent &E, Hold &H) {
  ReplicaRef Old = blockOf(H, E.Begin);
  if (!Old || !Old->MergedInto)
    return;
  ReplicaRef New = liveOf(Old);
  std::vector<std::pair<uint64_t, EventRef>> Moves;                                             // bytes, and their copy
  Fragments.visitKnown(E, [&](const Extent &At, Fragment &F) HSCHED_NO_THREAD_SAFETY_ANALYSIS { // called with M
    Copy &Here = F.Copies[H.Node];
    if (!F.validOn(H.Node))
      return;
    WaitList Wait(Peers[H.Node]);
    EventRef Done;
    status Result = Wait.add(Here.Written, true);
    if (Result.ok())
      Result = moveWithin(H.Node, At, *Old, *New, Wait.events(), Done);
    if (Result.ok()) {
      Here.Written = {Done, H.Node};
      Moves.emplace_back(At.bytes(), Done);
      return;
    }
    heed(H.Node, Result);
    F.invalidate(H.Node, Result);
  });
  for (const auto &[Bytes, Done] : Moves)
    started(TransferKind::WithinDevice, H.Node, nullptr, Bytes, Done);
  submit();
}

status Directory::Impl::startHome(const Extent &E, std::vector<EventRef> &Fetched, std::vector<EventRef> &Users,
                                  std::vector<Section> &Asked) {
  std::vector<Strip> Missing;
  uint64_t LastValid = 0;
  Fragments.visitKnown(E, [&](const Extent &At, Fragment &F) {
    F.settle();
    if (F.Writers || F.validOn(HostNode) || !F.Valid)
      return;
    Asked.push_back({At, true, false});
    if (!Missing.empty() && Missing.back().Rows == 1 && At.Rows == 1 && Missing.back().end() == At.Begin &&
        LastValid == F.Valid)
      Missing.back().Bytes += At.Bytes;
    else
      Missing.push_back({At.Begin, At.Bytes, At.Rows, At.Stride, sourceOf(F.Valid, HostNode)});
    LastValid = F.Valid;
  });
  status Result = fetch(Missing, HostNode, nullptr);
  Fragments.visitKnown(E, [&](const Extent &, Fragment &F) {
    if (F.Writers)
      return;
    addEvent(Fetched, F.Copies[HostNode].Written.Ev);
    for (const Use &U : F.Copies[HostNode].Read)
      addEvent(Users, U.Ev);
  });
  return Result;
}

void Directory::Impl::invalidateDevices(const Extent &E) {
  Fragments.visitKnown(E, [&](const Extent &, Fragment &F) {
    F.settle();
    if (!F.Writers && !F.DeviceReaders && F.validOn(HostNode) && !F.Copies[HostNode].Written.Ev)
      F.setValid(nodeBit(HostNode));
  });
}

Directory::Directory(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch)
    : I(std::make_unique<Impl>(std::move(Nodes), Time, Watch)) {}

Directory::~Directory() { (void)shutdown(); }

void Directory::addNodes(std::span<const NodeInfo> More) {
  if (More.empty())
    return;
  MutexLock Lock(I->M);
  std::vector<NodeInfo> All = I->Nodes;
  All.insert(All.end(), More.begin(), More.end());
  I->setNodes(std::move(All));
}

bool Directory::anyReplica() const { return I->Known.load(std::memory_order_acquire); }

status Directory::acquire(const Task &T, MemoryNode Node, Acquisition &Out, std::vector<EventRef> *Until,
                          PackedParams Packed) {
  if (I->numNodes() == 1 && Node == HostNode) { // nothing ever travels
    Out.clear();
    return {};
  }
  for (unsigned Failures = 0;;) {
    Report Rep;
    status Result;
    std::vector<EventRef> Leaving;
    {
      MutexLock Lock(I->M);
      Result = I->acquire(T, Node, Packed, Out, Leaving, Rep);
      I->noteKnown();
      I->collect(Rep);
    }
    Rep.tell(I->Watch);
    if (Until)
      *Until = std::move(Leaving);
    else if (Result.code() == errc::out_of_memory && !Leaving.empty()) {
      if (status Left = Leaving.front()->wait(); Left.ok() || ++Failures < TriesOfTransfers)
        continue;
      else
        return Left;
    }
    return Result;
  }
}

double Directory::fullness(MemoryNode Node) const {
  uint64_t Total = Node == HostNode ? 0 : I->Nodes[Node].Dev->info().MemoryBytes;
  uint64_t Used = I->UsedOn[Node]->load(std::memory_order_relaxed);
  return Total ? static_cast<double>(Used) / static_cast<double>(Total) : 0;
}

void Directory::survey(std::span<Want> Wants, MemoryNode Node) {
  MutexLock Lock(I->M);
  ReplicaSet &Set = I->Replicas[Node];
  Set.Surveyed = ++I->Tick;
  for (Want &W : Wants) {
    const Access &A = *W.A;
    W.Missing = 0;
    if (endOf(A) <= beginOf(A))
      continue;
    uint64_t All = uint64_t(A.bytes) * A.rows;
    if (const ReplicaRef &R = Set.covering(wantOf(A, W.Packed)); !R) {
      W.Missing = All * (unsigned(reads(A)) + unsigned(writes(A)));
    } else {
      R->Wanted = Set.Surveyed;
      if (reads(A))
        W.Missing = All - std::min(All, I->Fragments.validBytes({beginOf(A), A.bytes, A.rows, A.stride}, Node));
    }
  }
}

void Directory::sources(const Task &T, MemoryNode Node, std::span<uint64_t> From) const {
  std::ranges::fill(From, 0);
  MutexLock Lock(I->M);
  for (const Access &A : T.accesses())
    if (std::vector<Section> Parts; reads(A)) {
      appendSections(A, Parts);
      for (const Section &S : Parts)
        I->Fragments.addMissing(S.At, Node, From);
    }
}

void Directory::launched(const Task &, Acquisition &A, const EventRef &Done) {
  MutexLock Lock(I->M);
  if (A.Held && Done && !A.Held->Published)
    I->publish(*A.Held, Done);
}

void Directory::release(const Task &, Acquisition &A, bool Failed, Left There) {
  if (!A.Held)
    return;
  Report Rep;
  {
    MutexLock Lock(I->M);
    Hold &H = *A.Held;
    if (!Failed && !H.Published)
      I->publish(H, nullptr);
    else if (Failed && H.Published)
      I->restore(H, There);
    else if (Failed)
      I->abandon(H);
    I->pin(H, -1);
    I->giveHold(std::move(A.Held));
    A.clear();
    I->noteKnown();
    I->collect(Rep);
  }
  Rep.tell(I->Watch);
}

status Directory::flush(std::span<const Access> Ranges, bool All, bool Invalidate, WorkerId *Blame) {
  std::vector<Section> Parts;
  if (All)
    Parts.push_back({{0, UINTPTR_MAX}, true, false});
  else
    for (const Access &A : Ranges)
      appendSections(A, Parts);
  std::vector<EventRef> Users;
  std::vector<Section> Asked;
  Report Rep;
  status Result;
  for (unsigned Try = 0; Try == 0 || (!Result.ok() && Try < TriesOfTransfers); ++Try) {
    std::vector<EventRef> Fetched;
    Asked.clear();
    Result = {};
    {
      MutexLock Lock(I->M);
      I->collect(Rep);
      for (const Section &S : Parts)
        if (status Each = I->startHome(S.At, Fetched, Users, Asked); !Each.ok() && Result.ok())
          Result = Each;
      I->submit();
    }
    for (const EventRef &E : Fetched)
      if (status Each = E->wait(); !Each.ok() && Result.ok())
        Result = Each;
  }
  if (Invalidate)
    for (const EventRef &E : Users)
      (void)E->wait();
  {
    MutexLock Lock(I->M);
    I->collect(Rep);
    WorkerId Whose = NoWorker;
    if (status Missing = I->notAtHome(Parts, Asked, Result, Invalidate, Whose); !Missing.ok())
      Result = Missing;
    if (Blame)
      *Blame = Whose;
    for (const Section &S : Parts) {
      if (Invalidate)
        I->invalidateDevices(S.At);
      I->Fragments.tidy(S.At);
    }
    I->noteKnown();
  }
  Rep.tell(I->Watch);
  return Result;
}

void Directory::discard(const void *Memory, size_t Bytes) {
  const Extent All{reinterpret_cast<uintptr_t>(Memory), Bytes};
  std::vector<EventRef> Travels;
  Report Rep;
  {
    MutexLock Lock(I->M);
    I->collect(Rep);
    I->submit();
    I->Fragments.visitKnown(All, [&](const Extent &, Fragment &F) {
      addEvent(Travels, F.Copies[HostNode].Written.Ev);
      for (const Use &U : F.Copies[HostNode].Read)
        addEvent(Travels, U.Ev);
    });
  }
  for (const EventRef &E : Travels)
    (void)E->wait();
  {
    MutexLock Lock(I->M);
    I->collect(Rep);
    I->Fragments.visitKnown(All, [](const Extent &, Fragment &F) {
      F.settle();
      if (!F.Writers && !F.DeviceReaders)
        F.setValid(nodeBit(HostNode));
    });
    I->Fragments.tidy(All);
    I->noteKnown();
  }
  Rep.tell(I->Watch);
}

status Directory::shutdown() {
  {
    MutexLock Lock(I->M);
    I->submit();
    for (MemoryNode N = 1; N < I->numNodes(); ++N)
      I->Log.wait(N);
  }
  status Result = flush({}, true, true);
  Report Rep;
  {
    MutexLock Lock(I->M);
    for (MemoryNode N = 1; N < I->numNodes(); ++N) {
      for (const ReplicaRef &R : I->Replicas[N].all())
        I->drop(R, N);
      I->Log.wait(N);
    }
    I->Between.stop();
    I->Fragments.compact();
    I->noteKnown();
    I->collect(Rep);
  }
  Rep.tell(I->Watch);
  return Result;
}

std::vector<Directory::TrafficEntry> Directory::traffic() {
  Report Rep;
  std::vector<TrafficEntry> Out;
  {
    MutexLock Lock(I->M);
    I->collect(Rep);
    I->Counts.forEach([&](MemoryNode Node, const char *TaskName, const Traffic &Sum) {
      Out.push_back({I->Nodes[Node].Worker, TaskName, Sum});
    });
  }
  Rep.tell(I->Watch);
  return Out;
}

Directory::Stats Directory::stats() const {
  MutexLock Lock(I->M);
  Stats S{I->Fragments.size(), 0, 0};
  for (const ReplicaSet &Set : I->Replicas) {
    S.Replicas += Set.size();
    S.ReplicaBytes += *Set.Used;
  }
  return S;
}

} // namespace hsched::rt
