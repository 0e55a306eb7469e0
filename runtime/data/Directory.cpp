// The life of a task's hold on its data; flushing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include "base/Log.h"

#include <algorithm>

namespace hsched::rt {

void appendSections(const Access &A, std::vector<Section> &Out) {
  if (endOf(A) <= beginOf(A))
    return;
  if (A.rows == 1 || A.stride <= A.bytes) {
    Out.push_back({beginOf(A), endOf(A), reads(A), writes(A)});
    return;
  }
  for (size_t R = 0; R < A.rows; ++R) {
    uintptr_t Begin = beginOf(A) + R * A.stride;
    Out.push_back({Begin, Begin + A.bytes, reads(A), writes(A)});
  }
}

// The block that the holder works in at host address Lo.
static ReplicaRef blockOf(const Hold &H, uintptr_t Lo) {
  for (const ReplicaRef &R : H.Pinned)
    if (R->Begin <= Lo && Lo < R->End)
      return R;
  return nullptr;
}

Directory::Impl::Impl(std::vector<NodeInfo> N, const Clock &Time, Observer *Watch)
    : Nodes(std::move(N)), Time(Time), Watch(Watch), Fragments(numNodes()), Replicas(numNodes()), Log(numNodes()) {}

status Directory::Impl::acquire(const Task &T, MemoryNode Node, Acquisition &Out, Report &Rep) {
  Out = {};
  if (Node >= numNodes())
    return status::error(errc::invalid_argument, "no memory node " + std::to_string(Node));
  if (Node != HostNode)
    if (status Result = makeRoom(T, Node, Out.MemoryBusy); !Result.ok())
      return Result;

  auto H = std::make_shared<Hold>();
  H->Node = Node;
  std::vector<Placement> Placements(T.NumAccesses);
  for (size_t I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.accesses()[I];
    appendSections(A, H->Sections);
    if (Node == HostNode || endOf(A) <= beginOf(A))
      continue;
    ReplicaRef R = Replicas[Node].covering(beginOf(A), endOf(A));
    if (!R)
      return status::error(errc::internal, "an access without a replica");
    Placements[I] = {R->Mem, R->base()};
    if (std::find(H->Pinned.begin(), H->Pinned.end(), R) == H->Pinned.end())
      H->Pinned.push_back(R);
  }
  pin(*H, 1);

  status Result;
  std::vector<Section> Parts;
  for (const Access &A : T.accesses()) {
    if (!reads(A) || !Result.ok())
      continue;
    Parts.clear();
    appendSections(A, Parts);
    bool AllHit = true;
    for (const Section &S : Parts) {
      bool Hit = true;
      if (Result.ok())
        Result = fetch(S.Begin, S.End, Node, T.Id, Hit);
      AllHit &= Hit;
    }
    if (Node != HostNode && !Parts.empty())
      Rep.Lookups.push_back({Nodes[Node].Worker, AllHit, A.bytes * A.rows});
  }
  submit();
  std::vector<EventRef> Wait;
  for (const Section &S : H->Sections)
    Fragments.visitKnown(S.Begin, S.End, [&](uintptr_t, Fragment &F) {
      F.settle();
      addEvent(Wait, F.Copies[Node].Written.Ev);
      if (S.Writes)
        for (const Use &U : F.Copies[Node].Read)
          addEvent(Wait, U.Ev);
      if (S.Reads && !F.validOn(Node) && Result.ok()) // a transfer has failed already
        Result = status::error(errc::transfer_failed, "a transfer to memory node " + std::to_string(Node) + " failed");
    });
  if (!Result.ok()) {
    abandon(*H);
    pin(*H, -1);
    return Result;
  }
  Out.Node = Node;
  Out.Placements = std::move(Placements);
  Out.Wait = std::move(Wait);
  Out.Held = std::move(H);
  return {};
}

void Directory::Impl::pin(Hold &H, int By) {
  for (const Section &S : H.Sections) {
    auto Count = [&](uintptr_t, Fragment &F) {
      (S.Writes ? F.Writers : F.DeviceReaders) += static_cast<uint32_t>(By);
      if (S.Writes && By > 0)
        ++F.Unpublished; // taken back by publish or abandon
    };
    if (S.Writes || H.Node != HostNode)
      Fragments.visit(S.Begin, S.End, Count);
  }
  for (const ReplicaRef &R : H.Pinned)
    liveOf(R)->Pins += static_cast<uint32_t>(By);
  if (By < 0)
    for (const Section &S : H.Sections)
      Fragments.tidy(S.Begin, S.End);
}

void Directory::Impl::publish(Hold &H, const EventRef &Done) {
  H.Published = true;
  H.SerialAtPublish = Serial;
  Use ByTask{Done, H.Node == HostNode ? ForeignNode : H.Node};
  for (const Section &S : H.Sections) {
    if (!S.Writes) {
      if (Done)
        Fragments.visitKnown(S.Begin, S.End, [&](uintptr_t, Fragment &F) { F.Copies[H.Node].Read.push_back(ByTask); });
      continue;
    }
    Fragments.visit(S.Begin, S.End, [&](uintptr_t Begin, Fragment &F) {
      F.settle();
      Hold::Saved Was{Begin, F.End, F.Valid, {}};
      for (const Copy &C : F.Copies)
        Was.Written.push_back(C.Written);
      H.Before.push_back(std::move(Was));
      F.Valid = nodeBit(H.Node);
      if (Done) // else what the task came after may still be under way: a kernel of no work-items waits for nothing
        F.Copies[H.Node] = {ByTask, {}};
      --F.Unpublished;
    });
    bringOver(S.Begin, S.End, H);
  }
}

void Directory::Impl::abandon(Hold &H) {
  for (const Section &S : H.Sections) {
    if (!S.Writes)
      continue;
    Fragments.visit(S.Begin, S.End, [&](uintptr_t, Fragment &F) { --F.Unpublished; });
    bringOver(S.Begin, S.End, H);
  }
}

void Directory::Impl::restore(Hold &H) {
  for (auto Was = H.Before.rbegin(); Was != H.Before.rend(); ++Was) {
    uint64_t Valid = 0;
    for (MemoryNode N = 0; N < numNodes(); ++N) {
      const EventRef &Ev = Was->Written[N].Ev;
      if (!(Was->Valid & nodeBit(N)) || (Ev && Ev->done() && !Ev->outcome().ok()))
        continue;
      if (N != HostNode) {
        // A block made since holds only what was valid then.
        ReplicaRef R = Replicas[N].covering(Was->Begin, Was->End);
        if (!R || R->Serial > H.SerialAtPublish)
          continue;
      }
      Valid |= nodeBit(N);
    }
    Fragments.visit(Was->Begin, Was->End, [&](uintptr_t, Fragment &F) {
      F.Valid = Valid;
      F.Copies[H.Node].Written = Was->Written[H.Node];
      F.settle();
    });
  }
}

void Directory::Impl::bringOver(uintptr_t Lo, uintptr_t Hi, Hold &H) {
  ReplicaRef Old = blockOf(H, Lo);
  if (!Old || !Old->MergedInto)
    return;
  ReplicaRef New = liveOf(Old);
  Device &Dev = *Nodes[H.Node].Dev;
  std::vector<std::pair<uintptr_t, EventRef>> Moves; // end of a fragment, and its copy
  Fragments.visitKnown(Lo, Hi, [&](uintptr_t Begin, Fragment &F) {
    Copy &Here = F.Copies[H.Node];
    if (!F.validOn(H.Node))
      return;
    WaitList Wait(H.Node);
    EventRef Done;
    status Result = Wait.add(Here.Written, true);
    if (Result.ok())
      Result =
          Dev.copy(Old->Mem, Begin - Old->base(), New->Mem, Begin - New->base(), F.End - Begin, Wait.events(), Done);
    if (Result.ok()) {
      Here.Written = {Done, H.Node};
      Moves.emplace_back(F.End - Begin, Done);
      return;
    }
    log(LogLevel::Error, "device '%s' lost %zu bytes: %s", Dev.info().Name.c_str(), size_t(F.End - Begin),
        Result.message().c_str());
    F.Valid &= ~nodeBit(H.Node);
    F.settle();
  });
  for (const auto &[Bytes, Done] : Moves)
    started(TransferKind::DeviceToDevice, H.Node, 0, Bytes, Done);
  submit();
}

status Directory::Impl::startHome(uintptr_t Lo, uintptr_t Hi, std::vector<EventRef> &Fetched,
                                  std::vector<EventRef> &Users) {
  struct Run {
    uintptr_t Begin, End;
    uint64_t Valid;
  };
  std::vector<Run> Runs;
  Fragments.visitKnown(Lo, Hi, [&](uintptr_t Begin, Fragment &F) {
    F.settle();
    if (F.Writers || F.validOn(HostNode))
      return;
    if (!Runs.empty() && Runs.back().End == Begin && Runs.back().Valid == F.Valid)
      Runs.back().End = F.End;
    else
      Runs.push_back({Begin, F.End, F.Valid});
  });
  status Result;
  bool Hit;
  for (const Run &R : Runs)
    if (status S = fetch(R.Begin, R.End, HostNode, 0, Hit); !S.ok() && Result.ok())
      Result = S; // the rest comes home all the same
  Fragments.visitKnown(Lo, Hi, [&](uintptr_t, Fragment &F) {
    if (F.Writers)
      return;
    addEvent(Fetched, F.Copies[HostNode].Written.Ev);
    for (const Use &U : F.Copies[HostNode].Read)
      addEvent(Users, U.Ev);
  });
  return Result;
}

void Directory::Impl::invalidateDevices(uintptr_t Lo, uintptr_t Hi) {
  Fragments.visitKnown(Lo, Hi, [&](uintptr_t, Fragment &F) {
    F.settle();
    if (!F.Writers && !F.DeviceReaders && F.validOn(HostNode) && !F.Copies[HostNode].Written.Ev)
      F.Valid = nodeBit(HostNode);
  });
}

Directory::Directory(std::vector<NodeInfo> Nodes, const Clock &Time, Observer *Watch)
    : I(std::make_unique<Impl>(std::move(Nodes), Time, Watch)) {}

Directory::~Directory() { (void)shutdown(); }

bool Directory::anyReplica() const { return I->Known.load(std::memory_order_acquire); }

status Directory::acquire(const Task &T, MemoryNode Node, Acquisition &Out) {
  Report Rep;
  status Result;
  {
    MutexLock Lock(I->M);
    Result = I->acquire(T, Node, Out, Rep);
    I->noteKnown();
    I->Log.collect(I->Time.now(), Rep);
  }
  Rep.tell(I->Watch);
  return Result;
}

void Directory::launched(const Task &, Acquisition &A, const EventRef &Done) {
  MutexLock Lock(I->M);
  if (A.Held && Done && !A.Held->Published)
    I->publish(*A.Held, Done);
}

void Directory::release(const Task &, Acquisition &A, bool Failed) {
  if (!A.Held)
    return;
  Report Rep;
  {
    MutexLock Lock(I->M);
    Hold &H = *A.Held;
    if (!Failed && !H.Published)
      I->publish(H, nullptr);
    else if (Failed && H.Published)
      I->restore(H);
    else if (Failed)
      I->abandon(H);
    I->pin(H, -1);
    A = {};
    I->noteKnown();
    I->Log.collect(I->Time.now(), Rep);
  }
  Rep.tell(I->Watch);
}

status Directory::flush(std::span<const Access> Ranges, bool All, bool Invalidate) {
  std::vector<Section> Parts;
  if (All)
    Parts.push_back({0, UINTPTR_MAX, true, false});
  else
    for (const Access &A : Ranges)
      appendSections(A, Parts);
  std::vector<EventRef> Fetched, Users;
  status Result;
  {
    MutexLock Lock(I->M);
    for (const Section &S : Parts)
      if (status Each = I->startHome(S.Begin, S.End, Fetched, Users); !Each.ok() && Result.ok())
        Result = Each;
    I->submit();
  }
  for (const EventRef &E : Fetched)
    if (status Each = E->wait(); !Each.ok() && Result.ok())
      Result = Each;
  if (Invalidate)
    for (const EventRef &E : Users)
      (void)E->wait();
  Report Rep;
  {
    MutexLock Lock(I->M);
    for (const Section &S : Parts) {
      if (Invalidate)
        I->invalidateDevices(S.Begin, S.End);
      I->Fragments.tidy(S.Begin, S.End);
    }
    I->noteKnown();
    I->Log.collect(I->Time.now(), Rep);
  }
  Rep.tell(I->Watch);
  return Result;
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
    I->Fragments.compact();
    I->noteKnown();
    I->Log.collect(I->Time.now(), Rep);
  }
  Rep.tell(I->Watch);
  return Result;
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
