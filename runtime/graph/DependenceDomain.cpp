// Dependences out of overlapping address ranges.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is cut into fragments, kept by address, which never overlap: an access that covers a fragment in part splits
// it. A write makes everything it covers one fragment again. A strided section is cut row by row, so that neighbouring
// tiles of one matrix stay independent; one of many rows counts as its hull, which orders more than needed and never
// less.
#include "graph/Exclusion.h"
#include "graph/Links.h"

#include <algorithm>
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

// Tasks that update a fragment with no order among themselves, the last writers of it together.
struct Group {
  unsigned Mode;
  std::vector<TaskRef> Before; // what each of them comes after
  std::vector<TaskRef> Members;
};

// Null, or a group of its own.
class GroupPointer {
public:
  GroupPointer() = default;
  GroupPointer(const GroupPointer &Other) : P(Other.P ? std::make_unique<Group>(*Other.P) : nullptr) {}
  GroupPointer(GroupPointer &&) = default;
  GroupPointer &operator=(GroupPointer Other) noexcept {
    P = std::move(Other.P);
    return *this;
  }
  explicit operator bool() const { return P != nullptr; }
  Group *operator->() const { return P.get(); }
  Group &operator*() const { return *P; }
  void reset(Group *New = nullptr) { P.reset(New); }

private:
  std::unique_ptr<Group> P;
};

constexpr size_t FewReaders = 8;

struct Fragment {
  uintptr_t End = 0;
  uint32_t PruneAt = FewReaders; // readers, or members, at which complete ones are looked for
  TaskRef Writer;                // null: nothing known wrote it, or the group did
  GroupPointer Writers;
  std::vector<TaskRef> Readers; // since Writer or Writers
};

using FragmentMap = std::map<uintptr_t, Fragment, std::less<>, BlockAllocator<std::pair<const uintptr_t, Fragment>>>;
using Place = FragmentMap::iterator;

bool forgettable(const TaskNode &T, bool ForgetFailures) { return T.complete() && (ForgetFailures || !T.Failed); }

void prune(std::vector<TaskRef> &List, bool ForgetFailures) {
  std::erase_if(List, [&](const TaskRef &R) { return forgettable(*R.get(), ForgetFailures); });
}

// List: the readers, or the group's members.
void pruneAt(Fragment &F, std::vector<TaskRef> &List) {
  if (List.size() < F.PruneAt)
    return;
  prune(List, false);
  F.PruneAt = static_cast<uint32_t>(std::max(FewReaders, 2 * List.size()));
}

// Bias of Pending while a task is being linked, so that it cannot become ready half linked.
constexpr int32_t Linking = 1 << 30;
constexpr size_t FewFragments = 1024;
// Rows of a section that are looked at one by one. Each costs what a section costs, about 100 ns.
constexpr size_t FewRows = 256;

// Calls Visit(begin, end) for each of A's ranges that are not empty.
template <class Fn> void eachRange(const Access &A, Fn Visit) {
  if (beginOf(A) == endOf(A))
    return;
  if (A.rows == 1 || A.rows > FewRows || A.stride <= A.bytes)
    return Visit(beginOf(A), endOf(A));
  for (size_t R = 0; R < A.rows; ++R)
    Visit(beginOf(A) + R * A.stride, beginOf(A) + R * A.stride + A.bytes);
}

bool sameSection(const Access &A, const Access &B) {
  return A.base == B.base && A.bytes == B.bytes && A.rows == B.rows && (A.rows <= 1 || A.stride == B.stride);
}

