// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Replicas.h"

namespace hsched::rt {

BufferRef counted(BufferRef Mem, std::shared_ptr<std::atomic<uint64_t>> OutstandingBytes) {
  struct Loan {
    BufferRef Mem;
    const std::shared_ptr<std::atomic<uint64_t>> OutstandingBytes;
    const uint64_t Bytes;
    Loan(BufferRef M, std::shared_ptr<std::atomic<uint64_t>> L)
        : Mem(std::move(M)), OutstandingBytes(std::move(L)), Bytes(Mem->bytes()) {
      *OutstandingBytes += Bytes;
    }
    Loan(const Loan &) = delete;
    ~Loan() {
      Mem.reset(); // First: then the driver has it.
      *OutstandingBytes -= Bytes;
    }
  };
  Buffer *const Raw = Mem.get();
  return {std::make_shared<Loan>(std::move(Mem), std::move(OutstandingBytes)), Raw};
}

const ReplicaRef &ReplicaSet::covering(const Extent &E) const {
  static const ReplicaRef None;
  if (Latest && (*Latest)->At.Begin <= E.Begin && (*Latest)->At.end() >= E.end())
    return *Latest;
  if (const ReplicaRef *R = Found.find(E.Begin); R && (*R)->At.end() >= E.end()) {
    Latest = R;
    return *R;
  }
  if (auto It = Ranges.upper_bound(E.Begin); It != Ranges.begin())
    if (const ReplicaRef &R = std::prev(It)->second; R->At.end() >= E.end()) {
      if (R->At.Begin == E.Begin)
        Found.put(E.Begin, R, Ranges.size());
      Latest = &R;
      return R;
    }
  if (Packed.empty())
    return None;
  if (auto It = Packed.find(E.Begin); It != Packed.end() && It->second->covers(E)) // The common case: recurring tiles.
    return It->second;
  const ReplicaRef *Found = &None;
  packedIn(E.Begin, E.end(), [&](const ReplicaRef &R) {
    if (R->covers(E))
      Found = &R;
    return !*Found;
  });
  return *Found;
}

std::vector<ReplicaRef> ReplicaSet::overlapping(const Extent &E) const {
  std::vector<ReplicaRef> Found;
  auto It = Ranges.upper_bound(E.Begin);
  if (It != Ranges.begin() && std::prev(It)->second->At.end() > E.Begin)
    --It;
  for (; It != Ranges.end() && It->first < E.end(); ++It)
    if (E.touches(It->first, It->second->At.end()))
      Found.push_back(It->second);
  packedIn(E.Begin, E.end(), [&](const ReplicaRef &R) {
    if (R->At.touches(E))
      Found.push_back(R);
    return true;
  });
  return Found;
}

const ReplicaRef &ReplicaSet::endingAt(uintptr_t Address) const {
  static const ReplicaRef None;
  auto It = Ranges.lower_bound(Address);
  if (It == Ranges.begin())
    return None;
  const ReplicaRef &R = std::prev(It)->second;
  return R->At.end() <= Address && Address - R->At.end() < PlacementAlignment ? R : None;
}

std::vector<ReplicaRef> ReplicaSet::all() const {
  std::vector<ReplicaRef> Found;
  for (const auto *Map : {&Ranges, &Packed})
    for (const auto &[Begin, R] : *Map)
      Found.push_back(R);
  return Found;
}

void ReplicaSet::extend(uintptr_t &Lo, uintptr_t &Hi, uint64_t MaxBytes, bool Up) const {
  const uintptr_t OldLo = Lo, OldHi = Hi;
  auto Next = Ranges.lower_bound(Hi);
  if (Up) {
    uintptr_t Limit = Next == Ranges.end() ? UINTPTR_MAX : Next->first;
    Hi += std::min<uint64_t>(MaxBytes, Limit - Hi);
  } else {
    auto Before = Ranges.lower_bound(Lo);
    uintptr_t Limit = Before == Ranges.begin() ? 1 : std::prev(Before)->second->At.end();
    Lo -= std::min<uint64_t>(MaxBytes, Lo - std::min(Lo, Limit));
  }
  packedIn(Lo, Hi, [&](const ReplicaRef &R) {
    if (R->At.touches(Lo, Hi) && !R->At.touches(OldLo, OldHi)) {
      Lo = OldLo;
      Hi = OldHi;
      return false;
    }
    return true;
  });
}

void ReplicaSet::insert(ReplicaRef R) {
  if (R->packed())
    LongestPacked = std::max<uint64_t>(LongestPacked, R->At.end() - R->At.Begin);
  (R->packed() ? Packed : Ranges).emplace(R->At.Begin, std::move(R));
}

} // namespace hsched::rt
