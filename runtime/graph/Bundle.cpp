// Bundles in a domain, and their failures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Bundle.h"
#include "graph/Sharing.h"

#include <unordered_map>

namespace hsched::rt {
namespace {

// Limits of a bundle's items and time. A wait for one item waits for all, and items of one bundle do not run in
// parallel. Much longer bundles would leave workers idle; for much shorter ones, linking and queueing would cost more
// than the items.
constexpr uint32_t MostItems = 32;
constexpr uint32_t MostNanoseconds = 4000;

// Failed items before a task, or in a bundle.
struct Trouble {
  std::vector<ItemSection> Before; // Failed and cancelled items of bundles that it depends on.
  std::vector<ItemSection> Own;    // Failed items of its own.
};

std::mutex ErrorLock;
std::unordered_map<const TaskNode *, Trouble> &troubles() { // Guarded by ErrorLock.
  static auto *All = new std::unordered_map<const TaskNode *, Trouble>;
  return *All;
}

// A section of no bytes is in conflict with none.
bool conflict(uintptr_t Begin, uintptr_t End, bool Writes, std::span<const ItemSection> Failed) {
  return Begin != End && std::ranges::any_of(Failed, [&](const ItemSection &F) {
           return F.Bytes != 0 && Begin < F.end() && F.Begin < End && (Writes || F.Mode != HSCHED_IN);
         });
}

} // namespace

uint32_t itemsOfABundle(uint32_t Nanoseconds) {
  return std::clamp(MostNanoseconds / std::max(Nanoseconds, 1u), 1u, MostItems);
}

bool mustNotRun(const TaskNode &Bundle, const BundleItem &I) {
  if (!I.Next && Bundle.has(Signal::Poisoned))
    return true;
  if (!Bundle.has(Signal::HasFailedItems))
    return false;
  std::lock_guard Guard(ErrorLock);
  const Trouble &Known = troubles()[&Bundle];
  return std::ranges::any_of(I.list(), [&](const ItemSection &S) {
    bool Writes = S.Mode != HSCHED_IN;
    return conflict(S.Begin, S.end(), Writes, Known.Before) || conflict(S.Begin, S.end(), Writes, Known.Own);
  });
}

void noteFailed(TaskNode &Bundle, const BundleItem &I) {
  std::lock_guard Guard(ErrorLock);
  Bundle.Failed = true;
  Bundle.set(Signal::HasFailedItems);
  std::ranges::copy(I.list(), std::back_inserter(troubles()[&Bundle].Own));
}

void poisonBy(const TaskNode &From, TaskNode &To) {
  std::lock_guard Guard(ErrorLock);
  To.set(Signal::HasFailedItems);
  auto &All = troubles();
  std::vector<ItemSection> &Before = All[&To].Before; // This may rehash and move the other entry.
  std::ranges::copy(All[&From].Own, std::back_inserter(Before));
}

void resolveFailedItems(TaskNode &T) {
  if (T.isBundle())
    return;
  std::lock_guard Guard(ErrorLock);
  const std::vector<ItemSection> &Failed = troubles()[&T].Before;
  // With the modes as linked: other tasks are ordered behind T for everything that T was ordered behind.
  for (const Access &A : T.accesses()) {
    TileShape S = A.mode > HSCHED_INOUT ? hullOf(beginOf(A), endOf(A)) : shapeOf(A);
    if (std::ranges::any_of(Failed, [&](const ItemSection &F) {
          return (writes(A) || T.isWait() || F.Mode != HSCHED_IN) && overlap(S, hullOf(F.Begin, F.end()));
        }))
      T.set(Signal::Poisoned);
  }
}

void forgetFailedItems(const TaskNode &T) {
  std::lock_guard Guard(ErrorLock);
  troubles().erase(&T);
}

TaskNode *DependenceDomain::State::closeOpen() {
  TaskNode *T = std::exchange(Bundle, nullptr);
  if (!T)
    return nullptr;
  OpenBundle.store(0, std::memory_order_relaxed);
  giveUpAll();
  T->At = Stage::Usual;
  T->References.fetch_sub(OpenReferences - static_cast<uint32_t>(T->LastStamp.exchange(0, std::memory_order_relaxed)),
                          std::memory_order_acq_rel);
  if (BundleLinked == 0) { // No other thread knows it.
    T->Pending.store(0, std::memory_order_relaxed);
    return T;
  }
  int32_t Excess = Linking - BundleLinked;
  return T->Pending.fetch_sub(Excess, std::memory_order_acq_rel) == Excess ? T : nullptr;
}

// I becomes the last one of the open bundle.
void DependenceDomain::State::addItem(BundleItem &I, uint32_t Nanoseconds, BundledTask &Result) {
  TaskNode &T = *Bundle;
  LastItem = &I;
  I.Next = nullptr;
  ++BundleItems;
  BundleNanoseconds += Nanoseconds;

  Current = &T;
  Listener = nullptr;
  Linked = BundleLinked;
  AfterTask = false;
  for (const ItemSection &A : I.list()) {
    if (A.Bytes == 0)
      continue;
    if (A.Mode == HSCHED_IN)
      read(A.Begin, A.end());
    else
      write(A.Begin, A.end(), T);
  }
  BundleLinked = Linked;
  Current = nullptr;
  // An item that depends on a task that is no bundle is the last one: see mustNotRun.
  if (AfterTask || Ready || BundleItems >= MostItems || BundleNanoseconds >= MostNanoseconds) {
    Result.Ready[1] = closeOpen();
    Result.Opened = false;
    Result.Closed = std::exchange(Ready, nullptr);
  }
}

bool DependenceDomain::add(BundleItem &I, uint32_t Nanoseconds, uint32_t Owner, BundledTask &Result) {
  State &S = own();
  auto Guard = S.lock();
  if (!S.Bundle || S.BundleOwner != Owner)
    return false;
  Sharing::ensure(Others.get(), S, Guard, I.list());
  if (!S.Bundle || S.BundleOwner != Owner) // Another thread took it meanwhile.
    return false;
  if (S.size() >= S.SweepAt) [[unlikely]]
    S.sweep(false);
  S.LastItem->Next = &I;
  S.addItem(I, Nanoseconds, Result);
  return true;
}

void DependenceDomain::open(BundleItem &I, uint32_t Nanoseconds, uint32_t Owner, TaskNode &Parent, uint32_t Weight,
                            BundledTask &Result, TaskId Id) {
  TaskNode *T = createTask(nullptr, 0);
  T->Id = Id;
  T->Kind = NodeKind::Bundle;
  T->At = Stage::OpenBundle;
  T->References.store(1 + OpenReferences, std::memory_order_relaxed);
  T->Label = "";
  T->Parent = &Parent;
  T->DataBytes = Weight;
  T->Args = &I;
  T->Pending.store(Linking, std::memory_order_relaxed);
  State &S = own();
  auto Guard = S.lock();
  Sharing::ensure(Others.get(), S, Guard, I.list());
  if (S.size() >= S.SweepAt)
    S.sweep(false);
  Result.Ready[0] = S.closeOpen();
  S.Stamps += S.StampStep;
  S.Bundle = T;
  S.BundleOwner = Owner;
  S.BundleLinked = 0;
  S.BundleItems = 0;
  S.BundleNanoseconds = 0;
  Result.Opened = true;
  S.addItem(I, Nanoseconds, Result);
  if (Result.Opened)
    S.OpenBundle.store(S.Stamps); // Sequentially consistent, as are the marks of searching workers.
}

TaskNode *DependenceDomain::closeBundle(unsigned Part) {
  if (!openBundle(Part))
    return nullptr;
  State &S = *part(Part);
  auto Guard = S.lock();
  return S.closeOpen();
}

TaskNode *DependenceDomain::takeBundle(unsigned Part) {
  if (!openBundle(Part))
    return nullptr;
  State &S = *part(Part);
  auto Guard = S.lock();
  if (!S.Bundle || S.Bundle->Pending.load(std::memory_order_acquire) != Linking - S.BundleLinked)
    return nullptr;
  return S.closeOpen();
}

uint64_t DependenceDomain::openBundle(unsigned Part) const {
  const State *S = part(Part);
  return S ? S->OpenBundle.load() : 0;
}

bool DependenceDomain::anyOpenBundle() const {
  for (unsigned I = 0, N = parts(); I < N; ++I)
    if (openBundle(I))
      return true;
  return false;
}

} // namespace hsched::rt
