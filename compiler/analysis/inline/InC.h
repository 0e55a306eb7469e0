// What a block in C needs to know of the variables around it, beside what a lambda of C++ would find out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INLINE_INC_H
#define HSCHED_ANALYSIS_INLINE_INC_H

#include "analysis/bind/Internal.h"

namespace hsched::cc {

// Fills the fields of Code, a capture of V, that are for C, and B.References. False when an error was reported; Loc is
// where the block first names V.
bool fitForC(BindContext C, BoundInline &B, const clang::ValueDecl *V, clang::SourceLocation Loc, CaptureCode &Code);

// Where a block lies in another's, what the outer one has under another name: in the inner one's captures and clauses,
// and in waits. After all are bound.
void nestInC(BindContext C, Binding &Out);

} // namespace hsched::cc
#endif
