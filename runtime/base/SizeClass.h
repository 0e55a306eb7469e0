// Size class: tasks of one type and class are expected to take the same time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SIZECLASS_H
#define HSCHED_BASE_SIZECLASS_H

#include <bit>
#include <cstdint>
#include <optional>

namespace hsched::rt {

// A data-set size in bytes, or, with the highest bit set, a cost in the program's own unit.
using SizeClass = uint64_t;

inline constexpr SizeClass CostBit = SizeClass(1) << 63;
inline constexpr double NoCost = -1;

// A cost below 0 or NaN counts as not given.
inline SizeClass sizeClassOf(uint64_t DataBytes, double Cost) {
  return Cost >= 0 ? std::bit_cast<uint64_t>(Cost) | CostBit : DataBytes;
}
inline std::optional<double> costOf(SizeClass Size) {
  return Size & CostBit ? std::optional(std::bit_cast<double>(Size & ~CostBit)) : std::nullopt;
}
// The cost, or the number of bytes.
inline double valueOf(SizeClass Size) { return costOf(Size).value_or(static_cast<double>(Size)); }
// Times of sizes whose quotient is at most this say something about each other.
inline constexpr double NearSizes = 1.125;
inline bool areNear(SizeClass A, SizeClass B) {
  const double X = valueOf(A), Y = valueOf(B);
  return costOf(A).has_value() == costOf(B).has_value() && X <= NearSizes * Y && Y <= NearSizes * X;
}

} // namespace hsched::rt
#endif
