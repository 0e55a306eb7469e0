// Dependences out of overlapping address ranges: the state of a domain. For the graph's own files only.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is cut into fragments, which never overlap: an access that covers a fragment in part splits it. A write makes
// everything it covers one fragment again. Strided sections lie over the fragments, each as a tile of its own: who
// touches memory comes after what is known of every fragment and every tile that shares a byte with it, and is noted
// in its own. What an older one knows of the same bytes is then out of date, which does no harm: what is known there
// comes before what is known of the newer one.
#ifndef HSCHED_GRAPH_DOMAINSTATE_H
#define HSCHED_GRAPH_DOMAINSTATE_H

#include "base/SpinLock.h"
#include "graph/Bundle.h"
#include "graph/Claims.h"
#include "graph/Exclusion.h"
#include "graph/IntervalIndex.h"
#include "graph/TaskRef.h"
#include "graph/TileIndex.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace hsched::rt {

// Tasks that update a fragment with no order among themselves, the last writers of it together.
struct WriterGroup {
  unsigned Mode;
  std::vector<TaskRef> Before; // What each of them comes after.
  std::vector<TaskRef> Members;
};

// Null, or a group of its own.
class GroupPointer {
public:
  GroupPointer() = default;
  GroupPointer(const GroupPointer &Other) : P(Other.P ? std::make_unique<WriterGroup>(*Other.P) : nullptr) {}
  GroupPointer(GroupPointer &&) = default;
  GroupPointer &operator=(GroupPointer Other) noexcept {
    P = std::move(Other.P);
    return *this;
  }
  explicit operator bool() const { return P != nullptr; }
  WriterGroup *operator->() const { return P.get(); }
  WriterGroup &operator*() const { return *P; }
  void reset(WriterGroup *New = nullptr) { P.reset(New); }

private:
  std::unique_ptr<WriterGroup> P;
};

constexpr size_t FewReaders = 8;

// A cache line: there is one for each datum that tasks have named.
// Not just Fragment: data/ has another one, and one program has both.
struct DomainFragment {
  uintptr_t Begin = 0, End = 0;
  DomainFragment *Prev = nullptr, *Next = nullptr; // IntervalIndex.
  TaskRef Writer;                                  // Null: nothing known wrote it, or the group did.
  GroupPointer Writers;
  TaskList Readers;              // Since Writer or Writers.
  uint32_t PruneAt = FewReaders; // Readers, or members, at which complete ones are looked for.
  // Whoever touches all of this comes after somebody who comes after all Readers: one who wrote a part of it, noted
  // elsewhere.
  bool Overwritten = false;
  // Whoever touches all of this comes after somebody who comes after all of Writers: they are no group any more.
  bool Interrupted = false;

  // All that is known, to one in another domain or part of it.
  void copyTo(DomainFragment &To) const {
    To.Writer = Writer;
    To.Writers = Writers;
    To.Readers = Readers;
    To.PruneAt = PruneAt;
    To.Overwritten = Overwritten;
    To.Interrupted = Interrupted;
  }
};
static_assert(sizeof(DomainFragment) == 64);

// A strided section's. Begin and End are not used.
struct DomainTile : DomainFragment {
  TileShape Shape{};
};

inline void forgetTasks(DomainFragment &F) {
  F.Readers.clear();
  F.Writer = TaskRef();
  F.Writers.reset();
  F.Overwritten = false;
}

using Place = DomainFragment *; // Null: the end.

inline bool forgettable(const TaskNode &T, bool ForgetFailures) {
  return T.complete() && (ForgetFailures || !T.Failed);
}

inline void prune(std::vector<TaskRef> &List, bool ForgetFailures) {
  std::erase_if(List, [&](const TaskRef &R) { return forgettable(*R.get(), ForgetFailures); });
}
inline void prune(TaskList &List, bool ForgetFailures) {
  List.removeIf([&](const TaskNode &T) { return forgettable(T, ForgetFailures); });
}

