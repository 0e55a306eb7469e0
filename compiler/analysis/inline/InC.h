// Captures of a block in C: facts that a C++ lambda would determine itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INLINE_INC_H
#define HSCHED_ANALYSIS_INLINE_INC_H

#include "analysis/bind/Internal.h"

namespace hsched::cc {

// Fills the fields of Code, a capture of V, that are for C, and B.References. False after an error. Loc: where the
// block first names V.
bool fitForC(BindContext C, BoundInline &B, const clang::ValueDecl *V, clang::SourceLocation Loc, CaptureCode &Code);

// For nested blocks: renames variables of the outer block in captures and clauses of the inner one, and in waits. Call
// after all are bound.
void nestInC(BindContext C, Binding &Out);

} // namespace hsched::cc
#endif
