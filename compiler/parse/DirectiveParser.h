// #pragma hsched ... -> Directive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PARSE_DIRECTIVEPARSER_H
#define HSCHED_PARSE_DIRECTIVEPARSER_H

#include "model/Directive.h"

#include <memory>
#include <vector>

namespace clang {
class PragmaHandler;
class Preprocessor;
} // namespace clang

namespace hsched::cc {

// Registers a parser for '#pragma hsched' with PP. It appends to Out; errors go to PP's diagnostics. Out must outlive
// PP's use.
void addDirectiveHandler(clang::Preprocessor &PP, std::vector<Directive> &Out);

} // namespace hsched::cc
#endif
