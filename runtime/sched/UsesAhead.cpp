// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/UsesAhead.h"

#include <algorithm>
#include <functional>

namespace hsched::rt {

std::size_t UsesAhead::Hash::operator()(const Section &S) const {
  return std::hash<const void *>()(S.Base) ^ (std::hash<std::size_t>()(S.Bytes) << 1);
}

void UsesAhead::submitted(const Task &T) {
  std::lock_guard Guard(Lock);
  for (const hsched_access &A : T.accesses()) {
    const Section S = sectionOf(A);
    Use &Of = Uses[S];
    if (++Of.Number == 1)
      All += S.Bytes;
    Of.Writers += (A.mode & HSCHED_OUT) != 0;
  }
}

void UsesAhead::ended(const Task &T) {
  std::lock_guard Guard(Lock);
  for (const hsched_access &A : T.accesses())
    if (const auto At = Uses.find(sectionOf(A)); At != Uses.end()) {
      At->second.Writers -= (A.mode & HSCHED_OUT) && At->second.Writers;
      if (--At->second.Number == 0) {
        moves(At->first, At->second, NoWorker);
        All -= At->first.Bytes;
        Uses.erase(At);
      }
    }
}

void UsesAhead::moves(const Section &S, Use &Of, WorkerId To) {
  if (Of.At != NoWorker)
    Bytes[Of.At] -= S.Bytes;
  if (To != NoWorker)
    Bytes[To] += S.Bytes;
  Of.At = To;
}

void UsesAhead::planned(const Task &T, WorkerId W) {
  std::lock_guard Guard(Lock);
  if (W != NoWorker && Bytes.size() <= W)
    Bytes.resize(W + size_t(1));
  for (const hsched_access &A : T.accesses())
    if (const auto At = Uses.find(sectionOf(A)); At != Uses.end())
      moves(At->first, At->second, W);
}

std::size_t UsesAhead::bytesAt(WorkerId W) const {
  std::lock_guard Guard(Lock);
  return W < Bytes.size() ? Bytes[W] : 0;
}

WorkerId UsesAhead::holderOf(const Task &T) const {
  std::lock_guard Guard(Lock);
  WorkerId Holder = NoWorker;
  size_t Most = 0;
  for (const hsched_access &A : T.accesses())
    if ((A.mode & HSCHED_OUT) && (A.mode & HSCHED_IN))
      if (const auto At = Uses.find(sectionOf(A)); At != Uses.end() && At->first.Bytes > Most) {
        Most = At->first.Bytes;
        Holder = At->second.At;
      }
  return Holder;
}

UsesAhead::Where UsesAhead::bytes() const {
  std::lock_guard Guard(Lock);
  Where Found;
  for (std::size_t Each : Bytes)
    Found.OnDevices += Each;
  Found.OnHost = All - Found.OnDevices;
  return Found;
}

template <class Fn> double UsesAhead::meanOfRead(const Task &T, Fn Of) const {
  double All = 0, Sum = 0;
  std::lock_guard Guard(Lock);
  for (const hsched_access &A : T.accesses()) {
    if (!(A.mode & HSCHED_IN))
      continue;
    const Section S = sectionOf(A);
    const auto At = Uses.find(S);
    All += static_cast<double>(S.Bytes);
    Sum += static_cast<double>(S.Bytes) * Of(At == Uses.end() ? Use() : At->second);
  }
  return All > 0 ? Sum / All : 1;
}

double UsesAhead::share(const Task &T) const {
  return meanOfRead(T, [](const Use &Of) { return 1.0 / std::max(Of.Number, 1u); });
}

double UsesAhead::writtenShare(const Task &T) const {
  return meanOfRead(T, [](const Use &Of) { return Of.Writers ? 1.0 : 0.0; });
}

} // namespace hsched::rt