// A task cannot come after itself, so what it names in two ways it has for itself.
void settleModes(TaskNode &T) {
  auto parts = [&]() -> std::vector<ReductionPart> & { return T.Groups->Parts; };
  auto isReduced = [&](unsigned I) {
    return T.Groups && std::ranges::any_of(parts(), [I](const ReductionPart &P) { return P.Access == I; });
  };
  std::vector<unsigned> Own;
  for (unsigned I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.AccessList[I];
    if (A.mode <= HSCHED_INOUT)
      continue;
    bool Clash = A.mode == HSCHED_REDUCTION && !isReduced(I);
    for (unsigned J = 0; J < T.NumAccesses && !Clash; ++J) {
      const Access &B = T.AccessList[J];
      Clash =
          I != J && beginOf(A) < endOf(B) && beginOf(B) < endOf(A) && (A.mode != B.mode || A.mode == HSCHED_REDUCTION);
    }
    if (Clash)
      Own.push_back(I);
  }
  for (unsigned I : Own)
    T.AccessList[I].mode = HSCHED_INOUT;
  if (T.Groups)
    std::erase_if(parts(), [&](const ReductionPart &P) { return T.AccessList[P.Access].mode != HSCHED_REDUCTION; });

  std::vector<std::pair<uintptr_t, uintptr_t>> Ranges;
  for (const Access &A : T.accesses())
    if (A.mode == HSCHED_COMMUTATIVE && beginOf(A) < endOf(A))
      Ranges.emplace_back(beginOf(A), endOf(A));
  if (Ranges.empty())
    return;
  std::ranges::sort(Ranges);
  size_t Last = 0;
  for (size_t I = 1; I < Ranges.size(); ++I)
    if (Ranges[I].first <= Ranges[Last].second)
      Ranges[Last].second = std::max(Ranges[Last].second, Ranges[I].second);
    else
      Ranges[++Last] = Ranges[I];
  Ranges.resize(Last + 1);
  if (!T.Groups)
    T.Groups = std::make_unique<GroupState>();
  T.Groups->Ranges = std::move(Ranges);
}

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

  Exclusion Turns;
  std::vector<TaskNode *> Open; // combinations; each with the reference that its completion gives up
  std::atomic<size_t> NumOpen{0};
  TaskNode *Ready = nullptr; // closed in this submission, with nothing to wait for

  ~State() {
    for (TaskNode *C : Open)
      release(*C);
  }

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
        return;
      }
    }
    if (From->Failed)
      Current->Poisoned.store(true, std::memory_order_relaxed);
  }

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
    NumOpen.store(Open.size(), std::memory_order_relaxed);
    if (C.Pending.fetch_sub(Linking, std::memory_order_acq_rel) == Linking) {
      C.NextReady = Ready;
      Ready = &C;
    }
  }

  void afterWriter(const Fragment &F) {
    if (!F.Writers)
      return after(F.Writer.get());
    for (const TaskRef &W : F.Writers->Members)
      after(W.get());
  }
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
        pruneAt(F, F.Readers);
        F.Readers.emplace_back(*Current);
      }
      Last = It;
      Begin = F.End;
      ++It;
    }
  }

  void write(uintptr_t Begin, uintptr_t End, TaskNode &By) {
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
      First->second.Writer = TaskRef(By);
    } else {
      if (First->second.Writer.get() != &By)
        First->second.Writer = TaskRef(By);
      First->second.Readers.clear();
      First->second.Writers.reset();
    }
    First->second.End = End;
    Fragments.erase(std::next(First), It);
    Last = First;
  }

  // An update with no order among those of the same mode.
  void join(uintptr_t Begin, uintptr_t End, unsigned Mode) {
    Place It = find(Begin);
    if (It != Fragments.end() && It->first < Begin)
      It = split(It, Begin);
    while (Begin < End) {
      if (It == Fragments.end() || It->first > Begin) {
        uintptr_t GapEnd = It == Fragments.end() ? End : std::min(End, It->first);
        It = Fragments.emplace_hint(It, Begin, Fragment{});
        It->second.End = GapEnd;
      } else if (It->second.End > End) {
        split(It, End);
      }
      joinFragment(It->second, Mode);
      Last = It;
      Begin = It->second.End;
      ++It;
    }
  }

  void joinFragment(Fragment &F, unsigned Mode) {
    if (F.Writers && F.Writers->Mode == Mode && F.Readers.empty()) {
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
    auto *New = new Group{Mode, std::move(F.Readers), {}};
    if (F.Writers)
      std::ranges::move(F.Writers->Members, std::back_inserter(New->Before));
    else if (F.Writer.get())
      New->Before.push_back(std::exchange(F.Writer, TaskRef()));
    New->Members.emplace_back(*Current);
    F.Readers.clear();
    F.Writers.reset(New);
  }

  // A reduced section: into the open combination of the same one, or into a new one.
  void reduce(const Access &A, ReductionPart &P) {
    Place It = find(beginOf(A));
    TaskNode *C = It != Fragments.end() && It->first == beginOf(A) ? It->second.Writer.get() : nullptr;
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
    if (Current->Parent) {
      C->Parent = Current->Parent;
      retain(*C->Parent);
    }
    // What stands there now comes before the members, and through the first of them before the combination.
    auto note = [&](TaskNode *T) {
      if (!T || std::ranges::find(G.Before, T) != G.Before.end())
        return;
      retain(*T);
      G.Before.push_back(T);
    };
    for (Place It = find(beginOf(A)); It != Fragments.end() && It->first < endOf(A); ++It) {
      for (const TaskRef &R : It->second.Readers)
        note(R.get());
      note(It->second.Writer.get());
      if (It->second.Writers)
        for (const TaskRef &W : It->second.Writers->Members)
          note(W.get());
    }
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
      It = F.Readers.empty() && !F.Writer.get() && !F.Writers ? Fragments.erase(It) : std::next(It);
    }
    Last = Fragments.end();
    SweepAt = std::max(FewFragments, 2 * Fragments.size());
  }
};

