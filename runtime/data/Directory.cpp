// Life cycle of a task's hold on its data; flushes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include "base/Log.h"
#include "base/NoMemory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace hsched::rt {

void appendSections(const Access &A, std::vector<Section> &Out) {
  if (endOf(A) > beginOf(A))
    Out.push_back({extentOf(A), reads(A), writes(A)});
}

// The block in which the holder works, for host address Lo.
static ReplicaRef blockOf(const Hold &H, uintptr_t Lo) {
  for (const ReplicaRef &R : H.Pinned)
    if (R->At.touches(Lo, Lo + 1))
      return R;
  return nullptr;
}

Directory::Impl::Impl(std::vector<NodeInfo> N, const Clock &Time, Observer *Watch)
    : Time(Time), Watch(Watch), Fragments(1) {
  MutexLock Lock(M);
  FreeHolds.reserve(MaxFreeHolds); // So that a release allocates nothing.
  setNodes(std::move(N));
}

// While there is only the host, no fragment has an entry, and there was no transfer.
void Directory::Impl::setNodes(std::vector<NodeInfo> All) {
  const auto N = static_cast<unsigned>(All.size());
  Nodes = std::move(All);
  Fragments = FragmentMap(N);
  Replicas = std::vector<ReplicaSet>(N);
  Waiting.resize(N);
  Log.setNodes(N);
  Counts.setNodes(N);
  UsedOn.clear();
  OutstandingOn.clear();
  RefusedOn = std::deque<Refusals>(N);
  for (const ReplicaSet &Set : Replicas) {
    UsedOn.push_back(Set.Used);
    OutstandingOn.push_back(Set.OutstandingBytes);
  }
  Peers.assign(N, 0);
  for (MemoryNode A = 1; A < N; ++A)
    for (MemoryNode B = 1; B < N; ++B)
      if (A == B || Nodes[A].Dev->reaches(*Nodes[B].Dev))
        Peers[A] |= nodeBit(B);
  NumNodes.store(N, std::memory_order_release);
}

std::shared_ptr<Hold> Directory::Impl::takeHold() {
  if (FreeHolds.empty())
    return std::make_shared<Hold>();
  std::shared_ptr<Hold> H = std::move(FreeHolds.back());
  FreeHolds.pop_back();
  return H;
}

void Directory::Impl::giveHold(std::shared_ptr<Hold> H) {
  for (ReplicaRef &R : H->Pinned) // Blocks that were merged into others may be freed with their last task.
    if (R->MergedInto)
      try {
        Next.Freed.push_back(std::move(R));
      } catch (const std::bad_alloc &) { // It is freed here, with the lock held.
      }
  H->clear();
  if (H.use_count() == 1 && FreeHolds.size() < MaxFreeHolds)
    FreeHolds.push_back(std::move(H));
}

void Directory::Impl::pin(Hold &H, int By) {
  auto count = [&](const Section &S, int By, int Unpublished) HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
    if (S.Writes || H.Node != HostNode)
      Fragments.visit(S.At, [&](const Extent &, Fragment &F) {
        (S.Writes ? F.Writers : F.DeviceReaders) += static_cast<uint32_t>(By);
        F.Unpublished += static_cast<uint32_t>(Unpublished);
      });
  };
  for (const Section &S : H.Sections) {
    if (By < 0) {
      retryUntilAllocated([&] { count(S, -1, 0); });
      continue;
    }
    try {
      count(S, 1, S.Writes ? 1 : 0); // Publish or abandon reverts Unpublished.
    } catch (const std::bad_alloc &) {
      for (const Section *Done = H.Sections.data(); Done != &S; ++Done)
        retryUntilAllocated([&] { count(*Done, -1, Done->Writes ? -1 : 0); });
      throw;
    }
  }
  for (const ReplicaRef &R : H.Pinned)
    (R->MergedInto ? *liveOf(R) : *R).Pins += static_cast<uint32_t>(By);
  if (By < 0)
    for (const Section &S : H.Sections)
      Fragments.tidy(S.At);
}

