// Treats memory that objects own as part of the objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_OWNED_H
#define HSCHED_ANALYSIS_REGIONS_OWNED_H

#include "model/AccessTree.h"

#include <functional>

namespace hsched::cc {

// Replaces accesses to storage that an object owns (Root::Owned) by accesses to the object, or to its owner in turn:
//
//   write (*out)[?]      out is a pointer to a string         write out[0] partial maybe
//
// If Named is true for the owner's root and false for the owned one: a section names the owner. Otherwise only if the
// owner's element in its root is known and that parameter itself is accessed. Its section is then inferred with what it
// owns. A write to owned memory becomes a possible write to the owner; a read becomes a read.
void foldOwned(AccessTree &Tree, const std::function<bool(unsigned Root)> &Named);

} // namespace hsched::cc
#endif
