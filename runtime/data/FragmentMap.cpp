// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/FragmentMap.h"

#include <algorithm>

namespace hsched::rt {

void Fragment::settle() {
  for (MemoryNode N = 0; N < Copies.size(); ++N) {
    Copy &C = Copies[N];
    if (C.Written.Ev && C.Written.Ev->done()) {
      if (!C.Written.Ev->outcome().ok())
        Valid &= ~nodeBit(N);
      C.Written = {};
    }
    std::erase_if(C.Read, [](const Use &U) { return U.Ev->done(); });
  }
  if (!Valid)
    Valid = nodeBit(HostNode);
}

bool Fragment::isDefault() const {
  return Valid == nodeBit(HostNode) && !DeviceReaders && !Writers &&
         std::all_of(Copies.begin(), Copies.end(), [](const Copy &C) { return !C.Written.Ev && C.Read.empty(); });
}

bool Fragment::sameState(const Fragment &O) const {
  return Valid == O.Valid && DeviceReaders == O.DeviceReaders && Writers == O.Writers && Unpublished == O.Unpublished &&
         Copies == O.Copies;
}

void FragmentMap::split(uintptr_t At) {
  auto It = Fragments.upper_bound(At);
  if (It == Fragments.begin())
    return;
  --It;
  if (It->first == At || It->second.End <= At)
    return;
  Fragment Upper = It->second;
  It->second.End = At;
  Fragments.emplace(At, std::move(Upper));
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
    Fragment New;
    New.End = It == Fragments.end() ? Hi : std::min(Hi, It->first);
    New.Copies.resize(NumNodes);
    uintptr_t End = New.End;
    Fragments.emplace_hint(It, At, std::move(New));
    At = End;
  }
}

void FragmentMap::tidy(uintptr_t Lo, uintptr_t Hi) {
  for (auto It = Fragments.lower_bound(Lo); It != Fragments.end() && It->first < Hi;) {
    It->second.settle();
    It = It->second.isDefault() ? Fragments.erase(It) : std::next(It);
  }
  // Amortised: the next compaction is due when the map has doubled.
  if (Fragments.size() > CompactAt) {
    compact();
    CompactAt = std::max(FirstCompaction, 2 * Fragments.size());
  }
}

void FragmentMap::compact() {
  auto Last = Fragments.end();
  for (auto It = Fragments.begin(); It != Fragments.end();) {
    It->second.settle();
    if (It->second.isDefault()) {
      It = Fragments.erase(It);
    } else if (Last != Fragments.end() && Last->second.End == It->first && Last->second.sameState(It->second)) {
      Last->second.End = It->second.End;
      It = Fragments.erase(It);
    } else {
      Last = It++;
    }
  }
}

} // namespace hsched::rt