void Directory::Impl::publish(Hold &H, const PromiseRef &Done, bool MayFail) {
  H.Published = true;
  H.SerialAtPublish = Serial;
  H.Done = Done;
  Use ByTask{Done, H.Node == HostNode ? ForeignNode : H.Node};
  for (const Section &S : H.Sections) {
    if (!S.Writes) {
      if (Done)
        Fragments.visitExisting(S.At, [&](const Extent &, Fragment &F) { F.Copies[H.Node].Read.push_back(ByTask); });
      continue;
    }
    auto change = [&](const Extent &At, Fragment &F) {
      F.settle();
      if (MayFail) {
        const size_t Written = H.Written.size();
        for (const Copy &C : F.Copies)
          H.Written.push_back(C.Written);
        // Last, so that exactly the fragments in Before have been changed.
        H.Before.push_back({At, F.Valid, F.Unwritten, F.LostOn, F.Lost, Written});
      }
      F.setValid(nodeBit(H.Node));
      if (H.Node != HostNode && Nodes[H.Node].Dev->lost())
        F.invalidate(H.Node, Nodes[H.Node].Dev->whyLost());
      if (Done) { // Without an event, predecessors may be in progress: a kernel without work-items waits for nothing.
        F.Copies[H.Node].Written = ByTask;
        F.Copies[H.Node].Read.clear();
      }
      --F.Unpublished;
    };
    if (MayFail)
      Fragments.visit(S.At, change);
    else
      retryUntilAllocated([&]() HSCHED_NO_THREAD_SAFETY_ANALYSIS { Fragments.visit(S.At, change); }); // Called with M.
    bringOver(S.At, H);
  }
}

void Directory::Impl::unpublish(Hold &H) {
  for (auto Was = H.Before.rbegin(); Was != H.Before.rend(); ++Was)
    retryUntilAllocated([&]() HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
      Fragments.visit(Was->At, [&](const Extent &, Fragment &F) {
        F.setValid(Was->Valid);
        F.Unwritten = Was->Unwritten;
        F.LostOn = Was->LostOn;
        F.Lost = Was->Lost;
        F.Copies[H.Node].Written = H.Written[Was->Written + H.Node];
        ++F.Unpublished;
      });
    });
  H.Before.clear();
  H.Written.clear();
  H.Done.reset();
  H.Published = false;
}

void Directory::Impl::abandon(Hold &H) {
  for (const Section &S : H.Sections) {
    if (!S.Writes)
      continue;
    retryUntilAllocated([&]() HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
      Fragments.visit(S.At, [&](const Extent &, Fragment &F) { --F.Unpublished; });
    });
    bringOver(S.At, H);
  }
}

void Directory::Impl::restore(Hold &H, FailedOutputs Outputs) {
  for (auto Was = H.Before.rbegin(); Was != H.Before.rend(); ++Was) {
    uint64_t Valid = 0;
    MemoryNode LostOn = Was->LostOn;
    status Lost = Was->Lost;
    for (MemoryNode N = 0; N < numNodes(); ++N) {
      const PromiseRef &Ev = H.Written[Was->Written + N].Ev;
      if (!(Was->Valid & nodeBit(N)))
        continue;
      LostOn = N;
      if (N != HostNode && Nodes[N].Dev->lost()) {
        Lost = Nodes[N].Dev->whyLost();
        continue;
      }
      if (Ev && Ev->ended() && !Ev->how().ok()) {
        Lost = Ev->how();
        continue;
      }
      // A block made later holds only data that were valid then.
      bool Since = true;
      if (N != HostNode)
        retryUntilAllocated([&]() HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
          Since = presentSince(N, Was->At, H.SerialAtPublish);
        });
      if (!Since) {
        Lost = statusOf([] {
          return status::error(errc::transfer_failed, "its block was left before a task that failed had written it");
        });
        continue;
      }
      Valid |= nodeBit(N);
    }
    // It may be half overwritten. The host's copy stays valid, because the failure is reported there.
    const bool Counts = H.Node == HostNode || Outputs == FailedOutputs::PartlyWritten;
    if (Outputs != FailedOutputs::Untouched && (!Counts || (Valid & ~nodeBit(H.Node)))) {
      if (Valid == nodeBit(H.Node)) {
        LostOn = H.Node;
        const status Why = H.Done && H.Done->ended() ? H.Done->how() : status();
        Lost = statusOf([&] {
          return status::error(errc::launch_failed, "a task that worked on it there failed" +
                                                        (Why.ok() ? std::string() : ": " + Why.message()));
        });
      }
      Valid &= ~nodeBit(H.Node);
    }
    retryUntilAllocated([&]() HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
      Fragments.visit(Was->At, [&](const Extent &, Fragment &F) {
        F.setValid(Valid);
        if (Was->Unwritten) {
          F.giveUp();
        } else if (!Valid) {
          F.LostOn = LostOn;
          F.Lost = Lost;
        }
        F.Copies[H.Node].Written = H.Written[Was->Written + H.Node];
        F.settle();
      });
    });
  }
}

