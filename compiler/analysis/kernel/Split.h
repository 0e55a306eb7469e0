// Tests whether a buffer can be split together with a kernel's range.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_KERNEL_SPLIT_H
#define HSCHED_ANALYSIS_KERNEL_SPLIT_H

#include "analysis/regions/Effects.h"

#include <optional>

namespace hsched::cc {

// The kernel restricted to one index of dimension 0.
class KernelSplit {
public:
  // Tree: for a launch. Counter: of the loop over dimension 0.
  KernelSplit(const AccessTree &Tree, SymbolId Counter);

  // True if it is proved that work-items of index g access only the g-th of equal shares of the
  // root's Elements elements.
  bool splits(unsigned Root, const Poly &Elements) const;

private:
  AccessTree One;
  SymbolId Index = 0;
  std::optional<Poly> Size; // Size of the range.
  std::optional<Effects> Found;
};

} // namespace hsched::cc
#endif