// List: the readers, or the group's members.
template <class List> void pruneAt(DomainFragment &F, List &Tasks) {
  if (Tasks.size() < F.PruneAt)
    return;
  prune(Tasks, false);
  F.PruneAt = static_cast<uint32_t>(std::max(FewReaders, 2 * Tasks.size()));
}

constexpr size_t FewFragments = 1024;
constexpr unsigned MostParts = 64; // Of a domain; more threads than that share them.
// Whether A is several rows with gaps between them. Else it is as good as its hull.
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
  // Part: which one of a domain that is Shared.
  explicit State(bool Shared, unsigned Part = 0)
      : Shared(Shared), StampStep(Shared ? MostParts : 1), Sole(Part == 0), Stamps(Part) {}

  const bool Shared;
  const uint64_t StampStep;                        // Parts have stamps of their own.
  alignas(64) std::atomic<uint64_t> OpenBundle{0}; // The open one's Stamps, written with Lock held.
  alignas(64) SpinLock Lock;                       // Guards everything below when Shared.
  bool Sole;    // No other part knows of any memory; changed with Sharing's lock held as well.
  Claims Owned; // The memory that only this part may know of, unless Sole.
  IntervalIndex<DomainFragment> Fragments;
  TileIndex<DomainTile> Tiles;
  size_t SweepAt = FewFragments;
  uint64_t Stamps;

  // The submission going on.
  TaskNode *Current = nullptr;
  GraphListener *Listener = nullptr;
  int32_t Linked = 0;
  bool AfterTask = false, AfterBundle = false; // What it comes after is a bundle, or none.

  // The open bundle: with Linking in its Pending, and BundleLinked predecessors.
  TaskNode *Bundle = nullptr;
  BundleItem *LastItem = nullptr;
  uint32_t BundleOwner = 0;
  int32_t BundleLinked = 0;
  uint32_t BundleItems = 0, BundleNanoseconds = 0;

  std::array<std::pair<TaskNode *, uint32_t>, 2> Dropped{}; // References, and how many.

  Exclusion Turns;
  std::vector<TaskNode *> Open; // Combinations; each with the reference that its completion gives up.
  std::atomic<size_t> NumOpen{0};
  TaskNode *Ready = nullptr; // Closed in this submission, with nothing to wait for.

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

  // Current comes after From.
  void after(TaskNode *From) {
    if (!From || From == Current || From->LastStamp.load(std::memory_order_relaxed) == Stamps)
      return;
    From->LastStamp.store(Stamps, std::memory_order_relaxed);
    if (From->IsCombination)
      close(*From);
    if (Listener)
      Listener->dependence(From->Id, Current->Id);
    SuccessorLink *Head = From->Successors.load(std::memory_order_acquire);
    SuccessorLink *Link = nullptr;
    while (Head != &ClosedStack) {
      if (!Link)
        Link = newLink();
      Link->Next = Head;
      if (From->Successors.compare_exchange_weak(Head, Link, std::memory_order_acq_rel, std::memory_order_acquire)) {
        ++Linked;
        (From->IsBundle ? AfterBundle : AfterTask) = true;
        return;
      }
    }
    if (!From->Failed)
      return;
    if (From->IsBundle) { // Settled when Current is ready.
      AfterBundle = true;
      return poisonBy(*From, *Current);
    }
    AfterTask = true;
    Current->Poisoned.store(true, std::memory_order_relaxed);
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
    NumOpen.store(Open.size(), std::memory_order_release); // Who sees it closed sees it Live.
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
  // Readers are themselves after the writer, but for those that were pruned: so is whoever comes after nothing else.
  void afterAll(const DomainFragment &F) {
    F.Readers.forEach([this](TaskNode &R) { after(&R); });
    afterWriter(F);
  }

  // Gives up a reference, later: those to one task together.
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
  // Whether all of the sections' memory is in Owned.
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
    It->Overwritten = It->Interrupted = false; // Perhaps in the other part.
    It->copyTo(Upper);
    It->End = Address;
    return &Upper;
  }

  // The fragment that begins at Begin or is cut there, else the first one after it.
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

  // Visit for each fragment that shares a byte with S. Gaps between rows are passed over, and so are rows.
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

  // Current comes after all of what shares a byte with S, and is noted nowhere.
  void afterOverlap(const TileShape &S) {
    auto comesAfter = [this](const DomainFragment &F) { afterAll(F); };
    eachFragment(S, comesAfter);
    Tiles.forEachOverlap(S, comesAfter);
  }

  // By is to write S, and to be noted so elsewhere: what is known of N, of Shape, comes before.
  void overwrite(const TileShape &S, DomainFragment &N, const TileShape &Shape) {
    afterAll(N);
    if (covers(S, Shape))
      forgetTasks(N);
    else
      N.Overwritten = N.Interrupted = true;
  }

  // Current touches a strided section.
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
    T.Writer = TaskRef(*Current); // And nobody else: it covers itself.
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

  // An update with no order among those of the same mode.
  void join(uintptr_t Begin, uintptr_t End, unsigned Mode) {
    if (!Tiles.empty()) [[unlikely]]
      Tiles.forEachOverlap(hullOf(Begin, End), [this](DomainTile &T) {
        afterAll(T);
        T.Overwritten = true; // But never forgotten: other members come after it as well.
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
    auto *New = new WriterGroup{Mode, {}, {}};
    F.Readers.forEach([New](TaskNode &R) { New->Before.emplace_back(R); });
    if (F.Writers)
      std::ranges::move(F.Writers->Members, std::back_inserter(New->Before));
    else if (F.Writer.get())
      New->Before.push_back(std::exchange(F.Writer, TaskRef()));
    New->Members.emplace_back(*Current);
    F.Readers.clear();
    F.Writers.reset(New);
    F.Interrupted = false;
  }

  // A reduced section: into the open combination of the same one, or into a new one.
  void reduce(const Access &A, ReductionPart &P) {
    Place It = find(beginOf(A));
    TaskNode *C = It && It->Begin == beginOf(A) ? It->Writer.get() : nullptr;
    auto fits = [&] {
      if (!C || !C->IsCombination)
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
    C->AccessList[0] = A;
    C->AccessList[0].mode = HSCHED_INOUT;
    C->IsCombination = true;
    C->Label = Op.name;
    C->Pending.store(Linking, std::memory_order_relaxed);
    C->Groups = std::make_unique<GroupState>();
    C->Groups->Combines = std::make_unique<ReductionGroup>();
    ReductionGroup &G = *C->Groups->Combines;
    G.Op = &Op;
    G.What = A;
    C->Parent = Current->Parent;
    // What stands there now comes before the members, and through the first of them before the combination.
    auto note = [&](TaskNode *T) {
      if (!T || std::ranges::find(G.Before, T) != G.Before.end())
        return;
      retain(*T);
      G.Before.push_back(T);
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
    Open.push_back(C);
    NumOpen.store(Open.size(), std::memory_order_relaxed);
    write(beginOf(A), endOf(A), *C);
    if (Listener)
      C->Id = Listener->combination(*C);
    return C;
  }

  // Readies T for linking; finish says whether it is ready.
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
    if (T.Staged) {      // From here on it may run, and others may look at it.
      if (AfterBundle) { // Which may have to know whether T comes after an item that failed.
        T.extras().OwnedAccesses = std::make_unique<Access[]>(T.NumAccesses);
        T.AccessList = std::copy_n(T.AccessList, T.NumAccesses, T.Extras->OwnedAccesses.get()) - T.NumAccesses;
      } else {
        T.AccessList = nullptr;
        T.NumAccesses = 0;
      }
    }
    if (Linked == 0 && !T.Troubled.load(std::memory_order_relaxed)) { // Nobody has heard of it.
      T.Pending.store(0, std::memory_order_relaxed);
      return true;
    }
    if (T.Pending.fetch_sub(Excess, std::memory_order_acq_rel) != Excess)
      return false;
    if (T.Troubled.load(std::memory_order_relaxed)) [[unlikely]]
      settleTrouble(T);
    return true;
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
