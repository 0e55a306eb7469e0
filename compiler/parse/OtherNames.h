// Names that hsched lacks: of OpenMP and OmpSs, or misspelt.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PARSE_OTHERNAMES_H
#define HSCHED_PARSE_OTHERNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace hsched::cc {

// What to write instead, as the end of a sentence. Empty: unknown name.
llvm::StringRef adviceForDirective(llvm::StringRef Name);
llvm::StringRef adviceForClause(llvm::StringRef Name);

// The end of a message about an unknown clause: "; perhaps 'in' is meant". Empty if no clause has a similar name.
std::string similarClause(llvm::StringRef Name);

} // namespace hsched::cc
#endif
