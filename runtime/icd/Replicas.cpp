// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Replicas.h"

#include <algorithm>
#include <iterator>

namespace hsched::icd {

void Replicas::split(size_t At) {
  if (At >= Bytes)
    return;
  auto After = Fragments.upper_bound(At);
  Fragments.emplace_hint(After, At, std::prev(After)->second);
}

void Replicas::set(size_t First, size_t N, uint32_t Keep, uint32_t Add) {
  size_t End = std::min(First + N, Bytes);
  if (First >= End)
    return;
  split(First);
  split(End);
  auto I = Fragments.find(First), Stop = Fragments.lower_bound(End);
  for (auto J = I; J != Stop; ++J)
    J->second = (J->second & Keep) | Add;
  // Join neighbours that are alike, from the one before the range to the one behind it.
  if (I != Fragments.begin())
    --I;
  while (I != Fragments.end() && I->first < End) {
    auto Next = std::next(I);
    if (Next != Fragments.end() && Next->second == I->second)
      Fragments.erase(Next);
    else
      I = Next;
  }
}

std::vector<Replicas::Range> Replicas::missing(size_t First, size_t N, unsigned Copy) const {
  std::vector<Range> Found;
  size_t End = std::min(First + N, Bytes);
  if (First >= End)
    return Found;
  for (auto I = std::prev(Fragments.upper_bound(First)); I != Fragments.end() && I->first < End; ++I) {
    if (!I->second || I->second >> Copy & 1)
      continue;
    auto Next = std::next(I);
    size_t From = std::max(First, I->first), To = std::min(End, Next == Fragments.end() ? Bytes : Next->first);
    Found.push_back({From, To - From, I->second});
  }
  return Found;
}

} // namespace hsched::icd
