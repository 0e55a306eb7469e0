// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/TightChoice.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>

namespace hsched::rt {

size_t TightChoice::most(Duration Typical) {
  return static_cast<size_t>(std::clamp<Duration::rep>(Typical / std::chrono::microseconds(1), 16, 64));
}

void TightChoice::addRequest(Each &E, const Access &A, PackedParams Packed) {
  if (endOf(A) <= beginOf(A) || E.DataIndices.size() == MaxRequests)
    return;
  // Sections with one begin are mostly equal; if not, the estimate is slightly wrong.
  auto [It, New] = At.try_emplace(beginOf(A), static_cast<uint32_t>(Requests.size()));
  if (New)
    Requests.push_back({&A, Packed, 0});
  if (std::ranges::find(E.DataIndices, It->second) == E.DataIndices.end())
    E.DataIndices.push_back(It->second);
}

// The visited tasks cannot be complete, and freed, before E's task, which waits here.
void TightChoice::lookAhead(Each &E) {
  E.DataIndices.clear();
  E.Tasks = 0;
  for (const TaskNode *T = E.C.T; T;) {
    const PackedParams Packed = T->Type == E.C.T->Type ? packedOf(*E.C.V->Desc) : PackedParams();
    for (const Access &A : T->accesses())
      addRequest(E, A, Packed);
    if (++E.Tasks > MostFollowers)
      break;
    const TaskNode *Next = nullptr; // The first one submitted.
    for (const SuccessorLink *L = T->Successors.load(std::memory_order_acquire); L; L = L->Next)
      if (const TaskNode &To = *L->To; To.Type && !To.isWait() && !To.isCombination() && !To.isBundle() &&
                                       To.Pending.load(std::memory_order_acquire) == 1)
        Next = &To;
    T = Next;
  }
}

size_t TightChoice::best(Directory &Data, MemoryNode Node) {
  const int32_t Urgent =
      std::ranges::max_element(Candidates, {}, [](auto &E) { return E.C.T->Priority; })->C.T->Priority;
  auto isUrgent = [Urgent](const Each &E) { return E.C.T->Priority == Urgent; };
  if (auto It = std::ranges::find_if(Candidates, [&](auto &E) { return isUrgent(E) && E.PassedOver > MostPassedOver; });
      It != Candidates.end())
    return static_cast<size_t>(It - Candidates.begin());

  Requests.clear();
  At.clear();
  for (Each &E : Candidates)
    if (isUrgent(E))
      lookAhead(E);
  Data.survey(Requests, Node);
  Users.assign(Requests.size(), 0);
  const size_t Words = (Requests.size() + 63) / 64;
  Rows.assign(Words * Candidates.size(), 0);
  for (Each &E : Candidates) {
    E.Bytes = 0;
    if (isUrgent(E))
      for (uint32_t W : E.DataIndices) {
        E.Bytes += Requests[W].Missing;
        ++Users[W];
      }
  }
  auto rowOf = [&](size_t I) { return std::span(Rows).subspan(I * Words, Words); };
  for (size_t I = 0; I < Candidates.size(); ++I) {
    Candidates[I].Lacks = 0;
    if (isUrgent(Candidates[I]))
      for (uint32_t W : Candidates[I].DataIndices)
        if (Requests[W].Missing && Users[W] > 1) {
          rowOf(I)[W / 64] |= uint64_t(1) << W % 64;
          ++Candidates[I].Lacks;
        }
  }

  size_t Best = 0;
  bool BestLacks = true;
  double Least = std::numeric_limits<double>::max();
  for (size_t I = 0; I < Candidates.size(); ++I) {
    const Each &E = Candidates[I];
    if (!isUrgent(E))
      continue;
    const auto Row = rowOf(I);
    const bool IsLacking = E.Lacks != 0;
    double Served = 0;
    for (size_t O = 0; O < Candidates.size() && IsLacking; ++O) {
      unsigned Common = 0;
      for (size_t W = 0; W < Words; ++W)
        Common += static_cast<unsigned>(std::popcount(rowOf(O)[W] & Row[W]));
      if (Common) {
        double Part = double(Common) / Candidates[O].Lacks;
        Served += Candidates[O].Tasks * Part * Part;
      }
    }
    // Later uses count less than the present transfer, because the data may have been evicted by then. The exponent was
    // found by experiment; its effect is small.
    const double Bytes = static_cast<double>(E.Bytes);
    const double Cost = IsLacking ? Bytes * Bytes * Bytes * Bytes / Served : Bytes / E.Tasks;
    if (std::pair(IsLacking, Cost) < std::pair(BestLacks, Least)) {
      Best = I;
      BestLacks = IsLacking;
      Least = Cost;
    }
  }
  return Best;
}

TightChoice::Candidate TightChoice::take(Directory &Data, MemoryNode Node) {
  auto Chosen = std::ranges::max_element(Candidates, {}, [](auto &E) { return E.C.T->Priority; });
  try {
    Chosen = Candidates.begin() + static_cast<ptrdiff_t>(best(Data, Node));
  } catch (const std::bad_alloc &) { // Without a comparison: the first of the most urgent ones.
  }
  const Candidate C = Chosen->C;
  for (auto It = Candidates.begin(); It != Chosen; ++It)
    ++It->PassedOver;
  Candidates.erase(Chosen);
  return C;
}

} // namespace hsched::rt
