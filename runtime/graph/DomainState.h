// The state of a domain: dependences between overlapping address ranges. For files of graph/ only.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is divided into disjoint fragments: an access that covers part of a fragment splits it. A write
// merges everything that it covers. Strided sections lie over the fragments, each as a tile. A task depends on
// the tasks recorded in every fragment and tile that shares a byte with its section, and is recorded in its
// own. Older records of the same bytes are then stale but harmless: their tasks precede those of the newer
// record.
#ifndef HSCHED_GRAPH_DOMAINSTATE_H
#define HSCHED_GRAPH_DOMAINSTATE_H

#include "base/NoMemory.h"
#include "base/SpinLock.h"
#include "graph/Bundle.h"
#include "graph/Claims.h"
#include "graph/DomainFragment.h"
#include "graph/Exclusion.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace hsched::rt {

constexpr size_t FewFragments = 1024;
constexpr unsigned MostParts = 64; // Limit of parts of a domain; more threads share them.
// True if A has several rows with gaps between them. Otherwise its hull is exact.
inline bool isTile(const Access &A) { return A.rows > 1 && A.bytes != 0 && A.stride > A.bytes; }
inline TileShape shapeOf(const Access &A) {
  if (isTile(A))
    return {beginOf(A), A.bytes, A.rows, A.stride};
  return {beginOf(A), endOf(A) - beginOf(A), 1, 0};
}
inline TileShape hullOf(uintptr_t Begin, uintptr_t End) { return {Begin, End - Begin, 1, 0}; }

inline std::pair<uintptr_t, uintptr_t> rangeOf(const Access &A) { return {beginOf(A), endOf(A)}; }
inline std::pair<uintptr_t, uintptr_t> rangeOf(const ItemSection &A) { return {A.Begin, A.end()}; }

inline bool sameSection(const Access &A, const Access &B) {
  return A.base == B.base && A.bytes == B.bytes && A.rows == B.rows && (A.rows <= 1 || A.stride == B.stride);
}

struct DependenceDomain::State {
  // Part: index of the part in a Shared domain.
  explicit State(bool Shared, unsigned Part = 0)
      : Shared(Shared), StampStep(Shared ? MostParts : 1), Sole(Part == 0), Stamps(Part) {}

  const bool Shared;
  const uint64_t StampStep;                        // Each part has its own residue of stamps.
  alignas(64) std::atomic<uint64_t> OpenBundle{0}; // Stamp of the open bundle. Written with Lock held.
  alignas(64) SpinLock Lock;                       // Guards everything below if Shared.
  bool Sole;    // No other part knows any memory. Changed with Sharing's lock held as well.
  Claims Owned; // The memory that only this part knows, unless Sole.
  IntervalIndex<DomainFragment> Fragments;
  TileIndex<DomainTile> Tiles;
  size_t SweepAt = FewFragments;
  uint64_t Stamps;

  // The submission in progress.
  TaskNode *Current = nullptr;
  GraphListener *Listener = nullptr;
  int32_t Linked = 0;
  bool AfterTask = false, AfterBundle = false; // A predecessor is a task; a predecessor is a bundle.

  // The open bundle: with Linking in its Pending, and BundleLinked predecessors.
  TaskNode *Bundle = nullptr;
  BundleItem *LastItem = nullptr;
  uint32_t BundleOwner = 0;
  int32_t BundleLinked = 0;
  uint32_t BundleItems = 0, BundleNanoseconds = 0;

  std::array<std::pair<TaskNode *, uint32_t>, 2> Dropped{}; // References, and how many.

  Exclusion Turns;
  std::vector<TaskNode *> Open; // Open combinations, each with the reference that its completion releases.
  std::atomic<size_t> NumOpen{0};
  TaskNode *Ready = nullptr; // Closed during this submission, and ready.

  ~State() {
    for (TaskNode *C : Open)
      release(*C);
    if (TaskNode *B = Bundle) {
      (void)closeOpen();
      release(*B);
    }
    giveUpAll();
  }

  std::unique_lock<SpinLock> lock() { return Shared ? std::unique_lock<SpinLock>(Lock) : std::unique_lock<SpinLock>(); }

