// Preprocessor conditions in a part of a file that may begin or end inside a condition.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_BIND_CONDITIONS_H
#define HSCHED_ANALYSIS_BIND_CONDITIONS_H

#include "clang/Basic/LangOptions.h"

#include <string>

namespace hsched::cc {

// Removes incomplete conditions (#if to #endif) from Text: their directives, and their branches that are not taken. The
// first and the last character of Text are in taken branches. Whole: removes complete conditions too. Line numbers are
// kept.
std::string withoutConditions(std::string Text, const clang::LangOptions &Options, bool Whole = false);

} // namespace hsched::cc
#endif
