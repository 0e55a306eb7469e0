// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/FragmentMap.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace hsched::rt {

void Fragment::settle() {
  for (MemoryNode N = 0; N < Copies.size(); ++N) {
    Copy &C = Copies[N];
    if (C.Written.Ev && C.Written.Ev->ended()) {
      if (!C.Written.Ev->how().ok() && validOn(N)) {
        invalidate(N, C.Written.Ev->how());
        // Data that did not arrive on the host were lost on the source device, although that copy was invalidated
        // first.
        if (!Valid && N == HostNode && C.Written.By < Copies.size())
          LostOn = C.Written.By;
      }
      C.Written = {};
    }
    std::erase_if(C.Read, [](const Use &U) { return U.Ev->ended(); });
  }
}

bool Fragment::isDefault() const {
  return (Homeless ? Unwritten : Valid == nodeBit(HostNode)) && !DeviceReaders && !Writers &&
         std::all_of(Copies.begin(), Copies.end(), [](const Copy &C) { return !C.Written.Ev && C.Read.empty(); });
}

bool Fragment::sameState(const Fragment &O) const {
  return Valid == O.Valid && DeviceReaders == O.DeviceReaders && Writers == O.Writers && Unpublished == O.Unpublished &&
         Homeless == O.Homeless && Unwritten == O.Unwritten && LostOn == O.LostOn && Lost.code() == O.Lost.code() &&
         Copies == O.Copies;
}

Fragment *FragmentMap::makeTile(const Extent &E) {
  dissolve(E, false);
  auto It = Fragments.upper_bound(E.Begin);
  if (It != Fragments.begin())
    --It;
  for (; It != Fragments.end() && It->first < E.end(); ++It)
    if (E.touches(It->first, It->second.End))
      return nullptr;
  uintptr_t End = E.end();
  const bool IsHomeless = homelessAt(E.Begin, End);
  if (End < E.end())
    return nullptr;
  Tile New{E, fresh(IsHomeless, End)};
  LongestTile = std::max(LongestTile, E.end() - E.Begin);
  return &Tiles.emplace(E.Begin, std::move(New)).first->second.State;
}

void FragmentMap::dissolve(const Extent &E, bool SpareInside) {
  if (Tiles.empty())
    return;
  for (auto It = Tiles.lower_bound(E.Begin - std::min<uint64_t>(E.Begin, LongestTile));
       It != Tiles.end() && It->first < E.end();) {
    const Tile &T = It->second;
    if ((SpareInside && E.Begin <= T.At.Begin && T.At.end() <= E.end()) || !T.At.touches(E)) {
      ++It;
      continue;
    }
    uint64_t Row = 0;
    try {
      for (; Row < T.At.Rows; ++Row) {
        Fragment F = T.State;
        uintptr_t Begin = T.At.Begin + Row * T.At.Stride;
        F.End = Begin + T.At.Bytes;
        Fragments.emplace(Begin, std::move(F));
      }
    } catch (...) { // Fragments must stay disjoint.
      while (Row-- > 0)
        erase(Fragments.find(T.At.Begin + Row * T.At.Stride));
      throw;
    }
    It = Tiles.erase(It);
  }
}

void FragmentMap::split(uintptr_t At) {
  auto It = Fragments.upper_bound(At);
  if (It == Fragments.begin())
    return;
  --It;
  if (It->first == At || It->second.End <= At)
    return;
  Fragment Upper = It->second;
  Fragments.emplace_hint(std::next(It), At, std::move(Upper));
  It->second.End = At;
  ++Parted;
}

void FragmentMap::fill(uintptr_t Lo, uintptr_t Hi) {
  if (Lo >= Hi)
    return;
  split(Lo);
  split(Hi);
  auto It = Fragments.lower_bound(Lo);
  for (uintptr_t At = Lo; At < Hi;) {
    if (It != Fragments.end() && It->first == At) {
      At = It->second.End;
      ++It;
      continue;
    }
    uintptr_t End = It == Fragments.end() ? Hi : std::min(Hi, It->first);
    const bool IsHomeless = homelessAt(At, End);
    Fragments.emplace_hint(It, At, fresh(IsHomeless, End));
    At = End;
  }
}

