// Names in OpenMP and OmpSs that hsched lacks, or spells differently.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PARSE_OTHERNAMES_H
#define HSCHED_PARSE_OTHERNAMES_H

#include "llvm/ADT/StringRef.h"

namespace hsched::cc {

// What to write instead, as the end of a sentence. Empty: unknown name.
llvm::StringRef insteadOfDirective(llvm::StringRef Name);
llvm::StringRef insteadOfClause(llvm::StringRef Name);

} // namespace hsched::cc
#endif
