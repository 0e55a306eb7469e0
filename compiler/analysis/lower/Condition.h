// What holds where a condition does, and where it fails.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_CONDITION_H
#define HSCHED_ANALYSIS_LOWER_CONDITION_H

#include "model/Poly.h"

#include "clang/AST/Type.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hsched::cc {

// Facts about a condition. It holds only if (Exact: if and only if) all of Holds are >= 0 and all of Differs are not 0.
// It fails only if (FailsExact: if and only if) all of Fails are >= 0 and all of FailsDiffers are not 0.
struct Condition {
  std::vector<Poly> Holds, Differs, Fails, FailsDiffers;
  // For Holds and Fails that compare unsigned numbers: the upper side if it may wrap below 0. Then it is large, and the
  // condition holds.
  struct Upper {
    Poly Hold, Side;
    clang::QualType Type = {}; // If Side is a size that is converted to this type.
    bool LowerIsLarge = false; // Hold is the lower side, which may be large, too.
  };
  std::vector<Upper> Uppers;
  // If a number may have wrapped: the comparison of the numbers itself, and its negation, as in a section and in wide
  // types. Empty: not known.
  struct Text {
    std::string Plain, Wide;
    std::set<SymbolId> In;
    std::string Operation = {}; // Which condition it is, with its operands.
    std::vector<Poly> Operands = {};
  };
  Text Words, NotWords;
  bool Exact = false, FailsExact = false;
  std::optional<bool> Constant;

  const Poly *upperOf(const Poly &Hold) const;
  // True if it holds for all large numbers: a comparison also says that its lesser side is not negative.
  bool boundsNothing() const;
};

} // namespace hsched::cc
#endif