bool FragmentMap::homelessAt(uintptr_t At, uintptr_t &End) const {
  if (Homeless.empty())
    return false;
  auto Next = Homeless.upper_bound(At);
  if (Next != Homeless.end())
    End = std::min(End, Next->first);
  if (Next == Homeless.begin() || std::prev(Next)->second <= At)
    return false;
  End = std::min(End, std::prev(Next)->second);
  return true;
}

Extent FragmentMap::homelessWith(uintptr_t At) const {
  auto Next = Homeless.upper_bound(At);
  if (Next == Homeless.begin() || std::prev(Next)->second <= At)
    return {};
  return rangeOf(std::prev(Next)->first, std::prev(Next)->second);
}

uint64_t FragmentMap::homelessIn(uintptr_t Lo, uintptr_t Hi) const {
  uint64_t Bytes = 0;
  for (uintptr_t At = Lo, End = Hi; At < Hi && !Homeless.empty(); At = std::exchange(End, Hi))
    if (homelessAt(At, End))
      Bytes += End - At;
  return Bytes;
}

Fragment FragmentMap::fresh(bool IsHomeless, uintptr_t End) const {
  Fragment New;
  New.End = End;
  New.Copies.resize(NumNodes);
  New.Homeless = IsHomeless;
  if (IsHomeless)
    New.giveUp();
  return New;
}

void FragmentMap::removeHomeless(uintptr_t Lo, uintptr_t Hi) {
  dissolve(rangeOf(Lo, Hi), false);
  split(Lo);
  split(Hi);
  for (auto It = Fragments.lower_bound(Lo); It != Fragments.end() && It->first < Hi;)
    It = erase(It);
  Homeless.erase(Lo);
}

uint64_t FragmentMap::validBytes(const Extent &E, MemoryNode N) const {
  if (E.Rows > 1)
    if (auto It = Tiles.find(E.Begin); It != Tiles.end() && It->second.At == E)
      return It->second.State.validOn(N) || It->second.State.Unwritten ? E.bytes() : 0;
  const uintptr_t Lo = E.Begin, Hi = E.end();
  auto It = Fragments.upper_bound(Lo);
  if (It != Fragments.begin())
    --It;
  uint64_t Bytes = 0;
  uintptr_t At = Lo;
  for (; It != Fragments.end() && It->first < Hi; ++It) {
    if (It->second.End <= Lo)
      continue;
    const uintptr_t Begin = std::max(Lo, It->first), End = std::min(Hi, It->second.End);
    if (It->second.validOn(N) || It->second.Unwritten)
      Bytes += End - Begin;
    Bytes += homelessIn(At, Begin);
    At = End;
  }
  Bytes += homelessIn(At, Hi);
  for (auto T = Tiles.lower_bound(Lo); T != Tiles.end() && T->first < Hi; ++T)
    if (T->second.State.validOn(N))
      Bytes += T->second.At.bytes();
  return Bytes;
}

std::map<uintptr_t, Fragment>::const_iterator FragmentMap::endingBehind(uintptr_t At) const {
  const auto It = Fragments.upper_bound(At);
  return It != Fragments.begin() && std::prev(It)->second.End > At ? std::prev(It) : It;
}

std::pair<uint64_t, uintptr_t> FragmentMap::stateAt(uintptr_t At) const {
  const auto It = endingBehind(At);
  if (It != Fragments.end() && It->first <= At)
    return {It->second.Valid, It->second.End};
  uintptr_t Until = It == Fragments.end() ? UINTPTR_MAX : It->first;
  const bool Unwritten = homelessAt(At, Until);
  return {Unwritten ? 0 : nodeBit(HostNode), Until};
}

uint64_t FragmentMap::nextKnownRow(const Extent &E, uint64_t Row) const {
  if (Row >= E.Rows || E.Rows == 1)
    return Row;
  const uintptr_t Lo = E.Begin + Row * E.Stride;
  const auto It = endingBehind(Lo);
  if (It == Fragments.end() || It->first >= E.end())
    return E.Rows;
  return It->first <= Lo ? Row : Row + (It->first - Lo) / E.Stride;
}