  SuccessorLink *newLink() {
    if (Current->NumLinks == 0) {
      auto *More = static_cast<MoreLinks *>(allocateBlock(sizeof(MoreLinks)));
      More->Next = std::exchange(Current->OtherLinks, More);
      Current->Links = More->Links;
      Current->NumLinks = MoreLinks::Each;
    }
    --Current->NumLinks;
    return new (Current->Links++) SuccessorLink{Current, nullptr};
  }

  // Makes Current depend on From.
  void after(TaskNode *From) {
    if (!From || From == Current || From->LastStamp.load(std::memory_order_relaxed) == Stamps)
      return;
    if (From->isCombination())
      close(*From);
    SuccessorLink *Head = From->Successors.load(std::memory_order_acquire);
    SuccessorLink *Link = Head != &ClosedStack ? newLink() : nullptr;
    if (Listener)
      Listener->dependence(From->Id, Current->Id);
    From->LastStamp.store(Stamps, std::memory_order_relaxed); // Last, because a step that throws before it is repeated.
    while (Head != &ClosedStack) {
      Link->Next = Head;
      if (From->Successors.compare_exchange_weak(Head, Link, std::memory_order_acq_rel, std::memory_order_acquire)) {
        ++Linked;
        (From->isBundle() ? AfterBundle : AfterTask) = true;
        return;
      }
    }
    if (!From->Failed)
      return;
    if (From->isBundle()) { // Settled when Current becomes ready.
      AfterBundle = true;
      return poisonBy(*From, *Current);
    }
    AfterTask = true;
    Current->set(Signal::Poisoned);
  }

  void addItem(BundleItem &I, uint32_t Nanoseconds, BundledTask &Result);
  // Closes the open bundle; returns it if it is ready.
  TaskNode *closeOpen();

  void close(TaskNode &C) {
    ReductionGroup &G = *C.Groups->Combines;
    if (!G.Open)
      return;
    G.Open = false;
    for (TaskNode *T : std::exchange(G.Before, {}))
      release(*T);
    if (C.Parent)
      C.Parent->Live.fetch_add(1, std::memory_order_relaxed);
    Open.erase(std::ranges::find(Open, &C));
    // A thread that sees the combination closed also sees its count in Live.
    NumOpen.store(Open.size(), std::memory_order_release);
    if (C.Pending.fetch_sub(Linking, std::memory_order_acq_rel) == Linking) {
      C.NextReady = Ready;
      Ready = &C;
    }
  }

  void afterWriter(const DomainFragment &F) {
    if (!F.Writers)
      return after(F.Writer.get());
    for (const TaskRef &W : F.Writers->Members)
      after(W.get());
  }
  // Readers follow the writer, but some may have been pruned: so the writer is a predecessor if there is no other.
  void afterAll(const DomainFragment &F) {
    F.Readers.forEach([this](TaskNode &R) { after(&R); });
    afterWriter(F);
  }

  // Releases a reference later: those to one task together.
  void drop(TaskNode &T) {
    for (auto &[To, Count] : Dropped)
      if (To == &T) {
        ++Count;
        return;
      }
    std::swap(Dropped[0], Dropped[1]);
    giveUp(Dropped[0]);
    Dropped[0] = {&T, 1};
  }
  static void giveUp(std::pair<TaskNode *, uint32_t> &D) {
    if (TaskNode *T = std::exchange(D.first, nullptr))
      if (T->References.fetch_sub(D.second, std::memory_order_acq_rel) == D.second)
        destroyTask(*T);
  }
  void giveUpAll() {
    giveUp(Dropped[0]);
    giveUp(Dropped[1]);
  }

  size_t size() const { return Fragments.size() + Tiles.size(); }
  template <class Fn> void eachRange(Fn Visit) {
    for (Place It = Fragments.first(); It; It = It->Next)
      Visit(It->Begin, It->End);
    Tiles.forEach([&](const DomainTile &T) { Visit(T.Shape.Base, T.Shape.end()); });
  }
  bool knowsNothing() const { return size() == 0 && !Bundle && Open.empty(); }
  // True if all of the sections' memory is in Owned.
  template <class List> bool owns(const List &Sections) {
    return std::ranges::all_of(Sections, [this](const auto &A) {
      auto [Begin, End] = rangeOf(A);
      return Begin == End || Owned.covers(Begin, End);
    });
  }

  // First fragment that ends after Address.
  Place find(uintptr_t Address) { return Fragments.find(Address); }

