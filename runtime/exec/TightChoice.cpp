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

void TightChoice::want(Each &E, const Access &A, PackedParams Packed) {
  if (endOf(A) <= beginOf(A) || E.Wants.size() == MaxRequests)
    return;
  // Sections with one begin are mostly equal; if not, the estimate is slightly wrong.
  auto [It, New] = At.try_emplace(beginOf(A), static_cast<uint32_t>(Wanted.size()));
  if (New)
    Wanted.push_back({&A, Packed, 0});
  if (std::ranges::find(E.Wants, It->second) == E.Wants.end())
    E.Wants.push_back(It->second);
}

// The visited tasks cannot be complete, and freed, before E's task, which waits here.
void TightChoice::lookAhead(Each &E) {
  E.Wants.clear();
  E.Tasks = 0;
  for (const TaskNode *T = E.C.T; T;) {
    const PackedParams Packed = T->Type == E.C.T->Type ? packedOf(*E.C.V->Desc) : PackedParams();
    for (const Access &A : T->accesses())
      want(E, A, Packed);
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
  const int32_t Urgent = std::ranges::max_element(Known, {}, [](auto &E) { return E.C.T->Priority; })->C.T->Priority;
  auto counts = [Urgent](const Each &E) { return E.C.T->Priority == Urgent; };
  if (auto It = std::ranges::find_if(Known, [&](auto &E) { return counts(E) && E.PassedOver > MostPassedOver; });
      It != Known.end())
    return static_cast<size_t>(It - Known.begin());

  Wanted.clear();
  At.clear();
  for (Each &E : Known)
    if (counts(E))
      lookAhead(E);
  Data.survey(Wanted, Node);
  Users.assign(Wanted.size(), 0);
  const size_t Words = (Wanted.size() + 63) / 64;
  Rows.assign(Words * Known.size(), 0);
  for (Each &E : Known) {
    E.Bytes = 0;
    if (counts(E))
      for (uint32_t W : E.Wants) {
        E.Bytes += Wanted[W].Missing;
        ++Users[W];
      }
  }
  auto rowOf = [&](size_t I) { return std::span(Rows).subspan(I * Words, Words); };
  for (size_t I = 0; I < Known.size(); ++I) {
    Known[I].Lacks = 0;
    if (counts(Known[I]))
      for (uint32_t W : Known[I].Wants)
        if (Wanted[W].Missing && Users[W] > 1) {
          rowOf(I)[W / 64] |= uint64_t(1) << W % 64;
          ++Known[I].Lacks;
        }
  }

  size_t Best = 0;
  bool BestLacks = true;
  double Least = std::numeric_limits<double>::max();
  for (size_t I = 0; I < Known.size(); ++I) {
    const Each &E = Known[I];
    if (!counts(E))
      continue;
    const auto Mine = rowOf(I);
    const bool IsLacking = E.Lacks != 0;
    double Served = 0;
    for (size_t O = 0; O < Known.size() && IsLacking; ++O) {
      unsigned Common = 0;
      for (size_t W = 0; W < Words; ++W)
        Common += static_cast<unsigned>(std::popcount(rowOf(O)[W] & Mine[W]));
      if (Common) {
        double Part = double(Common) / Known[O].Lacks;
        Served += Known[O].Tasks * Part * Part;
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
  auto Chosen = std::ranges::max_element(Known, {}, [](auto &E) { return E.C.T->Priority; });
  try {
    Chosen = Known.begin() + static_cast<ptrdiff_t>(best(Data, Node));
  } catch (const std::bad_alloc &) { // Without a comparison: the first of the most urgent ones.
  }
  const Candidate C = Chosen->C;
  for (auto It = Known.begin(); It != Chosen; ++It)
    ++It->PassedOver;
  Known.erase(Chosen);
  return C;
}

} // namespace hsched::rt
