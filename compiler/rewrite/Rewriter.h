// A binding becomes edits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_REWRITE_REWRITER_H
#define HSCHED_REWRITE_REWRITER_H

#include "analysis/bind/Bind.h"
#include "rewrite/Edits.h"

#include "clang/Sema/Sema.h"

namespace hsched::cc {

// Adds to Out what the functions and waits of B become; P is the same in plain values. False when something cannot be
// rewritten (an error was reported).
bool rewrite(clang::Sema &S, Binding &B, const std::vector<Directive> &Directives, const ProgramCode &P, Edits &Out);

} // namespace hsched::cc
#endif
