// An index of strided sections: by shape in constant time, and by overlap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section of several rows is a rectangle in a grid whose width is the stride. Row and column are the quotient and the
// remainder of its address. Sections of one stride and about one size are kept by row, then by column. So those near a
// rectangle are found without visiting each of its rows. Columns wrap around: a piece that passes the end of a grid row
// continues in the next one.
#ifndef HSCHED_GRAPH_TILEINDEX_H
#define HSCHED_GRAPH_TILEINDEX_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace hsched::rt {

// Rows pieces of Bytes bytes, Stride from one's beginning to the next one's. One row: contiguous, whatever the stride.
struct TileShape {
  uintptr_t Base;
  size_t Bytes, Rows, Stride;

  uintptr_t end() const { return Base + (Rows - 1) * Stride + Bytes; }
  auto operator<=>(const TileShape &) const = default;
};

// Index of the first row of S that ends after Address; it may exceed the number of rows. S has several rows.
inline size_t firstRowAfter(const TileShape &S, uintptr_t Address) {
  return Address < S.Base + S.Bytes ? 0 : (Address - S.Base - S.Bytes) / S.Stride + 1;
}

// True if S, of several disjoint rows, has a byte in [Begin, End).
inline bool touches(const TileShape &S, uintptr_t Begin, uintptr_t End) {
  if (Begin >= End || S.Bytes == 0)
    return false;
  size_t Row = firstRowAfter(S, Begin);
  return Row < S.Rows && S.Base + Row * S.Stride < End;
}

// The least X with Low <= A * X mod M <= High, where A < M and Low <= High < M. If no X is below 2^64 / A: the greatest
// number. As in Euclid's algorithm. Either a multiple of A lies in the interval, or the recursion finds the number of
// wraps around M that brings one there.
inline uint64_t firstMultipleIn(uint64_t A, uint64_t M, uint64_t Low, uint64_t High) {
  constexpr uint64_t None = UINT64_MAX;
  if (Low == 0)
    return 0;
  if (A == 0)
    return None;
  uint64_t X = (Low + A - 1) / A;
  if (X * A <= High)
    return X;
  // No multiple of A lies in [Low, High], so the distances to the next multiple form an interval as well.
  uint64_t Times = firstMultipleIn(M % A, A, A - High % A, A - Low % A);
  return Times > (None - Low - A) / M ? None : (Low + M * Times + A - 1) / A;
}

// True if two sections of several rows with different strides share a byte.
inline bool rowsMeet(const TileShape &A, const TileShape &B) {
  auto rowMeets = [&](size_t R) {
    return R < A.Rows && touches(B, A.Base + R * A.Stride, A.Base + R * A.Stride + A.Bytes);
  };
  // First and last row of A that can overlap B's hull.
  size_t First = firstRowAfter(A, B.Base), Last = std::min(A.Rows - 1, (B.end() - 1 - A.Base) / A.Stride);
  if (First > Last)
    return false;
  // The rows at both ends may reach beyond B. For the rows between, B may be taken as infinite.
  if (rowMeets(First) || rowMeets(Last))
    return true;
  if (Last - First < 2)
    return false;
  if (A.Bytes + B.Bytes > B.Stride)
    return true;
  // Overlap: a row's last byte, counted from the start of a row of B, is less than the sum of both lengths.
  uint64_t Wide = A.Bytes + B.Bytes - 2, Step = A.Stride % B.Stride;
  uint64_t At = (A.Base + (First + 1) * A.Stride + A.Bytes - 1 - B.Base) % B.Stride;
  if (At <= Wide)
    return true;
  uint64_t Low = B.Stride - At; // The least offset to add; less than a full wrap.
  return firstMultipleIn(Step, B.Stride, Low, Low + Wide) <= Last - First - 2;
}

// True if two sections share a byte. The rows of each are disjoint. Does not iterate over rows.
inline bool overlap(const TileShape &A, const TileShape &B) {
  if (A.Bytes == 0 || B.Bytes == 0 || A.Base >= B.end() || B.Base >= A.end())
    return false;
  if (A.Rows == 1)
    return B.Rows == 1 || touches(B, A.Base, A.Base + A.Bytes);
  if (B.Rows == 1)
    return touches(A, B.Base, B.Base + B.Bytes);
  if (A.Stride != B.Stride)
    return rowsMeet(A, B);
  // Row i of A and row i + k of B share a byte where -B.Bytes < D + k * Stride < A.Bytes.
  auto Stride = static_cast<intptr_t>(A.Stride), D = static_cast<intptr_t>(B.Base - A.Base);
  intptr_t Over = -static_cast<intptr_t>(B.Bytes) - D;
  // The least k that satisfies the left inequality.
  intptr_t K = (Over >= 0 ? Over / Stride : -((-Over + Stride - 1) / Stride)) + 1;
  K = std::max(K, 1 - static_cast<intptr_t>(A.Rows));
  return K < static_cast<intptr_t>(B.Rows) && D + K * Stride < static_cast<intptr_t>(A.Bytes);
}

