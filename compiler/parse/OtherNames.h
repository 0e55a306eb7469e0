// Names that OpenMP and OmpSs have for what hsched has not, or calls otherwise.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PARSE_OTHERNAMES_H
#define HSCHED_PARSE_OTHERNAMES_H

#include "llvm/ADT/StringRef.h"

namespace hsched::cc {

// What to write instead, as the end of a sentence; empty: the name is not known.
llvm::StringRef insteadOfDirective(llvm::StringRef Name);
llvm::StringRef insteadOfClause(llvm::StringRef Name);

} // namespace hsched::cc
#endif