  // Cuts It at Address, which lies inside; returns the upper part.
  Place split(Place It, uintptr_t Address) {
    DomainFragment &Upper = Fragments.insert(Address, It->End, It->Next);
    try {
      It->copyTo(Upper);
    } catch (...) {
      Fragments.erase(Upper);
      throw;
    }
    // The other part may have been written, not this one.
    Upper.Overwritten = Upper.Interrupted = It->Overwritten = It->Interrupted = false;
    It->End = Address;
    return &Upper;
  }

  // The fragment that begins at Begin, after a cut there. Otherwise the first one behind it.
  Place from(uintptr_t Begin) {
    Place It = find(Begin);
    return It && It->Begin < Begin ? split(It, Begin) : It;
  }

  void read(uintptr_t Begin, uintptr_t End) {
    if (!Tiles.empty()) [[unlikely]]
      Tiles.forEachOverlap(hullOf(Begin, End), [this](DomainTile &T) { afterWriter(T); });
    for (Place It = from(Begin); Begin < End; It = It->Next) {
      if (!It || It->Begin > Begin)
        It = &Fragments.insert(Begin, It ? std::min(End, It->Begin) : End, It);
      else if (It->End > End)
        split(It, End);
      afterWriter(*It);
      noteReader(*It);
      Fragments.stay(It);
      Begin = It->End;
    }
  }

  void noteReader(DomainFragment &F) {
    if (F.Writer.get() == Current || F.Readers.last() == Current)
      return;
    if (std::exchange(F.Overwritten, false))
      F.Readers.clear();
    else
      pruneAt(F, F.Readers);
    F.Readers.add(*Current);
  }

  // Calls Visit for each fragment that shares a byte with S. Skips gaps between rows, and rows without fragments.
  template <class Fn> void eachFragment(const TileShape &S, Fn Visit) {
    for (Place It = find(S.Base); It && It->Begin < S.end();) {
      if (S.Rows == 1 || touches(S, It->Begin, It->End)) {
        Visit(*It);
        It = It->Next;
        continue;
      }
      uintptr_t Row = S.Base + firstRowAfter(S, It->Begin) * S.Stride;
      It = It->Next;
      if (It && It->End <= Row)
        It = find(Row);
    }
  }

  // Makes Current depend on everything that shares a byte with S, without recording it.
  void afterOverlap(const TileShape &S) {
    auto comesAfter = [this](const DomainFragment &F) { afterAll(F); };
    eachFragment(S, comesAfter);
    Tiles.forEachOverlap(S, comesAfter);
  }

  // Current will write S and be recorded elsewhere. The tasks in N, which has Shape, precede it.
  void overwrite(const TileShape &S, DomainFragment &N, const TileShape &Shape) {
    afterAll(N);
    if (covers(S, Shape))
      forgetTasks(N);
    else
      N.Overwritten = N.Interrupted = true;
  }

  // Records Current's access to a strided section.
  void touch(const TileShape &S, bool Writes) {
    eachFragment(S, [&](DomainFragment &F) {
      if (Writes)
        return overwrite(S, F, hullOf(F.Begin, F.End));
      afterWriter(F);
      F.Interrupted = true;
    });
    DomainTile *Same = nullptr;
    Tiles.forEachOverlap(S, [&](DomainTile &T) {
      Writes ? overwrite(S, T, T.Shape) : afterWriter(T);
      if (T.Shape == S)
        Same = &T;
    });
    DomainTile &T = Same ? *Same : Tiles.insert(S);
    if (!Writes)
      return noteReader(T);
    T.Writer = TaskRef(*Current); // And no other predecessor: it covers itself.
  }

  void write(uintptr_t Begin, uintptr_t End, TaskNode &By) {
    if (!Tiles.empty()) [[unlikely]]
      Tiles.forEachOverlap(hullOf(Begin, End),
                           [S = hullOf(Begin, End), this](DomainTile &T) { overwrite(S, T, T.Shape); });
    Place First = from(Begin), It = First;
    for (; It && It->Begin < End; It = It->Next) {
      if (It->End > End)
        split(It, End);
      afterAll(*It);
    }
    if (First == It || First->Begin != Begin) {
      First = &Fragments.insert(Begin, First == It ? End : First->Begin, First);
    } else {
      if (TaskNode *R = First->Readers.detachOne())
        drop(*R);
      else
        First->Readers.clear();
      First->Writers.reset();
    }
    if (First->Writer.get() != &By) {
      if (TaskNode *W = First->Writer.detach())
        drop(*W);
      First->Writer = TaskRef(By);
    }
    for (Place Covered = First->Next; Covered != It;)
      Covered = Fragments.erase(*Covered);
    First->End = End;
    Fragments.stay(First);
  }

