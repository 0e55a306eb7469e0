// Trees in which the elements of some roots are bytes: for clauses that name a part of what a root's elements are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_INBYTES_H
#define HSCHED_ANALYSIS_REGIONS_INBYTES_H

#include "model/AccessTree.h"

#include <functional>

namespace hsched::cc {

// Makes single bytes the elements of the roots that Of holds for. Of an access to a part of an element it is known then
// which bytes it touches, or else nothing but that it is somewhere in the root, and no words say why.
void toBytes(AccessTree &Tree, const std::function<bool(unsigned Root)> &Of);

} // namespace hsched::cc
#endif
