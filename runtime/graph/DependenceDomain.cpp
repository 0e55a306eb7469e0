// Dependences out of overlapping address ranges.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is cut into fragments, kept by address, which never overlap: an access that covers a fragment in part splits
// it. A write makes everything it covers one fragment again. A strided section counts as its hull, which orders more
// than needed and never less.
#include "graph/Links.h"

#include <map>
#include <mutex>

namespace hsched::rt {
namespace {

// A counted reference to a task.
class TaskRef {
public:
  TaskRef() = default;
  explicit TaskRef(TaskNode &Node) : T(&Node) { retain(Node); }
  TaskRef(const TaskRef &Other) : T(Other.T) {
    if (T)
      retain(*T);
  }
  TaskRef(TaskRef &&Other) noexcept : T(std::exchange(Other.T, nullptr)) {}
  TaskRef &operator=(TaskRef Other) noexcept {
    std::swap(T, Other.T);
    return *this;
  }
  ~TaskRef() {
    if (T)
      release(*T);
  }
  TaskNode *get() const { return T; }

private:
  TaskNode *T = nullptr;
};

constexpr size_t FewReaders = 8;

struct Fragment {
  uintptr_t End = 0;
  uint32_t PruneAt = FewReaders; // readers at which complete ones are looked for
  TaskRef Writer;                // null: nothing known wrote it
  std::vector<TaskRef> Readers;  // since Writer
};

using FragmentMap = std::map<uintptr_t, Fragment, std::less<>, BlockAllocator<std::pair<const uintptr_t, Fragment>>>;
using Place = FragmentMap::iterator;

bool forgettable(const TaskNode &T, bool ForgetFailures) { return T.complete() && (ForgetFailures || !T.Failed); }

void pruneReaders(Fragment &F, bool ForgetFailures) {
  std::erase_if(F.Readers, [&](const TaskRef &R) { return forgettable(*R.get(), ForgetFailures); });
  F.PruneAt = static_cast<uint32_t>(std::max(FewReaders, 2 * F.Readers.size()));
}

// Bias of Pending while a task is being linked, so that it cannot become ready half linked.
constexpr int32_t Linking = 1 << 30;
constexpr size_t FewFragments = 1024;

} // namespace

struct DependenceDomain::State {
  explicit State(bool Shared) : Shared(Shared) {}

  const bool Shared;
  std::mutex Lock; // guards everything below when Shared
  FragmentMap Fragments;
  Place Last = Fragments.end(); // latest one written: programs go through memory in order
  size_t SweepAt = FewFragments;
  uint64_t Stamps = 0;
  bool Listened = false;

  // The submission going on.
  TaskNode *Current = nullptr;
  GraphListener *Listener = nullptr;
  int32_t Linked = 0;

  std::unique_lock<std::mutex> lock() {
    return Shared ? std::unique_lock<std::mutex>(Lock) : std::unique_lock<std::mutex>();
  }

  SuccessorLink *newLink() {
    if (Current->NumLinks == 0) {
      constexpr uint32_t More = 32;
      Current->MoreLinks.push_back(std::make_unique<SuccessorLink[]>(More));
      Current->Links = Current->MoreLinks.back().get();
      Current->NumLinks = More;
    }
    --Current->NumLinks;
    return new (Current->Links++) SuccessorLink{Current, nullptr};
  }