void FragmentMap::addMissing(const Extent &E, MemoryNode To, std::span<uint64_t> From) const {
  auto add = [&](uint64_t Valid, uint64_t Bytes) {
    if (Valid && !(Valid & nodeBit(To)))
      From[static_cast<size_t>(std::countr_zero(Valid))] += Bytes;
  };
  if (E.Rows > 1) {
    if (auto Whole = Tiles.find(E.Begin); Whole != Tiles.end() && Whole->second.At == E)
      return add(Whole->second.State.Valid, E.bytes());
    for (uint64_t Row = 0; Row < E.Rows;) {
      const uintptr_t Lo = E.Begin + Row * E.Stride;
      const auto [Valid, Until] = stateAt(Lo);
      const uint64_t Rows = std::min(E.Rows - Row, Until - Lo < E.Bytes ? 0 : (Until - Lo - E.Bytes) / E.Stride + 1);
      if (Rows)
        add(Valid, Rows * E.Bytes);
      else
        addMissing({Lo, E.Bytes}, To, From);
      Row += std::max<uint64_t>(Rows, 1);
    }
    return;
  }
  const uintptr_t Lo = E.Begin, Hi = E.end();
  auto It = endingBehind(Lo);
  for (uintptr_t At = Lo; At < Hi;) {
    bool HasFragment = It != Fragments.end() && It->first <= At;
    uintptr_t End = HasFragment ? It->second.End : It != Fragments.end() ? It->first : Hi;
    End = std::min(End, Hi);
    const bool Unwritten = !HasFragment && homelessAt(At, End);
    add(HasFragment ? It->second.Valid : Unwritten ? 0 : nodeBit(HostNode), End - At);
    At = End;
    if (HasFragment)
      ++It;
  }
}

void FragmentMap::tidy(const Extent &E) {
  auto tidyTile = [this](auto It) {
    It->second.State.settle();
    return It->second.State.isDefault() ? Tiles.erase(It) : std::next(It);
  };
  if (auto It = Tiles.find(E.Begin); E.Rows > 1 && It != Tiles.end() && It->second.At == E) {
    tidyTile(It);
    return;
  }
  if (Fragment *Whole = E.Rows == 1 ? exact(E) : nullptr) {
    Whole->settle();
    if (Whole->isDefault())
      erase(Fragments.find(E.Begin));
  } else {
    for (uint64_t Row = 0; (Row = nextKnownRow(E, Row)) < E.Rows; ++Row) {
      uintptr_t Lo = E.Begin + Row * E.Stride;
      for (auto It = Fragments.lower_bound(Lo); It != Fragments.end() && It->first < Lo + E.Bytes;) {
        It->second.settle();
        It = It->second.isDefault() ? erase(It) : std::next(It);
      }
    }
    if (E.Rows == 1)
      for (auto It = Tiles.lower_bound(E.Begin); It != Tiles.end() && It->first < E.end();)
        It = tidyTile(It);
  }
  if (Fragments.size() <= CompactAt)
    return;
  // Amortised: the next compaction is due when the map has doubled. Fragments that were split again since the last one
  // would be split once more.
  if (2 * Parted > Joined && Joined && CompactAt < LastCompaction) {
    CompactAt *= 2;
    return;
  }
  compact();
  CompactAt = std::max(FirstCompaction, 2 * Fragments.size());
}

void FragmentMap::compact() {
  Joined = Parted = 0;
  for (auto It = Tiles.begin(); It != Tiles.end();) {
    It->second.State.settle();
    It = It->second.State.isDefault() ? Tiles.erase(It) : std::next(It);
  }
  auto Last = Fragments.end();
  for (auto It = Fragments.begin(); It != Fragments.end();) {
    It->second.settle();
    if (It->second.isDefault()) {
      It = erase(It);
    } else if (Last != Fragments.end() && Last->second.End == It->first && Last->second.sameState(It->second)) {
      Last->second.End = It->second.End;
      It = erase(It);
      ++Joined;
    } else {
      Last = It++;
    }
  }
}

} // namespace hsched::rt
