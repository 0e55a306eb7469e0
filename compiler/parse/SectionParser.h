// Sections of memory, in the spellings of OmpSs and OpenMP.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PARSE_SECTIONPARSER_H
#define HSCHED_PARSE_SECTIONPARSER_H

#include "parse/Tokens.h"

namespace hsched::cc {

// Message is empty on success.
struct SectionError {
  clang::SourceLocation Loc;
  std::string Message;
};

//   section := '[' expr ']' ... base            shape
//            | base '[' [expr] (':' | ';') expr ']'   range
//            | '*' base                          one element
//            | base                              an object whose type tells its size
SectionError parseSection(TokRange Tokens, Section &Out);

} // namespace hsched::cc
#endif
