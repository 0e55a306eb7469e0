// Rows of bytes in host memory: what an access names, what a fragment and a replica stand for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DATA_EXTENT_H
#define HSCHED_DATA_EXTENT_H

#include "graph/Task.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace hsched::rt {

// Rows of one length, at equal distances; one row: a range.
struct Extent {
  uintptr_t Begin = 0;
  uint64_t Bytes = 0, Rows = 1, Stride = 0; // Bytes: of a row; Stride matters where there are several.
  uintptr_t end() const { return Begin + (Rows - 1) * Stride + Bytes; }
  uint64_t bytes() const { return Rows * Bytes; }
  bool operator==(const Extent &) const = default;
  // Whether [Lo, Hi) has a byte of it, or O has.
  bool touches(uintptr_t Lo, uintptr_t Hi) const;
  bool touches(const Extent &O) const;
};

// All of host memory from Lo to Hi.
constexpr Extent rangeOf(uintptr_t Lo, uintptr_t Hi) { return {Lo, Hi - Lo, 1, 0}; }

// What A names, without gaps where its rows have none between them.
inline Extent extentOf(const Access &A) {
  return A.rows == 1 || A.stride <= A.bytes ? rangeOf(beginOf(A), endOf(A))
                                            : Extent{beginOf(A), A.bytes, A.rows, A.stride};
}

// How far apart the rows of Part are where the rows of Whole lie one behind the other (where Whole is a range: as they
// are); null where Part is not all in Whole, or not at equal distances then.
std::optional<uint64_t> compactStride(const Extent &Whole, const Extent &Part);

// The smallest rectangle with both in it, where both are of one matrix and overlap; else, or where that is less, the
// range around them.
Extent enclosing(const Extent &A, const Extent &B);

// What A and B have in common, in few pieces, none of which is empty; each is all in one row of either, or of rows as
// far apart as those of one that is a tile.
std::vector<Extent> common(const Extent &A, const Extent &B);

} // namespace hsched::rt
#endif
