// What objects own, as part of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_OWNED_H
#define HSCHED_ANALYSIS_REGIONS_OWNED_H

#include "model/AccessTree.h"

#include <functional>

namespace hsched::cc {

// Makes of accesses to storage that an object owns (Root::Owned) accesses to the object, or to the one that owns that:
//
//   write (*out)[?]      out is a pointer to a string         write out[0] partial maybe
//
// Where Named holds for the owner's root and not for what it owns: some section names it. Else only where it is known
// which element of the owner's root the owner is, and that parameter is itself accessed: then its section is inferred
// with what it owns. What is written of it may be written; what is read is read.
void foldOwned(AccessTree &Tree, const std::function<bool(unsigned Root)> &Named);

} // namespace hsched::cc
#endif
