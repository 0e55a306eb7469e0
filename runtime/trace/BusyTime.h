// Busy time from intervals that may overlap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_BUSYTIME_H
#define HSCHED_TRACE_BUSYTIME_H

#include "base/Clock.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hsched::rt {

// The length of the union of intervals, in bounded memory. Intervals overlap if a device runs several kernels at once
// or a task waits for others on the same worker. Exact if no interval begins more than MaxPieces / 2 gaps before the
// latest end; a later one is cut there. Not thread-safe.
class BusyTime {
public:
  void add(Interval I) {
    if (Count == MaxPieces)
      settle();
    I.Begin = std::max(I.Begin, Settled);
    if (I.End <= I.Begin)
      return;
    // Pieces are disjoint and sorted; I is nearly always the last. [First, Last) overlaps it.
    size_t First = Count;
    while (First > 0 && Pieces[First - 1].End >= I.Begin)
      --First;
    size_t Last = First;
    for (; Last < Count && Pieces[Last].Begin <= I.End; ++Last) {
      I.Begin = std::min(I.Begin, Pieces[Last].Begin);
      I.End = std::max(I.End, Pieces[Last].End);
    }
    auto At = [this](size_t K) { return Pieces.begin() + static_cast<std::ptrdiff_t>(K); };
    if (First == Last)
      std::move_backward(At(First), At(Count), At(Count + 1));
    else
      std::move(At(Last), At(Count), At(First + 1));
    Count = Count + 1 - (Last - First);
    Pieces[First] = I;
  }

  Duration total() const {
    Duration Sum = Before;
    for (size_t K = 0; K < Count; ++K)
      Sum += Pieces[K].length();
    return Sum;
  }

private:
  static constexpr size_t MaxPieces = 64;

  // Frees space: the older half is final.
  void settle() {
    constexpr size_t Half = MaxPieces / 2;
    for (size_t K = 0; K < Half; ++K)
      Before += Pieces[K].length();
    Settled = Pieces[Half - 1].End;
    std::move(Pieces.begin() + Half, Pieces.end(), Pieces.begin());
    Count -= Half;
  }

  std::array<Interval, MaxPieces> Pieces;
  size_t Count = 0;
  Duration Before{0};
  TimePoint Settled = TimePoint::min();
};

} // namespace hsched::rt
#endif