void Directory::Impl::bringOver(const Extent &E, Hold &H) {
  ReplicaRef Old = blockOf(H, E.Begin);
  if (!Old || !Old->MergedInto)
    return;
  ReplicaRef New = liveOf(Old);
  auto bring = [&](const Extent &At, Fragment &F) HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
    Copy &Here = F.Copies[H.Node];
    if (!F.validOn(H.Node))
      return;
    try {
      Command C{Command::Kind::Within, H.Node, H.Node};
      comesAfter(C, Here.Written, true);
      Here.Written = moveWithin(std::move(C), At, *Old, *New, nullptr);
    } catch (const std::bad_alloc &) { // The new block does not get these data.
      F.invalidate(H.Node, noHostMemory());
    }
  };
  retryUntilAllocated([&]() HSCHED_NO_THREAD_SAFETY_ANALYSIS { Fragments.visitExisting(E, bring); }); // Called with M.
}

status Directory::Impl::startHome(const Extent &E, bool Named, std::vector<EventRef> &Fetched,
                                  std::vector<EventRef> &Users, std::vector<Section> &Requested) {
  std::vector<Strip> Missing;
  uint64_t LastValid = 0;
  Fragments.visitExisting(E, [&](const Extent &At, Fragment &F) {
    F.settle();
    if (F.Writers || F.validOn(HostNode) || !F.Valid || (F.Homeless && !Named))
      return;
    Requested.push_back({At, true, false});
    if (!Missing.empty() && Missing.back().Rows == 1 && At.Rows == 1 && Missing.back().end() == At.Begin &&
        LastValid == F.Valid)
      Missing.back().Bytes += At.Bytes;
    else
      Missing.push_back({At.Begin, At.Bytes, At.Rows, At.Stride, sourceOf(F.Valid, HostNode)});
    LastValid = F.Valid;
  });
  status Result = fetch(Missing, HostNode, nullptr);
  Fragments.visitExisting(E, [&](const Extent &, Fragment &F) {
    if (F.Writers || (F.Homeless && !Named))
      return;
    addEvent(Fetched, F.Copies[HostNode].Written.Ev);
    for (const Use &U : F.Copies[HostNode].Read)
      addEvent(Users, U.Ev);
  });
  return Result;
}