  // Current comes after From.
  void after(TaskNode *From) {
    if (!From || From == Current || From->LastStamp == Stamps)
      return;
    From->LastStamp = Stamps;
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
        return;
      }
    }
    if (From->Failed)
      Current->Poisoned.store(true, std::memory_order_relaxed);
  }

  void afterWriter(const Fragment &F) { after(F.Writer.get()); }
  // Readers are themselves after the writer, but for those that were pruned: so is whoever comes after nothing else.
  void afterAll(const Fragment &F) {
    for (const TaskRef &R : F.Readers)
      after(R.get());
    afterWriter(F);
  }

  // First fragment that ends after Address.
  Place find(uintptr_t Address) {
    if (Last != Fragments.end() && Last->first <= Address) {
      if (Address < Last->second.End)
        return Last;
      Place Next = std::next(Last);
      if (Next == Fragments.end() || Address < Next->second.End)
        return Next;
    }
    Place It = Fragments.upper_bound(Address);
    if (It != Fragments.begin() && Address < std::prev(It)->second.End)
      --It;
    return It;
  }

  // Cuts It at Address, which lies inside; returns the upper part.
  Place split(Place It, uintptr_t Address) {
    Place Upper = Fragments.emplace_hint(std::next(It), Address, It->second);
    It->second.End = Address;
    return Upper;
  }

  void read(uintptr_t Begin, uintptr_t End) {
    Place It = find(Begin);
    if (It != Fragments.end() && It->first < Begin)
      It = split(It, Begin);
    while (Begin < End) {
      if (It == Fragments.end() || It->first > Begin) {
        uintptr_t GapEnd = It == Fragments.end() ? End : std::min(End, It->first);
        Place Gap = Fragments.emplace_hint(It, Begin, Fragment{});
        Gap->second.End = GapEnd;
        Gap->second.Readers.emplace_back(*Current);
        Last = Gap;
        Begin = GapEnd;
        continue;
      }
      Fragment &F = It->second;
      if (F.End > End)
        split(It, End);
      afterWriter(F);
      if (F.Writer.get() != Current && (F.Readers.empty() || F.Readers.back().get() != Current)) {
        if (F.Readers.size() >= F.PruneAt)
          pruneReaders(F, false);
        F.Readers.emplace_back(*Current);
      }
      Last = It;
      Begin = F.End;
      ++It;
    }
  }

  void write(uintptr_t Begin, uintptr_t End) {
    Place First = find(Begin);
    if (First != Fragments.end() && First->first < Begin)
      First = split(First, Begin);
    Place It = First;
    for (; It != Fragments.end() && It->first < End; ++It) {
      if (It->second.End > End)
        split(It, End);
      afterAll(It->second);
    }
    if (First == It || First->first != Begin) {
      First = Fragments.emplace_hint(First, Begin, Fragment{});
      First->second.Writer = TaskRef(*Current);
    } else {
      if (First->second.Writer.get() != Current)
        First->second.Writer = TaskRef(*Current);
      First->second.Readers.clear();
    }
    First->second.End = End;
    Fragments.erase(std::next(First), It);
    Last = First;
  }

  // Readies T for linking; finish says whether it is ready.
  void begin(TaskNode &T, GraphListener *L) {
    Current = &T;
    Listener = L;
    Linked = 0;
    ++Stamps;
    T.Pending.store(Linking, std::memory_order_relaxed);
  }
  bool finish() {
    int32_t Excess = Linking - Linked;
    TaskNode &T = *std::exchange(Current, nullptr);
    return T.Pending.fetch_sub(Excess, std::memory_order_acq_rel) == Excess;
  }

  void sweep(bool ForgetFailures) {
    for (Place It = Fragments.begin(); It != Fragments.end();) {
      Fragment &F = It->second;
      if (!F.Readers.empty())
        pruneReaders(F, ForgetFailures);
      if (F.Writer.get() && forgettable(*F.Writer.get(), ForgetFailures))
        F.Writer = TaskRef();
      It = F.Readers.empty() && !F.Writer.get() ? Fragments.erase(It) : std::next(It);
    }
    Last = Fragments.end();
    SweepAt = std::max(FewFragments, 2 * Fragments.size());
  }
};

DependenceDomain::DependenceDomain(bool Shared) : S(std::make_unique<State>(Shared)) {}
DependenceDomain::~DependenceDomain() = default;

bool DependenceDomain::submit(TaskNode &T, GraphListener *Listener) {
  auto Guard = S->lock();
  // A listener is told of dependences on complete tasks too, so then nothing is forgotten before the next wait.
  if (S->Fragments.size() >= S->SweepAt && !Listener)
    S->sweep(false);
  S->begin(T, Listener);
  for (const Access &A : T.accesses()) {
    if (beginOf(A) == endOf(A))
      continue;
    if (writes(A))
      S->write(beginOf(A), endOf(A));
    else
      S->read(beginOf(A), endOf(A));
  }
  return S->finish();
}

bool DependenceDomain::await(TaskNode &T) {
  auto Guard = S->lock();
  S->begin(T, nullptr);
  for (const Access &A : T.accesses()) {
    if (beginOf(A) == endOf(A)) // no bytes, nobody to wait for
      continue;
    for (Place It = S->find(beginOf(A)); It != S->Fragments.end() && It->first < endOf(A); ++It)
      S->afterAll(It->second);
  }
  return S->finish();
}

void DependenceDomain::sweep(bool ForgetFailures) {
  auto Guard = S->lock();
  S->sweep(ForgetFailures);
}

size_t DependenceDomain::size() const {
  auto Guard = S->lock();
  return S->Fragments.size();
}

} // namespace hsched::rt
