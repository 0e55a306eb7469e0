// Parts of a domain: assignment to threads, and claims of memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Sharing.h"
#include "base/Fork.h"

namespace hsched::rt {
namespace {

constexpr uintptr_t Page = 4096;

// Numbers of living threads.
class ThreadNumbers {
public:
  static ThreadNumbers &all() {
    static auto *N = new ThreadNumbers; // Threads may end after everything else.
    return *N;
  }
  unsigned take() {
    std::lock_guard Guard(Lock);
    auto Free = std::ranges::find(Taken, false);
    if (Free == Taken.end())
      Free = Taken.insert(Free, false);
    *Free = true;
    return static_cast<unsigned>(Free - Taken.begin());
  }
  void give(unsigned Number) {
    std::lock_guard Guard(Lock);
    Taken[Number] = false;
  }

private:
  std::mutex Lock;
  std::vector<bool> Taken; // Guarded by Lock.
};

constexpr unsigned None = ~0u;
constinit thread_local unsigned OwnNumber = None;
struct NumberLease {
  ~NumberLease() {
    unsigned Number = std::exchange(OwnNumber, 0); // Later operations of this thread share number 0.
    if (!inForkedChild())
      ThreadNumbers::all().give(Number);
  }
};

[[gnu::noinline]] unsigned takeNumber() {
  static thread_local NumberLease Lease;
  (void)Lease;
  return OwnNumber = ThreadNumbers::all().take();
}

} // namespace

unsigned DependenceDomain::Sharing::numberOfThread() { return OwnNumber != None ? OwnNumber : takeNumber(); }

DependenceDomain::Sharing::~Sharing() {
  for (unsigned I = 1; I < MostParts; ++I) // The domain owns the first one.
    delete All[I].load();
}

DependenceDomain::State &DependenceDomain::Sharing::make(unsigned Part) {
  std::lock_guard Guard(Lock);
  State *S = All[Part].load();
  if (!S) {
    S = new State(true, Part);
    All[Part].store(S);
    Used.store(std::max(Used.load(), Part + 1)); // Before it opens a bundle, as with everything that a worker searches.
  }
  return *S;
}

bool DependenceDomain::Sharing::concerns(unsigned Own, Range R) const {
  for (unsigned I = 0; I < parts(); ++I)
    if (I != Own && Owned[I].overlaps(R.Begin, R.End))
      return true;
  return false;
}

// Part, locked, was Sole and has not recorded what it owns.
void DependenceDomain::Sharing::ownAll(unsigned Part) {
  State &S = *part(Part);
  try {
    S.eachRange([&](uintptr_t Begin, uintptr_t End) {
      S.Owned.add(Begin, End);
      Owned[Part].add(Begin, End);
    });
  } catch (...) {
    S.Owned.clear();
    Owned[Part].clear();
    throw;
  }
}

// Moves the records of R from part From to part To. Both are locked.
void DependenceDomain::Sharing::move(unsigned From, unsigned To, Range R) {
  State &Q = *part(From), &S = *part(To);
  // Open bundles and combinations are linked in Q only.
  if (TaskNode *B = Q.closeOpen()) {
    B->NextReady = S.Ready;
    S.Ready = B;
  }
  while (!Q.Open.empty())
    Q.close(*Q.Open.back());
  while (TaskNode *C = Q.Ready) {
    Q.Ready = C->NextReady;
    C->NextReady = S.Ready;
    S.Ready = C;
  }

  // All steps that may fail come first, and leave both parts unchanged.
  Place First = Q.from(R.Begin), Last = Q.from(R.End);
  TileShape Hull = hullOf(R.Begin, R.End);
  for (Claims *Set : {&Q.Owned, &Owned[From]}) {
    Set->cut(R.Begin);
    Set->cut(R.End);
  }
  std::vector<Place> Fragments;
  std::vector<TileShape> Tiles;
  size_t NumTiles = 0;
  try {
    for (Place It = First; It != Last; It = It->Next)
      Fragments.push_back(nullptr);
    size_t Made = 0;
    for (Place It = First; It != Last; It = It->Next) {
      DomainFragment &New = S.Fragments.insert(It->Begin, It->End, S.find(It->Begin));
      Fragments[Made++] = &New;
      It->copyTo(New);
    }
    Q.Tiles.forEachOverlap(Hull, [&](DomainTile &T) { Tiles.push_back(T.Shape); });
    for (; NumTiles < Tiles.size(); ++NumTiles)
      Q.Tiles.find(Tiles[NumTiles])->copyTo(S.Tiles.insert(Tiles[NumTiles]));
  } catch (...) {
    for (Place It : Fragments)
      if (It)
        S.Fragments.erase(*It);
    S.Tiles.eraseIf([&](const DomainTile &T) { return std::ranges::find(Tiles, T.Shape) != Tiles.end(); });
    throw;
  }
  for (Place It = First; It != Last;)
    It = Q.Fragments.erase(*It);
  if (!Tiles.empty())
    Q.Tiles.eraseIf([&](const DomainTile &T) { return overlap(T.Shape, Hull); });
  Q.Owned.removeCut(R.Begin, R.End);
  Owned[From].removeCut(R.Begin, R.End);
}

// Makes part Own the owner of R, of which others own some. All are locked.
void DependenceDomain::Sharing::takeOver(unsigned Own, Range R) {
  auto eachOther = [&](auto Visit) {
    for (unsigned I = 0; I < parts(); ++I)
      if (I != Own && Owned[I].overlaps(R.Begin, R.End))
        Visit(I);
  };
  // A tile is in one part, with its whole hull.
  for (bool Grown = true; Grown;) {
    Grown = false;
    eachOther([&](unsigned I) {
      part(I)->Tiles.forEachOverlap(hullOf(R.Begin, R.End), [&](const DomainTile &T) {
        if (T.Shape.Base >= R.Begin && T.Shape.end() <= R.End)
          return;
        R = {std::min(R.Begin, T.Shape.Base), std::max(R.End, T.Shape.end())};
        Grown = true;
      });
    });
  }
  State &S = *part(Own);
  for (Claims *Set : {&S.Owned, &Owned[Own]})
    Set->prepare(R.Begin);
  eachOther([&](unsigned I) { move(I, Own, R); });
  for (Claims *Set : {&S.Owned, &Owned[Own]})
    Set->add(R.Begin, R.End);
}

template <class List> std::unique_lock<SpinLock> DependenceDomain::Sharing::claimAll(State &S, const List &Sections) {
  std::lock_guard Guard(Lock); // Only this thread changes Sole or Owned of any part meanwhile.
  Claimed.fetch_add(1, std::memory_order_relaxed);
  if (S.Sole) // Another thread of the same part has claimed it.
    return S.lock();
  unsigned Own = 0, Sole = MostParts;
  bool Alone = true, Concerned = false;
  for (unsigned I = 0; I < parts(); ++I) {
    State *Q = part(I);
    if (Q == &S) {
      Own = I;
    } else if (Q) {
      Alone = Alone && Owned[I].empty();
      Sole = Q->Sole ? I : Sole;
    }
  }
  for (const auto &A : Sections)
    Concerned = Concerned || concerns(Own, {rangeOf(A).first, rangeOf(A).second});

  std::array<std::unique_lock<SpinLock>, MostParts> Locks; // Locked in order of parts.
  for (unsigned I = 0; I < parts(); ++I)
    if (State *Q = part(I); Q && (I == Own || Sole != MostParts || Concerned))
      Locks[I] = Q->lock();
  if (Sole != MostParts) {
    ownAll(Sole);
    part(Sole)->Sole = false;
    Alone = Alone && Owned[Sole].empty();
  }
  if (Alone) {
    S.Owned.clear();
    Owned[Own].clear();
    S.Sole = true;
    return std::move(Locks[Own]);
  }
  for (const auto &A : Sections) {
    auto [Begin, End] = rangeOf(A);
    if (Begin == End || S.Owned.covers(Begin, End))
      continue;
    if (concerns(Own, {Begin, End})) {
      takeOver(Own, {Begin, End});
      continue;
    }
    Range Pages{Begin & ~(Page - 1), End > UINTPTR_MAX - Page ? End : (End + Page - 1) & ~(Page - 1)};
    if (concerns(Own, Pages))
      Pages = {Begin, End};
    for (Claims *Set : {&S.Owned, &Owned[Own]})
      Set->prepare(Pages.Begin);
    for (Claims *Set : {&S.Owned, &Owned[Own]})
      Set->add(Pages.Begin, Pages.End);
  }
  return std::move(Locks[Own]);
}

std::unique_lock<SpinLock> DependenceDomain::Sharing::claim(State &S, std::span<const ItemSection> Sections) {
  return claimAll(S, Sections);
}
std::unique_lock<SpinLock> DependenceDomain::Sharing::claim(State &S, std::span<const Access> Sections) {
  return claimAll(S, Sections);
}

void DependenceDomain::Sharing::sweep(bool ForgetFailures) {
  std::lock_guard Guard(Lock);
  for (unsigned I = 0; I < parts(); ++I)
    if (State *Q = part(I)) {
      auto Part = Q->lock();
      Q->sweep(ForgetFailures);
      if (Q->knowsNothing()) {
        Q->Owned.clear();
        Owned[I].clear();
      }
    }
}

} // namespace hsched::rt