  // Records access A of Current, which is T; not a reduction. It may be repeated if it throws.
  void note(const Access &A, TaskNode &T) {
    if (A.mode <= HSCHED_INOUT && isTile(A))
      touch(shapeOf(A), writes(A));
    else if (A.mode <= HSCHED_INOUT)
      writes(A) ? write(beginOf(A), endOf(A), T) : read(beginOf(A), endOf(A));
    else
      join(beginOf(A), endOf(A), A.mode);
  }

  // Records an update that is unordered among those of the same mode.
  void join(uintptr_t Begin, uintptr_t End, unsigned Mode) {
    if (!Tiles.empty()) [[unlikely]]
      Tiles.forEachOverlap(hullOf(Begin, End), [this](DomainTile &T) {
        afterAll(T);
        T.Overwritten = true; // But the record stays: other members depend on it as well.
      });
    for (Place It = from(Begin); Begin < End; It = It->Next) {
      if (!It || It->Begin > Begin)
        It = &Fragments.insert(Begin, It ? std::min(End, It->Begin) : End, It);
      else if (It->End > End)
        split(It, End);
      joinFragment(*It, Mode);
      Fragments.stay(It);
      Begin = It->End;
    }
  }

  void joinFragment(DomainFragment &F, unsigned Mode) {
    if (F.Writers && F.Writers->Mode == Mode && F.Readers.empty() && !F.Interrupted) {
      std::vector<TaskRef> &Members = F.Writers->Members;
      prune(F.Writers->Before, false);
      for (const TaskRef &B : F.Writers->Before)
        after(B.get());
      if (Members.empty() || Members.back().get() != Current) {
        pruneAt(F, Members);
        Members.emplace_back(*Current);
      }
      return;
    }
    afterAll(F);
    auto New = std::make_unique<WriterGroup>(WriterGroup{Mode, {}, {}});
    New->Before.reserve(F.Readers.size() + (F.Writers ? F.Writers->Members.size() : 1));
    New->Members.emplace_back(*Current);
    F.Readers.forEach([&New](TaskNode &R) { New->Before.emplace_back(R); });
    if (F.Writers)
      std::ranges::move(F.Writers->Members, std::back_inserter(New->Before));
    else if (F.Writer.get())
      New->Before.push_back(std::exchange(F.Writer, TaskRef()));
    F.Readers.clear();
    F.Writers.reset(New.release());
    F.Interrupted = false;
  }

  // Records a reduced section in the open combination of the same reduction, or in a new one.
  void reduce(const Access &A, ReductionPart &P) {
    Place It = find(beginOf(A));
    TaskNode *C = It && It->Begin == beginOf(A) ? It->Writer.get() : nullptr;
    auto fits = [&] {
      if (!C || !C->isCombination())
        return false;
      const ReductionGroup &G = *C->Groups->Combines;
      return G.Open && G.Op == P.Op && sameSection(G.What, A);
    };
    if (fits()) {
      auto &Before = C->Groups->Combines->Before;
      std::erase_if(Before, [](TaskNode *T) {
        bool Done = forgettable(*T, false);
        if (Done)
          release(*T);
        return Done;
      });
      for (TaskNode *B : Before)
        after(B);
    } else {
      C = openCombination(A, *P.Op);
    }
    retain(*C);
    P.Combination = C;
    C->Pending.fetch_add(1, std::memory_order_relaxed);
    if (Listener)
      Listener->dependence(Current->Id, C->Id);
  }

