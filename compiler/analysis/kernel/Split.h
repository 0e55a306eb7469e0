// Whether a buffer can be split where a kernel's range is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_KERNEL_SPLIT_H
#define HSCHED_ANALYSIS_KERNEL_SPLIT_H

#include "analysis/regions/Effects.h"

#include <optional>

namespace hsched::cc {

// The kernel with one index of dimension 0 taken out: what its work-items touch.
class KernelSplit {
public:
  // Tree as it is for a launch; Counter is that of the loop over dimension 0.
  KernelSplit(const AccessTree &Tree, SymbolId Counter);

  // Whether work-items of index g touch, of a root with Elements elements, none but the g-th of as many equal shares as
  // there are indices. True is proved.
  bool splits(unsigned Root, const Poly &Elements) const;

private:
  AccessTree One;
  SymbolId Index = 0;
  std::optional<Poly> Size; // Of the range.
  std::optional<Effects> Found;
};

} // namespace hsched::cc
#endif
