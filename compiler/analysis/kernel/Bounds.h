// Checks of bounds in kernels of checked programs (--hsched-check).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_ANALYSIS_KERNEL_BOUNDS_H
#define HSCHED_COMPILER_ANALYSIS_KERNEL_BOUNDS_H

#include "clang/AST/Decl.h"
#include "clang/Lex/Token.h"

#include <set>
#include <string>
#include <vector>

namespace hsched::cc {

// [Begin, End) of the file that F's body is in gives way to Text.
struct BoundsEdit {
  unsigned Begin, End;
  std::string Text;
};

// The tokens that macros made, in the order of the text.
using MacroTokens = std::vector<clang::Token>;

// OpenCL C that precedes all kernels: the check function, and the layout of its section table.
const char *boundsPreamble();

// The edits of F's body, in which hsched_c points to the section table. A call of a function in Checked becomes a call
// of its checked copy hsched_checked_NAME, which takes hsched_c as an extra argument. A macro's use with accesses is
// replaced by the macro's tokens, with the checks among them.
std::vector<BoundsEdit> boundsEdits(const clang::FunctionDecl &F, const std::set<const clang::FunctionDecl *> &Checked,
                                    const MacroTokens &Expanded);

} // namespace hsched::cc
#endif
