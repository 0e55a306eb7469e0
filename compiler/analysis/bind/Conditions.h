// Conditions of the preprocessor in a piece of a file, which may begin or end in the midst of one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_BIND_CONDITIONS_H
#define HSCHED_ANALYSIS_BIND_CONDITIONS_H

#include "clang/Basic/LangOptions.h"

#include <string>

namespace hsched::cc {

// Text, of which the first and the last character are in branches that are taken, without the halves of conditions (#if
// to #endif) whose other half is not in it: their directives, and the branches in it that are not taken. Whole: without
// the conditions that are all in it as well. Lines stay where they are.
std::string withoutConditions(std::string Text, const clang::LangOptions &Options, bool Whole = false);

} // namespace hsched::cc
#endif
