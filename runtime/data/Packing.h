// The tiles that a version takes packed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DATA_PACKING_H
#define HSCHED_DATA_PACKING_H

#include "graph/Task.h"

#include <algorithm>
#include <span>

namespace hsched::rt {

// The parameters of packed tiles. A tile that already lies on the device with another layout stays; its placement
// tells. Tiles may share one parameter for the distance of their rows: then all of them are packed, or none.
class PackedParams {
public:
  PackedParams() = default;
  // Leading, unless null, holds for each of Tiles the parameter with its leading dimension. Both outlive this.
  PackedParams(std::span<const hsched_packed> Tiles, const unsigned *Leading = nullptr)
      : Tiles(Tiles), Leading(Leading) {}

  bool empty() const { return Tiles.empty(); }
  size_t size() const { return Tiles.size(); }
  const hsched_packed &operator[](size_t I) const { return Tiles[I]; }

  // True if two of them share a leading dimension; true if any two do.
  bool together(size_t I, size_t J) const { return Leading && Leading[I] == Leading[J]; }
  bool together(size_t I) const {
    for (size_t J = 0; Leading && J < size(); ++J)
      if (J != I && together(I, J))
        return true;
    return false;
  }
  bool anyTogether() const {
    for (size_t I = 0; Leading && I < size(); ++I)
      if (together(I))
        return true;
    return false;
  }

  // Without those that share a parameter: they keep the host's strides.
  PackedParams apart() const {
    PackedParams Fewer = *this;
    Fewer.Apart = true;
    return Fewer;
  }
  bool isApart() const { return Apart; }

  // Index of A's parameter; size(): it is not among them.
  size_t indexOf(const Access &A) const {
    auto At = std::find_if(Tiles.begin(), Tiles.end(), [&A](const hsched_packed &P) { return P.param == A.param; });
    return static_cast<size_t>(At - Tiles.begin());
  }
  bool packs(const Access &A) const {
    if (A.param == HSCHED_NO_PARAM)
      return false;
    const size_t I = indexOf(A);
    return I < size() && !(Apart && together(I));
  }

private:
  std::span<const hsched_packed> Tiles;
  const unsigned *Leading = nullptr;
  bool Apart = false;
};

} // namespace hsched::rt
#endif
