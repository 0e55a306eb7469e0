// Trees with bytes as elements of some roots, for clauses that name a part of an element.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_INBYTES_H
#define HSCHED_ANALYSIS_REGIONS_INBYTES_H

#include "model/AccessTree.h"

#include <functional>

namespace hsched::cc {

// Converts the roots for which Of is true to byte elements. An access to a part of an element then has exact bytes, or
// is Anywhere in the root without a reason.
void toBytes(AccessTree &Tree, const std::function<bool(unsigned Root)> &Of);

} // namespace hsched::cc
#endif
