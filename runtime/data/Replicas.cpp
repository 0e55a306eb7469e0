// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Replicas.h"

#include <algorithm>

namespace hsched::rt {

ReplicaRef ReplicaSet::covering(uintptr_t Lo, uintptr_t Hi) const {
  auto It = ByBegin.upper_bound(Lo);
  if (It == ByBegin.begin())
    return nullptr;
  --It;
  return It->second->End >= Hi ? It->second : nullptr;
}

std::vector<ReplicaRef> ReplicaSet::overlapping(uintptr_t Lo, uintptr_t Hi) const {
  std::vector<ReplicaRef> Found;
  auto It = ByBegin.upper_bound(Lo);
  if (It != ByBegin.begin() && std::prev(It)->second->End > Lo)
    --It;
  for (; It != ByBegin.end() && It->first < Hi; ++It)
    Found.push_back(It->second);
  return Found;
}

void ReplicaSet::extend(uintptr_t &Lo, uintptr_t &Hi, uint64_t Want, bool Up) const {
  auto Next = ByBegin.lower_bound(Hi);
  if (Up) {
    uintptr_t Limit = Next == ByBegin.end() ? UINTPTR_MAX : Next->first;
    Hi += std::min<uint64_t>(Want, Limit - Hi);
    return;
  }
  auto Before = ByBegin.lower_bound(Lo);
  uintptr_t Limit = Before == ByBegin.begin() ? 1 : std::prev(Before)->second->End;
  Lo -= std::min<uint64_t>(Want, Lo - std::min(Lo, Limit));
}

} // namespace hsched::rt
