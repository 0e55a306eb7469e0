// Checks of bounds in kernels of checked programs (--hsched-check).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_ANALYSIS_KERNEL_BOUNDS_H
#define HSCHED_COMPILER_ANALYSIS_KERNEL_BOUNDS_H

#include "clang/AST/Decl.h"

#include <set>
#include <string>
#include <vector>

namespace hsched::cc {

// [Begin, End) of the file that F's body is in gives way to Text.
struct BoundsEdit {
  unsigned Begin, End;
  std::string Text;
};

// OpenCL C that goes ahead of all else: the function that checks call, and what it is told of the sections.
const char *boundsPreamble();

// The edits of F's body, in which a pointer hsched_c leads to what is known of the sections. A call of a function in
// Checked becomes one of its checked copy, hsched_checked_NAME, which takes hsched_c after its own arguments.
// Accesses whose ends come from macros are left as they are.
std::vector<BoundsEdit> boundsEdits(const clang::FunctionDecl &F, const std::set<const clang::FunctionDecl *> &Checked);

} // namespace hsched::cc
#endif
