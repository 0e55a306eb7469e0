// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Order.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hsched::check {
namespace {

unsigned LastMark = 0;

// A loop, not recursion: a chain may be as long as the program.
bool reaches(TaskRecord &From, const TaskRecord &To) {
  ++LastMark;
  std::vector<TaskRecord *> Open{&From};
  while (!Open.empty()) {
    TaskRecord *T = Open.back();
    Open.pop_back();
    for (TaskRecord *B : T->Before) {
      if (B == &To)
        return true;
      if (std::exchange(B->Mark, LastMark) != LastMark)
        Open.push_back(B);
    }
  }
  return false;
}

unsigned depthOf(const TaskRecord *T) {
  unsigned Depth = 0;
  for (; T; T = T->Parent)
    ++Depth;
  return Depth;
}

} // namespace

bool ordered(TaskRecord &Earlier, TaskRecord &Later) {
  TaskRecord *A = &Earlier, *B = &Later;
  unsigned OfA = depthOf(A), OfB = depthOf(B);
  for (; OfA > OfB; --OfA) {
    if (A->Done) // The parent has waited: its later children follow it.
      if (A->Parent == B || A->Parent == nullptr)
        return true;
    A = A->Parent;
  }
  for (; OfB > OfA; --OfB)
    B = B->Parent;
  while (A != B && A->Parent != B->Parent) {
    A = A->Parent;
    B = B->Parent;
  }
  if (A == B) // One is the other's descendant. A complete child was awaited above.
    return A == &Earlier;
  if (A->Done)
    return true;
  return reaches(*B, *A);
}

void Domain::split(Address At) {
  auto After = Named.upper_bound(At);
  if (After == Named.begin())
    return;
  auto In = std::prev(After);
  if (In->first == At || In->second.High <= At)
    return;
  Piece Rest = In->second;
  In->second.High = At;
  Named.emplace_hint(After, At, std::move(Rest));
}

// Calls Each for the pieces of [Low, High), and makes pieces for gaps.
template <class Each> void Domain::overPieces(Address Low, Address High, Each &&Do) {
  if (Low >= High)
    return;
  split(Low);
  split(High);
  auto It = Named.lower_bound(Low);
  for (Address At = Low; At < High;) {
    if (It == Named.end() || It->first > At) {
      Piece Gap;
      Gap.High = It == Named.end() ? High : std::min(High, It->first);
      It = Named.emplace_hint(It, At, std::move(Gap));
    }
    Do(It->second);
    At = It->second.High;
    ++It;
  }
}

void Domain::submit(TaskRecord &Task, std::span<const hsched_access> Accesses) {
  auto link = [&](TaskRecord *T) {
    if (T && T != &Task && !T->Done && std::ranges::find(Task.Before, T) == Task.Before.end())
      Task.Before.push_back(T);
  };
  for (const hsched_access &X : Accesses) {
    const bool Reads = X.mode == HSCHED_IN;
    const bool Group = X.mode == HSCHED_IN || X.mode >= HSCHED_CONCURRENT;
    forEachRow(X, [&](Address Low, Address High) {
      overPieces(Low, High, [&](Piece &P) {
        if (!Group || (P.Mode != X.mode && !P.Users.empty())) {
          std::ranges::for_each(P.Users, link);
          if (P.Users.empty() || !Group)
            link(P.Writer);
          if (!Group) {
            P = {P.High, &Task, 0, {}, {}};
            return;
          }
          if (std::ranges::find(P.Users, &Task) != P.Users.end()) { // Named twice: the stronger mode wins.
            if (!Reads)
              P.Mode = X.mode;
            return;
          }
          P.Earlier = std::move(P.Users);
          P.Users.clear();
        } else {
          if (P.Writer == &Task) // Already written through another of its sections.
            return;
          link(P.Writer);
          std::ranges::for_each(P.Earlier, link);
        }
        P.Mode = X.mode;
        P.Users.push_back(&Task);
      });
    });
  }
  Live.push_back(&Task);
}

void Domain::finish(TaskRecord &Task) {
  std::vector<TaskRecord *> Open{&Task};
  while (!Open.empty()) {
    TaskRecord *T = Open.back();
    Open.pop_back();
    T->Done = true;
    for (TaskRecord *B : std::exchange(T->Before, {}))
      if (!B->Done)
        Open.push_back(B);
  }
}

void Domain::waited() {
  for (TaskRecord *T : Live) {
    T->Done = true;
    T->Before.clear();
  }
  Live.clear();
  Named.clear();
}

void Domain::waitedOn(std::span<const hsched_access> Sections) {
  for (const hsched_access &X : Sections)
    forEachRow(X, [&](Address Low, Address High) {
      overPieces(Low, High, [&](Piece &P) {
        if (P.Mode >= HSCHED_CONCURRENT)
          std::ranges::for_each(P.Users, [](TaskRecord *T) { finish(*T); });
        if (P.Writer)
          finish(*P.Writer);
      });
    });
  std::erase_if(Live, [](const TaskRecord *T) { return T->Done; });
}

TaskRecord *Domain::conflict(Address A, size_t Bytes, bool Writes, TaskRecord *Accessor, bool &Reads) const {
  auto It = Named.upper_bound(A);
  if (It != Named.begin() && std::prev(It)->second.High > A)
    --It;
  auto Counts = [&](TaskRecord *T) {
    return T && T != Accessor && !T->Done && T->Over && !(Accessor && ordered(*T, *Accessor));
  };
  for (; It != Named.end() && It->first < A + Bytes; ++It) {
    const Piece &P = It->second;
    if (Counts(P.Writer)) {
      Reads = false;
      return P.Writer;
    }
    for (TaskRecord *T : P.Users)
      if ((Writes || P.Mode != HSCHED_IN) && Counts(T)) {
        Reads = P.Mode == HSCHED_IN;
        return T;
      }
  }
  return nullptr;
}

bool Domain::isNamed(Address A) const {
  auto It = Named.upper_bound(A);
  return It != Named.begin() && std::prev(It)->second.High > A &&
         (std::prev(It)->second.Writer || !std::prev(It)->second.Users.empty());
}

void Domain::forget(Extent Freed) {
  if (Named.empty() || Freed.empty())
    return;
  split(Freed.Low);
  split(Freed.High);
  Named.erase(Named.lower_bound(Freed.Low), Named.lower_bound(Freed.High));
}

void Domain::ranInPlace(TaskRecord &Task) {
  finish(Task);
  std::erase_if(Live, [](const TaskRecord *T) { return T->Done; });
}

} // namespace hsched::check