  TaskNode *openCombination(const Access &A, const hsched_reduction_op &Op) {
    TaskNode *C = createTask(nullptr, 1);
    try {
      prepareCombination(*C, A, Op);
      Open.push_back(C);
    } catch (...) {
      if (C->Groups && C->Groups->Combines)
        for (TaskNode *T : C->Groups->Combines->Before)
          release(*T);
      release(*C);
      throw;
    }
    NumOpen.store(Open.size(), std::memory_order_relaxed);
    retryUntilAllocated([&] { write(beginOf(A), endOf(A), *C); });
    if (Listener)
      C->Id = Listener->combination(*C);
    return C;
  }
  // Makes the new C the combination of A; no other thread knows it yet.
  void prepareCombination(TaskNode &C, const Access &A, const hsched_reduction_op &Op) {
    C.AccessList[0] = A;
    C.AccessList[0].mode = HSCHED_INOUT;
    C.Kind = NodeKind::Combination;
    C.Label = Op.name;
    C.Pending.store(Linking, std::memory_order_relaxed);
    C.Groups = std::make_unique<GroupState>();
    C.Groups->Combines = std::make_unique<ReductionGroup>();
    ReductionGroup &G = *C.Groups->Combines;
    G.Op = &Op;
    G.What = A;
    C.Parent = Current->Parent;
    // The tasks recorded here precede the members and, through the first member, the combination.
    auto note = [&](TaskNode *T) {
      if (!T || std::ranges::find(G.Before, T) != G.Before.end())
        return;
      G.Before.push_back(T);
      retain(*T);
    };
    auto noteAll = [&](const DomainFragment &F) {
      F.Readers.forEach([&](TaskNode &R) { note(&R); });
      note(F.Writer.get());
      if (F.Writers)
        for (const TaskRef &W : F.Writers->Members)
          note(W.get());
    };
    for (Place It = find(beginOf(A)); It && It->Begin < endOf(A); It = It->Next)
      noteAll(*It);
    Tiles.forEachOverlap(hullOf(beginOf(A), endOf(A)), noteAll);
  }

  // Begins to link T; finish tells whether T is ready.
  void begin(TaskNode &T, GraphListener *L) {
    Current = &T;
    Listener = L;
    Linked = 0;
    AfterBundle = false;
    if (TaskNode *B = closeOpen()) {
      B->NextReady = Ready;
      Ready = B;
    }
    Stamps += StampStep;
  }
  bool finish() {
    int32_t Excess = Linking - Linked;
    TaskNode &T = *std::exchange(Current, nullptr);
    if (T.At == Stage::Staged) { // From here on it may run, and other threads may read it.
      if (AfterBundle) {         // They may have to know whether T depends on a failed item.
        retryUntilAllocated([&] { T.extras().OwnedAccesses = std::make_unique<Access[]>(T.NumAccesses); });
        T.AccessList = std::copy_n(T.AccessList, T.NumAccesses, T.Extras->OwnedAccesses.get()) - T.NumAccesses;
      } else {
        T.AccessList = nullptr;
        T.NumAccesses = 0;
      }
      T.At = Stage::Usual;
    }
    if (Linked == 0 && !T.has(Signal::HasFailedItems)) { // No other thread knows of it.
      T.Pending.store(0, std::memory_order_relaxed);
      return true;
    }
    if (T.Pending.fetch_sub(Excess, std::memory_order_acq_rel) != Excess)
      return false;
    if (T.has(Signal::HasFailedItems)) [[unlikely]]
      resolveFailedItems(T);
    return true;
  }

  void markLastWriters() {
    const auto mark = [](DomainFragment &F) {
      if (TaskNode *T = F.Writer.get(); T && !F.Overwritten && !T->complete())
        T->set(Signal::WritesLast);
    };
    for (DomainFragment *F = Fragments.first(); F; F = F->Next)
      mark(*F);
    Tiles.forEach(mark);
  }

  void sweep(bool ForgetFailures) {
    giveUpAll();
    auto forgets = [&](DomainFragment &F) {
      if (!F.Readers.empty()) {
        prune(F.Readers, ForgetFailures);
        F.PruneAt = static_cast<uint32_t>(std::max(FewReaders, 2 * F.Readers.size()));
      }
      if (F.Writers) {
        prune(F.Writers->Before, ForgetFailures);
        prune(F.Writers->Members, ForgetFailures);
        if (F.Writers->Members.empty())
          F.Writers.reset();
      }
      if (F.Writer.get() && forgettable(*F.Writer.get(), ForgetFailures))
        F.Writer = TaskRef();
      return F.Readers.empty() && !F.Writer.get() && !F.Writers;
    };
    Fragments.eraseIf(forgets);
    Tiles.eraseIf(forgets);
    SweepAt = std::max(FewFragments, 2 * size());
  }
};

} // namespace hsched::rt
#endif