DependenceDomain::DependenceDomain(bool Shared) : S(std::make_unique<State>(Shared)) {}
DependenceDomain::~DependenceDomain() = default;

bool DependenceDomain::submit(TaskNode &T, GraphListener *Listener, TaskNode **Ready) {
  bool Grouped = std::ranges::any_of(T.accesses(), [](const Access &A) { return A.mode > HSCHED_INOUT; });
  if (Grouped)
    settleModes(T);
  auto Guard = S->lock();
  // A listener is told of dependences on complete tasks too, so then nothing is forgotten before the next wait.
  if (S->Fragments.size() >= S->SweepAt && !Listener)
    S->sweep(false);
  S->begin(T, Listener);
  for (const Access &A : T.accesses()) {
    if (beginOf(A) == endOf(A))
      continue;
    if (A.mode <= HSCHED_INOUT)
      eachRange(A, [&](uintptr_t Begin, uintptr_t End) { writes(A) ? S->write(Begin, End, T) : S->read(Begin, End); });
    else if (A.mode != HSCHED_REDUCTION)
      S->join(beginOf(A), endOf(A), A.mode);
  }
  if (T.Groups)
    for (ReductionPart &P : T.Groups->Parts)
      S->reduce(T.AccessList[P.Access], P);
  if (Ready)
    *Ready = std::exchange(S->Ready, nullptr);
  return S->finish();
}

bool DependenceDomain::await(TaskNode &T, TaskNode **Ready) {
  auto Guard = S->lock();
  S->begin(T, nullptr);
  for (const Access &A : T.accesses()) // of no bytes: nobody to wait for
    eachRange(A, [&](uintptr_t Begin, uintptr_t End) {
      for (Place It = S->find(Begin); It != S->Fragments.end() && It->first < End; ++It)
        S->afterAll(It->second);
    });
  if (Ready)
    *Ready = std::exchange(S->Ready, nullptr);
  return S->finish();
}

TaskNode *DependenceDomain::closeAll() {
  if (!anyOpen())
    return nullptr;
  auto Guard = S->lock();
  while (!S->Open.empty())
    S->close(*S->Open.back());
  return std::exchange(S->Ready, nullptr);
}

bool DependenceDomain::anyOpen() const { return S->NumOpen.load(std::memory_order_relaxed) != 0; }

Exclusion &DependenceDomain::exclusion() { return S->Turns; }

void DependenceDomain::sweep(bool ForgetFailures) {
  auto Guard = S->lock();
  S->sweep(ForgetFailures);
}

size_t DependenceDomain::size() const {
  auto Guard = S->lock();
  return S->Fragments.size();
}

} // namespace hsched::rt