// True if S contains all bytes of T. May return false for a T of another stride, or with columns that wrap around.
inline bool covers(const TileShape &S, const TileShape &T) {
  if (T.Base < S.Base || T.end() > S.end())
    return false;
  if (S.Rows == 1)
    return true;
  if (T.Rows > 1 && T.Stride != S.Stride)
    return false;
  return (T.Base - S.Base) % S.Stride + T.Bytes <= S.Bytes; // T's rows are then rows of S, because its end lies in S.
}

// Node has a TileShape Shape, and is constructible without arguments; it keeps its address. One thread at a time.
// Functions that insert may throw std::bad_alloc, without effect.
template <class Node> class TileIndex {
public:
  bool empty() const { return All.empty(); }
  size_t size() const { return All.size(); }

  Node *find(const TileShape &S) const {
    auto It = All.find(S);
    return It == All.end() ? nullptr : It->second.get();
  }

  // Inserts S, which has several rows and is not in the index.
  Node &insert(const TileShape &S) {
    auto New = std::make_unique<Node>();
    New->Shape = S;
    Node &N = *New;
    auto [It, Made] = All.emplace(S, std::move(New));
    try {
      Grids[gridOf(S)][S.Base / S.Stride].emplace(S.Base % S.Stride, &N);
    } catch (...) {
      forget(S, N);
      All.erase(It);
      throw;
    }
    return N;
  }

  // Calls Visit(Node &) for each section that shares a byte with S. Visit must not change the index.
  template <class Fn> void forEachOverlap(const TileShape &S, Fn Visit) const {
    for (const auto &[Key, G] : Grids) {
      uintptr_t First = S.Base / Key.Stride, Back = (uintptr_t(2) << Key.LogRows) + 1;
      auto It = G.lower_bound(First > Back ? First - Back : 0);
      for (; It != G.end() && It->first <= (S.end() - 1) / Key.Stride; ++It)
        eachInRow(It->second, S, Key, Visit);
    }
  }

  template <class Fn> void forEach(Fn Visit) const {
    for (const auto &Entry : All)
      Visit(*Entry.second);
  }

  // Erases all sections for which Drop(Node &) is true.
  template <class Fn> void eraseIf(Fn Drop) {
    for (auto It = All.begin(); It != All.end();) {
      if (!Drop(*It->second)) {
        ++It;
        continue;
      }
      forget(It->first, *It->second);
      It = All.erase(It);
    }
  }

private:
  using Row = std::multimap<size_t, Node *>; // By column.
  using Grid = std::map<uintptr_t, Row>;     // By the row of a section's first byte.
  // Sections of about one size: this bounds the distance at which a section that reaches a place may begin.
  struct GridKey {
    size_t Stride;
    unsigned LogRows, LogBytes; // Logarithms, rounded down.
    auto operator<=>(const GridKey &) const = default;
  };

  static GridKey gridOf(const TileShape &S) {
    auto log = [](size_t N) { return static_cast<unsigned>(std::bit_width(N)) - 1; };
    return {S.Stride, log(S.Rows), log(S.Bytes)};
  }

  void forget(const TileShape &S, const Node &N) {
    auto G = Grids.find(gridOf(S));
    if (G == Grids.end())
      return;
    if (auto R = G->second.find(S.Base / S.Stride); R != G->second.end()) {
      auto [First, Last] = R->second.equal_range(S.Base % S.Stride);
      if (auto At = std::find_if(First, Last, [&N](auto &Entry) { return Entry.second == &N; }); At != Last)
        R->second.erase(At);
      if (R->second.empty())
        G->second.erase(R);
    }
    if (G->second.empty())
      Grids.erase(G);
  }

  template <class Fn> static void eachInRow(const Row &R, const TileShape &S, const GridKey &Key, Fn &Visit) {
    auto each = [&](size_t From, size_t To) { // Columns.
      for (auto It = R.lower_bound(From); It != R.end() && It->first < To; ++It)
        if (overlap(It->second->Shape, S))
          Visit(*It->second);
    };
    size_t Stride = Key.Stride, MostBytes = (size_t(2) << Key.LogBytes) - 1;
    bool Alike = S.Rows == 1 || S.Stride == Stride;
    if (!Alike || S.Bytes + MostBytes >= Stride)
      return each(0, Stride);
    // Sections that begin in (column of S - MostBytes, column of S + S.Bytes), with wrap-around.
    size_t Column = S.Base % Stride, From = Column + Stride - MostBytes + 1, To = Column + Stride + S.Bytes;
    if (From >= Stride)
      From -= Stride, To -= Stride;
    each(From, std::min(To, Stride));
    if (To > Stride)
      each(0, To - Stride);
  }

  std::map<TileShape, std::unique_ptr<Node>> All;
  std::map<GridKey, Grid> Grids;
};

} // namespace hsched::rt
#endif
