// A domain: dependences from overlapping address ranges of accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/NoMemory.h"
#include "graph/Sharing.h"

namespace hsched::rt {

// A task cannot depend on itself, so memory that it names in two modes becomes exclusive.
static void settleModes(TaskNode &T) {
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

DependenceDomain::DependenceDomain(bool Shared)
    : S(std::make_unique<State>(Shared)), Others(Shared ? std::make_unique<Sharing>(*S) : nullptr) {}
DependenceDomain::~DependenceDomain() = default;

DependenceDomain::State &DependenceDomain::own() const { return Others ? Others->ofThread() : *S; }
DependenceDomain::State *DependenceDomain::part(unsigned I) const { return Others ? Others->part(I) : S.get(); }
unsigned DependenceDomain::parts() const { return Others ? Others->parts() : 1; }

bool DependenceDomain::submit(TaskNode &T, GraphListener *Listener, TaskNode **Ready) {
  bool Grouped = std::ranges::any_of(T.accesses(), [](const Access &A) { return A.mode > HSCHED_INOUT; });
  if (Grouped)
    settleModes(T);
  State *S = nullptr;
  retryUntilAllocated([&] { S = &own(); });
  auto Guard = S->lock();
  retryUntilAllocated([&] { Sharing::ensure(Others.get(), *S, Guard, T.accesses()); });
  if (S->size() >= S->SweepAt && (!Listener || !Listener->wantsComplete()))
    S->sweep(false);
  S->begin(T, Listener);
  if (T.Extras && T.Extras->Named) [[unlikely]]
    S->Linked = T.Extras->Named->Linked;
  // T is outstanding, and may have been linked behind some tasks: the missing links must be made. A step that found no
  // memory may be repeated from its begin.
  for (const Access &A : T.accesses())
    if (beginOf(A) != endOf(A) && A.mode != HSCHED_REDUCTION)
      retryUntilAllocated([&] { S->note(A, T); });
  if (T.Groups)
    for (ReductionPart &P : T.Groups->Parts)
      retryUntilAllocated([&] { S->reduce(T.AccessList[P.Access], P); });
  if (Ready)
    *Ready = std::exchange(S->Ready, nullptr);
  return S->finish();
}

bool DependenceDomain::await(TaskNode &T, TaskNode **Ready) {
  State *S = nullptr;
  retryUntilAllocated([&] { S = &own(); });
  auto Guard = S->lock();
  retryUntilAllocated([&] { Sharing::ensure(Others.get(), *S, Guard, T.accesses()); });
  S->begin(T, nullptr);
  // As in submit: tasks that T is linked behind will refer to it, so the missing links must be made.
  for (const Access &A : T.accesses())
    if (beginOf(A) != endOf(A)) // No bytes: no predecessors.
      retryUntilAllocated([&] { S->afterOverlap(shapeOf(A)); });
  if (Ready)
    *Ready = std::exchange(S->Ready, nullptr);
  return S->finish();
}

TaskNode *DependenceDomain::closeAll() {
  TaskNode *All = nullptr;
  for (unsigned I = 0, N = parts(); I < N; ++I) {
    State *P = part(I);
    if (!P || P->NumOpen.load(std::memory_order_relaxed) == 0)
      continue;
    auto Guard = P->lock();
    while (!P->Open.empty())
      P->close(*P->Open.back());
    while (TaskNode *C = P->Ready) {
      P->Ready = C->NextReady;
      C->NextReady = All;
      All = C;
    }
  }
  return All;
}

bool DependenceDomain::anyOpen() const {
  for (unsigned I = 0, N = parts(); I < N; ++I)
    if (const State *P = part(I); P && P->NumOpen.load(std::memory_order_acquire) != 0)
      return true;
  return false;
}

Exclusion &DependenceDomain::exclusion() { return S->Turns; }

void DependenceDomain::sweep(bool ForgetFailures) { Others ? Others->sweep(ForgetFailures) : S->sweep(ForgetFailures); }

void DependenceDomain::markLastWriters() {
  for (unsigned I = 0, N = parts(); I < N; ++I)
    if (State *P = part(I)) {
      auto Guard = P->lock();
      P->markLastWriters();
    }
}

size_t DependenceDomain::size() const {
  size_t Sum = 0;
  for (unsigned I = 0, N = parts(); I < N; ++I)
    if (State *P = part(I)) {
      auto Guard = P->lock();
      Sum += P->size();
    }
  return Sum;
}

size_t DependenceDomain::claims() const { return Others ? Others->Claimed.load() : 0; }

} // namespace hsched::rt
