// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Sections.h"

#include <algorithm>
#include <map>

namespace hsched::check {
namespace {

struct Row {
  Address Low, High;
  unsigned Mode, Access;
};

Segment segmentOf(const Row &R) {
  return {R.Low, R.High, R.Mode != HSCHED_OUT, R.Mode != HSCHED_IN, R.Mode == HSCHED_OUT, R.Access, SIZE_MAX};
}

// The union of the rights of two sections.
void unite(Segment &To, const Row &R) {
  const Segment More = segmentOf(R);
  if ((!To.MayWrite && More.MayWrite) || (To.Overwritten && More.MayRead && More.MayWrite))
    To.Access = More.Access;
  To.MayRead |= More.MayRead;
  To.MayWrite |= More.MayWrite;
  To.Overwritten = To.Overwritten && More.Overwritten;
}

} // namespace

Sections::Sections(std::span<const hsched_access> Accesses) {
  std::vector<Row> Rows;
  for (unsigned I = 0; I < Accesses.size(); ++I)
    forEachRow(Accesses[I], [&](Address Low, Address High) { Rows.push_back({Low, High, Accesses[I].mode, I}); });
  std::ranges::stable_sort(Rows, {}, &Row::Low);
  std::multimap<Address, Row> Open; // Keyed by end.
  auto cut = [&](Address From, Address To) {
    if (From >= To || Open.empty())
      return;
    auto It = Open.begin();
    Segment S = segmentOf(It->second);
    for (++It; It != Open.end(); ++It)
      unite(S, It->second);
    S.Low = From;
    S.High = To;
    if (!Parts.empty() && Parts.back().High == From && Parts.back().Access == S.Access &&
        Parts.back().MayRead == S.MayRead && Parts.back().MayWrite == S.MayWrite)
      Parts.back().High = To;
    else
      Parts.push_back(S);
  };
  Address At = 0;
  auto closeUpTo = [&](Address End) {
    while (!Open.empty() && Open.begin()->first <= End) {
      cut(At, Open.begin()->first);
      At = Open.begin()->first;
      Open.erase(Open.begin());
    }
  };
  for (const Row &R : Rows) {
    closeUpTo(R.Low);
    cut(At, R.Low);
    At = R.Low;
    Open.emplace(R.High, R);
  }
  closeUpTo(UINTPTR_MAX);
  size_t Total = 0;
  for (Segment &S : Parts)
    if (S.Overwritten) {
      S.Written = Total;
      Total += S.High - S.Low;
    }
  Bytes.resize(Total);
}

Segment *Sections::findOther(Address A) {
  auto After = std::ranges::upper_bound(Parts, A, {}, &Segment::Low);
  if (After == Parts.begin() || std::prev(After)->High <= A)
    return nullptr;
  return Last = &*std::prev(After);
}

Segment *Sections::next(Address A) {
  auto At = std::ranges::lower_bound(Parts, A, {}, &Segment::Low);
  return At == Parts.end() ? nullptr : &*At;
}

} // namespace hsched::check
