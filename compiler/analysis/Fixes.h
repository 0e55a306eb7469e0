// Fix-its: edits of directives for diagnostics. Empty if the edit is uncertain.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_FIXES_H
#define HSCHED_ANALYSIS_FIXES_H

#include "model/Directive.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"

#include <string>
#include <vector>

namespace hsched::cc {

using Fixes = std::vector<clang::FixItHint>;

// Gives the section at Loc the role Role. If its clause names other sections too, they keep theirs, and the section
// gets a new clause in front.
Fixes fixRole(const clang::SourceManager &SM, const Directive &D, clang::SourceLocation Loc, const std::string &Role);

// Removes all data clauses.
Fixes fixWithoutData(const clang::SourceManager &SM, const Directive &D);

// Gives an ndrange these local sizes.
Fixes fixLocalSizes(const clang::SourceManager &SM, const clang::LangOptions &Lang, const RangeClause &Range,
                    const std::string &Sizes);

// Adds a clause at the end.
Fixes fixWith(const Directive &D, const std::string &Clause);

} // namespace hsched::cc
#endif
