// Turns a binding into edits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_REWRITE_REWRITER_H
#define HSCHED_REWRITE_REWRITER_H

#include "analysis/bind/Bind.h"
#include "rewrite/Edits.h"

#include "clang/Sema/Sema.h"

namespace hsched::cc {

// Adds the edits for functions and waits of B to Out. P: the same as plain values. False after an
// error.
bool rewrite(clang::Sema &S, Binding &B, const std::vector<Directive> &Directives, const ProgramCode &P, Edits &Out);

} // namespace hsched::cc
#endif
