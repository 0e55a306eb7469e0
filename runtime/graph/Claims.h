// A set of addresses: the memory that only one part of a domain knows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GRAPH_CLAIMS_H
#define HSCHED_GRAPH_CLAIMS_H

#include "graph/IntervalIndex.h"

namespace hsched::rt {

// Adjacent intervals are merged. Not thread-safe. A function that throws std::bad_alloc has no effect.
class Claims {
public:
  bool empty() const { return All.size() == 0; }
  size_t size() const { return All.size(); } // Number of intervals.

  // True if all of [Begin, End), not empty, is in the set.
  bool covers(uintptr_t Begin, uintptr_t End) {
    Range *R = All.find(Begin);
    if (!R || R->Begin > Begin || R->End < End)
      return false;
    All.stay(R);
    return true;
  }
  bool overlaps(uintptr_t Begin, uintptr_t End) const {
    const Range *R = All.find(Begin);
    return R && R->Begin < End;
  }

  void add(uintptr_t Begin, uintptr_t End) {
    prepare(Begin);
    Range *R = endingAt(Begin);
    for (Range *Next = R->Next; Next && Next->Begin <= End;) {
      End = std::max(End, Next->End);
      Next = All.erase(*Next);
    }
    R->End = std::max(R->End, End);
  }
  // Reserves memory: the next add of an interval that begins at Begin cannot fail.
  void prepare(uintptr_t Begin) {
    if (Range *R = endingAt(Begin); !R || R->Begin > Begin)
      All.insert(Begin, Begin, R); // An empty interval.
  }

  // Cuts the intervals at At, so that remove on either side of it cannot fail.
  void cut(uintptr_t At) {
    Range *R = All.find(At);
    if (!R || R->Begin >= At)
      return;
    All.insert(At, R->End, R->Next);
    R->End = At;
  }
  // Removes [Begin, End), at both of which the set has been cut.
  void removeCut(uintptr_t Begin, uintptr_t End) noexcept {
    for (Range *R = All.find(Begin); R && R->Begin < End;)
      R = All.erase(*R);
  }

  void clear() { All.clear(); }

private:
  struct Range {
    uintptr_t Begin = 0, End = 0;
    Range *Prev = nullptr, *Next = nullptr;
  };
  // The first interval that ends at Begin or later.
  Range *endingAt(uintptr_t Begin) const { return All.find(Begin ? Begin - 1 : 0); }

  IntervalIndex<Range> All;
};

} // namespace hsched::rt
#endif
