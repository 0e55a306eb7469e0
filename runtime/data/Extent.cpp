// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Extent.h"

#include <algorithm>

namespace hsched::rt {

bool Extent::touches(uintptr_t Lo, uintptr_t Hi) const {
  if (Rows == 1)
    return Lo < Begin + Bytes && Begin < Hi;
  // The first row that ends behind Lo.
  uint64_t Row = Lo < Begin + Bytes ? 0 : (Lo - Begin - Bytes) / Stride + 1;
  return Row < Rows && Begin + Row * Stride < Hi;
}

bool Extent::touches(const Extent &O) const {
  if (O.end() <= Begin || end() <= O.Begin)
    return false;
  if (O.Rows == 1)
    return touches(O.Begin, O.end());
  if (Rows == 1)
    return O.touches(Begin, end());
  if (Stride == O.Stride) {
    // Row and column, in the tile that begins first, where the other one begins.
    const Extent &A = Begin <= O.Begin ? *this : O, &B = Begin <= O.Begin ? O : *this;
    uint64_t Row = (B.Begin - A.Begin) / Stride, Column = (B.Begin - A.Begin) % Stride;
    return (Column < A.Bytes && Row < A.Rows) || (Column + B.Bytes > Stride && Row + 1 < A.Rows);
  }
  const Extent &Few = Rows <= O.Rows ? *this : O, &Many = Rows <= O.Rows ? O : *this;
  for (uint64_t Row = 0; Row < Few.Rows; ++Row)
    if (uintptr_t Lo = Few.Begin + Row * Few.Stride; Many.touches(Lo, Lo + Few.Bytes))
      return true;
  return false;
}

std::optional<uint64_t> compactStride(const Extent &Whole, const Extent &Part) {
  if (Part.Begin < Whole.Begin || Part.end() > Whole.end())
    return std::nullopt;
  if (Whole.Rows == 1)
    return Part.Stride;
  uint64_t Row = (Part.Begin - Whole.Begin) / Whole.Stride, Column = (Part.Begin - Whole.Begin) % Whole.Stride;
  if (Row >= Whole.Rows || Column >= Whole.Bytes)
    return std::nullopt;
  if (Part.end() - Part.Begin <= Whole.Bytes - Column) // All in one row.
    return Part.Stride;
  if (Part.Rows == 1 || Part.Bytes > Whole.Bytes - Column || Part.Stride % Whole.Stride != 0)
    return std::nullopt;
  return Part.Stride / Whole.Stride * Whole.Bytes; // Whole contains the last row, or Part would end behind Whole.
}

Extent enclosing(const Extent &A, const Extent &B) {
  if (compactStride(A, B))
    return A;
  if (compactStride(B, A))
    return B;
  const Extent &First = A.Begin <= B.Begin ? A : B, &Last = A.Begin <= B.Begin ? B : A;
  const uint64_t Stride = A.Rows > 1 ? A.Stride : B.Stride;
  if ((A.Rows > 1 || B.Rows > 1) && (A.Rows == 1 || B.Rows == 1 || A.Stride == B.Stride) && A.Bytes < Stride &&
      B.Bytes < Stride) {
    uint64_t Row = (Last.Begin - First.Begin) / Stride, Column = (Last.Begin - First.Begin) % Stride;
    // Last begins right of First's begin, or one row further down and left of it.
    bool Right = Column<First.Bytes, Left = Column + Last.Bytes> Stride;
    uint64_t Shift = Left ? Stride - Column : 0;
    uint64_t Bytes = Right ? std::max(First.Bytes, Column + Last.Bytes) : std::max(Shift + First.Bytes, Last.Bytes);
    uint64_t Rows = std::max(First.Rows, Row + (Left ? 1 : 0) + Last.Rows);
    // A rectangle of few rows may be larger than the range between: it has its own corners.
    if (Right != Left && Bytes < Stride && Rows * Bytes <= std::max(A.end(), B.end()) - First.Begin)
      return {First.Begin - Shift, Bytes, Rows, Stride};
  }
  return rangeOf(First.Begin, std::max(A.end(), B.end()));
}

// Intersection of a range and a tile: a partial row, whole rows, a partial row.
static void commonRows(const Extent &Range, const Extent &Tile, std::vector<Extent> &Out) {
  auto row = [&](uint64_t Row) { return Tile.Begin + Row * Tile.Stride; };
  auto add = [&](uint64_t Row, uint64_t Rows) {
    uintptr_t Lo = row(Row), Hi = Lo + Tile.Bytes;
    if (Rows == 1) {
      Lo = std::max(Lo, Range.Begin);
      Hi = std::min(Hi, Range.end());
    }
    if (Lo < Hi && Rows > 0)
      Out.push_back({Lo, Hi - Lo, Rows, Rows > 1 ? Tile.Stride : 0});
  };
  // Rows from First on begin in the range; rows before Last end in it.
  uint64_t First = 0, Last = 0;
  if (Range.Begin > Tile.Begin)
    First = std::min(Tile.Rows, (Range.Begin - Tile.Begin + Tile.Stride - 1) / Tile.Stride);
  if (Range.end() >= Tile.Begin + Tile.Bytes)
    Last = std::min(Tile.Rows, (Range.end() - Tile.Begin - Tile.Bytes) / Tile.Stride + 1);
  if (First > 0)
    add(First - 1, 1);
  if (First < Last)
    add(First, Last - First);
  if (First <= Last && Last < Tile.Rows)
    add(Last, 1);
}

std::vector<Extent> common(const Extent &A, const Extent &B) {
  std::vector<Extent> Out;
  if (A.Rows == 1 && B.Rows == 1) {
    if (uintptr_t Lo = std::max(A.Begin, B.Begin), Hi = std::min(A.end(), B.end()); Lo < Hi)
      Out.push_back(rangeOf(Lo, Hi));
    return Out;
  }
  if (A.Rows == 1 || B.Rows == 1) {
    commonRows(A.Rows == 1 ? A : B, A.Rows == 1 ? B : A, Out);
    return Out;
  }
  if (A.Stride == B.Stride) {
    const Extent &First = A.Begin <= B.Begin ? A : B, &Last = A.Begin <= B.Begin ? B : A;
    uint64_t Row = (Last.Begin - First.Begin) / A.Stride, Column = (Last.Begin - First.Begin) % A.Stride;
    auto add = [&](uintptr_t Lo, uint64_t Bytes, uint64_t Rows) {
      if (Rows > 0)
        Out.push_back({Lo, Bytes, Rows, Rows > 1 ? A.Stride : 0});
    };
    auto rows = [&](uint64_t From) { return First.Rows > From ? std::min(First.Rows - From, Last.Rows) : 0; };
    if (Column < First.Bytes) // Last begins right of First's begin.
      add(Last.Begin, std::min(First.Bytes - Column, Last.Bytes), rows(Row));
    if (Column + Last.Bytes > A.Stride) // Its rows reach into First's next rows.
      add(First.Begin + (Row + 1) * A.Stride, std::min(Column + Last.Bytes - A.Stride, First.Bytes), rows(Row + 1));
    return Out;
  }
  for (uint64_t Row = 0; Row < A.Rows; ++Row)
    commonRows(rangeOf(A.Begin + Row * A.Stride, A.Begin + Row * A.Stride + A.Bytes), B, Out);
  return Out;
}

} // namespace hsched::rt
