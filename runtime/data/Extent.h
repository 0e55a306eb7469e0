// Rows of bytes in host memory: the extent of an access, a fragment or a replica.
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
  uint64_t Bytes = 0, Rows = 1, Stride = 0; // Bytes of a row. Stride is used if there are several.
  uintptr_t end() const { return Begin + (Rows - 1) * Stride + Bytes; }
  uint64_t bytes() const { return Rows * Bytes; }
  bool operator==(const Extent &) const = default;
  // True if it overlaps [Lo, Hi), or O.
  bool touches(uintptr_t Lo, uintptr_t Hi) const;
  bool touches(const Extent &O) const;
};

// All of host memory from Lo to Hi.
constexpr Extent rangeOf(uintptr_t Lo, uintptr_t Hi) { return {Lo, Hi - Lo, 1, 0}; }

// The extent of A. Rows without gaps between them are one row.
inline Extent extentOf(const Access &A) {
  return A.rows == 1 || A.stride <= A.bytes ? rangeOf(beginOf(A), endOf(A))
                                            : Extent{beginOf(A), A.bytes, A.rows, A.stride};
}

// Distance of Part's rows in a block that holds the rows of Whole packed (a range is held as it is). Null if Part is
// not inside Whole, or if its rows would not be at equal distances.
std::optional<uint64_t> compactStride(const Extent &Whole, const Extent &Part);

// The smallest rectangle around both, if they are tiles of one matrix and overlap. Otherwise, or if that is smaller,
// the range around them.
Extent enclosing(const Extent &A, const Extent &B);

// The intersection of A and B in few non-empty pieces. Each piece lies in one row of either, or has the row distance of
// one of them.
std::vector<Extent> common(const Extent &A, const Extent &B);

} // namespace hsched::rt
#endif
