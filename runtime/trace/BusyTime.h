// How long something was busy, from intervals that may overlap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_BUSYTIME_H
#define HSCHED_TRACE_BUSYTIME_H

#include "base/Clock.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace hsched::rt {

// The length of the union of intervals, in bounded memory. Intervals overlap where a device runs several kernels at
// once or a task waits for others on the same worker. Exact as long as no interval begins more than MaxPieces / 2 gaps
// before the end of the latest; what comes later than that counts from there. Not thread-safe.
class BusyTime {
public:
  void add(Interval I) {
    I.Begin = std::max(I.Begin, Settled);
    if (I.End <= I.Begin)
      return;
    // Pieces are disjoint and sorted; nearly always I comes last.
    auto First = Pieces.end();
    while (First != Pieces.begin() && std::prev(First)->End >= I.Begin)
      --First;
    auto Last = First;
    for (; Last != Pieces.end() && Last->Begin <= I.End; ++Last) {
      I.Begin = std::min(I.Begin, Last->Begin);
      I.End = std::max(I.End, Last->End);
    }
    Pieces.insert(Pieces.erase(First, Last), I);
    if (Pieces.size() > MaxPieces)
      settle(MaxPieces / 2);
  }

  Duration total() const {
    Duration Sum = Before;
    for (const Interval &I : Pieces)
      Sum += I.length();
    return Sum;
  }

private:
  static constexpr size_t MaxPieces = 128;

  void settle(size_t N) {
    for (size_t K = 0; K < N; ++K)
      Before += Pieces[K].length();
    Settled = Pieces[N - 1].End;
    Pieces.erase(Pieces.begin(), Pieces.begin() + static_cast<std::ptrdiff_t>(N));
  }

  std::vector<Interval> Pieces;
  Duration Before{0};
  TimePoint Settled = TimePoint::min();
};

} // namespace hsched::rt
#endif