void Directory::Impl::invalidateDevices(const Extent &E, bool Named) {
  const auto invalidate = [Named](const Extent &, Fragment &F) {
    F.settle();
    if (F.Homeless && !Named)
      return;
    if (!F.Writers && !F.DeviceReaders && (F.validOn(HostNode) || F.Unwritten) && !F.Copies[HostNode].Written.Ev)
      F.setValid(nodeBit(HostNode));
  };
  if (Named && Fragments.anyHomeless()) // Memory without an entry is unwritten, and the host may write it now.
    Fragments.visit(E, invalidate);
  else
    Fragments.visitExisting(E, invalidate);
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

bool Directory::anyReplica() const { return I->HasFragments.load(std::memory_order_acquire); }

double Directory::fullness(MemoryNode Node) const {
  uint64_t Total = Node == HostNode ? 0 : I->Nodes[Node].Dev->info().MemoryBytes;
  uint64_t Used = I->UsedOn[Node]->load(std::memory_order_relaxed);
  return Total ? static_cast<double>(Used) / static_cast<double>(Total) : 0;
}

void Directory::survey(std::span<SurveyedAccess> Accesses, MemoryNode Node) {
  MutexLock Lock(I->M);
  ReplicaSet &Set = I->Replicas[Node];
  Set.Surveyed = ++I->Tick;
  for (SurveyedAccess &W : Accesses) {
    const Access &A = *W.A;
    W.Missing = 0;
    if (endOf(A) <= beginOf(A))
      continue;
    uint64_t All = uint64_t(A.bytes) * A.rows;
    if (const ReplicaRef &R = Set.covering(neededExtent(A, W.Packed)); !R) {
      W.Missing = All * (unsigned(reads(A)) + unsigned(writes(A)));
    } else {
      R->LastSurvey = Set.Surveyed;
      if (reads(A))
        W.Missing = All - std::min(All, I->Fragments.validBytes({beginOf(A), A.bytes, A.rows, A.stride}, Node));
    }
  }
}

void Directory::sources(const Task &T, MemoryNode Node, std::span<Source> From) const {
  std::ranges::fill(From, Source());
  std::array<uint64_t, MaxNodes> Each{};
  const std::span<uint64_t> Missing = std::span(Each).first(From.size());
  MutexLock Lock(I->M);
  for (const Access &A : T.accesses())
    if (std::vector<Section> Parts; reads(A)) {
      appendSections(A, Parts);
      for (const Section &S : Parts) {
        I->Fragments.addMissing(S.At, Node, Missing);
        for (size_t N = 0; N < From.size(); ++N)
          if (const uint64_t Bytes = std::exchange(Missing[N], 0)) {
            From[N].Bytes += Bytes;
            ++From[N].Sections;
          }
      }
    }
}

void Directory::validBytes(const Access &A, std::span<uint64_t> Bytes) const {
  std::ranges::fill(Bytes, 0);
  std::vector<Section> Parts;
  appendSections(A, Parts);
  std::vector<uint64_t> Missing(I->numNodes());
  MutexLock Lock(I->M);
  for (const Section &S : Parts) {
    // Data unknown to the directory are on the host alone.
    I->Fragments.addMissing(S.At, HostNode, Missing);
    Bytes[HostNode] +=
        S.At.bytes() - std::min(S.At.bytes(), std::accumulate(Missing.begin(), Missing.end(), uint64_t(0)));
    std::ranges::fill(Missing, 0);
    for (MemoryNode N = HostNode + 1; N < I->numNodes(); ++N)
      Bytes[N] += I->Fragments.validBytes(S.At, N);
  }
}

bool Directory::launched(const Task &, Acquisition &A, const EventRef &Done) {
  if (!A.Acquired || !Done)
    return true;
  Plan ToDo;
  bool Recorded = true;
  try {
    const auto Operation = std::make_shared<Promise>(Done);
    MutexLock Lock(I->M);
    try {
      if (!A.Acquired->Published)
        I->publish(*A.Acquired, Operation, true);
    } catch (const std::bad_alloc &) {
      I->unpublish(*A.Acquired);
      Recorded = false;
    }
    I->takePlan(ToDo);
  } catch (const std::bad_alloc &) {
    Recorded = false;
  }
  (void)I->carryOut(ToDo); // Failures are recorded in the fragments.
  if (!Recorded)
    (void)Done->wait();
  return Recorded;
}

void Directory::Impl::sendHome(const Hold &H) {
  std::vector<EventRef> Fetched, Users;
  std::vector<Section> Requested;
  for (const Section &S : H.Sections)
    if (S.Writes) // A transfer that fails is repeated by the next flush.
      (void)startHome(S.At, false, Fetched, Users, Requested);
}

void Directory::Impl::releaseHold(Acquisition &A, bool Failed, FailedOutputs Outputs, bool Home) {
  Plan ToDo;
  if (A.Acquired->Done)
    (void)A.Acquired->Done->done(); // Polls the event, so that its end is recorded.
  {
    MutexLock Lock(M);
    Hold &H = *A.Acquired;
    if (!Failed && !H.Published)
      publish(H, nullptr, false);
    else if (Failed && H.Published)
      restore(H, Outputs);
    else if (Failed)
      abandon(H);
    pin(H, -1);
    if (Home)
      whileThereIsMemory([&]() HSCHED_NO_THREAD_SAFETY_ANALYSIS { sendHome(H); }); // Called with M.
    giveHold(std::move(A.Acquired));
    updateHasFragments();
    takePlan(ToDo);
  }
  A.clear(); // It may hold the last reference to a block.
  (void)carryOut(ToDo);
}

void Directory::release(const Task &, Acquisition &A, bool Failed, FailedOutputs Outputs) {
  if (!A.Acquired)
    return;
  Report Rep;
  I->collect(Rep, A.Node);
  I->releaseHold(A, Failed, Outputs);
  Rep.notifyObserver(I->Watch);
}

void Directory::releaseAndSendHome(Acquisition &A) {
  if (!A.Acquired)
    return;
  Report Rep;
  I->collect(Rep, A.Node);
  I->releaseHold(A, false, FailedOutputs::Undefined, A.Node != HostNode);
  Rep.notifyObserver(I->Watch);
}

status Directory::flush(std::span<const Access> Ranges, bool All, bool Invalidate, WorkerId *Blame) {
  std::vector<Section> Parts;
  if (All)
    Parts.push_back({{0, UINTPTR_MAX}, true, false});
  else
    for (const Access &A : Ranges)
      appendSections(A, Parts);
  if (!All)
    if (status Home = I->commit(Ranges); !Home.ok())
      return Home;
  std::vector<EventRef> Users;
  std::vector<Section> Requested;
  Report Rep;
  status Result;
  for (unsigned Try = 0; Try == 0 || (!Result.ok() && Try < TriesOfTransfers); ++Try) {
    std::vector<EventRef> Fetched;
    Requested.clear();
    Result = {};
    I->collect(Rep);
    Plan ToDo;
    {
      MutexLock Lock(I->M);
      try {
        I->handleLosses();
        for (const Section &S : Parts)
          if (status Each = I->startHome(S.At, !All, Fetched, Users, Requested); !Each.ok() && Result.ok())
            Result = Each;
      } catch (const std::bad_alloc &) { // Planned commands are recorded, so they are executed.
        Result = noHostMemory();
      }
      I->takePlan(ToDo);
    }
    if (status Outcome = I->carryOut(ToDo); Result.ok())
      Result = Outcome;
    for (const EventRef &E : Fetched)
      if (status Each = E->wait(); !Each.ok() && Result.ok())
        Result = Each;
  }
  if (Invalidate)
    for (const EventRef &E : Users)
      (void)E->wait();
  I->collect(Rep);
  {
    MutexLock Lock(I->M);
    I->handleLosses();
    WorkerId Blamed = NoWorker;
    if (status Missing = I->notAtHome(Parts, !All, Requested, Result, Invalidate, Blamed); !Missing.ok())
      Result = Missing;
    if (Blame)
      *Blame = Blamed;
    for (const Section &S : Parts) {
      if (Invalidate)
        I->invalidateDevices(S.At, !All);
      I->Fragments.tidy(S.At);
    }
    I->updateHasFragments();
  }
  Rep.notifyObserver(I->Watch);
  return Result;
}

status Directory::shutdown() {
  for (MemoryNode N = 1; N < I->numNodes(); ++N)
    I->Log.wait(N);
  status Result = flush({}, true, true);
  Plan ToDo;
  Report Rep;
  {
    MutexLock Lock(I->M);
    Rep.Evictions = std::exchange(I->Evicted, {});
    for (MemoryNode N = 1; N < I->numNodes(); ++N)
      for (const ReplicaRef &R : I->Replicas[N].all())
        I->drop(R, N);
    I->Fragments.compact();
    I->updateHasFragments();
    I->takePlan(ToDo);
  }
  (void)I->carryOut(ToDo);
  for (MemoryNode N = 1; N < I->numNodes(); ++N)
    I->Log.wait(N);
  I->Between.stop();
  I->collect(Rep);
  Rep.notifyObserver(I->Watch);
  return Result;
}

std::vector<Directory::TrafficEntry> Directory::traffic() {
  Report Rep;
  std::vector<TrafficEntry> Out;
  I->collect(Rep);
  I->Counts.forEach([&](MemoryNode Node, const char *TaskName, const Traffic &Sum) {
    Out.push_back({I->Nodes[Node].Worker, TaskName, Sum});
  });
  Rep.notifyObserver(I->Watch);
  return Out;
}

uint64_t Directory::bytesUnderway(MemoryNode To) const {
  return I->Log.bytes(To, TransferKind::HostToDevice) + I->Log.bytes(To, TransferKind::DeviceToDevice);
}

Directory::Stats Directory::stats() const {
  const uint64_t Committed = I->Homes.committedBytes();
  MutexLock Lock(I->M);
  Stats S{I->Fragments.size(), 0, 0, Committed};
  for (const ReplicaSet &Set : I->Replicas) {
    S.Replicas += Set.size();
    S.ReplicaBytes += *Set.Used;
  }
  return S;
}

} // namespace hsched::rt
